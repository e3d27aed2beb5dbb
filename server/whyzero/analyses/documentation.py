"""Where the platform's own documentation speaks of a diagnosis: a pointer beside the cause, never a part of its proof."""

from __future__ import annotations

from collections.abc import Callable

from whyzero.analyses.locate_failed_phase import FailedPhase
from whyzero.text import clean

LIMIT = 1500


def with_documentation(report: FailedPhase, ask: Callable[[str], str]) -> FailedPhase:
    """The diagnosis of an Osmosis run, with a sentence about where to read on.

    Args:
        ask: given the cause, asks the documentation's index; an empty sentence where there is nothing to say.
    """
    if report.run.format != "osmosis" or report.cause is None:
        return report
    said = ask(report.cause)
    if not said:
        return report
    return report.model_copy(update={"likely_cause": f"{clean(report.likely_cause, LIMIT - len(said) - 1)} {said}"})


__all__ = ["with_documentation"]
