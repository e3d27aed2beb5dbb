"""The harness around the agent broke.

## What it means
The adapter that drives the agent raised, the agent program itself crashed, or a cap the harness puts on a single command
fired and took the whole trial with it. The model was at work and was not allowed to finish.

## Evidence
A recorded exception of the agent phase that is neither a deadline nor a provider's error nor a cancellation, with its
traceback. "Command timed out after N seconds" well before the agent's own deadline. An agent deadline reported long
before it was due, which is a timeout of the adapter's own.

## What to do
Report it to the adapter's author with the traceback; raise or catch the per-command cap. The trial has no score: run it again.

## Not to be confused with
`clock`: there the whole trial used up its time. `environment_failure`: there even `cat` does not return.
`provider_error`: there the inner error is the provider's. `agent_setup_failure`: there the program never started.
"""

from __future__ import annotations

import re

from whyzero.causes._answered import answered
from whyzero.causes._ended_by import PROGRAM_CRASHED
from whyzero.causes._exceptions import AGENT_TIMEOUT, CANCELLED, VERIFIER_TIMEOUT, during, evidence, exit_code, short
from whyzero.causes._osmosis_work import crashed
from whyzero.causes._recorded_mode import recorded_mode
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import ExceptionRecord, Phase, Run, Trial, Utterance

MODE = "unknown_agent_error"
EARLY = 0.9
"""Share of the deadline below which a reported timeout is not the deadline's."""
_CAP = re.compile(r"^Command timed out after \d")
_OF_A_TRACE = re.compile(r"^(?:\s|Traceback|During handling of|The above exception|$)")
_NOT_A_CRASH = CANCELLED | {AGENT_TIMEOUT, VERIFIER_TIMEOUT}


def find(trial: Trial, run: Run) -> Found | None:
    if run.format == "osmosis":
        return crashed(trial, run)
    if run.format == "terminal-bench":
        return recorded_mode(trial, run, MODE, "The harness recorded that the agent raised.")
    if run.format != "harbor" or answered(trial, run)[0]:
        return None
    for exception in during(trial, "agent"):
        if not exception.masked and (found := _cap(exception) or _raised(exception, trial) or _early_deadline(exception, trial)):
            return found
    return None


def _cap(exception: ExceptionRecord) -> Found | None:
    if not _CAP.match(exception.message):
        return None
    return Found((evidence(exception),), Level.RECORD, detail="A cap on a single command fired, not the trial's deadline.")


def _raised(exception: ExceptionRecord, trial: Trial) -> Found | None:
    if short(exception) in _NOT_A_CRASH:
        return None
    if exit_code(exception) is not None and exception.message.startswith("Command failed"):
        lines = trial.log.lines if trial.log else ()
        told = next(
            (line for n, line in enumerate(lines) if PROGRAM_CRASHED.match(line.text.strip()) and _ends_it(lines[n:])), None
        )
        return Found((told.evidence(), evidence(exception)), Level.LOG, detail="The agent program crashed.") if told else None
    at = exception.user_frame
    frame = (exception.spot.evidence(f'File "{at.path}", line {at.line}'),) if at else ()
    return Found((evidence(exception), *frame), Level.RECORD, detail="The adapter around the agent raised.")


def _ends_it(lines: tuple[Utterance, ...]) -> bool:
    """A Python traceback is the program's own where nothing but its own lines follows it; a tool's is followed by the program's."""
    if not lines[0].text.startswith("Traceback"):
        return True
    others = sum(not _OF_A_TRACE.match(line.text) for line in lines)
    return others <= sum(line.text.startswith("Traceback") for line in lines)


def _early_deadline(exception: ExceptionRecord, trial: Trial) -> Found | None:
    """A timeout raised inside the adapter is recorded as the agent's deadline."""
    agent, limit = trial.span("agent"), trial.limits.agent
    if short(exception) != AGENT_TIMEOUT or agent is None or agent.seconds is None or not limit or agent.seconds >= EARLY * limit:
        return None
    return Found(
        (evidence(exception),),
        Level.INFERENCE,
        detail=f"The agent phase took {agent.seconds:.0f} s of {limit:g} s: a timeout inside the adapter, not the deadline.",
    )


CAUSE = Cause(
    name="harness_crash",
    phase=Phase.TRAJECTORY,
    whose="harness",
    summary="The adapter around the agent raised, or a cap on a single command ended the trial.",
    check="Read the traceback in the trial's exception.txt: if its last frames are the model client's, look for the provider's error instead.",
    find=find,
    terminal_bench_mode=MODE,
)
