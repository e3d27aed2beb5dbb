"""Rows of a data file: a JSON list, a JSON object of rows, JSON lines, CSV, Parquet (with an extra).

The content decides where the name does not. Elements that are no rows are counted, never guessed at.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from whyzero.readers.files import JSON_LIMIT, Folder, parse_json

Row = dict[str, Any]
VALUE = "value"
"""Field name of a row that is a bare value in a JSON object of rows."""
SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
NO_PARQUET = "a Parquet file, which needs an extra: install `whyzero[tables]`, or convert it to JSON lines or CSV"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as they lie in the file."""

    rows: list[Row]
    format: str
    """`json`, `json-object`, `jsonl`, `csv` or `parquet`."""
    names: list[str] | None = None
    """Names of the members of a JSON object of rows, one per row: its keys."""
    stray: int = 0
    """Elements or lines that are no rows."""

    @property
    def fields(self) -> set[str]:
        """Every field that any row has."""
        return set().union(*self.rows)


def read_table(folder: Folder, path: str, key: Collection[str] = ()) -> Table | None:
    """The table in a file, or None where it holds none (noted).

    Args:
        key: names of the key fields; an object that holds them all is one row, not an object of rows.
    """
    data = folder.data(path, JSON_LIMIT)
    if data is None:
        return None
    if len(data) == JSON_LIMIT:
        return None
    kind = SUFFIXES.get(PurePosixPath(path).suffix.lower()) or _kind(data)
    if kind == "parquet" or data.startswith(b"PAR1"):
        return _parquet(folder, path, data)
    text = data.decode("utf-8-sig", "replace")
    if kind == "csv":
        return _csv(folder, path, text)
    if kind == "json":
        value = parse_json(text)
        if value is not None:
            return _json(folder, path, value, key)
    table = _json_lines(text)
    if table is None or (not table.rows and (table.stray or kind == "json")):
        folder.note(path, "holds no rows: no JSON list, object of rows or JSON lines")
        return None
    return table


def _kind(data: bytes) -> str:
    start = data.lstrip()[:1]
    return "json" if start in (b"[", b"{") else "csv"


def _json(folder: Folder, path: str, value: Any, key: Collection[str]) -> Table | None:
    if isinstance(value, list):
        return _of_list(value, "json")
    if isinstance(value, dict):
        if key and all(name in value for name in key):
            return Table([value], "json")
        lists = [v for v in value.values() if isinstance(v, list)]
        if (
            len(lists) == 1
            and not any(isinstance(v, dict) for v in value.values())
            and any(isinstance(r, dict) for r in lists[0])
        ):
            return _of_list(lists[0], "json")
        rows = [v if isinstance(v, dict) else {VALUE: v} for v in value.values()]
        return Table(rows, "json-object", names=list(value))
    folder.note(path, "a JSON document that is neither a list nor an object; it holds no rows")
    return None


def _of_list(items: list[Any], kind: str) -> Table:
    rows = [item for item in items if isinstance(item, dict)]
    return Table(rows, kind, stray=len(items) - len(rows))


def _json_lines(text: str) -> Table | None:
    lines = [line for line in text.splitlines() if line.strip()]
    together = parse_json("[" + ",".join(lines) + "]")
    if not isinstance(together, list) or len(together) != len(lines):
        together = [parse_json(line) for line in lines]
    return _of_list(together, "jsonl")


def _csv(folder: Folder, path: str, text: str) -> Table | None:
    head = text[: text.find("\n")] if "\n" in text else text
    delimiter = max(",;\t", key=head.count) if not path.lower().endswith(".tsv") else "\t"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[Row] = []
    stray = 0
    try:
        header = next(reader, None)
        if not header or len(set(header)) < len(header):
            folder.note(path, "a CSV without a header of distinct column names" if header else "an empty file")
            return None
        for cells in reader:
            if len(cells) > len(header):
                stray += 1
            elif cells:
                rows.append(dict(zip(header, cells, strict=False)))
    except csv.Error:
        folder.note(path, f"line {reader.line_num} does not parse as CSV; nothing of the file was used")
        return None
    return Table(rows, "csv", stray=stray)


def _parquet(folder: Folder, path: str, data: bytes) -> Table | None:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        folder.note(path, NO_PARQUET)
        return None
    try:
        rows = parquet.read_table(arrow.BufferReader(data)).to_pylist()
    except Exception as error:
        folder.note(path, f"does not parse as Parquet ({type(error).__name__})")
        return None
    return Table([_readable(row) for row in rows], "parquet")


def _readable(row: Row) -> Row:
    """Dates and times as ISO text, decimals as text, other values as they are."""
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else value
