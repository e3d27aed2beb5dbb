"""The pages of the causes: `explain` and `causes`."""

from __future__ import annotations

import json
import sys
from difflib import get_close_matches
from itertools import groupby
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from whyzero.cli.arguments import Json
from whyzero.errors import UsageError

if TYPE_CHECKING:
    from whyzero.catalogue import Entry

WIDE = 100
"""Columns from which the list of causes is a table."""

CauseName = Annotated[str, typer.Argument(metavar="CAUSE", help="A cause as a report names it, such as rate_limited.")]


def explain(cause: CauseName) -> int:
    """Print what a cause means and what to do about it."""
    from whyzero.catalogue import catalogue, page

    text = page(cause.strip().replace("-", "_"))
    if text is None:
        near = get_close_matches(cause.strip().lower().replace("-", "_"), [row.name for row in catalogue()], 1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"There is no cause {cause!r}.{meant} `whyzero causes` lists them.")
    sys.stdout.write(_wrapped(text, get_terminal_size().columns) if sys.stdout.isatty() else text)
    return 0


def _wrapped(page: str, columns: int) -> str:
    """The page with its lines broken where the terminal ends; headings stand by themselves."""
    lines: list[str] = []
    for is_text, group in groupby(page.splitlines(), lambda line: bool(line) and not line.startswith("#")):
        said = list(group)
        lines += wrap(" ".join(said), min(columns, WIDE), break_on_hyphens=False) if is_text else said
    return "\n".join(lines) + "\n"


def causes(as_json: Json = False) -> int:
    """List the causes with phase and who can mend them."""
    from whyzero.catalogue import catalogue

    rows = catalogue()
    if as_json:
        sys.stdout.write(json.dumps([row._asdict() for row in rows], indent=2) + "\n")
        return 0
    if sys.stdout.isatty():
        _print_on_terminal(rows)
        return 0
    for row in rows:
        sys.stdout.write(f"{row.name:24} {row.phase:12} {row.whose:12} {row.summary}\n")
    return 0


def _print_on_terminal(rows: list[Entry]) -> None:
    """A table where each fits on a line or two; else one below the other, names whole."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from whyzero.render.blocks import Document, Table
    from whyzero.render.terminal import Rendered

    console = Console(highlight=False, markup=False, emoji=False)
    if console.width >= WIDE:
        table = Table(("cause", "phase", "whose", "what it means"), tuple((r.name, r.phase, r.whose, r.summary) for r in rows))
        console.print(Rendered(Document("whyzero · causes", (table,))))
        return
    for row in rows:
        console.print(Text.assemble((row.name, "bold"), (f"  {row.phase}, {row.whose}", "dim")))
        console.print(Padding(Text(row.summary), (0, 0, 0, 2)))
