"""Arguments that several commands share, and how their values are read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from whyzero.errors import PathRefusedError, UsageError

ERROR_LIMIT = 4 * 2**20
"""Bytes of a reported error that are read."""

FILE_ENDINGS = frozenset({".err", ".json", ".jsonl", ".log", ".out", ".txt"})
"""One word that ends like this is a file name with a typo, not what somebody saw."""

RunPath = Annotated[Path, typer.Argument(metavar="PATH", help="A run, a trial, a workspace, or a file in one of them.")]
TrialId = Annotated[str | None, typer.Option("--trial", metavar="ID", help="Look at this trial only.")]
Row = Annotated[int | None, typer.Option("--row", metavar="N", help="Look at this dataset row only (0-based).")]
Error = Annotated[
    str | None,
    typer.Option(
        "--error",
        metavar="FILE",
        help="What you saw: a file (FILE or @FILE), - for stdin, or the text itself. Some failures leave nothing else.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the tool's object as JSON and nothing else.")]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Also write a self-contained web page.")]
Format = Annotated[
    Literal["concise", "detailed"],
    typer.Option("--response-format", help="concise lists the most telling trials, detailed all of them."),
]
Offset = Annotated[int, typer.Option("--offset", min=0, metavar="N", help="Skip the first N listed trials.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="List at most N trials.")]

Program = Annotated[Path | None, typer.Option("--osmosis", metavar="PROGRAM", help="The osmosis program; default: found.")]
Uv = Annotated[
    bool,
    typer.Option("--uv", help="Also look for the program with `uv run` (offline) and, with --allow-network, `uvx`."),
]


def reported(value: str | None) -> str | None:
    """The text behind `--error`: of a file, of stdin, or the value itself."""
    if value is None:
        return None
    if value == "-":
        return sys.stdin.buffer.read(ERROR_LIMIT).decode("utf-8", "replace")
    named = value.startswith("@")
    path = Path(value[1:] if named else value)
    if named or _is_file(path):
        from whyzero.readers.files import Folder

        text = Folder(path.parent).text(path.name, ERROR_LIMIT)
        if text is None:
            raise PathRefusedError(f"--error: {str(path)!r} cannot be read as a file. Pipe it in with --error - instead.")
        return text
    if not value.strip():
        raise UsageError("--error is empty. Give a file, - for stdin, or the text that you saw.")
    if len(value.split()) == 1 and path.suffix in FILE_ENDINGS:
        raise PathRefusedError(f"--error: there is no file {value!r}. Give an existing file, - for stdin, or the text you saw.")
    return value


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
