"""What the exit code says of a report: 0 nothing wrong found, 1 something found, 2 could not tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whyzero.analyses.check_staleness import CHECKS, Staleness
from whyzero.analyses.classify_zero import ZeroClassification
from whyzero.analyses.locate_failed_phase import FailedPhase
from whyzero.analyses.partition_disputed_rows import Partition, Verdict
from whyzero.analyses.probe_tool_roundtrip import RoundTrip, RoundTripVerdict
from whyzero.analyses.report import Report
from whyzero.analyses.staleness.checked import Freshness
from whyzero.analyses.verify_fix import FixVerdict, FixVerification

CLEAN, FOUND, COULD_NOT_TELL = 0, 1, 2


def exit_code(report: Report) -> tuple[int, str]:
    """The code, and for 2 the reason, to be said on stderr."""
    for kind in type(report).__mro__:
        if kind in CODES:
            code = CODES[kind](report)
            return code, f"could not tell. {report.summary}" if code == COULD_NOT_TELL else ""
    raise TypeError(f"{type(report).__name__} has no exit code")


NOT_WRONG = frozenset({"passed", "skipped", "no_agent"})
UNDECIDED = frozenset({"undetermined", "pending"})


def _failed_phase(report: FailedPhase) -> int:
    words = {*report.counts.by_cause, *([report.cause] if report.cause else []), *(["pending"] if report.counts.pending else [])}
    return _of_causes(words)


def _zero_classification(report: ZeroClassification) -> int:
    return _of_causes(set(report.counts))


def _fix_verification(report: FixVerification) -> int:
    return {FixVerdict.VERIFIED: CLEAN, FixVerdict.REFUTED: FOUND}.get(report.verdict, COULD_NOT_TELL)


def _staleness(report: Staleness) -> int:
    words = {word for check in CHECKS for word in report.counts.get(check, {})}
    if Freshness.STALE in words:
        return FOUND
    return CLEAN if Freshness.FRESH in words else COULD_NOT_TELL


def _partition(report: Partition) -> int:
    if report.verdict is Verdict.CANNOT_TELL:
        compared = any(task.answered > 1 for task in report.tasks) if report.of == "tests" else report.answered > 1
        nothing = compared and not report.rows and not report.invented and report.of != "tasks"
        return CLEAN if nothing else COULD_NOT_TELL
    return FOUND


def _round_trip(report: RoundTrip) -> int:
    if report.verdict is RoundTripVerdict.NO_TOOL_CALL:
        return COULD_NOT_TELL
    return CLEAN if report.verdict is RoundTripVerdict.WORKS else FOUND


def _of_causes(causes: set[str]) -> int:
    wrong = causes - NOT_WRONG
    if not wrong:
        return CLEAN
    return FOUND if wrong - UNDECIDED else COULD_NOT_TELL


CODES: dict[type[Report], Callable[[Any], int]] = {
    FailedPhase: _failed_phase,
    FixVerification: _fix_verification,
    Partition: _partition,
    RoundTrip: _round_trip,
    Staleness: _staleness,
    ZeroClassification: _zero_classification,
}
"""Report type and how its exit code is read off; the most derived type of a report wins."""
