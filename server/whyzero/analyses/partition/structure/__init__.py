"""Regularities in what all trials did alike. Each asks: what would have to be true for the agents to be right?

A detector sees only rows that no trial found, and speaks only where the trials agree; one trial with the key's answer silences it.
"""

from __future__ import annotations

from collections import defaultdict

from whyzero.analyses.partition.structure import (
    constant_offset,
    format,
    missing_category,
    scale_factor,
    shared_wrong_value,
    shifted_rows,
)
from whyzero.analyses.partition.structure.material import Material, Pattern

IN_ONE_FIELD = (
    format.find_in_values,
    constant_offset.find,
    scale_factor.find,
    shifted_rows.find,
    shared_wrong_value.find,
)
"""Detectors of one field, most telling first: a row that one of them explains is not looked at by the next."""


def patterns(material: Material) -> list[Pattern]:
    """All regularities, those with most rows first within a kind."""
    if len(material.grid.attempts) < 2 or not material.declined:
        return []
    found = format.find_in_keys(material) + missing_category.find(material)
    explained: dict[str, set[int]] = defaultdict(set)
    for name in material.compared:
        for detect in IN_ONE_FIELD:
            seen = sorted(detect(material, name, explained[name]), key=lambda p: -len(p.rows))
            found += seen
            for pattern in seen:
                explained[name].update(pattern.rows)
    return found


__all__ = ["Material", "Pattern", "patterns"]
