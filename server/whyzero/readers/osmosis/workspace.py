"""A workspace: what a static look finds in it, and the run that the question is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from whyzero.model import Defect, Run, Utterance, Workspace
from whyzero.readers.digests import file_digest
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.dataset import dataset_defects
from whyzero.readers.osmosis.layout import config_defects, scaffold_defects
from whyzero.readers.osmosis.manifest import Description, describe
from whyzero.readers.osmosis.places import EVALS, config_files, is_run
from whyzero.readers.osmosis.run import read_run

RUN_LIMIT = 2000
DATASET_LIMIT = 200
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_ARCHIVE = re.compile(r"\.archive-\d{8}T\d{6}Z(?:-\d+)?$")
_NAMED = re.compile(r"\brun '(?P<a>[\w.-]+)'|/evals/(?P<b>[\w-][\w.-]*)/|/\.locks/(?P<c>[\w.-]+)\.lock\b")


def read_workspace(root: Path, reported: tuple[Utterance, ...]) -> Run:
    """The newest run of the workspace, or the one the error names; without any, a run without trials."""
    folder = Folder(root)
    names = runs_in(folder)
    chosen = _named(names, reported) or (names[0] if names else None)
    run = read_run(root, f"{EVALS}/{chosen}/", reported=reported) if chosen else _empty(root, reported)
    newest = describe(folder, f"{EVALS}/{names[0]}/") if names else None
    workspace = Workspace(root, tuple(_defects(folder, newest)), tuple(f"{EVALS}/{name}" for name in names))
    problems = tuple(dict.fromkeys((*run.problems, *folder.problems)))
    own = root / EVALS / chosen if chosen and len(names) > 1 else None
    return replace(run, workspace=workspace, own=own, name=run.name if chosen else root.name, problems=problems)


def _defects(folder: Folder, newest: Description | None) -> Iterator[Defect]:
    """What a call made now would stop at: in files the newest run has not seen, or that it used and that changed since."""
    yield from scaffold_defects(folder)
    since = newest.started_at or newest.created_at if newest else None
    for path in config_files(folder):
        if newest is None or path == newest.config or _newer(folder, path, since):
            yield from config_defects(folder, path)
    for path in [p for p in folder.walk("data", limit=DATASET_LIMIT) if p.endswith((".jsonl", ".csv"))]:
        if newest is None or (_newer(folder, path, since) and file_digest(folder, path) != newest.dataset_digest):
            yield from dataset_defects(folder, path)


def _newer(folder: Folder, path: str, since: datetime | None) -> bool:
    changed = folder.mtime(path)
    return changed is not None and since is not None and changed > since


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
