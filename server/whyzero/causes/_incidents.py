"""What happened beside the outcome and did not decide it: overcome errors, failed sub-agents, a timeout after the answer."""

from __future__ import annotations

from collections.abc import Iterator

from whyzero.causes._ended_by import recorded_error
from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import CAUSE_OF, Kind
from whyzero.evidence import Evidence
from whyzero.findings import Incident
from whyzero.model import ExceptionRecord, Run, Trial, Utterance

BY_CLASS = {
    "AgentTimeoutError": "clock",
    "VerifierTimeoutError": "grader_timeout",
    "CancelledError": "interrupted",
    "KeyboardInterrupt": "interrupted",
}
LIMIT = 12


def incidents(trial: Trial, run: Run) -> tuple[Incident, ...]:
    """One incident per thing and place it happened; the engine drops what the finding already rests on."""
    found: list[Incident] = []
    seen: set[tuple[str, str]] = set()
    for actor, what, evidence in (*_exceptions(trial), *_errors(trial), *_delegations(trial), *_paid_for_nothing(trial)):
        if (actor, what) not in seen and len(found) < LIMIT:
            seen.add((actor, what))
            found.append(Incident(what=what, evidence=evidence))
    return tuple(found)


def _exceptions(trial: Trial) -> Iterator[tuple[str, str, Evidence]]:
    for exception in trial.exceptions:
        quote = f"{exception.type}: {exception.message}" if exception.message else exception.type
        yield f"record {exception.type}", _word(exception, trial), exception.spot.evidence(quote)


def _word(exception: ExceptionRecord, trial: Trial) -> str:
    known = BY_CLASS.get(exception.type.rsplit(".", 1)[-1])
    if known is not None:
        return known
    spoken = recorded_error(exception, trial.log)
    return (_cause(spoken) if spoken is not None else None) or "exception"


def _errors(trial: Trial) -> Iterator[tuple[str, str, Evidence]]:
    """The main agent's provider errors, one of each kind; a side request that failed is none of the trial's."""
    log = trial.log
    for error in log.errors if log is not None else ():
        what = _cause(error)
        if error.actor == "main" and what is not None:
            yield "main", what, error.evidence()


def _delegations(trial: Trial) -> Iterator[tuple[str, str, Evidence]]:
    """Sub-agents that failed, and hand-offs that nobody collected."""
    log = trial.log
    for delegation in log.delegations if log is not None else ():
        if delegation.error is not None:
            kind = kind_of(delegation.error)
            what = "subagent_auth" if kind is Kind.AUTH else _cause(delegation.error) or "exception"
            yield "sub-agents", what, delegation.error.evidence()
        elif delegation.background and delegation.collected is False:
            yield "sub-agents", "abandoned_delegation", delegation.evidence()


def _paid_for_nothing(trial: Trial) -> Iterator[tuple[str, str, Evidence]]:
    """A reward above zero for the agent that does nothing: the task pays for an untouched workspace."""
    if trial.is_nop and trial.reward.value and trial.reward.spot is not None:
        yield "task", "task_defect", trial.reward.spot.evidence(trial.reward.text)


def _cause(error: Utterance) -> str | None:
    kind = kind_of(error)
    return CAUSE_OF.get(kind) if kind is not None else None
