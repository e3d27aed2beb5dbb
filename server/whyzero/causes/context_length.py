"""The conversation grew beyond what the model takes.

## What it means
The next request no longer fitted the window, and the agent found no way to shorten it. Long outputs of tools, a harness
that assumes another window than the server has, or failed compactions lead here.

## Evidence
The provider's refusal of a too long prompt (whatever its status: 400, 413, even 500), or the agent program's word that it
ran out of room, with no later turn of the model. Or a window that was full again and again, one turn in five and more,
until the deadline.

## What to do
Compare the window the harness was told with the one the endpoint serves; cap the output of tools; look at the compactions
before the refusal.

## Not to be confused with
`quota_exhausted` and `rate_limited`: limits that also count tokens ("too many tokens, please wait"). `output_length`: the
answer was too long, not the question.
"""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes._ended_by import found_as
from whyzero.causes._exceptions import AGENT_TIMEOUT, evidence, official, short
from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import Kind
from whyzero.causes._recorded_mode import recorded_mode
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Trial

NAME = "context_length"
MODE = "context_length_exceeded"
OFTEN, SHARE = 5, 5
"""Full windows that are no accident of a long attempt: so many, and one in so many turns."""
TOLD = "The harness recorded that the request no longer fitted."


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or _again_and_again(trial, run) or recorded_mode(trial, run, MODE, TOLD)


def _again_and_again(trial: Trial, run: Run) -> Found | None:
    """The program made room each time, the request outgrew the window again, and the deadline ended that."""
    log, ended = trial.log, official(trial)
    if log is None or not log.steps or ended is None or short(ended) != AGENT_TIMEOUT or answered(trial, run)[0]:
        return None
    full = [e for e in log.errors if e.actor == "main" and kind_of(e) is Kind.CONTEXT]
    if len(full) < OFTEN or len(full) * SHARE < log.steps:
        return None
    return Found(
        (full[0].evidence(), full[-1].evidence(), evidence(ended)),
        Level.INFERENCE,
        detail=f"It outgrew the window at least {len(full)} times in {log.steps} turns; room was made each time, until the deadline.",
    )


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="model or config",
    summary="The request no longer fitted the model's context window.",
    check="Add up the tokens of the last request of {trial}: well below the served window shows this wrong.",
    find=find,
    harbor_policy="graded, counted as valid (ContextWindowExceededError)",
    terminal_bench_mode=MODE,
)
