"""The pages of the causes: `explain` and `causes`."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from whyzero.cli.arguments import Json
from whyzero.errors import UsageError

CauseName = Annotated[str, typer.Argument(metavar="CAUSE", help="A cause as a report names it, such as rate_limited.")]


def explain(cause: CauseName) -> int:
    """Print what a cause means and what to do about it."""
    from whyzero.catalogue import page

    text = page(cause.strip().replace("-", "_"))
    if text is None:
        raise UsageError(f"There is no cause {cause!r}. `whyzero causes` lists them.")
    sys.stdout.write(text)
    return 0


def causes(as_json: Json = False) -> int:
    """List the causes with phase and who can mend them."""
    from whyzero.catalogue import catalogue

    rows = catalogue()
    if as_json:
        sys.stdout.write(json.dumps([row._asdict() for row in rows], indent=2) + "\n")
        return 0
    for row in rows:
        sys.stdout.write(f"{row.name:24} {row.phase:12} {row.whose:12} {row.summary}\n")
    return 0
