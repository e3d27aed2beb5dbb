"""What a verifier found of the work, from its own files: tests, counts, and words about the deliverable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from whyzero.evidence import Evidence
from whyzero.model import Speaker, Spot, TestOutcome, Utterance
from whyzero.readers.absence import NOT_THERE_ELSEWHERE, says_absent
from whyzero.readers.escapes import uncoloured
from whyzero.readers.files import Folder
from whyzero.readers.pytest_log import Session, read_session
from whyzero.readers.runner_counts import Counts, closing_counts
from whyzero.readers.verdict_lines import VerdictLines

HEAD, TAIL = 60, 200
"""Lines of a verifier's output kept at either end."""
LINE = 2000
EVIDENCE_LIMIT = 12

_ABSENT_LINE = re.compile(
    r"(?i)does(?: not|n't) exist|no such file|not found|missing|\bno \S+ (?:submitted|found)|\bno [\w/.-]+\W*$|\(no \w+\)|absent|nothing"
    r"|\b(?:not|never) (?:created|generated|produced|written|present|submitted)|(?:did not|didn't|failed to) \w+|found none|(?:exists?|present|created|submitted)\W+false|"
    + NOT_THERE_ELSEWHERE
)
_UNITTEST_END = re.compile(r"^(?:OK(?: \(skipped=\d+\))?|FAILED \((?P<bad>[\w=, ]+)\))$")


@dataclass(slots=True)
class Output:
    """One output file of a verifier, bounded, with the pytest session found in it."""

    lines: tuple[Utterance, ...] = ()
    complete: bool = True
    session: Session = field(default_factory=Session)
    absent: tuple[Evidence, ...] = ()
    judged: tuple[Evidence, ...] = ()
    counts: tuple[Counts, Spot] | None = None
    """Closing counts of test runners other than pytest, added up, and where the last stands."""


def read_output(folder: Folder, path: str, names: tuple[str, ...]) -> Output:
    """Stream one output file once; every line of any length of file is looked at, the ends are kept."""
    kept = _Ends(path)
    session = read_session(kept.watch(folder.lines(path)))
    absent: list[Evidence] = []
    judged: list[Evidence] = []
    counts: tuple[Counts, Spot] | None = None
    verdicts = VerdictLines(names)
    for utterance in kept.lines():
        judging = verdicts.judges(utterance.text)
        if counts is not None and counts[0].passed is None and (end := _UNITTEST_END.match(utterance.text)):
            bad = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", end.group("bad") or ""))
            counts = (Counts(counts[0].ran, max(counts[0].ran - bad, 0)), counts[1])
            continue
        if (found := closing_counts(utterance.text)) is not None:
            counts = (found + counts[0], utterance.spot) if counts else (found, utterance.spot)
            judged += [utterance.evidence()] if found.ran else []
            continue
        if _ABSENT_LINE.search(utterance.text) and says_absent([utterance.text], names) and len(absent) < EVIDENCE_LIMIT:
            absent.append(utterance.evidence())
        elif judging and len(judged) < EVIDENCE_LIMIT:
            judged.append(utterance.evidence())
    return Output(kept.lines(), kept.complete, session, tuple(absent), tuple(judged[-EVIDENCE_LIMIT:]), counts)


class _Ends:
    """Keeps the first and last lines of a stream that passes through it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.head: list[tuple[int, str]] = []
        self.tail: list[tuple[int, str]] = []
        self.complete = True

    def watch(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        for number, coloured in lines:
            line = uncoloured(coloured)
            if line.strip():
                item = (number, line[:LINE])
                if len(self.head) < HEAD:
                    self.head.append(item)
                else:
                    self.tail.append(item)
                    if len(self.tail) > 2 * TAIL:
                        del self.tail[:TAIL]
                        self.complete = False
            yield number, line

    def lines(self) -> tuple[Utterance, ...]:
        if len(self.tail) > TAIL:
            del self.tail[: len(self.tail) - TAIL]
            self.complete = False
        return tuple(Utterance(Speaker.VERIFIER, text, Spot(self.path, number)) for number, text in (*self.head, *self.tail))


def session_tests(session: Session, path: str, names: tuple[str, ...]) -> tuple[TestOutcome, ...]:
    """Tests as pytest printed them; those without a verdict in the summary failed in the section they were found in."""
    tests = []
    for case in session.cases.values():
        told = [(n, text) for n, text in (*case.explained, (case.line, case.message)) if text]
        passed = bool(case.passed)
        absent = None if passed else next(((n, text) for n, text in told if says_absent([text], names)), None)
        line, message = absent or (told[0] if told else (case.line, ""))
        files = tuple(dict.fromkeys(case.files))
        tests.append(TestOutcome(case.name, passed, message, Spot(path, line), absent=absent is not None, files=files))
    return tuple(tests)


def from_tests(tests: tuple[TestOutcome, ...]) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    """Evidence that something asked for was not there, and that something there was judged (wrong first)."""
    absent = [t for t in tests if not t.passed and t.absent]
    wrong = [t for t in tests if not t.passed and not t.absent]
    right = [t for t in tests if t.passed]
    return (
        tuple(_evidence(t) for t in absent[:EVIDENCE_LIMIT]),
        tuple(_evidence(t) for t in (*wrong[:EVIDENCE_LIMIT], *right[:EVIDENCE_LIMIT])),
    )


def _evidence(test: TestOutcome) -> Evidence:
    spot = test.spot or Spot("")
    if (spot.pointer or "").startswith("/parser_results/") or (spot.pointer or "").endswith("/status"):
        return spot.evidence("passed" if test.passed else "failed")
    return spot.evidence(test.message or test.name)


def with_absence(test: TestOutcome, lines: Iterable[str], names: tuple[str, ...]) -> TestOutcome:
    """The failed test with the line that tells whether it missed a file or judged one."""
    told = [line for line in lines if line]
    absent = says_absent(told, names)
    return replace(test, message=absent or (told[0] if told else test.message), absent=absent is not None)
