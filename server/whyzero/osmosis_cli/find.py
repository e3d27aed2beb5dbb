"""Where the `osmosis` program is, which version, and what that version can do."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from whyzero import processes
from whyzero.errors import UsageError

PACKAGE = "osmosis-ai"
VERSION_DEADLINE, FETCH_DEADLINE = 60.0, 300.0
PLAIN = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}
ENVIRONMENTS = (".venv", "venv", "env")
"""Folders of a workspace in which an environment is kept."""
ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")
SCRIPTS = ("bin/osmosis", "Scripts/osmosis.exe")
UVX = "uvx"
UV_NEEDS = (
    "UV_CACHE_DIR",
    "UV_CONFIG_FILE",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "UV_LINK_MODE",
    "UV_OFFLINE",
    "UV_PYTHON",
    "UV_PYTHON_DOWNLOADS",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
"""Where uv keeps and finds packages; read only to be handed on."""

BAD_USAGE = 2
"""Exit status of a call with a command, a flag or an argument that the program does not know."""
_VERSION = re.compile(r"\bosmosis(?:-ai)?,?\s+(?:version\s+)?(\d{1,6}\.\d{1,6}[0-9A-Za-z.+-]{0,40})")
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
    variables: tuple[str, ...] = ()
    """Names of variables it needs to be started, beyond those that every program gets."""


def find_cli(workspace: Path, given: Path | None = None, *, use_uv: bool = False, download: bool = False) -> Cli:
    """The first of: the given path, an environment of the workspace, the active one, PATH, and where asked for `uv run` and `uvx`.

    Args:
        use_uv: also look where uv keeps the workspace's environment. It is neither made nor changed, and nothing is fetched.
        download: with `use_uv`, let `uvx` fetch osmosis-ai where it is nowhere.

    Raises:
        UsageError: there is none, with where it was looked for and what to do.
    """
    if given is not None:
        named = os.path.abspath(given) if given.exists() else str(given)
        if found := _answering(Cli((named,), "given", ""), workspace):
            return found
        raise UsageError("The given program does not answer `--version` as osmosis does.")
    for one in _candidates(Path(os.path.abspath(workspace)), use_uv, download):
        with contextlib.suppress(UsageError):  # it cannot be started: an environment that was moved, a script without its Python
            if found := _answering(one, workspace):
                return found
    raise UsageError(_nowhere(use_uv, download))


def _answering(one: Cli, workspace: Path) -> Cli | None:
    """The program with its version, where it is osmosis."""
    limit = FETCH_DEADLINE if one.where == UVX else VERSION_DEADLINE
    done = processes.run([*one.program, "--version"], deadline=limit, folder=workspace, variables=PLAIN | passed(one.variables))
    found = _VERSION.search(done.stdout)
    return replace(one, version=found.group(1)) if done.status == 0 and found else None


def _nowhere(use_uv: bool, download: bool) -> str:
    said = "No osmosis program was found in the workspace's .venv, in the active environment or on PATH."
    if use_uv and not shutil.which("uv"):
        said += " uv is not on PATH either."
    elif use_uv and download:
        said += " Neither `uv run` nor `uvx` brought one."
    elif use_uv:
        said += " `uv run` has none; `uvx` could fetch osmosis-ai: give --allow-network to let it."
    return f"{said} Install osmosis-ai there, or name the program."


def passed(names: Iterable[str]) -> dict[str, str]:
    """Those of the variables that are set, to be handed on."""
    return {name: os.environ[name] for name in names if name in os.environ}


def _candidates(workspace: Path, use_uv: bool, download: bool) -> Iterator[Cli]:
    named = [(workspace / name, f"the workspace's {name}") for name in ENVIRONMENTS]
    active = [(Path(os.environ[name]), "the active environment") for name in ACTIVE if os.environ.get(name)]
    for folder, where in (*named, *active):
        for script in SCRIPTS:
            if (folder / script).is_file():
                yield Cli((str(folder / script),), where, "")
    if on_path := shutil.which("osmosis"):
        yield Cli((os.path.abspath(on_path),), "PATH", "")
    uv = shutil.which("uv") if use_uv else None
    if uv and (environment := _of_uv(workspace)):
        run = (uv, "run", "--offline", "--no-python-downloads", "--no-project", "--python", str(environment), "osmosis")
        yield Cli(run, "uv run", "", UV_NEEDS)
    if uv and download:
        yield Cli((uv, "tool", "run", "--from", PACKAGE, "osmosis"), UVX, "", UV_NEEDS)


def _of_uv(workspace: Path) -> Path | None:
    """The environment `uv run` would use in the workspace, where there is one: uv itself would make one where there is none."""
    root = next((folder for folder in (workspace, *workspace.parents) if (folder / "uv.lock").is_file()), workspace)
    environment = root / os.environ.get("UV_PROJECT_ENVIRONMENT", ".venv")
    return environment if (environment / "pyvenv.cfg").is_file() else None


def subcommands(cli: Cli, group: tuple[str, ...] = ()) -> frozenset[str]:
    """Commands that the installed program lists below a group."""
    return frozenset(_COMMAND.findall(_help(cli, group)))


def flags(cli: Cli, command: tuple[str, ...]) -> frozenset[str]:
    """Flags that the installed program lists for a command."""
    return frozenset(_FLAG.findall(_help(cli, command)))


def flags_in(arguments: Iterable[str]) -> frozenset[str]:
    """The flags of an argument list."""
    return frozenset(one for one in arguments if one.startswith("--") and one != "--")


def lacking(cli: Cli, command: tuple[str, ...], wanted: frozenset[str] = frozenset()) -> str | None:
    """What this version lacks of a command that a diagnosis needs, in a sentence; None where it has all, or does not tell."""
    for length in range(1, len(command) + 1):
        listed = subcommands(cli, command[: length - 1])
        if listed and command[length - 1] not in listed:
            return f"osmosis {cli.version} has no `{' '.join(command)}`."
    known = flags(cli, command)
    missing = sorted(wanted - known) if known else []
    return f"osmosis {cli.version} `{' '.join(command)}` has no {', '.join(missing)}." if missing else None


def _help(cli: Cli, command: tuple[str, ...]) -> str:
    done = processes.run([*cli.program, *command, "--help"], deadline=VERSION_DEADLINE, variables=PLAIN | passed(cli.variables))
    return done.stdout if done.status == 0 else ""
