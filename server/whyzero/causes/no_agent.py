"""The do-nothing agent scored nothing, as it should.

## What it means
The trial ran the agent that takes no step, to see what an untouched workspace earns. A zero is the expected result. A
reward above zero would be a defect of the task: it pays for nothing.

## Evidence
The recorded agent is the harness's own nop agent.

## What to do
Nothing for a zero. Leave such trials out of every mean.

## Not to be confused with
`early_stop`: a real agent that did nothing. `agent_setup_failure`: a real agent that never started.
"""

from __future__ import annotations

from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Spot, Trial


def find(trial: Trial, run: Run) -> Found | None:
    if not trial.is_nop or trial.reward.value is None:
        return None
    agent = Spot(trial.spot.path, pointer="/agent_info/name").evidence(trial.agent or "nop")
    reward = (trial.reward.spot.evidence(trial.reward.text or f"{trial.reward.value:g}"),) if trial.reward.spot else ()
    return Found((agent, *reward), Level.RECORD)


CAUSE = Cause(
    name="no_agent",
    phase=Phase.NONE,
    whose="operator",
    summary="The do-nothing agent ran: no step was meant to be taken.",
    check="Read the agent's name in the config of {trial}: any other agent would show this wrong.",
    find=find,
)
