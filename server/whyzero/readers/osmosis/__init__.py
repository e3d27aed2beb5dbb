"""Osmosis: local eval runs, archives of them, downloads from the platform, and whole workspaces.

Written against `osmosis-ai` 0.3.8. A workspace is read with the newest of its runs, or the one the reported error names.
"""

from __future__ import annotations

from pathlib import Path

from whyzero.model import Run, Utterance
from whyzero.readers.dotenv import hide_dotenv
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.places import CLIMB, home_of, is_run, rollout_in
from whyzero.readers.osmosis.run import read_run
from whyzero.readers.osmosis.workspace import read_workspace

NAME = "osmosis"


def detect(path: Path) -> Path | None:
    """The run or workspace that `path` is or lies in."""
    return home_of(path)


def read(root: Path, selection: Path | None = None, reported: tuple[Utterance, ...] = ()) -> Run:
    """The run at `root`, or the workspace with its newest run; a `selection` inside one rollout reads that one only."""
    for place in (root, *root.parents[:CLIMB]):
        hide_dotenv(Folder(place))
    if is_run(root):
        return read_run(root, selected=None if selection is None else rollout_in(selection, root), reported=reported)
    return read_workspace(root, reported)
