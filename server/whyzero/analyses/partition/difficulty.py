"""How many rows all trials would miss if rows differ in difficulty: the second opinion beside independent misses.

Model: trial t misses row r with log-odds a_t + b_r, the row's difficulty b_r normal with spread s. The spread is read off
the rows that somebody found (how unevenly their misses fall), each a_t off the trial's own rate there; rows missed by all
take no part in the fit, else defects would explain themselves. Rows of a defective key stand out from that; hard rows do not.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from whyzero.analyses.partition.chance import binomial_tail, poisson_binomial_pmf
from whyzero.analyses.partition.grid import Grid
from whyzero.analyses.partition.masks import rows_of

SPREADS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)
"""Candidates, in log-odds."""
NODES = tuple(-4.0 + 0.4 * i for i in range(21))
_DENSITY = tuple(math.exp(-0.5 * x * x) for x in NODES)
WEIGHTS = tuple(w / math.fsum(_DENSITY) for w in _DENSITY)
TRIALS_LIMIT = 60
ROWS_FEWEST = 10


@dataclass(frozen=True, slots=True)
class Difficulty:
    """What hard rows alone would give."""

    spread: float
    """Most likely spread of the rows' difficulty, in log-odds."""
    expected: float
    """Rows missed by all."""
    p_value: float
    """Probability of at least as many as were seen."""


def difficulty(grid: Grid) -> Difficulty | None:
    """The second opinion, or None where there are too few rows or trials to fit it, or too many trials to do so in time."""
    trials = len(grid.attempts)
    if grid.asked is not None or not 2 < trials <= TRIALS_LIMIT:
        return None
    unanimous = set(rows_of(grid.declined_by_all))
    others = Counter(misses for row, misses in enumerate(grid.misses) if row not in unanimous)
    n = others.total()
    if n < ROWS_FEWEST or not any(others[d] for d in others if d):
        return None
    rates = [(missed.bit_count() - len(unanimous)) / n for missed in grid.missed]
    likeliest = max(((_fit(spread, rates, others), spread) for spread in SPREADS), key=lambda one: one[0][0])
    (_, every), spread = likeliest
    return Difficulty(spread, grid.size * every, binomial_tail(grid.size, every, len(unanimous)))


def _fit(spread: float, rates: list[float], others: Counter[int]) -> tuple[float, float]:
    """Log-likelihood of the counts below unanimity, and the probability of unanimity, at this spread."""
    every = 0.0
    for _ in range(3):
        levels = [_level(rate * (1 - every) + every, spread) for rate in rates]
        chances = [[_logistic(level + spread * x) for level in levels] for x in NODES]
        every = math.fsum(w * math.prod(row) for w, row in zip(WEIGHTS, chances, strict=True))
    pmf = [0.0] * (len(rates) + 1)
    for weight, row in zip(WEIGHTS, chances, strict=True):
        for d, mass in enumerate(poisson_binomial_pmf(row)):
            pmf[d] += weight * mass
    below = max(1e-300, 1 - pmf[-1])
    likelihood = math.fsum(count * math.log(max(pmf[d], 1e-300) / below) for d, count in others.items())
    return likelihood, every


def _level(rate: float, spread: float) -> float:
    """The a for which the mean of logistic(a + spread * x) over the rows is the rate."""
    if rate <= 0:
        return -40.0
    low, high = -40.0, 40.0
    for _ in range(24):
        middle = (low + high) / 2
        mean = math.fsum(w * _logistic(middle + spread * x) for w, x in zip(WEIGHTS, NODES, strict=True))
        low, high = (middle, high) if mean < rate else (low, middle)
    return (low + high) / 2


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
