"""Agent program, gateway and model do not speak the same protocol.

## What it means
The provider or a bridge rejects the form of the request, so no call can land; or the model's calls arrive as plain text
because nobody on the way parses them. The model may be fine: another agent program on the same endpoint often works.

## Evidence
A rejection that names the request's form: tool definitions, a tool result without its call, an unknown parameter or
option, a route the gateway does not have. Or a turn that ended with a tool call written out as text, with no call of the whole attempt executed.

## What to do
Compare with another agent program on the same endpoint, and this one on another endpoint. Check the server's tool parser,
the gateway's translation, the versions. A two-turn round trip of one tool call shows it without a task.

## Not to be confused with
`malformed_output`: earlier calls of the attempt were executed, this one was broken by the model. `early_stop`: it called no
tool because it chose to. `agent_auth`, `quota_exhausted`: a 400 or 403 may speak of keys or money.
"""

from __future__ import annotations

import re

from whyzero.causes._answered import answered
from whyzero.causes._ended_by import found_as, pending_errors, preflight_as
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import AgentLog, Phase, Run, Trial

NAME = "harness_incompatibility"
_BAD_OPTION = re.compile(
    r"^(?:\S*error:? )?(?:error: )?(?:unknown|unrecognized|unexpected|invalid) (?:option|argument|arguments|flag)s?\b"
    r"|^(?:error: )?unexpected argument '|^(?:Error: )?No such option\b|^flag provided but not defined\b|^Error: Got unexpected extra argument"
    r"|^\S+: error: (?:the following arguments are required|unrecognized arguments|argument \S+: )",
    re.I,
)
FEW_LINES = 30


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or _never_executed(trial, run) or _bad_option(trial, run)


def find_in_run(run: Run) -> Found | None:
    return preflight_as(NAME, run)


def _never_executed(trial: Trial, run: Run) -> Found | None:
    """Calls written out as text, and not one executed."""
    log = trial.log
    if log is None or not log.calls_as_text or log.tool_calls or log.tool_results:
        return None
    if pending_errors(trial) or answered(trial, run)[0]:
        return None
    shown = (log.calls_as_text[0], *log.malformed[:1], *((log.end_event,) if log.end_event else ()))
    return Found(
        tuple(u.evidence() for u in shown),
        Level.LOG,
        detail=f"The model wrote its tool calls as plain text in {log.steps} turns and none was executed.",
    )


def _bad_option(trial: Trial, run: Run) -> Found | None:
    """A program that wrote no event of its own and complains about how it was called."""
    log = trial.log
    if log is None or _worked(log) or not 0 < len(log.lines) <= FEW_LINES or answered(trial, run)[0]:
        return None
    told = next((line for line in log.lines if _BAD_OPTION.match(line.text.strip())), None)
    if told is None or not any(e.during == "agent" for e in trial.exceptions):
        return None
    return Found((told.evidence(),), Level.INFERENCE, detail="The agent program rejected an option it was started with.")


def _worked(log: AgentLog) -> bool:
    return bool(log.steps or log.tool_calls or log.errors or log.last_message)


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="harness",
    summary="Agent program, gateway and model do not speak the same protocol.",
    check="Run {probe}: a tool call that lands and whose result is accepted shows this wrong.",
    find=find,
    find_in_run=find_in_run,
    harbor_policy="graded, counted as valid (UnknownApiError, NonZeroAgentExitCodeError)",
)
