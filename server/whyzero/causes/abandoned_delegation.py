"""The main agent handed the work out, ended its turn, and nobody collected the result.

## What it means
A sub-agent or background job was still at work when the turn ended with a promise to look later. Nobody comes back to an
agent whose turn is over, so nothing was delivered. It is the model's behaviour, or a prompt that lets it wait for a
notification that cannot come; no score follows.

## Evidence
A hand-off in the background whose result never reached the main agent, a main turn that ended in words, and no
deliverable. An agent program that waits for its background tasks until the deadline, or kills them, confirms it.

## What to do
Forbid background hand-offs in unattended runs, or make the harness wait for them and wake the agent up. Look at how
little the main agent did itself.

## Not to be confused with
`clock`: the main agent itself was at work when the time ran out. `subagent_auth`: the sub-agents could not work. A run that
handed work out and delivered all the same, or a notice that arrived after the answer, is no failure. A server left running
in the background is no hand-off.
"""

from __future__ import annotations

import re

from whyzero.causes._answered import answered
from whyzero.causes._ended_by import counted, pending_errors
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import AgentLog, Delegation, End, Phase, Run, Trial

_PROMISE = re.compile(
    r"(?i)\b(?:once|when|until|as soon as|after)\b.{0,80}\b(?:finish|complet|done|ready|return|report|end)"
    r"|\bnotif|\bI[’']?ll (?:wait|check|pause|come back|be back)|\bwaiting for\b"
)
SHOWN = 3


def find(trial: Trial, run: Run) -> Found | None:
    log = trial.log
    if log is None or answered(trial, run)[0] or trial.deliverable.submitted or pending_errors(trial):
        return None
    if not _turn_over(log):
        return None
    words = log.last_message.text if log.last_message else ""
    left = [d for d in log.delegations if d.background and d.collected is False]
    left = [d for d in left if d.error is None and (d.kind == "agent" or _PROMISE.search(words))]
    if not left:
        return None
    shown = [d.evidence() for d in left[:SHOWN]]
    if log.last_message is not None:
        shown.insert(0, log.last_message.evidence())
    shown += [d.last.evidence() for d in left[:SHOWN] if d.last is not None]
    return Found(tuple(shown), Level.LOG, detail=_story(log, left))


def _turn_over(log: AgentLog) -> bool:
    """A closing event, or words as the main agent's last work: the program itself was waiting for the rest."""
    if log.end is End.COMPLETED:
        return True
    last, message = log.last_work, log.last_message
    return log.end is not End.FAILED and last is not None and message is not None and last.spot == message.spot


def _story(log: AgentLog, left: list[Delegation]) -> str:
    agents = sum(d.kind == "agent" for d in left)
    parts = [counted(agents, "sub-agent")] if agents else []
    if len(left) > agents:
        parts.append(counted(len(left) - agents, "background job"))
    stopped = sum(d.status == "stopped" for d in left)
    ended = f"; the program stopped {stopped} of them itself" if stopped else ""
    own = counted(log.tool_results or 0, "tool result")
    return f"Handed out and not collected when the turn ended, after {own}: {' and '.join(parts)}{ended}."


CAUSE = Cause(
    name="abandoned_delegation",
    phase=Phase.TRAJECTORY,
    whose="model",
    summary="The main agent handed its work out and ended its turn without waiting for the result.",
    check="Search the transcripts of the sub-agents of {trial} for the deliverable: one that wrote it in time shows this wrong.",
    find=find,
)
