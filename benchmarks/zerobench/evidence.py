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
    if evidence.line is not None:
        lines = text.split("\n")
        if evidence.line > len(lines):
            return Standing(where, False, "no such line")
        text = "\n".join(lines[evidence.line - 1 :][:30])
    if evidence.pointer is not None:
        first = text.split("\n", 1)[0] if evidence.line is not None else text
        try:
            found = _resolve(json.loads(first), evidence.pointer)
        except (ValueError, KeyError, IndexError, TypeError):
            return Standing(where, False, "the pointer leads nowhere")
        text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    shown = [_plain(text), _plain(" ".join(_strings(text)))]
    holds = all(any(_plain(part) in one for one in shown) for part in _slots(evidence.quote[:COMPARED]))
    return Standing(where, holds, "" if holds else f"not there: {evidence.quote[:COMPARED]!r}")


def _slots(quote: str) -> list[str]:
    """Words and body of one answer stand in two slots, and are quoted one after the other."""
    words, brace, body = quote.partition(" {")
    return [words, brace + body]


def _strings(text: str) -> Iterator[str]:
    """The strings of a JSON text, or of the JSON lines it is made of, in their order."""
    for line in (text, *text.split("\n")[:1]):
        try:
            document = json.loads(line)
        except ValueError:
            continue
        yield from _leaves(document)
        return


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
    text = re.sub(r'\\[nt"\\u]', " ", text)
    return re.sub(r"[^0-9a-zA-Z]+", "", text)
