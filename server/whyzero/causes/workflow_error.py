"""The rollout's own workflow raised.

## What it means
`run()` of the rollout, or code it called, raised an exception that is neither the provider's nor the model's doing. The row
has no sample and no grade; other rows that take the same way will fail alike.

## Evidence
The traceback that the rollout server logged directly before it reported the rollout as failed, with the frame
`run_workflow`; the deepest frame below `rollouts/` is the line to look at. A `TimeoutError` that user code raised below
the run's limits belongs here.

## What to do
Mend that line and run again with `--retry-failed`. Catch what a single bad tool result may raise, and give it to the model.

## Not to be confused with
`provider_error` and its like: the exception carries the provider's answer. `malformed_output`: it died of the model's text.
`clock`: the SDK's own deadline. `no_sample`: it ended well and returned nothing. `grader_error`: the frame is `run_grader`.
"""

from __future__ import annotations

from whyzero.causes import _osmosis_sandbox as sandbox
from whyzero.causes._osmosis_work import own_cancellation, own_exception
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    return own_exception(trial, run) or own_cancellation(trial, run) or sandbox.workflow(trial, run)


CAUSE = Cause(
    name="workflow_error",
    phase=Phase.TRAJECTORY,
    whose="user code",
    summary="The rollout's own workflow raised an exception.",
    check="Run the row of {trial} alone: if it finishes, the exception hangs on something outside the workflow.",
    find=find,
)
