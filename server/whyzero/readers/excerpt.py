"""What stands around a quoted place, in pages: the lines of a text file, or those of one value of a JSON file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from whyzero.readers.files import Folder, parse_json
from whyzero.text import REDACTED, clean

LINES, BEFORE = 40, 10
"""Lines of a page; lines shown before the quoted one."""
LINE_LIMIT, PAGE_LIMIT = 2_000, 12_000
"""Characters."""
VALUE_LIMIT = 8 * 2**20
"""Characters of a JSON value that is laid out in lines."""

_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_KEY_ENDS = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One page, made printable and without secrets."""

    lines: tuple[tuple[int, str], ...]
    """1-based numbers, within the file or within the value."""
    before: int | None
    """Line at which the page before this one begins; None on the first."""
    after: int | None
    """Line at which the next page begins; None on the last."""


def excerpt(folder: Folder, path: str, line: int | None, pointer: str | None, start: int | None = None) -> Excerpt | None:
    """The page that begins at line `start`, or that shows the quoted place; None where the file or the place is gone.

    Args:
        line: 1-based line of the quoted place; for a `pointer`, the line of a JSON-lines file it counts from.
        pointer: JSON pointer; then the pages are those of the value.
    """
    if pointer is not None:
        value = _value(folder, path, line, pointer)
        return None if value is None else _page(enumerate(value.splitlines() or [""], 1), max(start or 1, 1))
    if not folder.is_file(path):
        return None
    if line is not None and (laid_out := _long_record(folder, path, line)) is not None:
        return _page(enumerate(laid_out.splitlines(), 1), max(start or 1, 1))
    if start is not None:
        return _page(folder.lines(path), max(start, 1))
    return _page(folder.lines(path), max((line or 1) - BEFORE, 1), shows=line or 1)


def _page(lines: Iterable[tuple[int, str]], start: int, shows: int = 0) -> Excerpt:
    """The lines from `start` on that find room, or those up to line `shows` and what finds room around it."""
    shown: list[tuple[int, str]] = []
    size, after = 0, None
    for number, line in _without_keys(lines):
        if number < start:
            continue
        text = _printable(line)
        if shown and number > shows and (len(shown) == LINES or size + len(text) > PAGE_LIMIT):
            after = number
            break
        shown.append((number, text))
        size += len(text)
        while size > PAGE_LIMIT and len(shown) > 1:
            size -= len(shown.pop(0)[1])
    first = shown[0][0] if shown else start
    return Excerpt(tuple(shown), max(first - LINES, 1) if first > 1 else None, after)


def _printable(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return (indent + clean(line, LINE_LIMIT))[:LINE_LIMIT]


def _without_keys(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """A private key goes over many lines, and a page may begin in the midst of it."""
    inside = False
    for number, line in lines:
        if not inside and (begins := _KEY_BEGINS.search(line)):
            inside = not _KEY_ENDS.search(line, begins.end())
            yield number, line
        elif inside:
            inside = not _KEY_ENDS.search(line)
            yield number, REDACTED
        else:
            yield number, line


def _value(folder: Folder, path: str, line: int | None, pointer: str) -> str | None:
    """The value as text; an object or a list laid out."""
    if line is None:
        document = folder.json(path)
    else:
        document = next((parse_json(text) for number, text in folder.lines(path) if number == line), None)
    try:
        for part in pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            document = _member(document, name)
    except (KeyError, IndexError, ValueError, TypeError):
        return None
    return document[:VALUE_LIMIT] if isinstance(document, str) else _laid_out(document)


def _long_record(folder: Folder, path: str, line: int) -> str | None:
    """The record in a line of a JSON-lines file that is too long to be read as one line, laid out; None where it is not."""
    text = next((text for number, text in folder.lines(path) if number == line), "")
    record = parse_json(text) if len(text) > LINE_LIMIT else None
    return _laid_out(record) if isinstance(record, dict) else None


def _laid_out(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)[:VALUE_LIMIT]


def _member(value: Any, name: str) -> Any:
    return value[int(name)] if isinstance(value, list) else value[name]
