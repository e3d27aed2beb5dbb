"""A case: a tree to write, and its cause, which the story fixed before anybody looked."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.zerobench import harbor, osmosis, terminal_bench
from benchmarks.zerobench.places import Place
from benchmarks.zerobench.story import TASKS, Task

PASS = ""
"""The truth where nothing is wrong."""
VERSIONS = ("0.26.0", "0.24.0", "0.20.0", "0.13.0", "0.6.1", "0.1.40")


@dataclass(frozen=True)
class Case:
    """One question with one answer."""

    name: str
    truth: str
    """The cause's word, or PASS."""
    kind: str
    """`fault`, `decoy` (something in it looks like another cause) or `control` (healthy)."""
    format: str
    """`harbor`, `terminal-bench` or `osmosis`."""
    agent: str
    write: Callable[[Path], Place]


SHIFT: ContextVar[int] = ContextVar("SHIFT", default=0)
"""Pairs the cases with other tasks and releases: the same stories, other words around them."""


def task(number: int) -> Task:
    """Tasks in turn."""
    return TASKS[(number + SHIFT.get()) % len(TASKS)]


def version(number: int) -> str:
    """Harbor releases in turn."""
    return VERSIONS[(number + 2 * SHIFT.get()) % len(VERSIONS)]


def in_harbor(
    name: str,
    truth: str,
    trial: harbor.Trial,
    kind: str = "fault",
    finished: bool = True,
    beside: list[harbor.Trial] | None = None,
) -> Case:
    """A job with one trial to judge, and `beside` it others of the same job."""

    def write(root: Path) -> Place:
        harbor.write_job(root / "job", [trial, *(beside or [])], finished)
        return Place(root / "job", trial.name)

    return Case(f"harbor-{name}", truth, kind, "harbor", trial.agent, write)


def in_terminal_bench(name: str, truth: str, trial: terminal_bench.Trial, kind: str = "fault") -> Case:
    """A run with one trial."""
    return Case(f"tb-{name}", truth, kind, "terminal-bench", trial.agent, lambda root: terminal_bench.write_run(root, trial))


def in_osmosis(
    name: str, truth: str, run: osmosis.Eval, row: str | None = "0.0", kind: str = "fault", error: str | None = None
) -> Case:
    """A run, and the work item (or, with None, the run) that is asked about."""

    def write(root: Path) -> Place:
        folder = osmosis.write_eval(root / ".osmosis/evals" / run.name, run)
        return Place(folder, row, error)

    return Case(f"osmosis-{name}", truth, kind, "osmosis", "rollout", write)


def one_row(name: str, truth: str, row: osmosis.Row, kind: str = "fault", **run: Any) -> Case:
    """A run of three rows: the one in question and two that passed."""
    healthy = [osmosis.Row(number, attempt=row.attempt) for number in (1, 2)] if row.attempt == 0 else []
    return in_osmosis(name, truth, osmosis.Eval([row, *healthy], **run), f"{row.row}.{row.attempt}", kind)
