"""Formats we read, and the way from a path to a `Run`. Detection looks at content, never at folder names.

To add a format: a module or folder with `NAME`, `detect(path)` and `read(root, selection, reported)`, named in `FORMATS`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from whyzero.errors import UnknownFormatError
from whyzero.model import Problem, Run, Speaker, Utterance
from whyzero.readers import harbor, osmosis, terminal_bench
from whyzero.readers.files import Folder
from whyzero.readers.reported import read_reported

CHILDREN = 500
"""Folders looked into where a path holds several runs."""
RUN_DEPTH = 3
"""Levels of folders looked into for runs."""
LISTED = 20


class Format(Protocol):
    """What a reader offers."""

    NAME: str

    def detect(self, path: Path) -> Path | None:
        """The root of the run that `path` is, holds or lies in; None where it is of another format."""

    def read(self, root: Path, selection: Path | None, reported: tuple[Utterance, ...]) -> Run:
        """The run at `root`; `selection` is the path that was named, where it is not the root."""


FORMATS: tuple[Format, ...] = (osmosis, harbor, terminal_bench)
"""Readers in the order in which they are asked: Osmosis first, its sandbox keeps Harbor's files inside a run of its own."""


def open_run(path: Path, error: str | None = None) -> Run:
    """The run that `path` is, holds or lies in; `error` is what the user saw, and all there is of a call that left nothing.

    Raises:
        UnknownFormatError: no reader recognises what lies there.
    """
    path = _absolute(path)
    reported = read_reported(error)
    for one in FORMATS:
        root = one.detect(path)
        if root is not None:
            run = one.read(root, path if path != root else None, reported)
            left = _of_other_formats(path, one)
            return replace(run, problems=(*run.problems, *left)) if left else run
    names = _runs_below(path)
    if len(names) == 1:
        return open_run(path / names[0], error)
    if names:
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        raise UnknownFormatError(f"{path.name!r} holds several runs: {', '.join(names[:LISTED])}{more}. Name one of them.")
    if not os.path.lexists(path):
        raise UnknownFormatError(f"There is no file or folder {path.name!r}. Look at the spelling and at the working directory.")
    if path.is_dir() and any(said.speaker is Speaker.HARNESS for said in reported):
        return Run(root=path, name=path.name, format=osmosis.NAME, reported=reported)
    raise UnknownFormatError(
        f"Nothing known lies at {path.name!r}. Looked for an Osmosis run (manifest.json, events.jsonl, metrics.json) or workspace "
        "(rollouts/, configs/eval/, .osmosis/), a Harbor job or trial (result.json, config.json) and a Terminal-Bench run "
        "(results.json). Name the folder of a run, of one trial, or of a workspace."
    )


def open_runs(path: Path) -> list[Run]:
    """The runs of a folder that holds several, in order of their names; else the one that `open_run` opens.

    Raises:
        UnknownFormatError: there is none.
    """
    path = _absolute(path)
    return [open_run(root) for root in _roots(path, RUN_DEPTH)] or [open_run(path)]


def runs_below(path: Path) -> list[Run]:
    """Every run at `path`: the one it is or lies in, those of a workspace, or those in a folder of runs, in order of their names.

    Raises:
        UnknownFormatError: there is none.
    """
    path = _absolute(path)
    roots = _roots(path, RUN_DEPTH)
    if roots:
        return [open_run(root) for root in roots]
    run = open_run(path)
    inside = [run.root / name for name in run.workspace.runs] if run.workspace is not None else []
    inside = [root for root in inside if path.resolve() in root.resolve().parents]
    return [open_run(root) for root in inside] or [run]


def _of_other_formats(path: Path, read: Format) -> tuple[Problem, ...]:
    """Runs in the same folder that `read` passes over: said, for a total that leaves them out in silence is wrong."""
    left = [
        root for root in _roots(path, RUN_DEPTH) if next((one for one in FORMATS if one.detect(root) == root), read) is not read
    ]
    return tuple(
        Problem(root.relative_to(path).as_posix(), "a run of another kind, not read here; name it") for root in left[:LISTED]
    )


def _absolute(path: Path) -> Path:
    """A relative path has no parents to climb and is below no run's root; `.` has not even a name."""
    return Path(os.path.abspath(path))


def _roots(path: Path, depth: int) -> list[Path]:
    """Runs in a folder that is no run itself; a folder of bare trials is one run."""
    if not path.is_dir() or any(one.detect(path) for one in (osmosis, terminal_bench)) or harbor.is_own_root(path):
        return []
    folder = Folder(path)
    runs = set(_runs_below(path))
    found = []
    for name in folder.names(limit=CHILDREN):
        if name in runs:
            found += [] if harbor.is_bare_trial(path / name) else [path / name]
        elif depth > 1 and folder.is_dir(name):
            found += _roots(path / name, depth - 1)
    return found


def _runs_below(path: Path) -> list[str]:
    """Names of the folders at `path` that are runs themselves."""
    if not path.is_dir():
        return []
    names = Folder(path).names(limit=CHILDREN)
    return [name for name in names if any(one.detect(path / name) == path / name for one in FORMATS)]


__all__ = ["FORMATS", "Format", "open_run", "open_runs", "runs_below"]
