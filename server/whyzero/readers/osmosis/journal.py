"""The terminal records of a run: `events.jsonl` decides, its projections stand in where it is missing."""

from __future__ import annotations

from dataclasses import dataclass, field

from whyzero.model import Defect, Spot
from whyzero.readers.files import Folder, parse_json
from whyzero.readers.shapes import number

Key = tuple[int, int]
"""(row index in the selection, attempt)"""


@dataclass(frozen=True, slots=True)
class Record:
    """The last attempt of one work item."""

    row: int
    attempt: int
    rollout: str
    status: str
    spot: Spot
    text: str
    source_row: int | None = None
    reward: float | None = None
    tokens: int | None = None
    duration: float | None = None
    """Seconds from dispatch to result, the queue included."""
    error_type: str | None = None
    trajectory: bool | None = None
    """A projection's word that a trajectory was kept; the journal does not say."""


@dataclass(slots=True)
class Journal:
    """What was recorded, reduced to the last record of each work item."""

    records: dict[Key, Record] = field(default_factory=dict)
    superseded: int = 0
    defects: list[Defect] = field(default_factory=list)
    source: str | None = None


def read_journal(folder: Folder, at: str) -> Journal:
    """`at` is the run's place in the folder (`""` or `path/`)."""
    for name in ("events.jsonl", "index.jsonl", "summary.jsonl"):
        if folder.is_file(at + name):
            return _read(folder, at + name, authority=name == "events.jsonl")
    return Journal()


def _read(folder: Folder, path: str, authority: bool) -> Journal:
    journal = Journal(source=path)
    lines = 0
    for at, line in folder.lines(path, keep_open_tail=not authority):
        lines = at
        value = parse_json(line)
        record = _record(value, Spot(path, at), line) if isinstance(value, dict) else None
        if record is None:
            journal.defects.append(
                Defect("journal_damaged", "a committed line of the journal is no record", Spot(path, at), line)
            )
            continue
        key = (record.row, record.attempt)
        if key in journal.records:
            journal.superseded += 1
            del journal.records[key]
        journal.records[key] = record
    if authority:
        tail = next((item for item in folder.lines(path) if item[0] > lines), None)
        if tail is not None:
            journal.defects.append(
                Defect(
                    "journal_cut", "the last line of the journal has no newline: a write cut short", Spot(path, tail[0]), tail[1]
                )
            )
    journal.records = dict(sorted(journal.records.items()))
    return journal


def _record(value: dict[str, object], spot: Spot, line: str) -> Record | None:
    row, attempt, rollout, status = (value.get(k) for k in ("row_index", "run_index", "rollout_id", "status"))
    if not (is_count(row) and is_count(attempt) and isinstance(rollout, str) and isinstance(status, str)):
        return None
    assert isinstance(row, int)
    assert isinstance(attempt, int)
    milliseconds = number(value.get("duration_ms"))
    error = value.get("error_type")
    return Record(
        row=row,
        attempt=attempt,
        rollout=rollout,
        status=status,
        spot=spot,
        text=line[:2000],
        source_row=whole(value.get("source_row_index")),
        reward=number(value.get("reward")),
        tokens=whole(value.get("tokens")),
        duration=None if milliseconds is None else milliseconds / 1000,
        error_type=error if isinstance(error, str) else None,
        trajectory=True if isinstance(value.get("trajectory_filename"), str) else None,
    )


def is_count(value: object) -> bool:
    """A JSON integer from 0 up."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def whole(value: object) -> int | None:
    """A JSON integer, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
