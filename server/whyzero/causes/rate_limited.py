"""The provider throttled the agent until it gave up or ran out of time.

## What it means
The account may use the model and had not used up its money; it asked too often. Nothing follows about the model, and the
trial has no score, although a verifier may have written 0 for the untouched workspace.

## Evidence
A limit error by the provider, typed by status 429 or by its own code, that no later turn of the model left behind:
a retry event, the agent program's last word, the exception of a client library, or a program that says it is in a
rate-limited state and stays there until the deadline.

## What to do
Run the trial again with fewer trials at a time or a higher limit. A client that pauses longer and longer looks like a
timeout: count these trials apart from those that ran out of time at work.

## Not to be confused with
`quota_exhausted`: the same status 429, but the body speaks of credit, plan or usage limit, and waiting does not help.
`environment_failure`: a 429 of an image or package registry. `clock`: no limit error pending when the time ran out. A task,
a log or a test that only talks about rate limits.
"""

from __future__ import annotations

from whyzero.causes._delegations import through_subagents
from whyzero.causes._ended_by import found_as, preflight_as
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial

NAME = "rate_limited"


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or through_subagents(NAME, trial, run)


def find_in_run(run: Run) -> Found | None:
    return preflight_as(NAME, run)


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="provider",
    summary="The provider's rate limit ended the agent's work.",
    check="Run {probe} now: refused at once, it is quota or access, not the rate; then {task} alone, one trial at a time.",
    find=find,
    find_in_run=find_in_run,
    harbor_policy="retryable (ApiRateLimitError)",
)
