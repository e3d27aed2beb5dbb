"""Disables the evidence of one cause after the other: a benchmark whose cases stay green then proves nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.zerobench.cases import Case
from benchmarks.zerobench.judging import put

from whyzero.causes import CAUSES, engine


@contextmanager
def without(name: str) -> Iterator[None]:
    """The engine as if this cause could find nothing."""
    blind = tuple(replace(c, find=None, find_in_run=None) if c.name == name else c for c in CAUSES)
    with patch.object(engine, "CAUSES", blind):
        yield


@dataclass(frozen=True)
class Mutation:
    """What became of all cases with one cause disabled."""

    cause: str
    own: int
    """Its cases that were right before."""
    red: int
    """Of these, wrong now."""
    others: tuple[str, ...]
    """Cases of other causes whose answer changed: none, if the cause speaks for its own cases only."""

    @property
    def proves(self) -> bool:
        return 0 < self.own == self.red and not self.others


def mutations(cases: Sequence[Case], names: Sequence[str] | None = None) -> Iterator[Mutation]:
    """Every case is read once and judged again under each mutation."""
    with TemporaryDirectory(prefix="zerobench-") as folder:
        questions = [put(case, Path(folder) / case.name) for case in cases]
        sound = [question.answer()[0] for question in questions]
        for name in names or [c.name for c in CAUSES]:
            with without(name):
                now = [question.answer()[0] for question in questions]
            own = [new for new, old, q in zip(now, sound, questions, strict=True) if q.case.truth == name == old]
            changed = zip(now, sound, questions, strict=True)
            others = tuple(q.case.name for new, old, q in changed if new != old and q.case.truth != name)
            yield Mutation(name, len(own), sum(new != name for new in own), others)


def mutate(cases: Sequence[Case]) -> int:
    """Print the table. Exit code 1 where a cause's cases stay green, or where others turn red with them."""
    failed = False
    print(f"{'disabled':24}{'its cases':>10}{'red':>5}{'others red':>12}")
    for one in mutations(cases):
        failed |= not one.proves
        print(
            f"{one.cause:24}{one.own:10}{one.red:5}{len(one.others):12}{'' if one.proves else '  <- ' + ', '.join(one.others[:3])}"
        )
    return int(failed)
