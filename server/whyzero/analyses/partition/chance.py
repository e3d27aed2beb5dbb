"""What chance alone gives: how often every trial misses the same row when misses are independent.

Plain Python, exact up to rounding: sums of positive terms only, so that a tail of 1e-200 keeps its digits.
Agreement with scipy is tested.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

STEPS_LIMIT = 20_000_000
"""Multiplications spent on one tail before the bound of `_hoeffding` is taken instead."""


def binomial_tail(n: int, p: float, k: int) -> float:
    """P(X >= k) for X ~ Binomial(n, p)."""
    if k <= 0:
        return 1.0
    if k > n or p <= 0.0:
        return 0.0
    if p >= 1.0:
        return 1.0
    if k <= n * p:
        return max(0.0, 1.0 - binomial_tail(n, 1.0 - p, n - k + 1))
    first = math.exp(math.log(math.comb(n, k)) + k * math.log(p) + (n - k) * math.log1p(-p))
    odds = p / (1.0 - p)
    term, terms = first, [first]
    for i in range(k, n):
        term *= (n - i) / (i + 1) * odds
        if term <= first * 1e-20:
            break
        terms.append(term)
    return min(1.0, math.fsum(terms))


def poisson_binomial_pmf(rates: Sequence[float]) -> list[float]:
    """P(X = 0), ..., P(X = n) for the number of successes in independent trials with these rates."""
    pmf = [1.0]
    for rate in rates:
        miss = 1.0 - rate
        pmf = [
            *(low * rate + same * miss for low, same in zip([0.0, *pmf[:-1]], pmf, strict=True)),
            pmf[-1] * rate,
        ]
    return pmf


def poisson_binomial_tails(rates: Sequence[float]) -> list[float]:
    """P(X >= 0), ..., P(X >= n)."""
    tails: list[float] = []
    total = 0.0
    for mass in reversed(poisson_binomial_pmf(rates)):
        total += mass
        tails.append(min(1.0, total))
    return tails[::-1]


def poisson_binomial_tail(rates: Sequence[float], k: int) -> float:
    """P(X >= k); equal rates take the binomial, very long lists an upper bound."""
    if k <= 0:
        return 1.0
    if k > len(rates):
        return 0.0
    low, high = min(rates), max(rates)
    if low == high:
        return binomial_tail(len(rates), low, k)
    if len(rates) * k > STEPS_LIMIT:
        return _hoeffding(rates, k)
    below = [1.0] + [0.0] * (k - 1)
    reached = 0.0
    for done, rate in enumerate(rates):
        reached += below[k - 1] * rate
        for i in range(min(done + 1, k - 1), 0, -1):
            below[i] = below[i] * (1.0 - rate) + below[i - 1] * rate
        below[0] *= 1.0 - rate
    return min(1.0, reached)


def _hoeffding(rates: Sequence[float], k: int) -> float:
    """Upper bound: above its mean, a sum of unequal coins has no heavier tail than one of equal coins (Hoeffding 1956)."""
    mean = math.fsum(rates) / len(rates)
    return binomial_tail(len(rates), mean, k) if k >= len(rates) * mean + 1 else 1.0


def any_of(p: float, n: int) -> float:
    """P(at least one of n independent looks shows something this rare): the correction for the number of rows."""
    if p >= 1.0 or n <= 0:
        return min(1.0, max(0.0, p)) if n > 0 else 0.0
    return -math.expm1(n * math.log1p(-p))
