"""The partition of a deliverable's rows: fields that are compared, the grid, the rows the key lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from whyzero.analyses.partition.compare import Answer, Values
from whyzero.analyses.partition.gather import Gathered
from whyzero.analyses.partition.grid import Grid
from whyzero.analyses.partition.key import AnswerKey, RowKey
from whyzero.analyses.partition.masks import holds, rows_of
from whyzero.analyses.partition.structure.material import Material
from whyzero.values import Plain


@dataclass(frozen=True, slots=True)
class Invention:
    """A row the key lacks."""

    key: RowKey
    senders: int
    """Mask over attempts."""
    alike: bool
    """All with the same values."""
    values: dict[str, Plain]
    """What most of them sent in the compared fields."""


def compared_fields(key: AnswerKey, answers: Sequence[Answer]) -> tuple[str, ...]:
    """The fields asked for, else those of the key that more than half of the submissions have; empty ones have no say."""
    if key.asked:
        return key.values
    rows = [answer for answer in answers if answer.sent or answer.inventions]
    present = Counter(name for answer in rows for name in answer.present)
    return tuple(name for name in key.values if 2 * present[name] > len(rows))


def material(key: AnswerKey, gathered: Gathered) -> Material:
    """Everything the rows tell: the grid with the wrong values in the compared fields, and what was invented."""
    compared = compared_fields(key, gathered.answers)
    found = tuple(answer.found(compared) for answer in gathered.answers)
    wrong = {row: only for row, variants in gathered.wrong.items() if (only := _only(variants, compared))}
    grid = Grid(
        labels=key.labels,
        attempts=tuple(record.attempt for record in gathered.records),
        found=found,
        wrong=wrong,
        crowded=frozenset(gathered.crowded),
    )
    sent = tuple(answer.sent for answer in gathered.answers)
    _add_missing_fields(grid, compared, gathered.answers)
    invented = {name: _only(variants, compared, keep_empty=True) for name, variants in gathered.invented.items()}
    return Material(key, compared, grid, sent, invented, gathered.complete)


def _only(variants: dict[Values, int], compared: Sequence[str], keep_empty: bool = False) -> dict[Values, int]:
    """The same with the values of the compared fields alone."""
    names = set(compared)
    merged: dict[Values, int] = {}
    for values, who in variants.items():
        kept = tuple(pair for pair in values if pair[0] in names)
        if kept or keep_empty:
            merged[kept] = merged.get(kept, 0) | who
    return merged


def _add_missing_fields(grid: Grid, compared: Sequence[str], answers: Sequence[Answer]) -> None:
    """A submission without a compared field sent nothing there: on record for the rows that nobody found."""
    declined = grid.declined_by_all
    for number, answer in enumerate(answers):
        lacking = tuple(name for name in compared if name not in answer.present)
        if not lacking:
            continue
        bit = 1 << number
        for row in rows_of(declined & answer.sent):
            variants = grid.wrong.setdefault(row, {})
            held = next((values for values, who in variants.items() if who & bit), ())
            if held:
                variants[held] &= ~bit
                if not variants[held]:
                    del variants[held]
            full = dict(held) | dict.fromkeys(lacking)
            values = tuple((name, full[name]) for name in compared if name in full)
            variants[values] = variants.get(values, 0) | bit


def inventions(about: Material) -> list[Invention]:
    """Rows the key lacks, those sent by most first."""
    found = []
    for name, variants in about.invented.items():
        senders = 0
        for who in variants.values():
            senders |= who
        values = max(variants, key=lambda v: (variants[v].bit_count(), repr(v)))
        found.append(Invention(name, senders, len(variants) == 1, dict(values)))
    return sorted(found, key=lambda one: (-one.senders.bit_count(), str(one.key)))


def by_all(one: Invention, attempts: int) -> bool:
    """Sent by every answered trial with the same values; two of them at least."""
    return attempts > 1 and one.alike and one.senders.bit_count() == attempts


def left_out_by(about: Material, row: int) -> int:
    """Attempts that did not send a row."""
    return sum(1 for sent in about.sent if not holds(sent, row))


def disagreeing(about: Material) -> int:
    """Rows declined by all for which the trials that sent them sent different values."""
    crowded = sum(1 for row in about.grid.crowded if holds(about.grid.declined_by_all, row))
    return crowded + sum(1 for row in about.declined if len(about.grid.wrong.get(row, {})) > 1)
