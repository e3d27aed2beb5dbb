"""One rollout of a run, put together from its record, its folder and the log."""

from __future__ import annotations

from dataclasses import dataclass, replace

from whyzero.evidence import Evidence
from whyzero.model import (
    AgentLog,
    Deliverable,
    End,
    ExceptionRecord,
    Recorded,
    Reward,
    Speaker,
    Spot,
    Trial,
    Utterance,
)
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.harbor_backend import HarborSide, read_harbor_side
from whyzero.readers.osmosis.journal import Record
from whyzero.readers.osmosis.log import Log, RolloutLog
from whyzero.readers.osmosis.manifest import Description
from whyzero.readers.osmosis.provider import errors_in, relays_of
from whyzero.readers.osmosis.tracebacks import exception_of, segments
from whyzero.readers.osmosis.trajectory import Trajectory, read_trajectory

AGENT = "osmosis-rollout-sdk"
RECORDED = {"success": Recorded.FINISHED, "failed": Recorded.FAILED, "skipped": Recorded.SKIPPED}


@dataclass(frozen=True, slots=True)
class Source:
    """Where the trials of one run come from."""

    folder: Folder
    at: str
    about: Description
    log: Log

    @property
    def log_path(self) -> str:
        return self.at + "logs.txt"


def recorded_trial(source: Source, record: Record) -> Trial:
    """A work item with a terminal record."""
    said = source.log.rollouts.get(record.rollout, RolloutLog())
    trajectory = _trajectory(source, record)
    home = f"{source.at}rollout_trials/{record.rollout}"
    harbor = read_harbor_side(source.folder, home)
    exceptions = _exceptions(source, said, harbor)
    reward = Reward()
    if record.reward is not None:
        reward = Reward(record.reward, spot=Spot(record.spot.path, record.spot.line, "/reward"), text=str(record.reward))
    elif harbor.reward is not None:
        reward = harbor.reward
    row = _source_row(source, record.row) if record.source_row is None else record.source_row
    finished = _workflow_finished(source, record, said, trajectory, harbor)
    left = trajectory.reward if trajectory and record.reward is None else None
    return Trial(
        id=record.rollout,
        task=_task(source, row),
        spot=record.spot,
        attempt=record.attempt,
        row=row,
        row_index=record.row,
        agent=source.about.rollout,
        model=source.about.model,
        dataset=source.about.dataset,
        recorded=RECORDED.get(record.status, Recorded.FAILED),
        error_type=record.error_type,
        reward=reward,
        started_at=said.dispatched.at if said.dispatched else None,
        finished_at=said.finished.at if said.finished else None,
        duration=record.duration,
        exceptions=exceptions,
        limits=source.about.limits,
        logs=(
            *harbor.logs,
            _agent_log(source, said, trajectory, exceptions, End.FAILED if exceptions else End.UNKNOWN),
        ),
        harness=_harness(record, said),
        grading=harbor.grading,
        deliverable=_deliverable(record, trajectory, harbor),
        brief=trajectory.brief if trajectory else None,
        given=trajectory.given if trajectory else (),
        workflow_finished=finished,
        sandbox_phase=harbor.phase,
        silence=said.silence,
        label=trajectory.label if trajectory else None,
        label_missing=None if trajectory is None else trajectory.label is None,
        has_metadata=None if trajectory is None else trajectory.has_metadata,
        left_reward=left,
        files=tuple(source.folder.walk(home)) if source.folder.is_dir(home) else (),
    )


def pending_trial(source: Source, row: int, attempt: int, rollout: str | None, spot: Spot) -> Trial:
    """A planned work item without a record; `rollout` is the id it was last dispatched under."""
    said = source.log.rollouts.get(rollout or "", RolloutLog())
    exceptions = _exceptions(source, said, HarborSide())
    place = _source_row(source, row)
    return Trial(
        id=rollout or f"row-{row}-run-{attempt}",
        task=_task(source, place),
        spot=said.dispatched.spot if said.dispatched else spot,
        attempt=attempt,
        row=place,
        row_index=row,
        agent=source.about.rollout,
        model=source.about.model,
        dataset=source.about.dataset,
        recorded=Recorded.PENDING,
        started_at=said.dispatched.at if said.dispatched else None,
        finished_at=said.finished.at if said.finished else None,
        exceptions=exceptions,
        limits=source.about.limits,
        logs=(_agent_log(source, said, None, exceptions, End.CUT),) if rollout else (),
        harness=_harness(None, said),
        silence=said.silence,
    )


def _task(source: Source, row: int | None) -> str:
    return f"{source.about.dataset or 'dataset'}/{'?' if row is None else row}"


def _source_row(source: Source, row: int) -> int | None:
    rows = source.about.source_rows
    if rows is None:
        return row if not source.about.local else None
    return rows[row] if row < len(rows) else None


def _trajectory(source: Source, record: Record) -> Trajectory | None:
    own = f"{source.at}rollout_trials/{record.rollout}/trajectory.json"
    copy = f"{source.at}trajectories/row_{record.row}_run_{record.attempt}.json"
    return read_trajectory(source.folder, own, record.rollout) or read_trajectory(source.folder, copy, record.rollout)


def _exceptions(source: Source, said: RolloutLog, harbor: HarborSide) -> tuple[ExceptionRecord, ...]:
    at = said.finished.at if said.finished else None
    logged = exception_of(said.block, source.log_path, at) if said.block else None
    return harbor.exceptions or ((logged,) if logged is not None else ())


def _workflow_finished(
    source: Source, record: Record, said: RolloutLog, trajectory: Trajectory | None, harbor: HarborSide
) -> bool | None:
    """A sample left the workflow; None where nothing on disk tells."""
    if trajectory is not None or said.saved or record.trajectory or record.reward is not None or record.status == "skipped":
        return True
    if harbor.phase is not None:
        return harbor.phase in ("verifier", "grading")
    if not source.folder.is_dir(f"{source.at}rollout_trials/{record.rollout}"):
        return None
    return False


def _agent_log(
    source: Source, said: RolloutLog, trajectory: Trajectory | None, exceptions: tuple[ExceptionRecord, ...], end: End
) -> AgentLog:
    graded = any(exception.during in ("grader", "verifier", "grading") for exception in exceptions)
    # A sample was made with the model's help, and then its grader raised: what was refused last was not in the sample's way.
    beside = trajectory is not None and said.last_good is not None and (graded or _all_the_models(trajectory, said))
    errors = [replace(call, overcome=beside or _later(said.last_good, call)) for call in said.bad]
    if not graded:
        errors += relays_of(exceptions)
        errors += errors_in(segments(said.block), source.log_path, said.finished.at if said.finished else None)
    errors.sort(key=lambda e: e.spot.line or 0)
    if trajectory is not None:
        log = trajectory.log
        return replace(log, errors=tuple(errors), last_work=said.last_good or (None if errors else log.last_work))
    return AgentLog(AGENT, end=end, errors=tuple(errors), last_work=said.last_good, steps=said.good or None)


def _all_the_models(trajectory: Trajectory, said: RolloutLog) -> bool:
    """Each turn of the sample may be an answer that the bridge served, and the last one calls no tool: nothing is missing at its end."""
    turns = trajectory.log.steps or 0
    return 0 < turns <= said.good and trajectory.log.stop_reason != "tool_use" and _says_something(trajectory)


def _later(good: Utterance | None, bad: Utterance) -> bool:
    return good is not None and (good.spot.line or 0) > (bad.spot.line or 0)


def _harness(record: Record | None, said: RolloutLog) -> tuple[Utterance, ...]:
    """The record itself and the supervisor's telling lines, in the order of the log."""
    own = () if record is None else (Utterance(Speaker.HARNESS, record.text, record.spot, kind="record", code=record.error_type),)
    lines = [line for line in (said.dispatched, said.unsaved, said.finished, *said.remarks) if line is not None]
    return (*own, *sorted(lines, key=lambda line: line.spot.line or 0))


def _deliverable(record: Record, trajectory: Trajectory | None, harbor: HarborSide) -> Deliverable:
    """A sample's last message is what is graded; a booked reward shows that it was."""
    submitted = (trajectory.path,) if trajectory else ()
    if record.status != "success" or record.reward is None or harbor.nothing_to_grade:
        return Deliverable(submitted=submitted, missing=harbor.nothing_to_grade)
    if trajectory is not None and not _says_something(trajectory):
        return Deliverable(missing=_silent(trajectory))
    return Deliverable(submitted=submitted, seen=(record.spot.evidence(record.text),))


def _says_something(trajectory: Trajectory) -> bool:
    last = trajectory.log.last_message
    return bool(last and last.text.strip()) or bool(trajectory.log.tool_calls)


def _silent(trajectory: Trajectory) -> tuple[Evidence, ...]:
    last = trajectory.log.last_message
    return (last.evidence(),) if last else ()


__all__ = ["Source", "pending_trial", "recorded_trial"]
