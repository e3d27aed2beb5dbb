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
from whyzero.readers.shapes import join
from whyzero.text import clean

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
    said, path = clean(str(path), 300), _absolute(path)
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
        raise UnknownFormatError(f"There is no file or folder {said!r}. Look at the spelling and at the working directory.")
    if os.path.isdir(path) and any(one.speaker is Speaker.HARNESS for one in reported):
        return Run(root=path, name=path.name, format=osmosis.NAME, reported=reported)
    raise UnknownFormatError(
        f"Nothing known lies at {said!r}. Looked for an Osmosis run (manifest.json, events.jsonl, metrics.json) or workspace "
        "(rollouts/, configs/eval/, .osmosis/), a Harbor job or trial (result.json, config.json) and a Terminal-Bench run "
        "(results.json). Name the folder of a run, of one trial, or of a workspace."
    )


def open_runs(path: Path) -> list[Run]:
    """The runs of a folder that holds several, in order of their names; else the one that `open_run` opens.

    Raises:
        UnknownFormatError: there is none.
    """
    path = _absolute(path)
    return _opened(path) or [open_run(path)]


def runs_below(path: Path) -> list[Run]:
    """Every run at `path`: the one it is or lies in, those of a workspace, or those in a folder of runs, in order of their names.

    Raises:
        UnknownFormatError: there is none.
    """
    path = _absolute(path)
    runs = _opened(path)
    if runs:
        return runs
    run = open_run(path)
    inside = [run.root / name for name in run.workspace.runs] if run.workspace is not None else []
    inside = [root for root in inside if path.resolve() in root.resolve().parents]
    return [open_run(root) for root in _once(inside)] or [run]


def _opened(path: Path) -> list[Run]:
    """The runs of a folder; what could not be looked into stands with the first of them."""
    unread: list[Problem] = []
    deeper: list[str] = []
    runs = [open_run(root) for root in _roots(path, path, unread, deeper)]
    if deeper:
        more = f" and in {len(deeper) - 1} more" if len(deeper) > 1 else ""
        unread.append(Problem(deeper[0], f"{RUN_DEPTH} folders down: runs deeper in it{more} were not looked for; name them"))
    return [replace(runs[0], problems=(*runs[0].problems, *unread)), *runs[1:]] if runs else []


def _of_other_formats(path: Path, read: Format) -> tuple[Problem, ...]:
    """Runs in the same folder that `read` passes over: said, for a total that leaves them out in silence is wrong."""
    left = [root for root in _roots(path, path, [], []) if _format_of(root) is not read]
    reason = "a run of another kind, not read here; name it"
    named = tuple(Problem(root.relative_to(path).as_posix(), reason) for root in left[:LISTED])
    more = (Problem(".", f"{len(left) - LISTED} more runs of another kind, not read here"),) if len(left) > LISTED else ()
    return (*named, *more)


def _absolute(path: Path) -> Path:
    """A relative path has no parents to climb and is below no run's root; `.` has not even a name."""
    return Path(os.path.abspath(path))


def _roots(path: Path, top: Path, unread: list[Problem], deeper: list[str], depth: int = RUN_DEPTH) -> list[Path]:
    """Runs in a folder that is no run itself. A folder of bare trials alone is one run; beside a job each of them is one.

    What could not be looked into is added to `unread`, what was not looked into to `deeper`, by paths below `top`.
    """
    if not os.path.isdir(path) or osmosis.detect(path) or harbor.is_own_root(path) or terminal_bench.is_own_root(path):
        return []
    folder = Folder(path)
    names, found = folder.names(), []
    below = path.relative_to(top).as_posix()
    for name in names[:CHILDREN]:
        if _format_of(path / name) is not None:
            found.append(path / name)
        elif depth > 1 and folder.is_dir(name):
            found += _roots(path / name, top, unread, deeper, depth - 1)
        elif not any(part.startswith(".") for part in (*path.relative_to(top).parts, name)) and _holds_folders(folder, name):
            deeper.append(f"{below}/{name}")
    if len(names) > CHILDREN:
        folder.note(".", f"{len(names)} entries; runs were looked for in the first {CHILDREN}, name the others")
    unread += [Problem(join(below, one.path) if one.path != "." else below, one.reason) for one in folder.problems]
    alone = all(map(harbor.is_bare_trial, found)) or all(_format_of(root) is terminal_bench for root in found)
    return [] if alone else _once(found)


def _holds_folders(folder: Folder, name: str) -> bool:
    return any(folder.is_dir(f"{name}/{one}") for one in folder.names(name, CHILDREN))


def _once(roots: list[Path]) -> list[Path]:
    """Without those that are a link to another of them, as `latest` often is."""
    kept: dict[Path, Path] = {}
    for root in sorted(roots, key=lambda one: one.resolve() != one.parent.resolve() / one.name):
        kept.setdefault(root.resolve(), root)
    return [root for root in roots if root in kept.values()]


def _format_of(path: Path) -> Format | None:
    """The reader to which `path` itself is a run."""
    return next((one for one in FORMATS if one.detect(path) == path), None)


def _runs_below(path: Path) -> list[str]:
    """Names of the folders at `path` that are runs themselves."""
    if not os.path.isdir(path):
        return []
    return [name for name in Folder(path).names()[:CHILDREN] if _format_of(path / name) is not None]


__all__ = ["FORMATS", "Format", "open_run", "open_runs", "runs_below"]
