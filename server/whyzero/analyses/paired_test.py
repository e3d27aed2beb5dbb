"""Exact paired test: could chance alone have fixed that many and broken that few?"""

from __future__ import annotations

from math import comb

LEVEL = 0.05


def mcnemar_exact(fixed: int, broken: int) -> float:
    """Two-sided exact McNemar p: binomial at 1/2 on the discordant pairs; 1.0 where there is none."""
    n = fixed + broken
    if n == 0:
        return 1.0
    tail = sum(comb(n, k) for k in range(min(fixed, broken) + 1))
    return min(1.0, float(2 * tail / 2**n))


def smallest_deciding_n(level: float = LEVEL) -> int:
    """Fewest pairs, all of them fixed, with p <= level (6 at 0.05)."""
    n = 1
    while mcnemar_exact(n, 0) > level:
        n += 1
    return n
