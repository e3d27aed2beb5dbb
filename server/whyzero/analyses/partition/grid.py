"""Rows against trials: who was asked what, and who found it. The same for rows of a deliverable and for tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from whyzero.analyses.partition.compare import Values
from whyzero.analyses.partition.masks import counts, everything, holds, union


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answered trial."""

    id: str
    run: str
    task: str
    model: str
    reward: float | None = None

    @property
    def family(self) -> str:
        """First word of the model's name without its vendor: `claude`, `gpt`, `qwen`."""
        name = self.model.rsplit("/", 1)[-1].lower()
        word = re.match(r"[^\W\d_]+", name)
        return word.group() if word else name


@dataclass(frozen=True)
class Grid:
    """Outcome of every row in every answered trial. Masks are over rows, one per attempt."""

    labels: Sequence[Any]
    """Names of the rows, in the key's order."""
    attempts: Sequence[Attempt]
    found: Sequence[int]
    asked: Sequence[int] | None = None
    """Rows that the attempt was asked at all (a test that did not run was not); None = all of them."""
    wrong: dict[int, dict[Values, int]] = field(default_factory=dict)
    """Row -> what was sent instead -> mask over attempts."""
    crowded: frozenset[int] = frozenset()
    """Rows with more different wrong values than were kept."""

    @property
    def size(self) -> int:
        return len(self.labels)

    @cached_property
    def missed(self) -> list[int]:
        """Per attempt, the rows it was asked and did not find."""
        whole = everything(self.size)
        asked = self.asked or [whole] * len(self.attempts)
        return [rows & ~found for rows, found in zip(asked, self.found, strict=True)]

    @cached_property
    def missed_by_any(self) -> int:
        return union(self.missed)

    @cached_property
    def found_by_any(self) -> int:
        return union(self.found)

    @cached_property
    def comparable(self) -> int:
        """Rows that two attempts or more were asked: one answer cannot be compared with itself."""
        if self.asked is None:
            return everything(self.size) if len(self.attempts) > 1 else 0
        once = twice = 0
        for rows in self.asked:
            once, twice = once | rows, twice | (once & rows)
        return twice

    @cached_property
    def declined_by_all(self) -> int:
        """Comparable rows that none found."""
        return self.missed_by_any & ~self.found_by_any & self.comparable

    @cached_property
    def missed_alone(self) -> int:
        """Rows missed by the only attempt that was asked them."""
        return self.missed_by_any & ~self.found_by_any & ~self.comparable

    @cached_property
    def declined_by_some(self) -> int:
        return self.missed_by_any & self.found_by_any

    @cached_property
    def found_by_all(self) -> int:
        return self.found_by_any & ~self.missed_by_any

    @cached_property
    def misses(self) -> list[int]:
        """Per row, how many attempts missed it."""
        return counts(self.missed, self.size)

    @cached_property
    def trials(self) -> list[int]:
        """Per row, how many attempts were asked it."""
        if self.asked is None:
            return [len(self.attempts)] * self.size
        return counts(self.asked, self.size)

    @cached_property
    def rates(self) -> list[float]:
        """Per attempt, its misses over the rows it was asked: 0 for one without a miss, which stays in."""
        asked = self.asked or [everything(self.size)] * len(self.attempts)
        return [missed.bit_count() / rows.bit_count() if rows else 0.0 for missed, rows in zip(self.missed, asked, strict=True)]

    @cached_property
    def models(self) -> list[str]:
        return sorted({attempt.model for attempt in self.attempts})

    @cached_property
    def found_by_model(self) -> dict[str, int]:
        """Per model, the rows that any of its attempts found."""
        return {
            model: union([found for found, attempt in zip(self.found, self.attempts, strict=True) if attempt.model == model])
            for model in self.models
        }

    def finders(self, row: int) -> list[str]:
        """Models that found the row."""
        return [model for model, rows in self.found_by_model.items() if holds(rows, row)]

    def who(self, attempts: int) -> list[Attempt]:
        """The attempts of a mask over attempts."""
        return [attempt for at, attempt in enumerate(self.attempts) if holds(attempts, at)]
