"""One submission against the answer key: which rows were sent, which of them with another value, which were invented."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any

from whyzero.analyses.partition.key import AnswerKey, RowKey, keys_of
from whyzero.analyses.partition.masks import bits_of, mask_of
from whyzero.readers.tables import Row, Table
from whyzero.values import Plain, key_text, plain

Values = tuple[tuple[str, Plain], ...]
"""Field and value, in the order of the key's fields."""


@dataclass(slots=True)
class Answer:
    """What one submission says about the rows of the key."""

    sent: int
    """Mask of the rows it holds."""
    present: frozenset[str]
    """Fields of the key that any of its rows has."""
    other: dict[str, int]
    """Field -> mask of the rows sent with another value there."""
    wrong: dict[int, Values] = field(default_factory=dict)
    """Row -> what was sent where it differs; only for the rows that were to be kept."""
    as_before: int = 0
    """Mask of further such rows: what was sent is what the first answer of the same reader sent in their place."""
    reader: int = 0
    """Process that read it."""
    invented: dict[RowKey, Values] = field(default_factory=dict)
    """Rows that the key lacks."""
    format: str = "json"
    """Format of the file."""
    inventions: int = 0
    """How many rows the key lacks."""
    unidentified: int = 0
    """Rows without a value in a key field."""
    repeated: int = 0
    """Rows whose key stands in the submission before."""

    def found(self, compared: Sequence[str]) -> int:
        """Mask of the rows sent with the key's values in all compared fields."""
        rows = self.sent
        for name in compared:
            if name not in self.present:
                return 0
            rows &= ~self.other.get(name, 0)
        return rows


class Lookup:
    """The key laid out for fast comparison, once a process."""

    def __init__(self, key: AnswerKey) -> None:
        self.key = key
        self.size = len(key)
        self.index: dict[Any, int] = {}
        for row, name in enumerate(key.keys):
            self.index[name] = row
            self.index.setdefault(_natural(name), row)
        self._tables: dict[tuple[str, ...], tuple[list[Any], list[Any]]] = {}
        self._first: dict[int, Values] = {}
        """Row -> the first wrong values reported for it, where answers are too many to report them all."""
        self._has_bits = any(value in (0, 1) for row in key.plain_rows for value in row if isinstance(value, int))

    def compare(self, table: Table, keep: int | None = None) -> Answer:
        """Compare a submission with the key; wrong values are returned for the rows in the mask `keep` (None: all)."""
        there = table.fields
        names = tuple(name for name in self.key.values if name in there)
        keys = self._keys(table)
        rows = list(map(self.index.get, keys))
        sent = _values(table.rows, names)
        right, texts = self._right(names)
        if self._has_bits and bool in set(map(type, chain.from_iterable(sent))):
            suspects = list(range(len(rows)))
        else:
            suspects = [
                at
                for at, (row, value) in enumerate(zip(rows, sent, strict=True))
                if row is None or (value != right[row] and value != texts[row])
            ]
        answer = Answer(0, frozenset(names), {}, format=table.format)
        differing: dict[int, Values] = {}
        for at in suspects:
            row = rows[at]
            if row is None:
                name = _text_of(keys[at])
                row = rows[at] = self.index.get(name) if name is not None else None
                if row is None:
                    self._extra(answer, name, table.rows[at])
                    continue
            difference = _difference(names, sent[at], right[row])
            if difference:
                differing[at] = difference
        self._settle(answer, rows, differing, keep)
        answer.inventions = len(answer.invented)
        return answer

    def _settle(self, answer: Answer, rows: list[int | None], differing: dict[int, Values], keep: int | None) -> None:
        """A row sent more than once is found when one of its copies is right."""
        known = [row for row in rows if row is not None]
        distinct = set(known)
        answer.sent = mask_of(distinct, self.size)
        answer.repeated = len(known) - len(distinct)
        right: set[int] = set()
        if answer.repeated:
            right = {row for at, row in enumerate(rows) if row is not None and at not in differing}
        other: dict[str, list[int]] = {}
        for at, difference in differing.items():
            row = rows[at]
            if row is None or row in right:
                continue
            for name, _ in difference:
                other.setdefault(name, []).append(row)
            held = answer.wrong.get(row)
            answer.wrong[row] = difference if held is None else min(held, difference, key=repr)
        answer.other = {name: mask_of(which, self.size) for name, which in other.items()}
        if keep is not None:
            self._shorten(answer, keep)

    def _shorten(self, answer: Answer, keep: int) -> None:
        """Leave the wrong values of the rows in `keep`, and of these only what was not reported before."""
        kept = bits_of(keep, self.size)
        told, before = {}, []
        for row, values in answer.wrong.items():
            if not kept[row >> 3] >> (row & 7) & 1:
                continue
            first = self._first.setdefault(row, values)
            if first is not values and first == values:
                before.append(row)
            else:
                told[row] = values
        answer.wrong, answer.as_before, answer.reader = told, mask_of(before, self.size), os.getpid()

    def _keys(self, table: Table) -> list[Any]:
        """Raw keys where their types allow a look-up by value, else their texts."""
        fields = self.key.fields
        if table.names is not None and len(fields) <= 1:
            return list(table.names)
        try:
            keys = list(map(itemgetter(*fields), table.rows)) if fields else []
        except KeyError:
            return list(keys_of(table, fields))
        if not fields:
            return [None] * len(table.rows)
        kinds = set(map(type, keys)) if len(fields) == 1 else set(map(type, chain.from_iterable(keys)))
        return keys if kinds <= {str, int} else list(keys_of(table, fields))

    def _right(self, names: tuple[str, ...]) -> tuple[list[Any], list[Any]]:
        if names not in self._tables:
            places = [self.key.values.index(name) for name in names]
            right = [tuple(row[at] for at in places) for row in self.key.plain_rows]
            texts = [tuple(_spelled(row.get(name)) for name in names) for row in self.key.rows]
            self._tables[names] = (right, texts)
        return self._tables[names]

    def _extra(self, answer: Answer, name: RowKey | None, row: Row) -> None:
        if name is None:
            answer.unidentified += 1
            return
        values = tuple((field, plain(row[field])) for field in self.key.values if field in row)
        held = answer.invented.get(name)
        answer.repeated += held is not None
        answer.invented[name] = values if held is None else min(held, values, key=repr)


def _natural(key: RowKey) -> Any:
    """A key as JSON would most likely hold it: whole numbers as numbers."""
    if isinstance(key, tuple):
        return tuple(map(_natural, key))
    return int(key) if len(key) < 19 and key.isascii() and key.removeprefix("-").isdigit() and str(int(key)) == key else key


def _text_of(key: Any) -> RowKey | None:
    if isinstance(key, tuple):
        parts = tuple(key_text(part) for part in key)
        return None if None in parts else tuple(part for part in parts if part is not None)
    return key_text(key)


def _values(rows: Sequence[Row], names: tuple[str, ...]) -> list[Any]:
    if len(names) > 1:
        try:
            return list(map(itemgetter(*names), rows))
        except KeyError:
            pass
    return [tuple(row.get(name) for name in names) for row in rows]


def _spelled(value: Any) -> Any:
    """How a file of texts would spell a value, where there is one way."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _difference(names: Sequence[str], sent: Sequence[Any], right: Sequence[Plain]) -> Values:
    pairs: list[tuple[str, Plain]] = []
    for name, raw, wanted in zip(names, sent, right, strict=True):
        if type(raw) is type(wanted) and raw == wanted:
            continue
        value = plain(raw)
        if value != wanted and {value, wanted} != {None, ""}:
            pairs.append((name, value))
    return tuple(pairs)
