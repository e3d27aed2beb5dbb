"""From evidence to a verdict: walks the causes in their order and takes the first that shows evidence."""

from __future__ import annotations

from whyzero.causes import CAUSES
from whyzero.causes.cause import Cause, Found
from whyzero.findings import Finding, Outcome, Verdict
from whyzero.model import Phase, Recorded, Run, Trial


def outcome_of(trial: Trial, run: Run) -> Outcome:
    """The verifier's word, from the record alone; whether it may be believed is `Verdict.answered`."""
    if trial.recorded is Recorded.PENDING:
        return Outcome.PENDING
    if trial.recorded is Recorded.SKIPPED:
        return Outcome.SKIPPED
    value = trial.reward.value
    if value is None:
        return Outcome.NOT_GRADED
    if value >= (1.0 if run.threshold is None else run.threshold):
        return Outcome.GRADED_PASS
    return Outcome.GRADED_PARTIAL if value > 0 else Outcome.GRADED_ZERO


def first_cause(trial: Trial, run: Run) -> tuple[Cause, Found] | None:
    """The first registered cause with evidence in this trial."""
    for cause in CAUSES:
        if cause.find is not None and (found := cause.find(trial, run)) and found.evidence:
            return cause, found
    return None


def run_finding(run: Run) -> Finding | None:
    """What kept the run itself from going on, if anything did."""
    for cause in CAUSES:
        if cause.find_in_run is not None and (found := cause.find_in_run(run)) and found.evidence:
            return finding(cause, found, run, None)
    return None


def finding(cause: Cause, found: Found, run: Run, trial: Trial | None) -> Finding:
    """Lay out one cause with its evidence."""
    words = {
        "path": run.name,
        "task": trial.task if trial else "the task",
        "trial": trial.id if trial else run.name,
        "model": (trial.model if trial else None) or "the model",
    }
    check = cause.check
    for word, value in words.items():
        check = check.replace("{" + word + "}", value)
    return Finding(
        cause=cause.name,
        phase=found.phase or cause.phase,
        whose=cause.whose,
        evidence_level=found.level,
        likely_cause=f"{cause.summary} {found.detail}".strip(),
        evidence=found.evidence,
        disproving_check=check,
    )


__all__ = ["Outcome", "Phase", "Verdict", "finding", "first_cause", "outcome_of", "run_finding"]
