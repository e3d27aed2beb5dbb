"""The answer key as rows, each known by its key; and the fields that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from whyzero.errors import UsageError
from whyzero.readers.tables import Row, Table
from whyzero.values import Plain, key_text, plain

RowKey = str | tuple[str, ...]
"""Text of a row's key, or texts in the order of the key fields."""
NAMED = 5
"""Culprits named in a message."""


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """The rows to be found, in the order of the file."""

    fields: tuple[str, ...]
    """Key fields; empty where the rows are members of a JSON object."""
    values: tuple[str, ...]
    """Fields that could be compared: all others, or the ones asked for."""
    keys: tuple[RowKey, ...]
    labels: tuple[Any, ...]
    """Per row, its key as the file spells it: a bare value for one key field, a list for several."""
    rows: tuple[Row, ...]
    plain_rows: tuple[tuple[Plain, ...], ...]
    """Per row, its values in their comparable form, in the order of `values`."""
    asked: bool
    """The compared fields were asked for, not found."""

    def __len__(self) -> int:
        return len(self.keys)


def answer_key(table: Table, fields: Sequence[str], compared: Sequence[str] = (), flag: str = "--oracle") -> AnswerKey:
    """Index the rows of a key file; `flag` is the argument that named it.

    Raises:
        UsageError: the key fields do not identify a row, or a field is not there; the culprits are named.
    """
    fields = tuple(fields)
    keys = tuple(keys_of(table, fields))
    if not table.rows:
        raise UsageError(f"{flag} holds no rows. Name the file that holds the answer key.")
    if not fields and table.names is None:
        raise UsageError(f"--key is missing: name the field(s) that identify a row of {flag}.")
    there = table.fields
    for name in fields:
        if name not in there and table.names is None:
            raise UsageError(
                f"--key {name}: no row of {flag} has the field {name!r}. Name one of its fields: {_listed(sorted(there))}."
            )
    if None in keys:
        number = keys.index(None)
        raise UsageError(
            f"--key {' '.join(fields)} does not identify a row: row {number} of {flag} has no value there. "
            "Name fields that every row has."
        )
    known = tuple(key for key in keys if key is not None)
    _refuse_duplicates(known, fields, flag)
    for name in compared:
        if name not in there:
            raise UsageError(
                f"--field {name}: no row of {flag} has the field {name!r}. Name one of its fields: {_listed(sorted(there))}."
            )
    first_seen = dict.fromkeys(name for row in table.rows for name in row)
    values = tuple(dict.fromkeys(compared)) if compared else tuple(name for name in first_seen if name not in fields)
    rows = tuple(tuple(plain(row.get(name)) for name in values) for row in table.rows)
    return AnswerKey(fields, values, known, tuple(_labels(table, fields)), tuple(table.rows), rows, asked=bool(compared))


def keys_of(table: Table, fields: Sequence[str]) -> Iterator[RowKey | None]:
    """The key of every row; None where one of its fields has no value. A member's name is its row's key."""
    if table.names is not None and len(fields) <= 1:
        yield from table.names
    elif len(fields) == 1:
        yield from (key_text(row.get(fields[0])) for row in table.rows)
    else:
        for row in table.rows:
            parts = tuple(key_text(row.get(name)) for name in fields)
            yield None if None in parts or not parts else tuple(part for part in parts if part is not None)


def _labels(table: Table, fields: Sequence[str]) -> Iterator[Any]:
    if table.names is not None and len(fields) <= 1:
        yield from table.names
    elif len(fields) == 1:
        yield from (row[fields[0]] for row in table.rows)
    else:
        yield from ([row[name] for name in fields] for row in table.rows)


def _refuse_duplicates(keys: Sequence[RowKey], fields: Sequence[str], flag: str) -> None:
    twice = sorted({one for one, other in pairwise(sorted(keys, key=_sortable)) if one == other}, key=_sortable)
    if twice:
        named = _listed([key if isinstance(key, str) else " + ".join(key) for key in twice])
        raise UsageError(
            f"--key {' '.join(fields) or '(member name)'} does not identify a row of {flag}: "
            f"{named} stand(s) there more than once. Add a field to --key."
        )


def _sortable(key: RowKey) -> tuple[str, ...]:
    return (key,) if isinstance(key, str) else key


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
