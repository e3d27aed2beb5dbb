"""The causes as a reader looks them up: their pages, and a list of them."""

from __future__ import annotations

from importlib import import_module
from inspect import cleandoc
from typing import NamedTuple

from whyzero.causes import CAUSES, ORDER

UNDETERMINED_PAGE = """The evidence on disk decides nothing.

## What it means

Something went wrong, and no cause has evidence that would stand up. This is an answer, not a gap to be filled with a guess.

## Evidence

None that decides. The report names what is missing: a log that was not kept, a record that was cut, an unknown exception.

## What to do

Look for the missing piece that the report names, keep it on the next run, and ask again. Do not record the reward as a score.

## Not to be confused with

A wrong answer: that needs proof that a deliverable was graded.
"""


class Entry(NamedTuple):
    """One line of the list."""

    name: str
    phase: str
    whose: str
    counts_as_score: bool
    summary: str


def catalogue() -> list[Entry]:
    """Every cause that can be named, in the order in which they are tried, `undetermined` last."""
    entries = [Entry(c.name, c.phase.value, c.whose, c.counts_as_score, c.summary) for c in CAUSES]
    return [*entries, Entry("undetermined", "none", "nobody", False, UNDETERMINED_PAGE.splitlines()[0])]


def page(name: str) -> str | None:
    """The page of a cause as Markdown, or None where there is no such cause."""
    if name == "undetermined":
        return f"# undetermined\n\n{UNDETERMINED_PAGE}"
    if name not in ORDER:
        return None
    return f"# {name}\n\n{cleandoc(import_module(f'whyzero.causes.{name}').__doc__ or '')}\n"


def reference() -> str:
    """All pages behind a table of contents: the text of references/causes.md."""
    head = [
        "# Causes",
        "",
        "Generated from the pages in `server/whyzero/causes/` by `references/generate.py`. The order is the precedence.",
        "",
        "| cause | phase | whose | a score? | in one sentence |",
        "| --- | --- | --- | --- | --- |",
    ]
    rows = [
        f"| [{e.name}](#{e.name}) | {e.phase} | {e.whose} | {'yes' if e.counts_as_score else 'no'} | {e.summary} |"
        for e in catalogue()
    ]
    pages = [_deeper(page(entry.name) or "") for entry in catalogue()]
    return "\n".join([*head, *rows, ""]) + "\n" + "\n".join(pages)


def _deeper(text: str) -> str:
    """One heading level down."""
    return "\n".join("#" + line if line.startswith("#") else line for line in text.split("\n"))
