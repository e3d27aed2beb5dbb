"""Sub-agents: which were refused, which were never waited for, and whether the main agent itself was well."""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes._credentials import missing_or_rejected
from whyzero.causes._ended_by import counted, pending_errors
from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import CAUSE_OF, Kind
from whyzero.causes.cause import Found
from whyzero.evidence import Level
from whyzero.model import AgentLog, Delegation, Run, Trial

VENDORS = frozenset(
    {"api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com", "chatgpt.com", "openrouter.ai", "api.x.ai"}
)
SHOWN = 3
FASTER_THAN_A_MODEL = 5.0
"""Seconds in which a sub-task can hardly have been worked on."""


def agents(log: AgentLog) -> list[Delegation]:
    """Hand-offs to something with a model of its own."""
    return [d for d in log.delegations if d.kind == "agent"]


def through_subagents(cause: str, trial: Trial, run: Run) -> Found | None:
    """The same ground, met by the sub-agents alone."""
    return only_subagents_refused(trial, run, *(kind for kind, name in CAUSE_OF.items() if name == cause))


def only_subagents_refused(trial: Trial, run: Run, *kinds: Kind) -> Found | None:
    """The sub-agents that came to an end were refused on one of these grounds, while the main agent's calls succeeded."""
    log = trial.log
    if log is None or not log.steps or pending_errors(trial) or answered(trial, run)[0]:
        return None
    refused = [d for d in agents(log) if d.error is not None and kind_of(d.error) in kinds]
    worked = [d for d in agents(log) if d.error is None and d.collected and (d.tokens is None or d.tokens > 0)]
    if not refused or len(worked) > len(refused):
        return None
    shown = [e.evidence() for d in refused[:SHOWN] if (e := d.error) is not None]
    shown += [d.evidence() for d in refused[:1]]
    return Found(tuple(shown), Level.LOG, detail=_story(log, refused))


def _story(log: AgentLog, refused: list[Delegation]) -> str:
    of = counted(len(agents(log)), "sub-agent")
    said = f"{len(refused)} of {of} refused while {counted(log.steps or 0, 'turn')} of the main agent succeeded"
    first = refused[0]
    if first.error is not None and kind_of(first.error) is Kind.AUTH:
        said += f"; the credential was {missing_or_rejected(first.error)}"
    named = next((d.credential for d in refused if d.credential), None)
    if named:
        said += f" ({named})"
    elsewhere = next((d.endpoint for d in refused if d.endpoint and d.endpoint != log.endpoint), None)
    if elsewhere and log.endpoint:
        said += f"; they asked {elsewhere}, not the run's gateway {log.endpoint}"
    elif elsewhere and elsewhere.rsplit(":", 1)[0] in VENDORS:
        said += f"; they asked the vendor's own endpoint {elsewhere}"
    if all(d.tokens == 0 for d in refused):
        said += "; no token was written there"
    took = [(d.ended_at - d.started_at).total_seconds() for d in refused if d.started_at and d.ended_at]
    if took and max(took) < FASTER_THAN_A_MODEL:
        said += f", and it ended within {max(took):.1f} s"
    claimed = sum(d.status == "completed" for d in refused)
    if claimed:
        said += f"; reported as completed all the same: {claimed}"
    return said + "."
