"""The reference solution itself did not get full marks.

## What it means
The trial ran the task's own solution. It crashed, ran out of time, or was graded below full marks, so the task, its key
or its environment is at fault, and no other trial of this task can be trusted until it is mended.

## Evidence
The recorded agent is the harness's oracle, and the reward is missing or below full marks.

## What to do
Run the solution by hand in the task's image and read its output; then the failing tests. Set the scores of this task aside.

## Not to be confused with
`wrong_answer`: nobody's model was asked. `environment_failure`, `tests_never_ran`, `grader_timeout`: named as such when
the oracle met one of them.
"""

from __future__ import annotations

from whyzero.causes._exceptions import evidence, official
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Evidence, Level
from whyzero.model import Phase, Run, Spot, Trial


def find(trial: Trial, run: Run) -> Found | None:
    value = trial.reward.value
    if not trial.is_oracle or trial.grading_disabled or (value is not None and value >= 1.0):
        return None
    agent = Spot(trial.spot.path, pointer="/agent_info/name").evidence(trial.agent or "oracle")
    exception = official(trial)
    if value is None and exception is None:
        return None
    proof: list[Evidence] = [trial.reward.spot.evidence(trial.reward.text)] if trial.reward.spot else []
    proof += [evidence(exception)] if exception else []
    said = [u.evidence() for u in trial.log.lines[-1:]] if trial.log else []
    return Found((*proof, agent, *said, *trial.deliverable.missing[:1], *trial.deliverable.seen[:1]), Level.RECORD)


CAUSE = Cause(
    name="oracle_failed",
    phase=Phase.NONE,
    whose="task",
    summary="The task's own reference solution did not get full marks.",
    check="Run the reference solution of {task} again: full marks now would mean that the task or its environment does not hold still.",
    find=find,
)
