"""Terminal-Bench's own word for how a trial ended, where nothing in its logs tells more."""

from __future__ import annotations

from whyzero.causes._answered import answered
from whyzero.causes.cause import Found
from whyzero.evidence import Level
from whyzero.model import Run, Spot, Trial


def recorded_mode(trial: Trial, run: Run, mode: str, detail: str) -> Found | None:
    """The record says `mode`, and no work was graded."""
    if run.format != "terminal-bench" or trial.error_type != mode or answered(trial, run)[0]:
        return None
    record = Spot(trial.spot.path, pointer="/failure_mode").evidence(mode)
    return Found((record,), Level.RECORD, detail=detail)
