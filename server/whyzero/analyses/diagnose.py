"""The whole procedure at once: where it broke, what each zero is worth, and the honest totals."""

from __future__ import annotations

from whyzero.analyses.classify_zero import ZeroClassification, ZeroTally
from whyzero.analyses.judged import Progress, judged
from whyzero.analyses.locate_failed_phase import FailedPhase, PhaseTally, ResponseFormat
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
    progress: Progress = None,
) -> Diagnosis:
    """Locate the failed phase and classify every zero in one pass; arguments as in locate_failed_phase."""
    located = PhaseTally(run, trial=trial, row=row, response_format=response_format)
    zeros = ZeroTally([run], response_format=response_format) if row is None else None
    for _, one, verdict in judged([run], trial=trial, row=row, progress=progress):
        located.add(one, verdict)
        if zeros:
            zeros.add(run, one, verdict)
    report = located.report()
    answered_here = {"classify_zero"} if zeros else set()
    steps = tuple(step for step in report.next_steps if step.tool not in answered_here)
    values = {name: getattr(report, name) for name in FailedPhase.model_fields} | {"next_steps": steps}
    return Diagnosis(**values, classification=zeros.report() if zeros else None)


__all__ = ["Diagnosis", "diagnose"]
