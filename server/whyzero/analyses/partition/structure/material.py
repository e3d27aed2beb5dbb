"""What the detectors look at: the rows no trial found, and what was sent in their place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from whyzero.analyses.partition.compare import Values
from whyzero.analyses.partition.grid import Grid
from whyzero.analyses.partition.key import AnswerKey, RowKey
from whyzero.analyses.partition.masks import counts, rows_of, union
from whyzero.values import Plain

SHARED = 0.5
"""A pattern is shared where more than this part of the senders show it, in every trial and in every row."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One regularity in what all trials did alike."""

    kind: str
    field: str | None
    value: Plain
    rows: tuple[int, ...]
    trials: int
    """Trials that show it."""
    question: str
    """What would have to be true for the agents to be right."""
    unit: str | None = None


@dataclass(frozen=True)
class Material:
    """The key, the grid, and the rows that the key lacks."""

    key: AnswerKey
    compared: tuple[str, ...]
    grid: Grid
    sent: tuple[int, ...]
    """Per attempt, mask of the rows it sent."""
    invented: dict[RowKey, dict[Values, int]] = field(default_factory=dict)
    """Row that the key lacks -> values -> mask over attempts."""
    complete: bool = True
    """Wrong values of all rows are on record, not only those of rows that nobody found."""

    @cached_property
    def declined(self) -> list[int]:
        """Rows that nobody found, with all that was sent for them on record."""
        return [row for row in rows_of(self.grid.declined_by_all) if row not in self.grid.crowded]

    @cached_property
    def sent_by_any(self) -> int:
        return union(self.sent)

    def wanted(self, row: int, name: str) -> Plain:
        return self.key.plain_rows[row][self.key.values.index(name)]

    def senders(self, row: int) -> int:
        """Attempts that sent a declined row at all."""
        return union(list(self.grid.wrong.get(row, {}).values()))

    def instead(self, row: int, name: str) -> dict[Plain, int]:
        """What was sent in the place of a wanted value -> attempts; senders with the right value are left out."""
        found: dict[Plain, int] = {}
        for values, who in self.grid.wrong.get(row, {}).items():
            for field_name, value in values:
                if field_name == name:
                    found[value] = found.get(value, 0) | who
        return found

    def used(self, name: str) -> frozenset[Plain]:
        """Values that stand in some submission where the key has another, or in a row that the key lacks."""
        if name not in self._used:
            wrong = {value for row in self.grid.wrong for value in self.instead(row, name)}
            extra = {dict(values).get(name) for variants in self.invented.values() for values in variants}
            self._used[name] = frozenset(wrong | extra)
        return self._used[name]

    @cached_property
    def _used(self) -> dict[str, frozenset[Plain]]:
        return {}

    def unanimous(self, name: str) -> Iterator[tuple[int, Plain, int]]:
        """(row, value, attempts) of the declined rows for which all that sent them sent the same other value here."""
        for row in self.declined:
            instead = self.instead(row, name)
            if len(instead) == 1:
                value, who = next(iter(instead.items()))
                if who == self.senders(row) and who.bit_count() >= self.quorum:
                    yield row, value, who

    @property
    def quorum(self) -> int:
        """Trials that have to show a pattern: two, and more than half of all."""
        return max(2, len(self.grid.attempts) // 2 + 1)

    def shared_rows(self, shows: dict[int, int]) -> tuple[tuple[int, ...], int]:
        """Of the rows and the attempts that show a pattern there, those where it is shared, and how many trials share it.

        Shared: by more than half of the senders of each row, and by each trial in more than half of the rows it sent.
        """
        rows = tuple(row for row, who in shows.items() if who.bit_count() > SHARED * self.senders(row).bit_count())
        attempts = len(self.grid.attempts)
        sent = counts([self.senders(row) for row in rows], attempts)
        shown = counts([shows[row] for row in rows], attempts)
        takes_part = [at for at in range(attempts) if sent[at]]
        if len(takes_part) < self.quorum or any(shown[at] <= SHARED * sent[at] for at in takes_part):
            return (), 0
        return rows, len(takes_part)
