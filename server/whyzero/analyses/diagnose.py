"""The whole procedure at once: where it broke, what each zero is worth, and the honest totals."""

from __future__ import annotations

from collections.abc import Callable

from whyzero.analyses.classify_zero import ZeroClassification, classify_zero
from whyzero.analyses.locate_failed_phase import FailedPhase, ResponseFormat, locate_failed_phase
from whyzero.model import Run


class Diagnosis(FailedPhase):
    """The standard diagnosis report, with the classification of the same trials inside."""

    classification: ZeroClassification | None = None
    """Answer of classify_zero for the same trials; null where only one dataset row was asked for."""


def diagnose(
    run: Run,
    *,
    trial: str | None = None,
    row: int | None = None,
    response_format: ResponseFormat = "concise",
    progress: Callable[[int, int | None], None] | None = None,
) -> Diagnosis:
    """Locate the failed phase and classify every zero. Reads the trials twice; arguments as in locate_failed_phase."""
    located = locate_failed_phase(run, trial=trial, row=row, response_format=response_format, progress=progress)
    classified = None if row is not None else classify_zero(run, trial=trial, response_format=response_format, progress=progress)
    answered_here = {"classify_zero"} if classified else set()
    steps = [step for step in located.next_steps if step.tool not in answered_here]
    values = {name: getattr(located, name) for name in FailedPhase.model_fields} | {"next_steps": tuple(steps)}
    return Diagnosis(**values, classification=classified)


__all__ = ["Diagnosis", "diagnose"]
