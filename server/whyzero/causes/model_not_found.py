"""The endpoint does not serve the model it was asked for.

## What it means
A misspelt id, a model the account has no access to, or a gateway that maps only some names. Nothing was generated;
all trials of that model and endpoint fail alike.

## Evidence
A 404 or a typed code (`model_not_found`, `not_found_error`) on the main agent's call, or on those of its sub-agents where
they ask for another model than the main agent does.

## What to do
List the models of the endpoint and compare the id letter by letter, the provider's prefix included. For sub-agents set
the model they use, or let the gateway serve it.

## Not to be confused with
`agent_auth`: the key is refused for every model. `provider_error`: a 404 on a WebSocket address is a missing transport, and
the client falls back to another. `harness_incompatibility`: an endpoint that has the model, but not with tools.
"""

from __future__ import annotations

from whyzero.causes._delegations import through_subagents
from whyzero.causes._ended_by import found_as, preflight_as
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial

NAME = "model_not_found"


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or through_subagents(NAME, trial, run)


def find_in_run(run: Run) -> Found | None:
    return preflight_as(NAME, run)


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="operator",
    summary="The endpoint does not serve the model it was asked for.",
    check="Run {probe}: an answer shows that the endpoint serves {model} after all.",
    find=find,
    find_in_run=find_in_run,
    harbor_policy="not graded, not retried (ModelNotFoundError)",
)
