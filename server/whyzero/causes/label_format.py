"""The label can never match: its type or format differs from every answer.

## What it means
The row was graded and lost although the answer says the same as the label in another form: `84` against `"84.0"`, `true`
against `"True"`, `Paris` against `" paris"`. It is the data's fault, or the grader's that compares texts, and every row of
the run fails alike. These zeros are no scores.

## Evidence
The label in the trajectory, and the model's last message, which holds the same value written otherwise; no row of the run
passed, and the other rows fail in the same way.

## What to do
Write labels as text in the form the answer is asked for (numbers in JSON become `"84.0"`), or let the grader compare values.
The kept trajectories can be graded again without new model calls.

## Not to be confused with
`wrong_answer`: the value differs, or other rows with labels of that form pass. `label_missing`: there is no label.
"""

from __future__ import annotations

from itertools import islice

from whyzero.causes._same_value import says_the_same
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Recorded, Run, Spot, Trial

NEIGHBOURS = 20
"""Graded trials that must agree."""
MOST = 0.75
"""Share of them whose answer says the same as the label; the others may be wrong besides."""


def find(trial: Trial, run: Run) -> Found | None:
    if run.format != "osmosis" or not _lost_by_form(trial) or not trial.deliverable.submitted:
        return None
    if run.booked.get("passed"):
        return None
    graded = list(islice((t for t in (run.read_all or run.read_trials)() if t.reward.value is not None), NEIGHBOURS))
    if any((t.reward.value or 0) > 0 for t in graded) or sum(map(_lost_by_form, graded)) < MOST * len(graded):
        return None
    last = trial.log.last_message if trial.log else None
    label = Spot(trial.deliverable.submitted[0], pointer="/extra/osmosis/label").evidence(trial.label or "")
    proof = (label, *((last.evidence(),) if last else ()))
    return Found(proof, Level.INFERENCE, detail="The answer holds the same value in another form, and no row of the run passed.")


def _lost_by_form(trial: Trial) -> bool:
    last = trial.log.last_message if trial.log else None
    if trial.recorded is not Recorded.FINISHED or trial.reward.value is None or trial.reward.value > 0:
        return False
    return trial.label is not None and last is not None and says_the_same(trial.label, last.text)


CAUSE = Cause(
    name="label_format",
    phase=Phase.DATA,
    whose="data",
    summary="The label can never match, because its type or format differs from what is compared with it.",
    check="Grade the trajectory of {trial} with the label written as the answer has it: still 0 would show this wrong.",
    find=find,
)
