"""Only the sub-agents were refused; the main agent's calls succeeded.

## What it means
The credential or the address that the main agent was pinned to did not reach its sub-agents: they asked the vendor's own
endpoint, or without a key. Their "results" are error messages, often reported as completed tasks. The model that handed the
work out is not to blame, and there is no score.

## Evidence
A typed 401 or 403 in the sub-agents' own transcripts or closing words, on every sub-agent that ended, next to turns of
the main agent that were answered. Sub-tasks that end faster than a model can answer, without a token, confirm it.

## What to do
Pass endpoint and credential on to sub-agents and nested programs (base URL, key variable, model of the sub-agents), and
run the trial again.

## Not to be confused with
`agent_auth`: the main agent is refused too. `model_not_found`: the sub-agents ask for a model the gateway does not have.
`abandoned_delegation`: the sub-agents worked and nobody waited. A refused sub-agent beside a delivered answer is an incident.
"""

from __future__ import annotations

from whyzero.causes._delegations import only_subagents_refused
from whyzero.causes._provider_words import Kind
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    return only_subagents_refused(trial, run, Kind.AUTH)


CAUSE = Cause(
    name="subagent_auth",
    phase=Phase.TRAJECTORY,
    whose="harness",
    summary="The sub-agents were refused for want of a valid credential while the main agent's calls succeeded.",
    check="Start one sub-agent by hand in the environment of {trial} and see which address and key it uses; try that pair: {probe}.",
    find=find,
)
