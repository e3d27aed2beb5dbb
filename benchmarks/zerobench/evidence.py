"""Does the evidence stand where it is said to stand, word for word? Read from disk, by nobody's help."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.zerobench.places import Place

COMPARED = 40
"""Characters of a quote that must be found."""
FOLLOWING = 30
"""Lines into which a quoted text may run on."""


class Quoted(Protocol):
    """What the product says of one place."""

    @property
    def path(self) -> str: ...
    @property
    def line(self) -> int | None: ...
    @property
    def pointer(self) -> str | None: ...
    @property
    def quote(self) -> str: ...


@dataclass(frozen=True)
class Standing:
    """One piece of evidence, looked up."""

    where: str
    holds: bool
    why: str = ""


def standing(evidence: Quoted, place: Place) -> Standing:
    """Look it up in the files of the case."""
    where = f"{evidence.path}:{evidence.line or ''}{evidence.pointer or ''}"
    if evidence.path == "error":
        text = place.error or ""
    else:
        file = place.path / evidence.path
        if file.is_dir() or not file.exists():
            return Standing(where, not evidence.quote or file.is_dir() or _says_missing(evidence.quote), "no such file")
        text = file.read_text(encoding="utf-8")
    rest = ""
    if evidence.line is not None:
        lines = text.split("\n")
        if evidence.line > len(lines):
            return Standing(where, False, "no such line")
        text, rest = lines[evidence.line - 1], "".join(lines[evidence.line :][:FOLLOWING])
    if evidence.pointer is not None:
        try:
            found = _resolve(json.loads(text), evidence.pointer)
        except (ValueError, KeyError, IndexError, TypeError):
            return Standing(where, False, "the pointer leads nowhere")
        text, rest = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False), ""
    quote = evidence.quote[:COMPARED]
    holds = all(_begins(part, text, rest) for part in _slots(quote)) if _plain(quote) else quote.strip() in text
    return Standing(where, holds, "" if holds else f"not there: {quote!r}")


def _begins(part: str, text: str, rest: str) -> bool:
    """It begins in the named line or value; a text of several lines goes on in those that follow."""
    for shown in (_plain(text), _plain(" ".join(_strings(text)))):
        at = (shown + _plain(rest)).find(_plain(part))
        if 0 <= at < len(shown):
            return True
    return False


def _slots(quote: str) -> list[str]:
    """Words and body of one answer stand in two slots, and are quoted one after the other."""
    words, brace, body = quote.partition(" {")
    return [words, brace + body]


def _strings(text: str) -> Iterator[str]:
    """The strings of a JSON text in their order; none of any other text."""
    try:
        document = json.loads(text)
    except ValueError:
        return
    yield from _leaves(document)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value != "text":
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def _says_missing(quote: str) -> bool:
    return bool(re.search(r"missing|no such|not exist|absent", quote, re.IGNORECASE))


def _resolve(document: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


def _plain(text: str) -> str:
    """Letters and digits only: cleaning shortens blanks, strips escapes and control characters."""
    text = re.sub(r'\x1b\[[0-9;]*m|\\[nt"\\u]', " ", text)
    return re.sub(r"[^0-9a-zA-Z]+", "", text)
