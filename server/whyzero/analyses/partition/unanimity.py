"""Are more rows missed by every trial than chance gives? A suspicion, never a proof: hard rows fail together too."""

from __future__ import annotations

import math
from dataclasses import dataclass

from whyzero.analyses.partition.chance import any_of, binomial_tail, poisson_binomial_tail, poisson_binomial_tails
from whyzero.analyses.partition.grid import Grid
from whyzero.analyses.partition.masks import everything, holds, rows_of

LEVEL = 0.05
"""Below this probability, chance is no explanation."""


@dataclass(frozen=True, slots=True)
class Unanimity:
    """What was seen, and what independent misses at the trials' own rates would give."""

    seen: int
    """Rows asked of two trials or more and missed by all of them."""
    rows: int
    """Rows that could have been."""
    expected: float
    p_value: float
    """Probability of at least as many as were seen."""
    p_at_most: float
    """The same for as many as the trials' misses could make at most: above LEVEL, chance can decide nothing here."""

    @property
    def beyond_chance(self) -> bool:
        return self.seen > 0 and self.p_value <= LEVEL

    @property
    def could_decide(self) -> bool:
        return self.p_at_most <= LEVEL


def unanimity(grid: Grid) -> Unanimity:
    """Count the rows missed by all and weigh the count."""
    seen = grid.declined_by_all.bit_count()
    if len(grid.attempts) < 2:
        return Unanimity(seen=0, rows=0, expected=0.0, p_value=1.0, p_at_most=1.0)
    if grid.asked is None:
        every, rows = math.prod(grid.rates), grid.size
        most = min(missed.bit_count() for missed in grid.missed)
        return Unanimity(seen, rows, rows * every, binomial_tail(rows, every, seen), binomial_tail(rows, every, most))
    chances = _row_chances(grid)
    most = _most(grid)
    expected = math.fsum(chances)
    p_value = poisson_binomial_tail(chances, seen) if chances else 1.0
    return Unanimity(seen, len(chances), expected, p_value, poisson_binomial_tail(chances, most) if chances else 1.0)


def _row_chances(grid: Grid) -> list[float]:
    """Per row asked of two trials or more: the product of the rates of those that were asked."""
    chances: dict[int, float] = {}
    for rate, asked in zip(grid.rates, grid.asked or (), strict=True):
        for row in rows_of(asked):
            chances[row] = chances.get(row, 1.0) * rate
    return [chances[row] for row in sorted(chances) if holds(grid.comparable, row)]


def _most(grid: Grid) -> int:
    """Most rows that could be missed by all, by the misses each trial has to give; at least what was seen."""
    whole = everything(grid.size)
    asked_of_all = whole
    for asked in grid.asked or ():
        asked_of_all &= asked
    return max(grid.declined_by_all.bit_count(), min(asked_of_all.bit_count(), min(missed.bit_count() for missed in grid.missed)))


def row_tails(grid: Grid) -> list[float]:
    """Per number of misses 0..T: the probability that some row is missed by at least so many trials.

    The tail of a Poisson binomial for one row, corrected for the number of rows; rows that all trials were asked.
    """
    return [any_of(tail, grid.size) for tail in poisson_binomial_tails(grid.rates)]
