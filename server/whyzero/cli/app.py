"""The `whyzero` program: its commands, and how it ends.

Exit codes: 0 nothing wrong found, 1 something found, 2 could not tell or bad usage.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from whyzero import __version__
from whyzero.cli.diagnose import classify_zero, diagnose, locate_failed_phase
from whyzero.cli.fix import verify_fix
from whyzero.cli.install import install
from whyzero.cli.output import silence_stdout
from whyzero.cli.pages import causes, explain
from whyzero.cli.partition import partition_disputed_rows
from whyzero.cli.roundtrip import probe_tool_roundtrip
from whyzero.cli.serve import serve
from whyzero.cli.staleness import check_staleness
from whyzero.errors import WhyzeroError
from whyzero.text import hide, redact

COULD_NOT_TELL = 2
INTERRUPTED = 130

app = typer.Typer(
    name="whyzero",
    help="Tells why an agent rollout failed or scored zero, with evidence.",
    epilog="Exit codes: 0 nothing wrong found, 1 something found, 2 could not tell or bad usage.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)

COMMANDS: dict[str, Callable[..., int]] = {
    "diagnose": diagnose,
    "locate-failed-phase": locate_failed_phase,
    "classify-zero": classify_zero,
    "check-staleness": check_staleness,
    "partition-disputed-rows": partition_disputed_rows,
    "verify-fix": verify_fix,
    "probe-tool-roundtrip": probe_tool_roundtrip,
    "explain": explain,
    "causes": causes,
    "serve": serve,
    "install": install,
}
"""Command and the function that runs it and returns the exit code, in the order of `--help`."""

for name, command in COMMANDS.items():
    app.command(name)(command)


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"whyzero {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """Tells why an agent rollout failed or scored zero, with evidence."""


def main(arguments: list[str] | None = None) -> None:
    """Run the program and exit. Nothing but a bug with WHYZERO_DEBUG=1 shows a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    hide(os.environ)
    try:
        status = app(args=arguments, prog_name="whyzero", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except WhyzeroError as error:
        return _say(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return COULD_NOT_TELL
    except Exception as error:
        if isinstance(error, typer.TyperException):
            return _usage(error.format_message())
        if os.environ.get("WHYZERO_DEBUG") == "1":
            raise
        return _say(f"unexpected {type(error).__name__}. This is a bug in whyzero: run again with WHYZERO_DEBUG=1 and report it.")


def _usage(message: str) -> int:
    if message.startswith("Usage:"):
        sys.stderr.write(message + "\n")
        return COULD_NOT_TELL
    return _say(message.replace(": Value error, ", ": "), "Run with --help to see the arguments.")


def _say(*lines: str) -> int:
    sys.stderr.write(redact("\n".join(("whyzero: " + lines[0], *lines[1:]))) + "\n")
    return COULD_NOT_TELL
