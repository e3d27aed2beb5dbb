"""What every tool's answer has in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import Field

from whyzero.evidence import Output, Prose, Quote
from whyzero.model import Problem, Run


class NextStep(Output):
    """A call that follows from this answer."""

    tool: str
    """Name of the tool."""
    arguments: dict[str, object] = Field(default_factory=dict)
    """Its arguments, filled in as far as this answer knows them."""
    why: Prose
    """What it would settle."""


class Unread(Output):
    """A file that could not be read, wholly or in part; everything else was."""

    path: Quote
    """Path relative to the run."""
    reason: Quote
    """What stood in the way."""


class Report(Output):
    """Base of all answers."""

    summary: Prose
    """One paragraph a person can read."""
    next_steps: tuple[NextStep, ...] = ()
    """What to call next, most useful first."""
    problems: tuple[Unread, ...] = ()
    """Files that could not be read."""
    omitted: dict[str, int] = Field(default_factory=dict)
    """What was left out of this answer, with exact counts; empty = nothing."""


class RunInfo(Output):
    """Which results were read."""

    name: Quote
    """Name of the run directory."""
    format: str
    """`osmosis`, `harbor` or `terminal-bench`."""
    writer: Quote | None = None
    """Program and version that wrote it, where the files tell."""
    command: Quote | None = None
    """The command that made it, where recorded."""


def run_info(run: Run) -> RunInfo:
    return RunInfo(name=run.name, format=run.format, writer=run.writer, command=run.command)


def one_of_several(run: Run) -> str:
    """That a workspace holds other runs, in a sentence with a space before it; empty where this is the only one."""
    if run.own is None or run.workspace is None:
        return ""
    which = "the newest" if run.workspace.runs[0].endswith(f"/{run.own.name}") else "one"
    return f" It is {which} of the {len(run.workspace.runs)} runs in this workspace: name the folder of another to read that."


def folder_of(runs: Sequence[Run]) -> Path:
    """The run, or the folder that all of them were found in; of runs that a link brought together, that of the first."""
    above = [run.root.parent for run in runs]
    near = (up for up in (above[0], *above[0].parents[:2]) if all(one.is_relative_to(up) for one in above))
    return (runs[0].own or runs[0].root) if len(runs) == 1 else next(near, above[0])


PROBLEMS_SHOWN = 20


def unread(problems: Iterable[Problem], limit: int = PROBLEMS_SHOWN) -> tuple[tuple[Unread, ...], int]:
    """The first `limit` distinct problems, and how many more there are."""
    distinct = list(dict.fromkeys(problems))
    shown = tuple(Unread(path=p.path, reason=p.reason) for p in distinct[:limit])
    return shown, len(distinct) - len(shown)
