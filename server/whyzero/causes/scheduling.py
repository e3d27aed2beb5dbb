"""The platform did not start the run.

## What it means
The run was accepted and never came to work: it waits for capacity, or the account's plan does not allow it. No row was
tried.

## Evidence
The platform's own words: a subscription or billing code on submit, or an error of its scheduler in the run's log.

## What to do
Look at the run on the platform: its status, the plan, other runs that hold the capacity. Submit again when it is free.

## Not to be confused with
`git_out_of_sync` and `secret_missing`: it started and could not get its source or its secrets.
"""

from __future__ import annotations

from whyzero.causes._cli import found, with_code
from whyzero.causes._hosted import Matter, platform_failed
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run


def find_in_run(run: Run) -> Found | None:
    if run.format != "osmosis":
        return None
    refused = found(with_code(run, "SUBSCRIPTION_REQUIRED", "BILLING_REQUIRED"), "The account's plan does not allow it.")
    return refused or platform_failed(run, Matter.SCHEDULING)


CAUSE = Cause(
    name="scheduling",
    phase=Phase.HOSTED,
    whose="operator",
    summary="The platform accepted the run and did not start it.",
    check="Look at the status of {path} on the platform: a run that is working would show this wrong.",
    find_in_run=find_in_run,
)
