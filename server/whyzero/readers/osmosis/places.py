"""Where a path belongs: the run or workspace around it, told by content."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

from whyzero.readers.files import Folder, parse_json

CLIMB = 8
"""Folders looked at upwards from the path."""
SCAFFOLD = ("rollouts", "configs/training", "configs/eval", "data")
"""Folders every workspace command insists on."""
EVALS = ".osmosis/evals"
OWN = frozenset({".osmosis", "rollouts", "configs", "data", "AGENTS.md", "CLAUDE.md"})


def home_of(path: Path) -> Path | None:
    """The nearest run or workspace that holds `path`, or None."""
    start = path if os.path.isdir(path) else path.parent
    for place in (start, *start.parents)[:CLIMB]:
        if is_run(place) or (_is_part_of_workspace(path, place) and is_workspace(place)):
            return place
    return None


def _is_part_of_workspace(path: Path, place: Path) -> bool:
    """Results of another harness may lie in a workspace; only the workspace's own folders stand for it."""
    inside = path.relative_to(place).parts
    return not inside or inside[0] in OWN


def is_run(place: Path) -> bool:
    """A local run, an archive of one, or a downloaded platform run."""
    folder = Folder(place)
    manifest = _small_object(folder, "manifest.json")
    if isinstance(manifest.get("inputs"), dict) and "run_name" in manifest:
        return True
    metrics = _small_object(folder, "metrics.json")
    if isinstance(metrics.get("eval_run"), dict) and isinstance(metrics.get("summary"), dict):
        return True
    if any(_lists_rollouts(folder, name) for name in ("events.jsonl", "index.jsonl", "summary.jsonl")):
        return True
    return folder.is_dir("rollout_trials") and folder.is_file("logs.txt")


def is_workspace(place: Path) -> bool:
    """A folder with local runs, or with enough of the scaffold and something in it that is Osmosis's."""
    folder = Folder(place)
    if folder.is_dir(EVALS):
        return True
    there = [name for name in SCAFFOLD if folder.is_dir(name)]
    if len(there) < 2 or not (set(there) & {"rollouts", "configs/eval", "configs/training"}):
        return False
    return any("[experiment]" in (folder.text(path, 65_536) or "") for path in config_files(folder)) or any(
        "osmosis" in (folder.text(f"rollouts/{name}/pyproject.toml", 65_536) or "") for name in folder.names("rollouts", 100)
    )


def config_files(folder: Folder) -> list[str]:
    """Eval configs of a workspace, sorted."""
    return [f"configs/eval/{name}" for name in folder.names("configs/eval", 1000) if name.endswith(".toml")]


def rollout_in(path: Path, root: Path) -> str | None:
    """The rollout id or `row.attempt` a path inside a run points to: its trial folder or its copied trajectory."""
    try:
        parts = path.resolve().relative_to(root.resolve()).parts
    except ValueError:
        return None
    for here, below in pairwise(parts):
        if here == "rollout_trials":
            return below
        if here in ("trajectories", "artifacts") and below.startswith("row_"):
            numbers = [part for part in below.removesuffix(".json").split("_") if part.isdigit()]
            return ".".join(numbers) if len(numbers) == 2 else None
    return None


def _small_object(folder: Folder, name: str) -> dict[str, object]:
    if (folder.size(name) or 0) > 2**20:
        return {}
    value = parse_json(folder.text(name) or "")
    return value if isinstance(value, dict) else {}


def _lists_rollouts(folder: Folder, name: str) -> bool:
    if not folder.is_file(name):
        return False
    first = next((parse_json(line) for _, line in folder.lines(name) if line.strip()), None)
    return isinstance(first, dict) and {"row_index", "run_index", "rollout_id"} <= first.keys()
