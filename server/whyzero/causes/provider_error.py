"""The provider or the gateway before it failed.

## What it means
The request was in order and was not answered: overload, an internal error, no capacity, a stream that broke off, no
connection. The trial says nothing about the model.

## Evidence
The provider's or client's own words for it (529, 5xx, `overloaded_error`, `ECONNRESET`, `stream disconnected`), pending
when the agent's work ended: no later turn of the model shows that it was overcome. Or a stall: a tool's result was sent
to the model, and nothing came back for four fifths of the agent's whole time (an inference; the file holds no error).

## What to do
Run the trial again; see whether its neighbours in time failed too. An error page in HTML comes from a gateway or proxy
on the way, not from the provider.

## Not to be confused with
`rate_limited` and `quota_exhausted`: refusals that name a limit. `clock`: the agent was at work when the time ran out.
`context_length`: some servers answer a too long prompt with a 500. An error that was retried and overcome is an incident.
`agent_setup_failure`: an installer's own failed download.
"""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes._delegations import through_subagents
from whyzero.causes._ended_by import found_as, pending_errors, preflight_as
from whyzero.causes._exceptions import AGENT_TIMEOUT, began, evidence, official, short
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import AgentLog, Phase, Run, Speaker, Trial

NAME = "provider_error"
STALLED = 0.8
"""Share of the agent's time that no single answer takes: behind it, nothing was coming."""

LOOPS_UNSEEN = frozenset({"terminus-2"})
"""Agents that ask the model again and again (a summary, a shorter answer) without a line in their trajectory."""


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or through_subagents(NAME, trial, run) or _stalled(trial, run)


def _stalled(trial: Trial, run: Run) -> Found | None:
    """The agent sent its tool's result to the model, and nothing came back for almost all of its time."""
    exception, log, agent, limit = official(trial), trial.log, trial.span("agent"), trial.limits.agent
    if run.format != "harbor" or exception is None or short(exception) != AGENT_TIMEOUT or log is None or not limit:
        return None
    if agent is None or agent.finished_at is None or not _waits_for_the_model(log) or pending_errors(trial):
        return None
    if answered(trial, run)[0] or (trial.reward.value is None and began(trial, "verifier")):
        return None
    last = log.last_event
    if last is None or last.at is None or (last.at.tzinfo is None) != (agent.finished_at.tzinfo is None):
        return None
    waited = (agent.finished_at - last.at).total_seconds()
    if waited < STALLED * limit:
        return None
    return Found(
        (last.evidence(), evidence(exception)),
        Level.INFERENCE,
        detail=f"It waited {waited:.0f} s of {limit:g} s for the model's next answer, without an error on record.",
    )


def _waits_for_the_model(log: AgentLog) -> bool:
    last = log.last_event
    if log.agent in LOOPS_UNSEEN:
        return False
    return last is not None and last.speaker is Speaker.TOOL and not log.open_calls and not log.delegations


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
