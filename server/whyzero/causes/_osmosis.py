"""How an Osmosis rollout or run ended: its own traceback, its limits, its silences, and the last stage the run reached."""

from __future__ import annotations

import re
from collections.abc import Iterator

from whyzero.evidence import Evidence
from whyzero.model import ExceptionRecord, Frame, Recorded, Run, Trial, Utterance

STAGES = ("run", "preflight", "deps", "server", "schedule", "dispatch")
"""Steps of a call in their order; what comes after `schedule` works on rows."""
_SDK = "osmosis_ai/rollout/"


def raised(trial: Trial, during: str) -> ExceptionRecord | None:
    """The exception that ended an ungraded rollout in its `workflow` or its `grader`; the SDK's own deadlines left out."""
    return next((e for e in _ended_by(trial) if e.during == during and not e.by_deadline), None)


def deadline(trial: Trial, during: str) -> ExceptionRecord | None:
    """The SDK's deadline, as it ended this rollout's `workflow` or `grader`."""
    return next((e for e in _ended_by(trial) if e.during == during and e.by_deadline), None)


def _ended_by(trial: Trial) -> Iterator[ExceptionRecord]:
    if trial.recorded in (Recorded.FAILED, Recorded.PENDING):
        yield from (e for e in trial.exceptions if not e.masked)


def told(exception: ExceptionRecord) -> Evidence:
    """The line of the log that names the class; where only a message is on record, the message."""
    return exception.spot.evidence(": ".join(part for part in (exception.type, exception.message) if part))


def short(exception: ExceptionRecord) -> str:
    """Class name without its module."""
    return exception.type.rsplit(".", 1)[-1]


def user_sources(exception: ExceptionRecord) -> tuple[str, ...]:
    """Source lines of the frames in the rollout's own code, outermost first."""
    return tuple(frame.source for frame in exception.frames if frame.user)


def deepest(exception: ExceptionRecord) -> Frame | None:
    """Where it was raised."""
    return exception.frames[-1] if exception.frames else None


def sdk_function(exception: ExceptionRecord, *names: str) -> bool:
    """One of these functions of the SDK is on the way to where it was raised."""
    return any(frame.function in names and _SDK in frame.file for frame in exception.frames)


def place(exception: ExceptionRecord) -> str:
    """The user's own line, as a sentence; empty where none is on record."""
    spot = exception.user_frame
    return f"Raised through {spot.path}, line {spot.line}." if spot else ""


def record(trial: Trial) -> tuple[Evidence, ...]:
    """The terminal record of the rollout."""
    return tuple(u.evidence() for u in trial.harness if u.kind == "record")


def finish(trial: Trial) -> tuple[Evidence, ...]:
    """The server's word that the rollout is done."""
    return tuple(u.evidence() for u in trial.harness if u.kind == "rollout-server" and u.code)


def logged_nothing(trial: Trial) -> bool:
    """The rollout failed and the server logged neither a traceback nor its end: its logging was replaced or the log is absent."""
    return not trial.exceptions and not finish(trial)


def elapsed(trial: Trial) -> float | None:
    """Seconds from dispatch to the end."""
    if trial.duration is not None:
        return trial.duration
    if trial.started_at and trial.finished_at:
        return (trial.finished_at - trial.started_at).total_seconds()
    return None


def slack(limit: float) -> float:
    """How far past a limit an orderly cancellation may end."""
    return max(0.5, 0.1 * limit)


# ---- the run's own log


def stage_reached(run: Run) -> str | None:
    """The last step of the call that the log shows; None without a log."""
    steps = [u.kind for u in run.logs]
    return next((stage for stage in reversed(STAGES) if stage in steps), None)


def logged(run: Run, step: str, text: str = "") -> Utterance | None:
    """The first line of a step of the last call that contains `text`."""
    return next((u for u in run.logs if u.kind == step and text in u.text), None)


def last_line(run: Run) -> Utterance | None:
    """The last supervisor line of the last call."""
    return next((u for u in reversed(run.logs) if u.kind != "rollout-server"), None)


def message(line: Utterance) -> str:
    """A log line without `LEVEL [step] ` before it."""
    return re.sub(r"^(?:INFO|WARNING|ERROR) \[[^\]]+\] ", "", line.text)


def pending(run: Run) -> int:
    """Planned work items without a record."""
    return max((run.planned or 0) - (run.found or 0), 0)


def never_finalized(run: Run) -> bool:
    """The record still says `running` and no process works on it: aborted, or killed."""
    return run.format == "osmosis" and run.recorded_status == "running" and not run.live
