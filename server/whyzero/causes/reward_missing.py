"""Grading ended and left no reward.

## What it means
The grader or verifier ran to its end and set no reward: no file, an empty file, no number set, or no grader configured.
Absent is not zero.

## Evidence
The harness's record that it found no reward, or found it empty. Osmosis: `Sample has no reward after grading`; `rollout_failed` on
a row that has a label, where the backend has no grader.

## What to do
Let the verifier write its reward on every path, failures included; then grade the kept work again.

## Not to be confused with
`wrong_answer`: a zero that was written. `reward_invalid`: something was written that is no number. `environment_failure`:
a dead container leaves no reward either. `tests_never_ran`: a zero was written without a test.
"""

from __future__ import annotations

from whyzero.causes import _osmosis_grading as osmosis
from whyzero.causes import _osmosis_sandbox as sandbox
from whyzero.causes._verifier import no_reward
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    return no_reward(trial, run) or osmosis.no_reward(trial, run) or sandbox.no_reward(trial, run)


CAUSE = Cause(
    name="reward_missing",
    phase=Phase.GRADING,
    whose="grader",
    summary="Grading ended without a reward.",
    check="Run the verifier of {task} by hand on the work of {trial} and look whether it writes a reward.",
    find=find,
    harbor_policy="not retried, reward not valid (RewardFileNotFoundError, RewardFileEmptyError)",
)
