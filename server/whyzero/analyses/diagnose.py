"""The whole procedure at once: where it broke, what each zero is worth, and the honest totals."""

from __future__ import annotations

from whyzero.analyses.classify_zero import ZeroClassification, ZeroTally
from whyzero.analyses.judged import Progress, judged
from whyzero.analyses.locate_failed_phase import COMPACT, FailedPhase, PhaseTally, ResponseFormat
from whyzero.analyses.report import NextStep
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
    listed = COMPACT if response_format == "concise" else None
    zeros = ZeroTally([run], response_format=response_format, limit=listed, narrowed=trial is not None) if row is None else None
    for _, one, verdict in judged([run], trial=trial, row=row, progress=progress):
        located.add(one, verdict)
        if zeros:
            zeros.add(run, one, verdict)
    report, classified = located.report(), zeros.report() if zeros else None
    steps = _open_questions(report, classified) if classified else report.next_steps
    values = {name: getattr(report, name) for name in FailedPhase.model_fields} | {"next_steps": steps}
    return Diagnosis(**values, classification=classified)


def _open_questions(report: FailedPhase, classified: ZeroClassification) -> tuple[NextStep, ...]:
    """What is left to ask: the mend, the key, and the rest of the one list of trials that is shown."""
    mend = [step for step in report.next_steps if step.tool == "verify_fix" or (step.tool != "classify_zero" and not _rest(step))]
    key = [step for step in classified.next_steps if step.tool == "partition_disputed_rows"]
    return (*mend, *key, *(step for step in classified.next_steps if _rest(step)))


def _rest(step: NextStep) -> bool:
    return "offset" in step.arguments


__all__ = ["Diagnosis", "diagnose"]
