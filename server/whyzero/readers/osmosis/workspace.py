"""A workspace: what a static look finds in it, and the run that the question is about."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from whyzero.model import Run, Utterance, Workspace
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.manifest import describe
from whyzero.readers.osmosis.places import EVALS, is_run
from whyzero.readers.osmosis.run import read_run

RUN_LIMIT = 2000
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_ARCHIVE = re.compile(r"\.archive-\d{8}T\d{6}Z(?:-\d+)?$")
_NAMED = re.compile(r"\brun '(?P<a>[\w.-]+)'|/evals/(?P<b>[\w-][\w.-]*)/|/\.locks/(?P<c>[\w.-]+)\.lock\b")


def read_workspace(root: Path, reported: tuple[Utterance, ...]) -> Run:
    """The newest run of the workspace, or the one the error names; without any, a run without trials."""
    folder = Folder(root)
    names = runs_in(folder)
    chosen = _named(names, reported) or (names[0] if names else None)
    run = read_run(root, f"{EVALS}/{chosen}/", reported=reported) if chosen else _empty(root, reported)
    workspace = Workspace(root, runs=tuple(f"{EVALS}/{name}" for name in names))
    return replace(run, workspace=workspace, name=run.name if chosen else root.name)


def runs_in(folder: Folder) -> list[str]:
    """Names of the runs below `.osmosis/evals`, newest first, archives last."""
    found = []
    for name in folder.names(EVALS, RUN_LIMIT):
        if name.startswith(".") or not is_run(folder.root / EVALS / name):
            continue
        about = describe(folder, f"{EVALS}/{name}/")
        begun = about.started_at or about.created_at or folder.mtime(f"{EVALS}/{name}")
        found.append((_ARCHIVE.search(name) is None, begun or _LONG_AGO, name))
    return [name for _, _, name in sorted(found, reverse=True)]


def _named(names: list[str], reported: tuple[Utterance, ...]) -> str | None:
    for said in reported:
        for found in _NAMED.finditer(said.text):
            name = found["a"] or found["b"] or found["c"]
            if name in names:
                return name
    return None


def _empty(root: Path, reported: tuple[Utterance, ...]) -> Run:
    return Run(root=root, name=root.name, format="osmosis", reported=reported)
