"""What pytest printed: single tests with the lines that explain a failure, and the closing count."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

TEST_LIMIT = 500
LINES_PER_TEST = 20
WORDS = 600
"""Characters kept of a line that explains a failure."""

_START = re.compile(r"^=+ test session starts =+$")
_SECTION = re.compile(r"^=+ (FAILURES|ERRORS|PASSES|short test summary info|warnings summary)\b.*=+$")
_CASE = re.compile(r"^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(?P<name>\S.*?) _{3,}$")
_SUMMARY = re.compile(
    r"^(?P<word>PASSED|FAILED|ERROR|XFAIL|XPASS|SKIPPED)\s+(?P<id>\S+?(?:\[.*?\])?)(?:\s+-\s+(?P<message>.*))?$"
)
_CLOSING = re.compile(r"^=+ (?P<counts>(?:\d+ [a-z]+,? ?)+|no tests ran)(?: in [\d.]+s?(?: \([\d:]+\))?)? =+$")
_SHORT_CLOSING = re.compile(r"^(?P<counts>\d+ (?:passed|failed|errors?)(?:, \d+ [a-z]+)*|no tests ran) in [\d.]+s\b")
_COLLECTED = re.compile(r"^collected (?P<n>\d+) items?\b|^collecting \.\.\. collected (?P<m>\d+) items?\b")
FRAME = re.compile(r"^(?P<path>\S+\.py):\d+: (?:in \S+)?[\w.]*$")
"""A line of a traceback that names its file."""
_COUNT = re.compile(r"(\d+) ([a-z]+)")


@dataclass(slots=True)
class Case:
    """One test as pytest told it."""

    name: str
    line: int
    passed: bool | None = None
    message: str = ""
    explained: list[tuple[int, str]] = field(default_factory=list)
    """The `E   …` lines of its failure, numbered."""
    files: list[str] = field(default_factory=list)
    """Files through which its traceback leads."""


@dataclass(slots=True)
class Session:
    """All that was found of pytest sessions in one output; `None` counts were not printed."""

    started: int | None = None
    """Line of the first session header."""
    collected: int | None = None
    passed: int | None = None
    closing: tuple[int, str] | None = None
    """Line number and text of the last closing line."""
    collection_failed: bool = False
    cases: dict[str, Case] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        return self.closing is not None or any(c.passed is not None for c in self.cases.values())


def read_session(lines: Iterable[tuple[int, str]]) -> Session:
    """Parse numbered lines of an output that may hold a pytest session among other things."""
    session = Session()
    section = ""
    current: Case | None = None
    for number, raw in lines:
        line = raw.rstrip()
        if _START.match(line):
            session.started = session.started or number
            section, current = "", None
            continue
        if found := _SECTION.match(line):
            section, current = found.group(1), None
            continue
        if closing := (_CLOSING.match(line) or _SHORT_CLOSING.match(line)):
            _close(session, number, line, closing.group("counts"))
            section, current = "", None
            continue
        if collected := _COLLECTED.match(line):
            session.collected = int(collected.group("n") or collected.group("m"))
            session.collection_failed |= bool(re.search(r"/ \d+ errors?\b", line)) and session.collected == 0
            continue
        if section in ("FAILURES", "ERRORS"):
            if case := _CASE.match(line):
                session.collection_failed |= "ERROR collecting" in line and not session.collected
                current = _case(session, case.group("name").split(".")[-1] if "[" not in line else case.group("name"), number)
            elif current is not None and line.startswith("E ") and len(current.explained) < LINES_PER_TEST:
                current.explained.append((number, clipped(line[1:].strip())))
            elif current is not None and (place := FRAME.match(line)) and len(current.files) < LINES_PER_TEST:
                current.files.append(place["path"])
            continue
        if summary := _SUMMARY.match(line):
            _summarise(session, summary, number)
    return session


def clipped(text: str) -> str:
    """At most WORDS characters; a cut shows."""
    return text if len(text) <= WORDS else text[: WORDS - 1] + "…"


def _case(session: Session, name: str, number: int) -> Case | None:
    if name not in session.cases and len(session.cases) >= TEST_LIMIT:
        return None
    return session.cases.setdefault(name, Case(name, number))


def _summarise(session: Session, found: re.Match[str], number: int) -> None:
    word, name = found.group("word"), found.group("id").rsplit("::", 1)[-1]
    if word not in ("PASSED", "FAILED", "ERROR"):
        return
    case = _case(session, name, number)
    if case is not None:
        case.passed = word == "PASSED"
        case.message = clipped(found.group("message") or "")
        case.line = number


def _close(session: Session, number: int, line: str, counts: str) -> None:
    session.closing = (number, line)
    if counts == "no tests ran":
        session.collected, session.passed = session.collected or 0, 0
        return
    by_word = {word: int(count) for count, word in _COUNT.findall(counts)}
    ran = sum(by_word.get(word, 0) for word in ("passed", "failed", "error", "errors", "xfailed", "xpassed"))
    session.passed = by_word.get("passed", 0)
    if ran and not (session.collection_failed and set(by_word) <= {"error", "errors"}):
        session.collected = ran
    elif not ran or session.collection_failed:
        session.collected = session.collected or 0
