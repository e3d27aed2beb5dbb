"""Where a Harbor run begins: a job, a folder of jobs or of trials, or the one trial a path lies in."""

from __future__ import annotations

import os
from pathlib import Path

from whyzero.readers.files import Folder
from whyzero.readers.harbor.kinds import is_job, is_trial
from whyzero.readers.shapes import join

UP = 10
"""Levels climbed from a file inside a trial."""
LOOK = 400
"""Entries looked at in a folder that is neither job nor trial."""


def find_root(path: Path) -> Path | None:
    """The folder to read: the job around `path` where there is one, else the trial, else a folder that holds some."""
    at = path if os.path.isdir(path) else path.parent
    for here in (at, *at.parents[:UP]):
        folder = Folder(here)
        if is_job(folder, "."):
            return here
        if is_trial(folder, "."):
            return here.parent if is_job(Folder(here.parent), ".") else here
    return at if os.path.isdir(path) and holds_trials(Folder(at)) else None


def is_own_root(path: Path) -> bool:
    """A job, or a trial or a file inside one: no folder of several runs."""
    root = find_root(path)
    return root is not None and (root != path or is_job(Folder(path), ".") or is_trial(Folder(path), "."))


def is_bare_trial(path: Path) -> bool:
    """A trial without its job."""
    folder = Folder(path)
    return is_trial(folder, ".") and not is_job(folder, ".")


def holds_trials(folder: Folder, base: str = ".", depth: int = 2) -> bool:
    """Some entry below is a job or a trial."""
    below = [join(base, name) for name in folder.names(base)[:LOOK]]
    folders = [path for path in below if folder.is_dir(path)]
    if any(is_trial(folder, path) or is_job(folder, path) for path in folders):
        return True
    return depth > 1 and any(holds_trials(folder, path, depth - 1) for path in folders)
