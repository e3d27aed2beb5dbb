"""The model's answer was cut at the output limit before it called a tool or finished.

## What it means
It wrote or thought until the cap. What it would have done next is not known. A higher cap, less thinking or another
prompt may change it; as it stands nothing was delivered.

## Evidence
A typed stop reason (`length`, `max_tokens`) on the last turn, or the agent program's word that the output limit was
exceeded, with no later turn that did more.

## What to do
Raise the output limit to what the model allows, or lower its thinking budget, and compare how long the turns before were.

## Not to be confused with
`context_length`: the prompt was too long. `malformed_output`: a call cut in the middle also fails to parse, but the stop
reason says why. `early_stop`: a normal end of turn.
"""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes._ended_by import found_as, pending_errors
from whyzero.causes._recorded_mode import recorded_mode
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Trial

NAME = "output_length"
MODE = "output_length_exceeded"
TOLD = "The harness recorded that the model's answer was cut at the output limit."
CUT = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS"})


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or _last_turn_cut(trial, run) or recorded_mode(trial, run, MODE, TOLD)


def _last_turn_cut(trial: Trial, run: Run) -> Found | None:
    """The log ends with a turn that was cut, and says no more than its stop reason."""
    log = trial.log
    if log is None or log.stop_reason not in CUT or pending_errors(trial) or answered(trial, run)[0]:
        return None
    shown = log.end_event or log.last_message or log.last_event
    if shown is None:
        return None
    return Found(
        (shown.evidence(),), Level.LOG, detail=f"The last turn of the model stopped at the output limit, after {log.steps} turns."
    )


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="model or config",
    summary="The model's answer was cut at the output limit before it acted.",
    check="Compare the output tokens of the last turn of {trial} with the configured limit: far below it shows this wrong.",
    find=find,
    harbor_policy="graded, counted as valid (OutputTokenExceededError)",
    terminal_bench_mode=MODE,
)
