"""The same distance everywhere: all trials are one day late, one hour early, three too many."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

from whyzero.analyses.partition.structure.material import Material, Pattern
from whyzero.analyses.partition.structure.quantity import distance, quantity
from whyzero.values import Plain

ROWS = 3
"""Fewer rows a constant apart are no regularity."""
MANY = 1 / 3
"""Part of the rows with another amount that an offset has to explain: among many, a few agree by accident."""


def find(material: Material, name: str, explained: set[int]) -> list[Pattern]:
    """Offsets shared by all trials in one field: three rows or more, of which two have different values in the key."""
    shows: dict[tuple[Decimal, str | None], dict[int, int]] = defaultdict(dict)
    for row in material.declined:
        wanted = quantity(material.wanted(row, name))
        if wanted is None or row in explained:
            continue
        for value, who in material.instead(row, name).items():
            sent = quantity(value)
            step = distance(sent, wanted) if sent else None
            if step and step[0]:
                shows[step][row] = shows[step].get(row, 0) | who
    apart_at_all = len({row for where in shows.values() for row in where})
    found = []
    for (apart, unit), where in shows.items():
        rows, trials = material.shared_rows(where)
        if len(rows) >= max(ROWS, MANY * apart_at_all) and len({material.wanted(row, name) for row in rows}) > 1:
            found.append(_pattern(name, apart, unit, rows, trials))
    return found


def _pattern(name: str, apart: Decimal, unit: str | None, rows: tuple[int, ...], trials: int) -> Pattern:
    value: Plain = int(apart) if apart == apart.to_integral_value() else float(apart)
    steps = f"{abs(apart):f}" + (f" {unit.removesuffix('s') if abs(apart) == 1 else unit}" if unit else "")
    reasons = {
        None: "another base to count from, or a bound that is counted in on one side only",
        "days": "another time zone, a bound that is counted in on one side only, or dates shifted on import",
    }.get(unit, "another time zone, or clocks that differ by daylight saving")
    side = "low" if apart > 0 else "high"
    question = f"Is `{name}` in the key too {side} by {steps} in these rows ({reasons})?"
    return Pattern("constant_offset", name, value, rows, trials, question, unit)
