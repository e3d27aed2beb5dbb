"""What the verifier's folder holds: tests, counts, output, and its words about the deliverable."""

from __future__ import annotations

from dataclasses import dataclass

from whyzero.evidence import Evidence
from whyzero.model import Grading, Spot, Utterance
from whyzero.readers.ctrf import Report, read_ctrf
from whyzero.readers.files import Folder
from whyzero.readers.judgement import Output, from_tests, read_output, session_tests
from whyzero.readers.junit import read_junit
from whyzero.readers.shapes import join

OUTPUTS = ("test-stdout.txt", "test-stderr.txt")
FILE_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Judged:
    """Grading facts, and evidence that the work was absent or looked at."""

    grading: Grading
    missing: tuple[Evidence, ...] = ()
    seen: tuple[Evidence, ...] = ()


def read_verifier(folder: Folder, base: str, names: tuple[str, ...], expects_report: bool | None) -> Judged:
    """Read `verifier/` of a trial or step; `names` are the files the brief asks for."""
    files = tuple(folder.walk(base, limit=FILE_LIMIT)) if folder.is_dir(base) else ()
    report = read_ctrf(folder, join(base, "ctrf.json"), names) if join(base, "ctrf.json") in files else None
    report = report or next((r for f in files if f.endswith(".xml") and (r := read_junit(folder, f, names))), None)
    outputs = [(join(base, n), read_output(folder, join(base, n), names)) for n in OUTPUTS if join(base, n) in files]
    lines: tuple[Utterance, ...] = tuple(line for _, output in outputs for line in output.lines)
    path, main = next(
        ((p, o) for p, o in outputs if o.session.ran or o.session.started), outputs[0] if outputs else ("", Output())
    )
    tests = report.tests if report and report.tests else session_tests(main.session, path, names)
    missing, seen = from_tests(tests)
    if not tests:
        missing = tuple(e for _, output in outputs for e in output.absent)
        seen = tuple(e for _, output in outputs for e in output.judged) or _counted(main, path)
    collected, passed, spot = _counts(report, main, path)
    grading = Grading(
        tests=tests,
        collected=collected,
        passed=passed,
        report=spot,
        output=lines,
        complete=all(output.complete for _, output in outputs),
        files=files,
        expects_report=expects_report,
        ran_at=report.started_at if report else None,
    )
    return Judged(grading, missing, seen)


def _counted(output: Output, path: str) -> tuple[Evidence, ...]:
    """A closing line of pytest without a word about single tests: where some passed, something was there to be judged."""
    session = output.session
    if session.closing is None or not session.passed or session.collection_failed:
        return ()
    return (Spot(path, session.closing[0]).evidence(session.closing[1]),)


def _counts(report: Report | None, output: Output, path: str) -> tuple[int | None, int | None, Spot | None]:
    """Counts from the report, else from pytest's closing line."""
    if report is not None and report.collected is not None:
        return report.collected, report.passed, report.spot
    session = output.session
    if session.closing is not None:
        return session.collected, session.passed, Spot(path, session.closing[0])
    if output.counts is not None:
        counts, spot = output.counts
        return counts.ran, counts.passed, spot
    return None, None, None
