"""All trials give the same other answer, where agreeing by accident is unlikely."""

from __future__ import annotations

from collections import Counter, defaultdict

from whyzero.analyses.partition.chance import binomial_tail
from whyzero.analyses.partition.masks import counts, holds
from whyzero.analyses.partition.structure.material import Material, Pattern
from whyzero.analyses.partition.unanimity import LEVEL
from whyzero.values import Plain

FEW = 6
"""Up to so many choices, mistakes fall on the same ones by habit; among more, agreeing is no accident."""
PRIOR_PAIRS = 10
WORSE_THAN_GUESSING = 0.005
"""Probability under which every single trial has to lie."""


def find(material: Material, name: str, explained: set[int]) -> list[Pattern]:
    """Per other value, the rows for which all senders agree on it."""
    agreed = [(row, value, who) for row, value, who in material.unanimous(name) if row not in explained]
    if not agreed:
        return []
    choices = _choices(material, name)
    agreeing = 1 / max(1, choices - 1)
    if choices <= FEW:
        agreeing = max(agreeing, _agreement(material, name, agreeing))
    systematic = choices > 1 and _worse_than_guessing(material, name)
    rows_of_value: dict[Plain, list[int]] = defaultdict(list)
    trials: Counter[Plain] = Counter()
    for row, value, who in agreed:
        if systematic or agreeing ** (who.bit_count() - 1) * len(agreed) <= LEVEL:
            rows_of_value[value].append(row)
            trials[value] = max(trials[value], who.bit_count())
    return [_pattern(material, name, value, rows, trials[value]) for value, rows in rows_of_value.items()]


def _pattern(material: Material, name: str, value: Plain, rows: list[int], trials: int) -> Pattern:
    wanted = {material.wanted(row, name) for row in rows}
    said = str(next(iter(wanted))) if len(wanted) == 1 else "something else"
    what = "this row" if len(rows) == 1 else "these rows"
    question = f"Does the source say `{name}` = {value} for {what}, where the key says {said}?"
    return Pattern("shared_wrong_value", name, value, tuple(rows), trials, question)


def _choices(material: Material, name: str) -> int:
    """Different values there are to choose from."""
    at = material.key.values.index(name)
    known = {values[at] for values in material.key.plain_rows}
    known.update(value for row in material.grid.wrong for value in material.instead(row, name))
    return len(known)


def _agreement(material: Material, name: str, guessed: float) -> float:
    """How often two trials that are wrong on the same row give the same value, on rows that some trial found.

    Counted onto a few pairs that agree as guesses do, so that one row with a common trap does not decide it.
    """
    same, pairs = PRIOR_PAIRS * guessed, float(PRIOR_PAIRS)
    for row in material.grid.wrong:
        if holds(material.grid.declined_by_all, row) or row in material.grid.crowded:
            continue
        sizes = [who.bit_count() for who in material.instead(row, name).values()]
        together = sum(sizes)
        same += sum(n * (n - 1) // 2 for n in sizes)
        pairs += together * (together - 1) // 2
    return same / pairs


def _worse_than_guessing(material: Material, name: str) -> bool:
    """Where there is little to choose from, agreeing is easy; being wrong far more often than a guess would be is not."""
    at = material.key.values.index(name)
    wanted = len({values[at] for values in material.key.plain_rows})
    if wanted < 2:
        return False
    others = [who for row in material.grid.wrong for who in material.instead(row, name).values()]
    wrong = counts(others, len(material.sent))
    return all(
        binomial_tail(sent.bit_count(), 1 - 1 / wanted, mistakes) <= WORSE_THAN_GUESSING
        for sent, mistakes in zip(material.sent, wrong, strict=True)
    )
