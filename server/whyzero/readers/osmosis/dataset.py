"""What `eval run` would object to in a dataset file, row by row, by the rules of a run (those of an upload are stricter)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

from whyzero.model import Defect, Spot
from whyzero.readers.files import Folder, parse_json

ROW_LIMIT = 200_000
DEFECT_LIMIT = 20
CSV_LIMIT = 16 * 2**20


def dataset_defects(folder: Folder, path: str) -> list[Defect]:
    """The first objections to a JSON-lines or CSV file."""
    if path.endswith(".jsonl"):
        found = _json_lines(folder, path)
    elif path.endswith(".csv"):
        found = _csv(folder, path)
    else:
        return []
    return [defect for defect, _ in zip(found, range(DEFECT_LIMIT), strict=False)]


def _json_lines(folder: Folder, path: str) -> Iterator[Defect]:
    rows = 0
    for number, line in folder.lines(path):
        if not line.strip():
            continue
        if rows >= ROW_LIMIT:
            folder.note(path, f"only the first {ROW_LIMIT} rows were looked at")
            return
        row = parse_json(line)
        if not isinstance(row, dict):
            yield Defect("dataset_syntax", f"line {number} of {path} is no JSON object", Spot(path, number), line)
        else:
            yield from _row(row, rows, Spot(path, number), line)
        rows += 1
    if not rows:
        yield Defect("dataset_empty", f"{path} holds no row", Spot(path), "(empty)")


def _csv(folder: Folder, path: str) -> Iterator[Defect]:
    source = folder.text(path, CSV_LIMIT)
    if source is None or len(source) >= CSV_LIMIT:
        return
    reader = csv.DictReader(source.splitlines(keepends=True))
    try:
        rows = 0
        for rows, row in enumerate(reader, 1):
            values = {k: v for k, v in row.items() if isinstance(k, str)}
            yield from _row(values, rows - 1, Spot(path, reader.line_num), ",".join(str(v) for v in values.values()))
    except csv.Error as error:
        if "field limit" in str(error):
            folder.note(path, "a field too large to be looked at here")
            return
        yield Defect("dataset_syntax", f"line {reader.line_num} of {path} is no CSV", Spot(path, reader.line_num or None), "")
        return
    if not rows:
        yield Defect("dataset_empty", f"{path} holds no row", Spot(path), "(empty)")


def _row(row: dict[str, Any], index: int, spot: Spot, line: str) -> Iterator[Defect]:
    """A `metadata` key waives the need for prompt and label; a row with neither prompt nor metadata has nothing to ask."""
    metadata = _metadata(row.get("metadata"))
    if metadata is None:
        yield Defect("metadata_invalid", f"the metadata of row {index} is no JSON object", spot, line)
        return
    prompt = _given(row.get("user_prompt"))
    if "metadata" not in row:
        if not prompt:
            yield Defect("prompt_missing", f"row {index} has no user_prompt", spot, line)
        elif not (_given(row.get("ground_truth")) or _given(row.get("label"))):
            yield Defect("label_missing", f"row {index} has no ground_truth or label", spot, line)
    elif not prompt and not metadata:
        yield Defect("prompt_missing", f"row {index} has neither a prompt nor metadata", spot, line)


def _metadata(value: object) -> dict[str, Any] | None:
    """Absent values are an empty object; None where it is none at all."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) else None


def _given(value: object) -> bool:
    return value is not None and value != ""
