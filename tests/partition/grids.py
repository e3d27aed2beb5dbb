"""Grids drawn by hand: a line a trial, `x` missed, `.` found, `-` not asked."""

from __future__ import annotations

from collections.abc import Sequence

from whyzero.analyses.partition.grid import Attempt, Grid
from whyzero.analyses.partition.masks import mask_of


def grid_of(lines: Sequence[str], models: Sequence[str] = ()) -> Grid:
    """Rows are named R0, R1, ...; every trial is of a model of its own unless named."""
    size = len(lines[0])
    names = models or [f"model-{number}" for number in range(len(lines))]
    asked = [mask_of((r for r, c in enumerate(line) if c != "-"), size) for line in lines]
    return Grid(
        labels=[f"R{row}" for row in range(size)],
        attempts=[Attempt(f"t{n}", "run", "task", model) for n, model in enumerate(names)],
        found=[mask_of((r for r, c in enumerate(line) if c == "."), size) for line in lines],
        asked=asked if any("-" in line for line in lines) else None,
    )
