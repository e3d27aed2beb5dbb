"""The reward is older than the work it stands for.

## What it means
The reward file, or the test report beside it, was written before the agent began: it came with the image, from an earlier
attempt, or from a grading of something else. The number belongs to other work.

## Evidence
The report's own start time, or the reward file's time where file times survived, lies before the agent's phase, in the
same clock.

## What to do
Clear the verifier's folder before grading, take reward and report out of the image, and grade the kept work again.

## Not to be confused with
Every graded outcome: file times of a copied or checked-out tree say nothing and are not used. A reward written by the
agent itself during its phase is another matter.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Spot, Trial

SLACK = timedelta(seconds=60)
"""Clocks of container and host may differ by this much."""


def find(trial: Trial, run: Run) -> Found | None:
    if run.format != "harbor" or trial.reward.value is None or trial.reward.spot is None:
        return None
    agent = trial.span("agent")
    began = agent.started_at if agent else trial.started_at
    if began is None or began.tzinfo is None:
        return None
    reward = trial.reward.spot.evidence(trial.reward.text or f"{trial.reward.value:g}")
    ran, report = trial.grading.ran_at, trial.grading.report
    if ran is not None and report is not None and _before(ran, began):
        said = Spot(report.path, pointer="/results/summary/start").evidence(f"{ran.timestamp() * 1000:.0f}")
        return Found(
            (said, reward), Level.RECORD, detail=f"The tests began at {ran.isoformat()}, the agent at {began.isoformat()}."
        )
    written = trial.reward.written_at
    if written is not None and _before(written, began):
        return Found(
            (reward,),
            Level.INFERENCE,
            detail=f"Its file was written at {written.isoformat()}, the agent began at {began.isoformat()}.",
        )
    return None


def _before(one: datetime, other: datetime) -> bool:
    return one.tzinfo is not None and one + SLACK < other


CAUSE = Cause(
    name="stale_reward",
    phase=Phase.GRADING,
    whose="harness",
    summary="The reward was written before the trial's work and belongs to something else.",
    check="Grade the kept work of {trial} again into an empty folder: the same reward would show this harmless.",
    find=find,
)
