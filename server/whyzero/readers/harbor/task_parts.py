"""Question, grader and key of a Harbor task apart, from its folder beside the run, where that has the recorded checksum.

The checksum covers the whole folder. The image's recipe and `task.toml` belong to none of the three: a fault of the environment
is mended there. The recorded path of a task is not followed: a run may name any place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from whyzero.model import Run
from whyzero.readers import digests
from whyzero.readers.files import Folder
from whyzero.readers.tables import SUFFIXES
from whyzero.readers.task_folder import is_task

CLIMB = 3
"""Folders above the run that are looked into."""
SIBLINGS = 200
RECIPES = frozenset({"Dockerfile", "docker-compose.yaml", "docker-compose.yml", "compose.yaml", ".dockerignore"})


def parts_of_tasks(run: Run) -> dict[str, dict[str, str]]:
    """Digests of the parts by task name; tasks without a folder of the recorded checksum are left out."""
    found: dict[str, dict[str, str]] = {}
    for task, recorded in run.inputs.tasks.items():
        for folder in _candidates(run, PurePosixPath(task).name):
            try:
                files = digests.tree_files(folder)
                kept = digests.kept_by_harbor(folder, files)
                if recorded.removeprefix("sha256:") in (digests.checksum(files), digests.checksum(kept)):
                    found[task] = _parts(kept)
                    break
            except digests.NoDigestError:
                continue
    return found


def _candidates(run: Run, name: str) -> Iterator[Folder]:
    for place in (run.root, *run.root.parents[:CLIMB]):
        folder = Folder(place)
        for path in (name, *(f"{below}/{name}" for below in folder.names(limit=SIBLINGS))):
            if folder.is_dir(path) and is_task(folder, path):
                yield Folder(place / path)


def _parts(files: Mapping[str, str]) -> dict[str, str]:
    parts: dict[str, dict[str, str]] = {"question": {}, "grader": {}, "key": {}}
    for path, digest in files.items():
        if part := _part(path):
            parts[part][path] = digest
    return {name: hashlib.sha256(repr(sorted(part.items())).encode()).hexdigest() for name, part in parts.items()}


def _part(path: str) -> str | None:
    """Which part a file belongs to; steps of a task are laid out like the task itself."""
    parts = path.split("/")
    inner = parts[2:] if parts[0] == "steps" and len(parts) > 2 else parts
    data = PurePosixPath(path).suffix.lower() in SUFFIXES
    if inner[0] in ("tests", "solution"):
        return "key" if data else "grader" if inner[0] == "tests" else None
    if inner[0] == "instruction.md" or (inner[0] == "environment" and inner[-1] not in RECIPES):
        return "question"
    return None
