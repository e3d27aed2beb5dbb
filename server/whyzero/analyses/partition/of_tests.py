"""The partition of tests: one grid per task, a row per test that ran in some answered trial."""

from __future__ import annotations

from collections.abc import Sequence

from whyzero.analyses.partition.grid import Grid
from whyzero.analyses.partition.masks import everything, mask_of
from whyzero.analyses.partition.records import Record


def grid_of_tests(answered: Sequence[Record]) -> Grid:
    """Tests against trials. A test that did not run in a trial was not asked of it: neither found nor missed."""
    names = list(dict.fromkeys(name for record in answered for name in record.tests))
    place = {name: at for at, name in enumerate(names)}
    found, asked = [], []
    for record in answered:
        asked.append(mask_of((place[name] for name in record.tests), len(names)))
        found.append(mask_of((place[name] for name, passed in record.tests.items() if passed), len(names)))
    whole = everything(len(names))
    return Grid(
        labels=names,
        attempts=tuple(record.attempt for record in answered),
        found=found,
        asked=None if all(rows == whole for rows in asked) else asked,
    )
