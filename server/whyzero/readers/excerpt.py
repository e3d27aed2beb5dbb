"""What stands around a quoted place, in pages: the lines of a text file, or those of one value of a JSON file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from whyzero.readers.files import Folder, parse_json
from whyzero.text import REDACTED, clean, redact

LINES, BEFORE = 40, 10
"""Lines of a page; lines shown before the quoted one."""
LINE_LIMIT, PAGE_LIMIT = 2_000, 12_000
"""Characters."""
VALUE_LIMIT = 8 * 2**20
"""Characters of a JSON value that is laid out in lines."""

WATCHED = 2_000
"""Lines between two calls of `watch`."""

_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(r"-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----")
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{16}")
NO_KEY_AFTER = 8
"""Lines without anything like a key after which a beginning that never ended was only spoken of."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One page, made printable and without secrets."""

    lines: tuple[tuple[int, str], ...]
    """1-based numbers, within the file or within the value."""
    before: int | None
    """Line at which the page before this one begins; None on the first."""
    after: int | None
    """Line at which the next page begins; None on the last."""


def excerpt(
    folder: Folder,
    path: str,
    line: int | None,
    pointer: str | None,
    start: int | None = None,
    watch: Callable[[], None] | None = None,
) -> Excerpt | None:
    """The page that begins at line `start`, or that shows the quoted place; None where the file or the place is gone.

    Args:
        line: 1-based line of the quoted place; for a `pointer`, the line of a JSON-lines file it counts from.
        pointer: JSON pointer; then the pages are those of the value.
        watch: called now and then while a long file is read; may raise.
    """
    first = max(start or 1, 1)
    if pointer is not None:
        value = _value(folder, path, line, pointer, watch)
        if value is not None and "\n" not in value and redact(_named(pointer, value)) != _named(pointer, redact(value)):
            value = REDACTED
        return None if value is None else _page(_numbered(value), first)
    if not folder.is_file(path):
        return None
    if line is not None and (laid_out := _long_record(folder, path, line, watch)) is not None:
        return _page(_numbered(laid_out), first)
    lines = _watched(folder.lines(path), watch)
    return _page(lines, first) if start is not None else _page(lines, max((line or 1) - BEFORE, 1), shows=line or 1)


def _watched(lines: Iterable[tuple[int, str]], watch: Callable[[], None] | None) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        if watch is not None and number % WATCHED == 0:
            watch()
        yield number, line


def _numbered(text: str) -> Iterable[tuple[int, str]]:
    """Lines as a file has them: nothing but a line feed ends one."""
    return enumerate(text.removesuffix("\n").split("\n"), 1)


def _page(lines: Iterable[tuple[int, str]], start: int, shows: int = 0) -> Excerpt:
    """The lines from `start` on that find room, or those up to line `shows` and what finds room around it."""
    shown: list[tuple[int, str]] = []
    size, after, above = 0, None, ""
    for number, line in _without_keys(lines):
        if number < start:
            above = line
            continue
        text = _printable(line, above)
        above = line
        if shown and number > shows and (len(shown) == LINES or size + len(text) > PAGE_LIMIT):
            after = number
            break
        shown.append((number, text))
        size += len(text)
        while size > PAGE_LIMIT and len(shown) > 1:
            size -= len(shown.pop(0)[1])
    first = shown[0][0] if shown else start
    return Excerpt(tuple(shown), max(first - LINES, 1) if first > 1 else None, after)


def _printable(line: str, above: str = "") -> str:
    """The line as it may be shown; a secret that only the line above names is none the less one."""
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    text = clean(line, LINE_LIMIT)
    if above.strip() and _belong_together(above[-LINE_LIMIT:], line[:LINE_LIMIT]):
        text = REDACTED
    return (indent + text)[:LINE_LIMIT]


def _belong_together(above: str, line: str) -> bool:
    """Something is a secret in both lines that is none in either."""
    first, second = (clean(one, LINE_LIMIT * 2) for one in (above, line))
    return REDACTED in (both := redact(f"{first}\n{second}")) and both != f"{first}\n{second}"


def _named(pointer: str, value: str) -> str:
    return f"{pointer.rpartition('/')[2]}: {value}"


def _without_keys(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """A private key goes over many lines, and a page may begin in the midst of it."""
    inside, without = False, 0
    for number, line in lines:
        if inside:
            seen = _visible(line)
            without = 0 if _KEY_MATERIAL.search(seen) else without + 1
            inside = without < NO_KEY_AFTER and not _KEY_ENDS.search(seen)
            yield number, REDACTED
            continue
        if line.count("-") >= 10 and (begins := _KEY_BEGINS.search(seen := _visible(line))):
            inside, without = not _KEY_ENDS.search(seen, begins.end()), 0
        yield number, line


def _visible(line: str) -> str:
    """Without what cannot be seen, and with the secrets: markers are looked for in it."""
    return line if line.isprintable() else "".join(filter(str.isprintable, _COLOUR.sub("", line)))


def _value(folder: Folder, path: str, line: int | None, pointer: str, watch: Callable[[], None] | None) -> str | None:
    """The value as text; an object or a list laid out."""
    if line is None:
        document = folder.json(path)
    else:
        document = next((parse_json(text) for number, text in _watched(folder.lines(path), watch) if number == line), None)
    try:
        for part in pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            document = _member(document, name)
    except (KeyError, IndexError, ValueError, TypeError):
        return None
    return _bounded(document) if isinstance(document, str) else _laid_out(document)


def _long_record(folder: Folder, path: str, line: int, watch: Callable[[], None] | None) -> str | None:
    """The record in a line of a JSON-lines file that is too long to be read as one line, laid out; None where it is not."""
    text = next((text for number, text in _watched(folder.lines(path), watch) if number == line), "")
    record = parse_json(text) if len(text) > LINE_LIMIT else None
    return _laid_out(record) if isinstance(record, dict) else None


def _laid_out(value: Any) -> str | None:
    """As indented JSON; on one line where it is nested too deeply for that, None where even that cannot be written."""
    for indent in (2, None):
        try:
            return _bounded(json.dumps(value, indent=indent, ensure_ascii=False))
        except RecursionError:
            continue
    return None


def _bounded(text: str) -> str:
    """Cut at the end of a line, and said so."""
    if len(text) <= VALUE_LIMIT:
        return text
    return text[:VALUE_LIMIT].rpartition("\n")[0] + f"\n… ({len(text) - VALUE_LIMIT} characters and more are not shown)"


def _member(value: Any, name: str) -> Any:
    return value[int(name)] if isinstance(value, list) else value[name]
