"""The run was stopped before its end.

## What it means
Somebody or something stopped the program: Ctrl-C, a signal, a closed terminal, a job scheduler. What was under way
has no grade, what had not begun is pending. It says nothing about agent, task or provider.

## Evidence
A trial whose recorded exception is a cancellation, with an empty message. A trial folder without the record that the
harness writes last. A job record whose end is null.

## What to do
Run the rest again; finished trials keep their grades. If a killed run goes on failing at the same place, look for the
killer: an out-of-memory kill shows in the kernel's log, a scheduler's time limit in its own.

## Not to be confused with
`server_died`: the process ended by itself. `harness_crash`: a real exception with a traceback. A run that is still
going has no end either: look for its process first.
"""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes._cli import unexplained
from whyzero.causes._exceptions import CANCELLED, evidence, official, short
from whyzero.causes._osmosis import last_line, logged, never_finalized, pending, stage_reached
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Recorded, Run, Trial, Utterance


def find(trial: Trial, run: Run) -> Found | None:
    if run.format in ("harbor", "terminal-bench"):
        return (None if answered(trial, run)[0] else _cancelled(trial)) or _without_record(trial, run)
    return _stopped_osmosis(run) if trial.recorded is Recorded.PENDING else None


def _cancelled(trial: Trial) -> Found | None:
    exception = official(trial)
    if exception is None or short(exception) not in CANCELLED:
        return None
    told = [u.evidence() for u in trial.harness if u.text.rstrip().endswith("cancelled")]
    return Found((evidence(exception), *told[:1]), Level.RECORD, detail="The trial was cancelled while it was under way.")


def _without_record(trial: Trial, run: Run) -> Found | None:
    """The harness writes a trial's record once, at its very end."""
    if trial.recorded is not Recorded.PENDING or run.live:
        return None
    job = _unfinished(run)
    begun = next((u.evidence() for u in trial.harness if u.kind == "planned"), None)
    proof = (*((begun,) if begun else ()), *((job.evidence(),) if job else ()))
    return Found(
        proof,
        Level.RECORD if job else Level.INFERENCE,
        detail="The trial began and its record was never written: the process was killed.",
    )


def find_in_run(run: Run) -> Found | None:
    if run.format == "osmosis":
        return _stopped_osmosis(run)
    everywhere = sum(line.kind == "unfinished" for line in run.logs) == run.parts
    job = _unfinished(run) if run.format == "harbor" and everywhere and not run.live else None
    return Found((job.evidence(),), Level.RECORD, detail="The job's record has no end.") if job else None


def _unfinished(run: Run) -> Utterance | None:
    return next((line for line in run.logs if line.kind == "unfinished"), None)


def _stopped_osmosis(run: Run) -> Found | None:
    """Cancelled by its supervisor, or killed: a run that still says `running` while rows had begun and nobody works on it."""
    if not unexplained(run) or run.live or not pending(run) or logged(run, "dispatch", "halting dispatch"):
        return None
    rest = f"{pending(run)} of {run.planned} work items are pending."
    if cancelled := logged(run, "cancel", "supervisor cancellation requested"):
        return Found((cancelled.evidence(),), Level.LOG, detail=rest)
    last = last_line(run)
    ended = (last.evidence(),) if last else ()
    if never_finalized(run):
        left = [d for d in run.defects if d.kind == "process_record_left"]
        if left:
            return Found(
                (left[0].spot.evidence(left[0].quote or left[0].text), *ended), Level.RECORD, detail=f"It was killed. {rest}"
            )
        if stage_reached(run) in ("schedule", "dispatch"):
            return Found(ended, Level.INFERENCE, detail=f"The log ends while rows were at work. {rest}")
    return None


CAUSE = Cause(
    name="interrupted",
    phase=Phase.DISPATCH,
    whose="operator",
    summary="The run was stopped or killed before its end.",
    check="Look whether the process of {path} is still running: then it is unfinished, not interrupted.",
    find=find,
    find_in_run=find_in_run,
    harbor_policy="not graded, not retried",
)
