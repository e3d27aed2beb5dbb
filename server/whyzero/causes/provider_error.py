"""The provider or the gateway before it failed.

## What it means
The request was in order and was not answered: overload, an internal error, no capacity, a stream that broke off, no
connection. The trial says nothing about the model.

## Evidence
The provider's or client's own words for it (529, 5xx, `overloaded_error`, `ECONNRESET`, `stream disconnected`), pending
when the agent's work ended: no later turn of the model shows that it was overcome.

## What to do
Run the trial again; see whether its neighbours in time failed too. An error page in HTML comes from a gateway or proxy
on the way, not from the provider.

## Not to be confused with
`rate_limited` and `quota_exhausted`: refusals that name a limit. `clock`: nothing was pending when the time ran out.
`context_length`: some servers answer a too long prompt with a 500. An error that was retried and overcome is an incident.
`agent_setup_failure`: an installer's own failed download.
"""

from __future__ import annotations

from whyzero.causes._delegations import through_subagents
from whyzero.causes._ended_by import found_as, preflight_as
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial

NAME = "provider_error"


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or through_subagents(NAME, trial, run)


def find_in_run(run: Run) -> Found | None:
    return preflight_as(NAME, run)


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="provider",
    summary="The provider or its gateway failed and the agent did not get past it.",
    check="Look for other trials of {model} in the same minutes: answered normally, they point at this trial's network. Now: {probe}.",
    find=find,
    find_in_run=find_in_run,
    harbor_policy="retryable (ApiOverloadedError, ApiInternalServerError, ApiConnectionClosedError)",
)
