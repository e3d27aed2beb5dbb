"""Skipped on purpose.

## What it means
The trial was not meant to be graded, or was taken out by the workflow itself. That is a decision, not a failure and not a zero.

## Evidence
Verification switched off in the trial's config, or a recorded status that says skipped.

## What to do
Nothing. Leave it out of every mean. To grade such trials, switch verification on or grade them again.

## Not to be confused with
`reward_missing`: there a grade was expected. `early_stop`: there a verifier looked.
"""

from __future__ import annotations

from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Recorded, Run, Spot, Trial


def find(trial: Trial, run: Run) -> Found | None:
    if trial.grading_disabled and trial.reward.value is None:
        pointer = "/config/verifier/disable" if trial.spot.path.endswith("result.json") else "/verifier/disable"
        return Found(
            (Spot(trial.spot.path, pointer=pointer).evidence("true"),), Level.RECORD, detail="Verification was switched off."
        )
    if trial.recorded is Recorded.SKIPPED:
        return Found(
            (trial.spot.evidence(trial.error_type or "skipped"),), Level.RECORD, detail="The run recorded it as skipped."
        )
    return None


CAUSE = Cause(
    name="skipped",
    phase=Phase.NONE,
    whose="task",
    summary="The trial was skipped, or left ungraded, on purpose.",
    check="Read the config of {path}: a run that meant to grade {trial} would show this wrong.",
    find=find,
)
