"""Terminal-Bench `runs/` trees (the harness before Harbor), recognised by content.

A trial's results.json has `task_id` and `is_resolved`; the run's own has a list `results`. Terminals are kept as
`panes/{pre-agent,post-agent,post-test}.txt`, the harness's key strokes in commands.txt.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whyzero.model import Inputs, Run, Trial, Utterance
from whyzero.readers.files import Folder
from whyzero.readers.shapes import join, number, text
from whyzero.readers.terminal_bench.trial import is_trial, read_trial

NAME = "terminal-bench"
UP, DEPTH, LOOK = 8, 3, 400


def detect(path: Path) -> Path | None:
    """The root of the run that `path` is, holds, or lies in."""
    around = _around(path)
    if around is not None:
        return around
    return path if os.path.isdir(path) and _first(Folder(path), ".", DEPTH) else None


def is_own_root(path: Path) -> bool:
    """A run or a trial, or a file inside one: no folder of several runs."""
    return _around(path) is not None


def _around(path: Path) -> Path | None:
    """The run, or the trial without one, that `path` is or lies in."""
    at = path if os.path.isdir(path) else path.parent
    for here in (at, *at.parents[:UP]):
        folder = Folder(here)
        if _is_run(folder):
            return here
        if is_trial(folder, "."):
            above = [up for up in here.parents[:2] if _is_run(Folder(up))]
            return above[0] if above else here
    return None


def read(root: Path, selection: Path | None = None, reported: tuple[Utterance, ...] = ()) -> Run:
    """A run over the trials below `root`; only the one that `selection` names or lies in, where it does."""
    folder = Folder(root)
    trials = folder.once(_trials(folder, ".", DEPTH))
    chosen = _chosen(folder, trials, selection)
    metadata = _document(folder, "run_metadata.json")
    aggregate = _document(folder, "results.json") if _is_run(folder) else {}
    agent, model = text(metadata.get("agent_name")), text(metadata.get("model_name"))
    wanted = metadata.get("n_attempts") or metadata.get("n_trials")
    attempts = number(wanted)
    return Run(
        root=folder.root,
        name=folder.root.name,
        format=NAME,
        writer="terminal-bench",
        found=len(chosen),
        reported=reported,
        booked={k: v for k, v in aggregate.items() if isinstance(v, (int, float, dict)) and k != "results"},
        inputs=Inputs(
            run_id=text(metadata.get("uuid")) or text(metadata.get("run_id")), attempts=int(attempts) if attempts else None
        ),
        trial_problems=folder.problems,
        read_trials=lambda: _read_all(folder, chosen, _numbers(folder, trials), agent, model),
        read_all=None if chosen is trials else lambda: _read_all(folder, trials, _numbers(folder, trials), agent, model),
    )


def _read_all(folder: Folder, paths: list[str], numbers: dict[str, int], agent: str | None, model: str | None) -> Iterator[Trial]:
    for path in paths:
        trial = read_trial(folder, path, numbers.get(path, 0), agent, model)
        if trial is not None:
            yield trial


def _numbers(folder: Folder, paths: list[str]) -> dict[str, int]:
    """Attempts of a task, counted in the order of their names (`task.2-of-5`)."""
    seen: dict[str, int] = defaultdict(int)
    numbers = {}
    for path in paths:
        task = str(_document(folder, join(path, "results.json")).get("task_id") or path.rsplit("/", 1)[0])
        numbers[path] = seen[task]
        seen[task] += 1
    return numbers


def _trials(folder: Folder, base: str, depth: int) -> Iterator[str]:
    if is_trial(folder, base):
        yield base
        return
    if depth:
        for name in folder.names(base):
            path = join(base, name)
            if folder.is_dir(path):
                yield from _trials(folder, path, depth - 1)


def _first(folder: Folder, base: str, depth: int) -> bool:
    """Some folder below holds a trial; only the first entries of each level are looked at."""
    below = [path for name in folder.names(base)[:LOOK] if folder.is_dir(path := join(base, name))]
    if any(is_trial(folder, path) for path in below):
        return True
    return depth > 1 and any(_first(folder, path, depth - 1) for path in below)


def _is_run(folder: Folder) -> bool:
    if folder.is_file("results.json"):
        data = _document(folder, "results.json")
        if isinstance(data.get("results"), list) and ("n_resolved" in data or "accuracy" in data or "pass_at_k" in data):
            return True
    return folder.is_file("run_metadata.json") and "agent_name" in _document(folder, "run_metadata.json")


def _document(folder: Folder, path: str) -> dict[str, Any]:
    return (folder.json_object(path) or {}) if folder.is_file(path) else {}


def _chosen(folder: Folder, trials: list[str], selection: Path | None) -> list[str]:
    real = folder.real(str(selection)) if selection is not None else None
    if real is None or real == folder.root:
        return trials
    path = real.relative_to(folder.root).as_posix()
    return [t for t in trials if path == t or path.startswith(f"{t}/") or t.startswith(f"{path}/")] or trials


__all__ = ["NAME", "detect", "is_own_root", "read"]
