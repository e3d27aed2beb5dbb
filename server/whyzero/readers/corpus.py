"""A folder of text, read line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from whyzero.readers.files import Folder

FILES_LIMIT = 50_000
BINARY = "\x00"


class Line(NamedTuple):
    """One line of the corpus."""

    path: str
    number: int
    text: str


def read_corpus(folder: Folder) -> Iterator[Line]:
    """Every line of every text file, in a fixed order. Files that hold a NUL are no text and are noted."""
    files = folder.walk(limit=FILES_LIMIT)
    if len(files) >= FILES_LIMIT:
        folder.note(".", f"more than {FILES_LIMIT} files; the rest was not read")
    for path in files:
        for number, text in folder.lines(path):
            if BINARY in text:
                folder.note(path, "not a text file; its lines were not searched further")
                break
            yield Line(path, number, text)
