"""Where the `osmosis` program is, which version, and what that version can do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from whyzero import processes
from whyzero.errors import UsageError

VERSION_DEADLINE = 60.0
PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}

_VERSION = re.compile(r"\bosmosis(?:-ai)?,?\s+(?:version\s+)?(\d+\.\d+(?:\.\d+)?\S*)")
_FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z0-9-]*)")
_COMMAND = re.compile(r"^[\s│|]*([a-z][a-z0-9-]*)\s{2,}\S", re.M)


@dataclass(frozen=True, slots=True)
class Cli:
    """An installed program."""

    program: tuple[str, ...]
    """Argument list that starts it."""
    where: str
    """How it was found, in words."""
    version: str


def find_cli(workspace: Path, given: Path | None = None, use_uv: bool = False) -> Cli:
    """The first of: the given path, the workspace's own environment, PATH, and where asked for uv.

    Raises:
        UsageError: there is none, with what to install or name.
    """
    for program, where in _candidates(workspace, given, use_uv):
        done = processes.run([*program, "--version"], deadline=VERSION_DEADLINE, folder=workspace, variables=PLAIN)
        found = _VERSION.search(done.stdout)
        if done.status == 0 and found:
            return Cli(program, where, found.group(1))
        if given is not None:
            raise UsageError("The given program does not answer `--version` as osmosis does.")
    raise UsageError(
        "No osmosis program was found in the workspace's .venv or on PATH. Install osmosis-ai there, or name the program."
    )


def _candidates(workspace: Path, given: Path | None, use_uv: bool) -> Iterator[tuple[tuple[str, ...], str]]:
    if given is not None:
        yield (str(given),), "given"
        return
    for folder in (".venv", "venv"):
        own = workspace / folder / "bin" / "osmosis"
        if own.is_file():
            yield (str(own),), f"the workspace's {folder}"
    if on_path := shutil.which("osmosis"):
        yield (on_path,), "PATH"
    if use_uv and (uv := shutil.which("uv")):
        yield (uv, "run", "--no-sync", "--project", str(workspace), "osmosis"), "uv run"
        yield (uv, "tool", "run", "--from", "osmosis-ai", "osmosis"), "uvx"


def subcommands(cli: Cli, group: tuple[str, ...] = ()) -> frozenset[str]:
    """Commands that the installed program lists below a group."""
    return frozenset(_COMMAND.findall(_help(cli, group)))


def flags(cli: Cli, command: tuple[str, ...]) -> frozenset[str]:
    """Flags that the installed program lists for a command."""
    return frozenset(_FLAG.findall(_help(cli, command)))


def lacking(cli: Cli, command: tuple[str, ...], wanted: frozenset[str] = frozenset()) -> str | None:
    """What this version lacks of a command that a diagnosis needs, in a sentence; None where it has all."""
    if command[-1] not in subcommands(cli, command[:-1]):
        return f"osmosis {cli.version} has no `{' '.join(command)}`."
    missing = sorted(wanted - flags(cli, command))
    return f"osmosis {cli.version} `{' '.join(command)}` has no {', '.join(missing)}." if missing else None


def _help(cli: Cli, command: tuple[str, ...]) -> str:
    done = processes.run([*cli.program, *command, "--help"], deadline=VERSION_DEADLINE, variables=PLAIN)
    return done.stdout if done.status == 0 else ""
