"""The row has no ground truth where the workflow or grader needs one.

## What it means
Nothing the model does can be graded on this row: the label is absent, null or empty. A `metadata` column waives the rule
that every row has a label, so such rows can get as far as the grader.

## Evidence
The command line's `row N: ground_truth (or label) is required …`; a `rollout_failed` row whose trajectory holds neither
label nor metadata; a grader that met None where it reads the label of a row without one.

## What to do
Give the row its label, or leave it out with `--rows`. Rows counted from 0.

## Not to be confused with
`label_format`: there is a label. `grader_error`: the label is there and the grader fails over something else.
`reward_missing`: the row has a label and the backend no grader. A run that grades by metadata alone has no labels by design.
"""

from __future__ import annotations

from itertools import islice

from whyzero.causes._cli import found, refusals, said
from whyzero.causes._osmosis import record
from whyzero.causes._osmosis_grading import needs_label
from whyzero.causes._static import defect
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Evidence, Level
from whyzero.model import Phase, Run, Spot, Trial

NEIGHBOURS = 20
"""Other trials looked at, to see whether rows of this run have labels."""
MISSING_FIELD = ("ground_truth", "label")


def find(trial: Trial, run: Run) -> Found | None:
    if run.format != "osmosis" or trial.label_missing is not True:
        return None
    return _nobody_graded(trial) or needs_label(trial, run) or _zero_against_nothing(trial, run)


def _nobody_graded(trial: Trial) -> Found | None:
    if trial.error_type != "rollout_failed" or trial.has_metadata:
        return None
    return Found(
        (*record(trial), *_absent(trial)),
        Level.RECORD,
        detail="The row has neither label nor metadata, so the grader was not called.",
    )


def _zero_against_nothing(trial: Trial, run: Run) -> Found | None:
    """A zero on a row without a label, in a run whose other rows have labels and none without one got a point."""
    if trial.reward.value is None or trial.reward.value > 0:
        return None
    others = list(islice((run.read_all or run.read_trials)(), NEIGHBOURS))
    if not any(other.label is not None for other in others):
        return None
    if any(other.label_missing and (other.reward.value or 0) > 0 for other in others):
        return None
    return Found(
        (*_absent(trial), *record(trial)),
        Level.INFERENCE,
        detail="Other rows of the run have labels; this one was compared with nothing.",
    )


def _absent(trial: Trial) -> tuple[Evidence, ...]:
    """The object in which a label would stand."""
    paths = trial.deliverable.submitted
    return (Spot(paths[0], pointer="/extra/osmosis").evidence(f'"rollout_id": "{trial.id}"'),) if paths else ()


def find_in_run(run: Run) -> Found | None:
    sentence = said(run, "label_missing")
    if sentence is None:
        refused = said(run, "dataset_refused")
        sentence = refused if refused and any(f"missing: {name}" in refused.text for name in MISSING_FIELD) else None
    if sentence is not None:
        seen = defect(run, "label_missing")
        told = found(sentence, "")
        return Found((*told.evidence, *(seen.evidence if seen else ())), told.level) if told else None
    return None if refusals(run) else defect(run, "label_missing")


CAUSE = Cause(
    name="label_missing",
    phase=Phase.DATA,
    whose="data",
    summary="The row has no ground truth where one is needed.",
    check="Read the row in the dataset: a non-empty ground_truth or label would show this wrong.",
    find=find,
    find_in_run=find_in_run,
)
