"""A column one row off: what all trials send for a row is the key's value of its neighbour."""

from __future__ import annotations

from whyzero.analyses.partition.structure.material import Material, Pattern

ROWS = 3


def find(material: Material, name: str, explained: set[int]) -> list[Pattern]:
    """Shift by one row in the key's order, up or down, shared by all trials in three rows or more."""
    found = []
    size = material.grid.size
    for step in (1, -1):
        shows = {}
        for row in material.declined:
            if row in explained or not 0 <= row + step < size:
                continue
            neighbour = material.wanted(row + step, name)
            who = material.instead(row, name).get(neighbour)
            if who:
                shows[row] = who
        rows, trials = material.shared_rows(shows)
        if len(rows) >= ROWS and len({material.wanted(row, name) for row in rows}) >= ROWS:
            where = "below" if step > 0 else "above"
            question = f"Does `{name}` in the key stand one row off (agents send the value of the row {where})?"
            found.append(Pattern("shifted_rows", name, step, rows, trials, question))
    return found
