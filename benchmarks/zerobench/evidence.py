"""Does the evidence stand where it is said to stand, word for word? Read from disk, by nobody's help."""

from __future__ import annotations

import json
import re
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
            return Standing(where, not evidence.quote or not file.exists() and _says_missing(evidence.quote) or file.is_dir(), "no such file")
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
        text = json.dumps(found, ensure_ascii=False) if not isinstance(found, str) else found
    holds = _plain(evidence.quote)[:COMPARED] in _plain(text)
    return Standing(where, holds, "" if holds else f"not there: {evidence.quote[:COMPARED]!r}")


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


