"""The trial ran out of its time with nothing gradable written.

## What it means
The agent worked until its deadline and had not delivered. Whether the model is slow, the task too large or the limit too
short cannot be told from one trial; no score follows.

## Evidence
A recorded agent timeout, an agent phase as long as the limit, no provider error pending at its end, and a verifier that
found no deliverable (or nothing that was surely this trial's work). Osmosis: the SDK's own deadline in the frame
`run_workflow`, at the limit.

## What to do
Compare with other attempts at the task: if all run out, raise the limit or shorten the task. Look at what the agent was
doing in its last minutes before you call the model slow.

## Not to be confused with
`rate_limited`: an agent that waits for a throttled provider until the deadline. `harness_crash`: a cap on one command.
`grader_timeout`: the verifier's deadline, sometimes masked by the agent's. `wrong_answer`: the deliverable was written
and graded before the clock ran out; then the timeout is an incident.
"""

from __future__ import annotations

from whyzero.causes import _osmosis_sandbox as sandbox
from whyzero.causes._answered import answered
from whyzero.causes._ended_by import pending_errors
from whyzero.causes._exceptions import AGENT_TIMEOUT, evidence, official, short
from whyzero.causes._osmosis_work import out_of_time
from whyzero.causes.cause import Cause, Found
from whyzero.causes.harness_crash import EARLY
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Spot, Trial


def find(trial: Trial, run: Run) -> Found | None:
    if run.format == "osmosis":
        return out_of_time(trial, run) or sandbox.agent_deadline(trial, run)
    if run.format not in ("harbor", "terminal-bench") or answered(trial, run)[0]:
        return None
    if pending_errors(trial):
        return None
    return _recorded_mode(trial) if run.format == "terminal-bench" else _deadline(trial)


def _deadline(trial: Trial) -> Found | None:
    exception = official(trial)
    if exception is None or short(exception) != AGENT_TIMEOUT:
        return None
    agent, limit = trial.span("agent"), trial.limits.agent
    if agent is not None and agent.seconds is not None and limit and agent.seconds < EARLY * limit:
        return None
    took = f" after {agent.seconds:.0f} s" if agent is not None and agent.seconds is not None else ""
    return Found(
        (evidence(exception), *trial.deliverable.missing[:2]),
        Level.RECORD,
        detail=f"The deadline ended the agent{took} before it had delivered.",
    )


def _recorded_mode(trial: Trial) -> Found | None:
    if trial.error_type != "agent_timeout":
        return None
    record = Spot(trial.spot.path, pointer="/failure_mode").evidence(trial.error_type)
    return Found((record, *trial.deliverable.missing[:2]), Level.RECORD, detail="The harness ended the agent at its deadline.")


CAUSE = Cause(
    name="clock",
    phase=Phase.TRAJECTORY,
    whose="budget",
    summary="The agent's time ran out before anything gradable was written.",
    check="Read the last minute of the agent's log of {trial}: waiting for the provider instead of working would show this wrong.",
    find=find,
    harbor_policy="graded, counted as valid (AgentTimeoutError)",
    terminal_bench_mode="agent_timeout",
)
