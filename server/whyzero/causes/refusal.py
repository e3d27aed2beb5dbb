"""The model, or a content filter before it, declined.

## What it means
The turn ended as a refusal by type: the model's own stop reason, a filter of the provider, a policy of the gateway. It is
behaviour of the model or the provider on this task, and no answer was graded.

## Evidence
A typed stop (`refusal`, `content_filter`, `SAFETY`), a policy error by the provider or the agent program. Words like "I
can't help with that" alone are not enough.

## What to do
Read the task as the model saw it; harmless tasks trip filters by single words. Compare with another model or provider.

## Not to be confused with
`early_stop`: it gave up in its own words, with a normal end of turn. `provider_error`: a stream that broke off for another
reason than a filter.
"""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes._ended_by import found_as, pending_errors
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Trial

NAME = "refusal"
STOPS = frozenset({"refusal", "content_filter", "content-filter", "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST"})


def find(trial: Trial, run: Run) -> Found | None:
    return found_as(NAME, trial, run) or _typed_stop(trial, run)


def _typed_stop(trial: Trial, run: Run) -> Found | None:
    log = trial.log
    if log is None or log.stop_reason not in STOPS or pending_errors(trial) or answered(trial, run)[0]:
        return None
    shown = log.end_event or log.last_event
    if shown is None:
        return None
    return Found((shown.evidence(),), Level.LOG, detail=f"The last turn ended with stop reason {log.stop_reason}.")


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="model",
    summary="The model or a content filter declined the task.",
    check="Give the brief of {task} to another model or provider: a refusal there too points at the task's wording.",
    find=find,
    harbor_policy="not retried (AgentSafetyRefusalError)",
)
