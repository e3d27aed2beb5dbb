"""How much the trials' misses overlap, pair by pair. Context only: a median says nothing about one row."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from whyzero.analyses.partition.grid import Grid

PAIRS_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Overlap:
    """Shared misses over all misses of a pair; None where no pair missed anything."""

    median: float | None
    max: float | None
    pairs: int


def overlap(grid: Grid) -> Overlap:
    """Overlap of every pair of trials that missed anything; beyond `PAIRS_LIMIT` pairs none is taken."""
    trials = len(grid.attempts)
    if trials * (trials - 1) // 2 > PAIRS_LIMIT:
        return Overlap(None, None, 0)
    shares = array("d")
    for one, other in combinations(grid.missed, 2):
        either = (one | other).bit_count()
        if either:
            shares.append((one & other).bit_count() / either)
    return Overlap(median(shares), max(shares), len(shares)) if shares else Overlap(None, None, 0)
