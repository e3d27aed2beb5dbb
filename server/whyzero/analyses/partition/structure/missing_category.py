"""A whole group is missing: every row with one value in some field is declined by all."""

from __future__ import annotations

import math
from collections import defaultdict

from whyzero.analyses.partition.masks import holds, union
from whyzero.analyses.partition.structure.material import Material, Pattern
from whyzero.analyses.partition.unanimity import LEVEL
from whyzero.values import Plain

ROWS = 2


def find(material: Material) -> list[Pattern]:
    """Groups of the key that no trial sent a row of, or whose value no trial ever used; beyond chance, least likely first."""
    declined = set(material.declined)
    groups = _groups(material)
    found: list[tuple[float, Pattern]] = []
    for (name, value), rows in groups.items():
        if not declined.issuperset(rows) or not (_left_out(material, rows) or _never_used(material, name, value, rows)):
            continue
        p = _chance(material.grid.size, len(declined), len(rows)) * len(groups)
        if p <= LEVEL:
            question = (
                f"Does the task's text ask for rows with `{name}` = {value} at all, and would a careful reader call them that?"
            )
            trials = len(material.grid.attempts)
            found.append((p, Pattern("missing_category", name, value, tuple(rows), trials, question)))
    return [pattern for _, pattern in sorted(found, key=lambda item: item[0])]


def _groups(material: Material) -> dict[tuple[str, Plain], list[int]]:
    """Field and value of the key -> its rows, for values that two rows share; key fields of several too."""
    groups: dict[tuple[str, Plain], list[int]] = defaultdict(list)
    key = material.key
    for row, values in enumerate(key.plain_rows):
        for name, value in zip(key.values, values, strict=True):
            groups[name, value].append(row)
    if len(key.fields) > 1:
        for row, parts in enumerate(key.keys):
            for name, part in zip(key.fields, parts, strict=True):
                groups[name, part].append(row)
    return {where: rows for where, rows in groups.items() if len(rows) >= ROWS and where[1] not in (None, "")}


def _left_out(material: Material, rows: list[int]) -> bool:
    return not any(holds(material.sent_by_any, row) for row in rows)


def _never_used(material: Material, name: str, value: Plain, rows: list[int]) -> bool:
    """The value stands in no submission, although its rows were sent; and not one and the same value in its place."""
    if name not in material.compared or not material.complete or value in material.used(name):
        return False
    if any(material.senders(row) != union(list(material.instead(row, name).values())) for row in rows):
        return False
    return len({other for row in rows for other in material.instead(row, name)}) > 1


def _chance(size: int, declined: int, rows: int) -> float:
    """Probability that `rows` given rows all lie among the declined, were these drawn from all rows blindly."""
    return math.prod((declined - i) / (size - i) for i in range(rows))
