"""How a command answers: the report on stdout, the exit code from what it says."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from whyzero.errors import PathRefusedError

if TYPE_CHECKING:
    from whyzero.analyses.report import Report


def answer(report: Report, *, as_json: bool, page: Path | None = None) -> int:
    """Print the report, write the page if one is asked for, and return the exit code."""
    from whyzero.cli.exit_codes import exit_code

    if page is not None:
        _write_page(report, page)
    code, why = exit_code(report)
    _print(report, as_json)
    if why:
        sys.stderr.write(f"whyzero: {why}\n")
    return code


def _print(report: Report, as_json: bool) -> None:
    try:
        if as_json:
            from whyzero.evidence import dump

            sys.stdout.write(json.dumps(dump(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
        elif sys.stdout.isatty():
            _print_on_terminal(report)
        else:
            from whyzero.render import plain

            sys.stdout.write(plain(report))
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()


def silence_stdout() -> None:
    """Drop what is still to be written: nobody reads it any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_on_terminal(report: Report) -> None:
    from rich.console import Console

    from whyzero.render import document
    from whyzero.render.terminal import Rendered

    Console(highlight=False, markup=False, emoji=False).print(Rendered(document(report)), crop=False)


def _write_page(report: Report, page: Path) -> None:
    from whyzero.render import html

    try:
        page.write_text(html(report), encoding="utf-8")
    except OSError as error:
        raise PathRefusedError(
            f"--html: {str(page)!r} cannot be written ({os.strerror(error.errno or 0).lower()}). Name a file that may be."
        ) from None
