"""Disables the evidence of one cause after the other: a benchmark whose cases stay green then proves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.zerobench.cases import Case
from benchmarks.zerobench.judging import ask

from whyzero.causes import CAUSES, engine


@contextmanager
def without(name: str) -> Iterator[None]:
    """The engine as if this cause could find nothing."""
    blind = tuple(replace(c, find=None, find_in_run=None) if c.name == name else c for c in CAUSES)
    with patch.object(engine, "CAUSES", blind):
        yield


def mutate(cases: Sequence[Case]) -> int:
    """For each cause: how many of its cases turn red, and which others do. Exit code 1 where one stays green."""
    failed = False
    with TemporaryDirectory(prefix="zerobench-") as folder:
        sound = {case.name: ask(case, Path(folder) / case.name).got for case in cases}
        print(f"{'disabled':24}{'its cases':>10}{'red':>5}{'others red':>12}")
        for name in (c.name for c in CAUSES):
            own = [c for c in cases if c.truth == name and sound[c.name] == name]
            others = [c for c in cases if c.truth != name]
            with without(name):
                green = [c for c in own if ask(c, Path(folder) / c.name).got == name]
                changed = [c for c in others if sound[c.name] == name and ask(c, Path(folder) / c.name).got != sound[c.name]]
            good = bool(own) and not green
            failed |= not good
            print(f"{name:24}{len(own):10}{len(own) - len(green):5}{len(changed):12}{'' if good else '  <- proves nothing'}")
    return int(failed)
