"""The agent's own calls to the model were refused for want of a valid credential.

## What it means
No key, a wrong one, an expired login, or a proxy that lets nobody through. The model was never asked, or not any more.
Every trial with the same credential fails alike; none has a score.

## Evidence
A 401 or 403, or the agent program's word that nobody is logged in, on a call of the main agent, with no later turn of
the model. In an Osmosis run also a refused model preflight.

## What to do
Check which variable the agent program reads and whether the harness passes it on; the finding names no value. An HTML
page with a 403 comes from a proxy: the key may be fine.

## Not to be confused with
`subagent_auth`: only sub-agents are refused, the main agent works. `quota_exhausted`: some gateways answer a used-up budget
with 403. `model_not_found`: access to that one model. `tests_never_ran` and `grader_error`: the missing key was the judge's.
"""

from __future__ import annotations

from whyzero.causes._credentials import missing_or_rejected
from whyzero.causes._ended_by import decisive_error, found_as, preflight_as
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial

NAME = "agent_auth"


def find(trial: Trial, run: Run) -> Found | None:
    found = found_as(NAME, trial, run)
    error = decisive_error(trial)
    if found is None or error is None:
        return None
    return Found(found.evidence, found.level, found.phase, f"The credential was {missing_or_rejected(error)}. {found.detail}")


def find_in_run(run: Run) -> Found | None:
    return preflight_as(NAME, run)


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="operator",
    summary="The agent's own calls to the model were refused for want of a valid credential.",
    check="Run {probe} with the same key: an answer shows that the key is good and was not passed on.",
    find=find,
    find_in_run=find_in_run,
    harbor_policy="not graded, not retried (AgentAuthenticationError)",
)
