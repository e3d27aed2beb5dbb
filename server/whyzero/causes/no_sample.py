"""The workflow ended without a sample to grade, or registered a second one.

## What it means
`run()` returned nothing and registered no sample source, returned something that is no list of messages, or set a source
twice. Often it shows in the grader, whose `ctx.sample` is None: the grader is innocent.

## Evidence
A failure in `run_grader` while no trajectory was written and no line says why not; `No sample to grade`; or the SDK's own
refusal (`run() must return …`, `already has a sample source`, `without an active … Session`).

## What to do
Return the messages from `run()`, or register exactly one source: one agent, one session per rollout.

## Not to be confused with
`grader_error`: a sample was there. A sample whose trajectory is switched off is no fault: the log says so.
"""

from __future__ import annotations

from whyzero.causes._osmosis_work import without_sample
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    return without_sample(trial, run)


CAUSE = Cause(
    name="no_sample",
    phase=Phase.TRAJECTORY,
    whose="user code",
    summary="The workflow ended without a usable sample to grade, or registered a second one.",
    check="Look for a trajectory of {trial}: one that belongs to it would show that a sample was made.",
    find=find,
)
