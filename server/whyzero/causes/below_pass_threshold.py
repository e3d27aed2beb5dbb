"""Graded above zero and below the mark this run calls a pass.

## What it means
The trial has a score. It counts as failed only because the run's owner set a threshold that it does not reach.

## Evidence
A reward above zero on record and a threshold in the run's config that is higher.

## What to do
Decide whether the threshold means what you want. Report the reward itself rather than pass or fail.

## Not to be confused with
`wrong_answer`: the same partial grade in a run without a threshold of its own, or a plain zero.
"""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    value, mark = trial.reward.value, run.threshold
    if value is None or mark is None or not 0 < value < mark or trial.steps or trial.is_oracle or trial.is_nop:
        return None
    graded, proof = answered(trial, run)
    if not graded:
        return None
    spot = trial.reward.spot or trial.spot
    return Found((spot.evidence(f"{value:g}"), *proof[:1]), Level.RECORD, detail=f"Reward {value:g}, threshold {mark:g}.")


CAUSE = Cause(
    name="below_pass_threshold",
    phase=Phase.NONE,
    whose="config",
    summary="The trial was graded above zero, under the run's own pass threshold.",
    check="Read the threshold in the run's config: without one, a part of the marks is a partial score.",
    counts_as_score=True,
    find=find,
)
