"""What a rendered report is made of, before anyone decides whether it becomes a terminal, a text or a web page.

Every string that enters a block is made printable here a second time, so no writer can send a control sequence on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from whyzero.analyses.report import NextStep
from whyzero.evidence import Evidence
from whyzero.text import clean

CELL_LIMIT = 160
"""Characters of one table cell."""


class Tone(StrEnum):
    """How a statement is meant; a colour on a terminal, nothing in plain text."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    UNSURE = "unsure"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Heading:
    """Title of a part."""

    text: str


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict: a few words that stand out."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences of ours."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Facts:
    """Label and value, one pair a line."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Quotes:
    """Evidence: where it stands, and the quoted text, which is untrusted."""

    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of short cells; `note` says what was left out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bullets:
    """Short lines."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A sentence of ours that speaks of calls; `parts` is the same with the calls set apart."""

    text: str
    parts: tuple[str | NextStep, ...]
    before: str = ""
    """What is said before it."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Calls that follow from the answer."""

    steps: tuple[NextStep, ...]


Block = Heading | Headline | Paragraph | Facts | Quotes | Table | Bullets | Check | Steps


@dataclass(frozen=True, slots=True)
class Document:
    """A report laid out: a title, then blocks in reading order."""

    title: str
    blocks: tuple[Block, ...]


def flat(text: str, limit: int = 2000) -> str:
    """One printable line."""
    return " ".join(clean(text, limit).split())


def piece(text: str) -> str:
    """A printable part of a line; a space at its ends stays."""
    return " " * text[:1].isspace() + flat(text) + " " * text[-1:].isspace() if text.strip() else " " * bool(text)


def place(evidence: Evidence) -> str:
    """`path:line`, and the JSON pointer behind it where there is one."""
    line = f":{evidence.line}" if evidence.line is not None else ""
    pointer = f" {evidence.pointer}" if evidence.pointer else ""
    return flat(f"{evidence.path}{line}{pointer}")


def quoted_lines(evidence: Evidence) -> list[str]:
    """The quote, line by line, each of them printable."""
    return [flat(line) for line in clean(evidence.quote, 2000).split("\n")] or [""]


def cell(value: object) -> str:
    """A table cell: one line, `-` for nothing, numbers without noise."""
    if value is None or value == "":
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    return flat(str(value), CELL_LIMIT)


def whole(text: str | None) -> str:
    """A table cell that is not cut short; `-` for nothing."""
    return flat(text) if text else "-"


def filled(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Table:
    """A table without the columns that are empty in every row."""
    kept = [index for index in range(len(columns)) if any(row[index] != "-" for row in rows)]
    return Table(tuple(columns[i] for i in kept), tuple(tuple(row[i] for i in kept) for row in rows))
