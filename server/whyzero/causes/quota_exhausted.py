"""Credit, budget or a usage limit was used up.

## What it means
The provider or gateway will not serve this account until somebody pays, raises a budget or waits for the next period.
Every later trial of the same account fails the same way. No score follows.

## Evidence
The body of the provider's answer: a credit balance, a budget, a usage limit, a plan. The status decides nothing here:
such answers come as 400, 402, 403 and 429.

## What to do
Top up, raise the budget, or wait for the reset named in the message; then run the trials again from the first that was
refused. Do not retry before: it cannot succeed.

## Not to be confused with
`rate_limited`: the same 429, but waiting seconds or minutes is enough. `agent_auth`: a 403 whose body speaks of a budget is
this cause. `harness_incompatibility`: a 400 whose body speaks of credit is this cause too.
"""

from __future__ import annotations

from whyzero.causes._delegations import through_subagents
from whyzero.causes._ended_by import found_as, preflight_as
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial

NAME = "quota_exhausted"


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or through_subagents(NAME, trial, run)


def find_in_run(run: Run) -> Found | None:
    return preflight_as(NAME, run)


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="operator",
    summary="The account's credit, budget or usage limit was used up.",
    check="Run {probe} with the same key: an answer means that the limit was reset or raised since, or was never the cause.",
    find=find,
    find_in_run=find_in_run,
    harbor_policy="not retried (ApiUsageLimitError)",
)
