"""`whyzero install`: the lines a host needs to start the server, and where they go. Shows them; writes only with --write."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from whyzero.errors import PathRefusedError, UsageError

NAME = "whyzero"
CONFIG_LIMIT = 4 * 2**20
"""Bytes of a host's config file that are read."""

HostName = Annotated[
    Literal["claude-code", "claude-desktop", "codex", "cursor", "gemini-cli", "vscode"],
    typer.Argument(metavar="HOST", help="claude-code, claude-desktop, codex, cursor, gemini-cli or vscode."),
]
RunsFolder = Annotated[
    Path, typer.Option("--root", metavar="DIR", help="Folder that holds your runs; the server reads below it.")
]
Write = Annotated[bool, typer.Option("--write", help="Add the lines to the file; without it they are only shown.")]


@dataclass(frozen=True, slots=True)
class Host:
    """Where a host keeps its servers, and under which key."""

    file: Callable[[], Path]
    key: str = "mcpServers"
    typed: bool = False
    """An entry says its transport."""
    project: bool = False
    """The file belongs to the project in the working directory, not to the user."""


def _home(*parts: str) -> Path:
    return Path.home().joinpath(*parts)


def _claude_desktop() -> Path:
    folders = {"darwin": _home("Library", "Application Support"), "win32": Path(os.environ.get("APPDATA", _home()))}
    return folders.get(sys.platform, _home(".config")) / "Claude" / "claude_desktop_config.json"


def _codex() -> Path:
    return Path(os.environ.get("CODEX_HOME") or _home(".codex")) / "config.toml"


HOSTS: Mapping[str, Host] = {
    "claude-code": Host(lambda: Path.cwd() / ".mcp.json", project=True),
    "claude-desktop": Host(_claude_desktop),
    "codex": Host(_codex, key="mcp_servers"),
    "cursor": Host(lambda: _home(".cursor", "mcp.json")),
    "gemini-cli": Host(lambda: _home(".gemini", "settings.json")),
    "vscode": Host(lambda: Path.cwd() / ".vscode" / "mcp.json", key="servers", typed=True, project=True),
}
"""Claude Code and VS Code: of this project; the others: of this user."""


def install(host: HostName, root: RunsFolder = Path("."), write: Write = False) -> int:
    """Show or write what makes a host start the server."""
    if not root.is_dir():
        raise PathRefusedError(f"--root: there is no folder {str(root)!r}. Name the one that holds your runs.")
    one = HOSTS[host]
    file = Path(os.path.realpath(one.file()))
    entry = _entry(one, root)
    before = _read(file)
    after = _toml(one, file, before, entry) if file.suffix == ".toml" else _json(one, file, before, entry)
    sys.stdout.write(f"{file}\n\n{_snippet(one, file, entry)}\n")
    if after == before:
        sys.stderr.write("whyzero: the file already says so; nothing to do.\n")
    elif write:
        _replace(file, after)
        sys.stderr.write(f"whyzero: written. Restart {host}, and ask it for its MCP servers.\n")
    else:
        sys.stderr.write("whyzero: nothing was written. Run again with --write, or add the lines by hand.\n")
    return 0


def _entry(host: Host, root: Path) -> dict[str, Any]:
    """The program by its full path, because hosts with a window start it with a bare PATH."""
    arguments = ["-m", "whyzero", "serve", "--root", os.path.realpath(root)]
    return {**({"type": "stdio"} if host.typed else {}), "command": sys.executable, "args": arguments}


def _snippet(host: Host, file: Path, entry: Mapping[str, Any]) -> str:
    if file.suffix == ".toml":
        return _toml_table(host, entry)
    return json.dumps({host.key: {NAME: entry}}, indent=2, ensure_ascii=False) + "\n"


def _json(host: Host, file: Path, before: str, entry: Mapping[str, Any]) -> str:
    try:
        config = json.loads(before) if before.strip() else {}
    except ValueError:
        config = None
    servers = config.setdefault(host.key, {}) if isinstance(config, dict) else None
    if not isinstance(servers, dict):
        raise UsageError(_by_hand(host, file, entry, "it is no plain JSON object (perhaps it holds comments)"))
    if servers.setdefault(NAME, dict(entry)) != entry:
        raise UsageError(_by_hand(host, file, entry, f"its entry {NAME!r} says something else"))
    return before if before.strip() and json.loads(before) == config else json.dumps(config, indent=2, ensure_ascii=False) + "\n"


def _toml(host: Host, file: Path, before: str, entry: Mapping[str, Any]) -> str:
    """A table at the end; what stands before it stays as it is, comments too."""
    import tomllib

    try:
        servers = tomllib.loads(before).get(host.key, {})
        known = servers.get(NAME)
        after = before if known == entry else f"{before.rstrip()}\n\n{_toml_table(host, entry)}".lstrip()
        tomllib.loads(after)
    except (tomllib.TOMLDecodeError, AttributeError):
        known, after = None, ""
    if not after or known not in (None, entry):
        raise UsageError(_by_hand(host, file, entry, f"it cannot be read, or its entry {NAME!r} says something else"))
    return after


def _toml_table(host: Host, entry: Mapping[str, Any]) -> str:
    """JSON strings and lists of strings are TOML as well."""
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items()]
    return "\n".join([f"[{host.key}.{NAME}]", *lines, ""])


def _by_hand(host: Host, file: Path, entry: Mapping[str, Any], why: str) -> str:
    elsewhere = "Run this in the folder that you open in the host, or add" if host.project else "Add"
    return f"{str(file)!r} is left as it is: {why}. {elsewhere} these lines by hand:\n\n{_snippet(host, file, entry)}"


def _read(file: Path) -> str:
    from whyzero.readers.files import Folder

    if not file.exists():
        return ""
    text = Folder(file.parent).text(file.name, CONFIG_LIMIT)
    if text is None or file.stat().st_size > CONFIG_LIMIT:
        raise PathRefusedError(f"{str(file)!r} cannot be read as a file. Look whether it is one that you may read.")
    return text


def _replace(file: Path, text: str) -> None:
    """All or nothing, with the permissions there were."""
    beside = file.with_name(f".{file.name}.whyzero")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        if file.exists():
            beside.chmod(file.stat().st_mode)
        beside.replace(file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise PathRefusedError(
            f"{str(file)!r} cannot be written ({os.strerror(error.errno or 0).lower()}). "
            "Change its permissions, or add the lines above by hand."
        ) from None
