"""The agent ended its turn without delivering.

## What it means
Nobody stopped the agent and nothing failed: it said it was done, announced a next step, or gave up, and the deliverable
was not there. It is the model's (or its prompt's) behaviour, but no answer was graded.

## Evidence
A normal end in the agent's log, or no exception on record; the verifier's words that the deliverable is missing, or a log
without a single action; no error, no pending sub-agent, no deadline beside it. Osmosis: a graded zero on an empty reply.

## What to do
Read the agent's last message. An agent that announces work and stops needs a harness that makes it go on; one that says
it cannot needs the reason looked at.

## Not to be confused with
`harness_incompatibility`: calls that arrived as text and were never executed. `abandoned_delegation`: work handed out and
not awaited. `clock`: it was stopped. `refusal`: it declined. `wrong_answer`: it delivered.
"""

from __future__ import annotations

from whyzero.causes._answered import answered, cut_short
from whyzero.causes._osmosis_work import said_nothing
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Evidence, Level
from whyzero.model import AgentLog, End, Phase, Run, Spot, Trial


def find(trial: Trial, run: Run) -> Found | None:
    if run.format == "osmosis":
        return said_nothing(trial, run)
    if run.format not in ("harbor", "terminal-bench") or trial.reward.value is None or trial.exceptions:
        return None
    if answered(trial, run)[0] or cut_short(trial):
        return None
    nothing_done = _no_action(trial)
    if not trial.deliverable.missing and not nothing_done:
        return None
    log = trial.log
    if not _tells_its_end(log) and not _asked_by_the_harness(trial, run):
        return None
    last = (log.last_message or log.end_event) if log else None
    words = (last.evidence(),) if last else ()
    level = Level.LOG if log is not None and log.end is End.COMPLETED else Level.INFERENCE
    proof = (*nothing_done, *trial.deliverable.missing[:2]) if nothing_done else trial.deliverable.missing[:2]
    detail = (
        "It called no tool and typed no command."
        if nothing_done
        else "It ended by itself, and what it was asked for was not there."
    )
    return Found((*proof, *words), level, detail=detail)


def _tells_its_end(log: AgentLog | None) -> bool:
    """A log in a grammar we know; among lines of unknown speakers an error of the provider cannot be told from talk."""
    return log is not None and (log.end is End.COMPLETED or bool(log.steps) or log.last_message is not None)


def _asked_by_the_harness(trial: Trial, run: Run) -> bool:
    """No program was started in the terminal: the harness itself asks the model, and has words for an error of its provider."""
    return run.format == "terminal-bench" and not any(u.kind in ("install", "launch") for u in trial.harness)


def _no_action(trial: Trial) -> tuple[Evidence, ...]:
    """The agent typed or called nothing, and the verifier graded the untouched workspace."""
    log = trial.log
    if log is None or log.tool_calls != 0 or log.tool_results or trial.deliverable.submitted:
        return ()
    spot = trial.reward.spot or Spot(trial.spot.path)
    return (spot.evidence(trial.reward.text or f"{trial.reward.value:g}"),)


CAUSE = Cause(
    name="early_stop",
    phase=Phase.TRAJECTORY,
    whose="model",
    summary="The agent ended its turn far from every limit without the deliverable.",
    check="Search the agent's workspace or artifacts of {trial} for the deliverable under another name or path.",
    find=find,
)
