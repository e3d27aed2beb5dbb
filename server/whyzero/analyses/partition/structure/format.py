"""The same thing spelled differently: in a value, or in the key of a row."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict

from whyzero.analyses.partition.key import RowKey
from whyzero.analyses.partition.structure.material import Material, Pattern
from whyzero.analyses.partition.structure.quantity import quantity
from whyzero.values import Plain, number

ROWS = 2
_NUMBER_DRESS = re.compile(r"^[^\d\s.,-]{0,3}\s?(-?\d{1,3}(?:[, \u202f']\d{3})+|-?\d+)((?:\.\d+)?)\s?[^\d\s.,]{0,3}$")


def find_in_values(material: Material, name: str, explained: set[int]) -> list[Pattern]:
    """Rows for which all senders mean the key's value and spell it otherwise (case, blanks, separators, date style)."""
    shows = {}
    for row in material.declined:
        wanted = _meaning(material.wanted(row, name))
        if row in explained or wanted is None:
            continue
        alike = [who for value, who in material.instead(row, name).items() if _meaning(value) == wanted]
        if alike:
            shows[row] = 0
            for who in alike:
                shows[row] |= who
    rows, trials = material.shared_rows(shows)
    if len(rows) < ROWS:
        return []
    sample = next(iter(material.instead(rows[0], name)))
    question = f"Does the task fix how `{name}` is spelled? Agents write {sample!r} where the key has {material.wanted(rows[0], name)!r}."
    return [Pattern("value_format", name, sample, rows, trials, question)]


def find_in_keys(material: Material) -> list[Pattern]:
    """Rows left out by all whose key stands among the invented rows in another spelling."""
    spelled: dict[RowKey, list[RowKey]] = defaultdict(list)
    for key in material.invented:
        spelled[_bare(key)].append(key)
    rows, sample, trials = [], None, 0
    for row in material.declined:
        key = material.key.keys[row]
        others = spelled.get(_bare(key), [])
        who = 0
        for other in others:
            for senders in material.invented[other].values():
                who |= senders
        if who.bit_count() >= material.quorum:
            rows.append(row)
            sample = sample or others[0]
            trials = max(trials, who.bit_count())
    if len(rows) < ROWS or sample is None:
        return []
    theirs, ours = (k if isinstance(k, str) else " + ".join(k) for k in (sample, material.key.keys[rows[0]]))
    question = f"Does the task say how keys are spelled? Agents write {theirs!r} where the key has {ours!r}."
    return [Pattern("key_format", " + ".join(material.key.fields) or None, theirs, tuple(rows), trials, question)]


def _meaning(value: Plain) -> object:
    """What is left of a value without its dress; None where nothing is."""
    amount = quantity(value)
    if amount is not None:
        return amount
    if not isinstance(value, str):
        return None
    dressed = _NUMBER_DRESS.match(value.strip())
    if dressed:
        bare = number(re.sub(r"[^\d-]", "", dressed[1]) + dressed[2])
        if bare is not None:
            return quantity(bare)
    return _bare_text(value) or None


def _bare(key: RowKey) -> RowKey:
    return _bare_text(key) if isinstance(key, str) else tuple(map(_bare_text, key))


def _bare_text(text: str) -> str:
    """Letters and digits alone, folded, numbers without leading zeros."""
    folded = "".join(c for c in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(c))
    bare = ""
    for part in re.findall(r"\d+|[^\W\d_]+", folded):
        if part[0].isdigit():
            bare += ("." if bare and bare[-1].isdigit() else "") + (part.lstrip("0") or "0")
        else:
            bare += part
    return bare
