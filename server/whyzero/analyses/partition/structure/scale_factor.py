"""The same ratio everywhere: another unit, a percentage for a share, a lost thousand."""

from __future__ import annotations

from statistics import median

from whyzero.analyses.partition.structure.material import Material, Pattern
from whyzero.values import Plain

ROWS = 3
MOST = 0.6
"""Part of the rows with another number that a factor has to explain."""
ROUNDING = 0.005
"""Ratios this close to their median (as a share of it) are one ratio, rounded."""
SPREAD = 1.2
"""Wanted values have to differ by this factor, else a ratio cannot be told from a distance."""


def find(material: Material, name: str, explained: set[int]) -> list[Pattern]:
    """A factor shared by all trials in one field."""
    ratios: dict[int, dict[float, int]] = {}
    for row in material.declined:
        wanted = material.wanted(row, name)
        if row not in explained and isinstance(wanted, int | float) and wanted:
            instead = {v: who for v, who in material.instead(row, name).items() if isinstance(v, int | float)}
            if instead:
                ratios[row] = {value / wanted: who for value, who in instead.items()}
    if len(ratios) < ROWS:
        return []
    middle = median(max(options, key=lambda ratio: (options[ratio].bit_count(), -ratio)) for options in ratios.values())
    if abs(middle - 1) < 2 * ROUNDING or middle == 0:
        return []
    shows = {}
    for row, options in ratios.items():
        close = [who for ratio, who in options.items() if abs(ratio / middle - 1) <= ROUNDING]
        if close:
            shows[row] = 0
            for who in close:
                shows[row] |= who
    rows, trials = material.shared_rows(shows)
    sizes = [abs(v) for row in rows if isinstance(v := material.wanted(row, name), int | float)]
    if len(rows) < max(ROWS, MOST * len(ratios)) or max(sizes) < SPREAD * min(sizes):
        return []
    value: Plain = int(middle) if float(middle).is_integer() else float(f"{middle:.6g}")
    question = f"Is `{name}` in the key given in another unit or scale (submitted / key = {middle:.6g}) than the task asks for?"
    return [Pattern("scale_factor", name, value, rows, trials, question)]
