"""The question as it is asked today, read beside a run: brief, answer key, digests. Facts only, no verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from whyzero.model import Problem, Run, Trial


@dataclass(frozen=True, slots=True)
class Text:
    """A brief, or a part of one, and the file it stands in."""

    path: str
    """Absolute, since it lies outside the run; with a git revision behind it where it was read from one."""
    text: str


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest of today, and what it covers."""

    value: str
    covers: str
    path: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One input of a run by the name the harness gives it, as it stands today."""

    value: str
    path: str


@dataclass(frozen=True, slots=True)
class Change:
    """When a file last changed, and by which clock."""

    at: datetime | None
    clock: str
    """`git commit time` or `file modification time (mtime)`; empty where no clock can be trusted."""
    note: str = ""
    """Why it is this clock, or none; the commit where it is git."""
    bound: bool = False
    """It changed at this time or before (a shallow clone ends here)."""


@dataclass(frozen=True, slots=True)
class KeyFile:
    """An answer key."""

    path: str
    """Absolute."""
    name: str
    """As it was given, or relative to the task."""
    change: Change
    fields: tuple[str, ...] = ()
    """Keys of its rows, in their order."""
    flat: bool = False
    """It is one object of plain values: its members may be fields, and may be row names."""
    inside: bool = False
    """It lies in the task folder, so the task's digest covers it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A dataset row as it stands today."""

    prompt: str
    label: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """One task as it stands now."""

    path: str
    """Absolute path of the folder or file."""
    kind: str
    """`task folder`, `brief` or `workspace`."""
    names: tuple[str, ...] = ()
    """Names under which a run may know it; empty = any."""
    briefs: tuple[Text, ...] = ()
    deliverables: tuple[str, ...] = ()
    """File names the brief asks for."""
    keys: tuple[KeyFile, ...] = ()
    digests: tuple[Digest, ...] = ()
    """Digests of the whole task in every way the harness computes one; a recorded digest is fresh when it is among them."""
    parts: dict[str, str] = field(default_factory=dict)
    """Digest of each file of a task folder, by its path in it."""
    no_digest: str = ""
    """Why there is none."""
    settings: dict[str, Setting] = field(default_factory=dict)
    """Osmosis: inputs of the run as config, dataset and source give them today."""
    datasets: dict[str, str] = field(default_factory=dict)
    """Osmosis: digest of each data file -> its path."""
    rows: dict[int, Row] = field(default_factory=dict)
    """Osmosis: rows of the one data file, where there is only one."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Questions:
    """What a path holds today: one question, or a folder of tasks that are read when a run asks for them."""

    path: str
    find: Callable[[Run, Trial], Question | None]
    """The task that a trial attempted, or None where it is not there."""
    single: bool = True
    """One question for the whole run; False for a folder of tasks."""
    names: tuple[str, ...] = ()
    """Names under which a run may know the single question; empty = any."""
    given: Callable[[Trial], Question | None] = lambda trial: None
    """The task at the checksum or commit that the trial recorded, found in the history of its folder."""
