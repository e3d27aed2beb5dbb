"""The work was delivered, graded, and found wrong.

## What it means
The machinery worked: the verifier opened what the agent made and judged its content. This zero (or part of a point) is a
score. A timeout, an exit code or a provider error after the answer was written does not take it back.

## Evidence
A reward on record, and at least one judgement of content: a failed assertion about values, tests passed and failed side
by side, a copy of the submission made by the verifier.

## What to do
Compare attempts: if all fail the same rows or tests alike, doubt the answer key (`partition_disputed_rows`) before the model.

## Not to be confused with
`tests_never_ran`: a zero without a test. `early_stop` and `clock`: a zero because there was nothing to grade.
`agent_setup_failure`: a zero on an untouched box.
"""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    value = trial.reward.value
    if value is None or trial.is_oracle or trial.is_nop or value >= (1.0 if run.threshold is None else run.threshold):
        return None
    graded, proof = answered(trial, run)
    if not graded or trial.steps:
        return None
    reward = (trial.reward.spot.evidence(trial.reward.text or f"{value:g}"),) if trial.reward.spot else ()
    typed = bool(trial.grading.tests) and trial.grading.report is not None and trial.grading.report.pointer is not None
    tests = trial.grading.collected
    counted = f" {trial.grading.passed} of {tests} tests passed." if tests and trial.grading.passed is not None else ""
    return Found(
        (*proof[:3], *(e for e in reward if e not in proof[:3])),
        Level.RECORD if typed or run.format == "osmosis" else Level.LOG,
        detail=f"The verifier judged its content.{counted}",
    )


CAUSE = Cause(
    name="wrong_answer",
    phase=Phase.NONE,
    whose="model",
    summary="The work was delivered and graded, and its content is wrong.",
    check="Compare with other attempts at {task} (`partition_disputed_rows`): all wrong in the same way would point at the key.",
    counts_as_score=True,
    find=find,
)
