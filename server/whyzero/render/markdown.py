"""A document as Markdown: what a pipe and the text content of an MCP tool get. Complete, without colours or wrapping."""

from __future__ import annotations

import re

from whyzero.render.blocks import (
    Block,
    Bullets,
    Check,
    Document,
    Facts,
    Heading,
    Headline,
    Paragraph,
    Quotes,
    Steps,
    Table,
    flat,
    place,
    quoted_lines,
)
from whyzero.render.commands import as_call, as_command, as_sentence

_BACKTICKS = re.compile("`+")


def to_markdown(document: Document, typed: bool = False) -> str:
    """The whole document, ending in a newline; calls are written as tool calls, or as commands to type."""
    parts = [f"# {flat(document.title)}"]
    parts += ["\n".join(_lines(block, typed)) for block in document.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def code(text: str) -> str:
    """Inline code that the text cannot close."""
    text = flat(text)
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence}{text}{fence}" if longest == 0 else f"{fence} {text} {fence}"


def _lines(block: Block, typed: bool) -> list[str]:
    match block:
        case Heading(text):
            return [f"## {flat(text)}"]
        case Headline(text):
            return [f"**{flat(text)}**"]
        case Paragraph(text):
            return [flat(text)] if text else []
        case Facts(pairs):
            return [f"- {label}: {flat(value)}" for label, value in pairs]
        case Bullets(items):
            return [f"- {flat(item)}" for item in items]
        case Quotes(evidence):
            return [line for one in evidence for line in [f"- {code(place(one))}", *(f"  > {q}" for q in quoted_lines(one))]]
        case Check(text, _, before):
            return [as_sentence(block, lambda one: code(as_command(one))) if typed else flat(before + text)]
        case Steps(steps):
            return [f"- {code(as_command(one) if typed else as_call(one))}: {flat(one.why)}" for one in steps]
        case Table(columns, rows, note):
            table = [_row(columns), _row(("---",) * len(columns)), *map(_row, rows)]
            return [*table, "", flat(note)] if note else table


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(flat(cell).replace("|", "\\|") for cell in cells) + " |"
