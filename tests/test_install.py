"""`whyzero install`: shows by default, adds with --write, and never takes anything away."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import whyzero
from whyzero.cli.install import HOSTS

FILES = {
    "claude-code": "project/.mcp.json",
    "codex": "home/.codex/config.toml",
    "cursor": "home/.cursor/mcp.json",
    "gemini-cli": "home/.gemini/settings.json",
    "vscode": "project/.vscode/mcp.json",
}
"""Claude Desktop's depends on the system."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("home", "project", "runs"):
        (tmp_path / name).mkdir()
    return tmp_path


def install(place: Path, host: str, *more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(place / "home"), "PYTHONPATH": str(Path(whyzero.__file__).parent.parent)}
    environment.pop("CODEX_HOME", None)
    return subprocess.run(
        [sys.executable, "-m", "whyzero", "install", host, "--root", str(place / "runs"), *more],
        cwd=place / "project",
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def arguments(place: Path) -> list[str]:
    return ["-m", "whyzero", "serve", "--root", str(place / "runs")]


def test_every_host_is_tried() -> None:
    assert set(HOSTS) == {*FILES, "claude-desktop"}


@pytest.mark.parametrize("host", HOSTS)
def test_without_write_it_shows_and_touches_nothing(host: str, place: Path) -> None:
    done = install(place, host)
    assert done.returncode == 0, done.stderr
    file, _, snippet = done.stdout.partition("\n\n")
    assert str(place / FILES[host]) == file if host in FILES else file.endswith("claude_desktop_config.json")
    assert "nothing was written" in done.stderr
    parsed = tomllib.loads(snippet) if file.endswith(".toml") else json.loads(snippet)
    assert parsed[HOSTS[host].key]["whyzero"]["args"] == arguments(place)
    assert [path for path in place.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("host", [host for host in FILES if host != "codex"])
def test_what_is_there_stays(host: str, place: Path) -> None:
    file = place / FILES[host]
    file.parent.mkdir(parents=True, exist_ok=True)
    key = HOSTS[host].key
    file.write_text(json.dumps({"theme": "dunkel – ä", key: {"other": {"command": "x", "args": ["--a"]}}, "last": [1, None]}))
    file.chmod(0o600)
    assert install(place, host, "--write").returncode == 0
    after = json.loads(file.read_text(encoding="utf-8"))
    entry = after[key].pop("whyzero")
    assert after == {"theme": "dunkel – ä", key: {"other": {"command": "x", "args": ["--a"]}}, "last": [1, None]}
    assert list(after) == ["theme", key, "last"]
    assert (entry["command"], entry["args"]) == (sys.executable, arguments(place))
    assert entry.get("type") == ("stdio" if host == "vscode" else None)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir() if path.is_file()] == [file.name]


def test_comments_of_codex_stay(place: Path) -> None:
    file = place / FILES["codex"]
    file.parent.mkdir()
    before = '# mine\nmodel = "gpt-5"  # keep\n\n[mcp_servers.other]\ncommand = "x"\n'
    file.write_text(before)
    assert install(place, "codex", "--write").returncode == 0
    after = file.read_text()
    assert after.startswith(before)
    assert tomllib.loads(after)["mcp_servers"] == {
        "other": {"command": "x"},
        "whyzero": {"command": sys.executable, "args": arguments(place)},
    }


@pytest.mark.parametrize("host", FILES)
def test_twice_is_once(host: str, place: Path) -> None:
    install(place, host, "--write")
    first = (place / FILES[host]).read_text()
    done = install(place, host, "--write")
    assert (done.returncode, (place / FILES[host]).read_text()) == (0, first)
    assert "already says so" in done.stderr


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("cursor", '{"mcpServers": {"whyzero": {"command": "mine"}}}'),
        ("vscode", '{ // my servers\n "servers": {} }'),
        ("gemini-cli", '{"mcpServers": []}'),
        ("claude-code", "[1, 2]"),
        ("cursor", '{"mcpServers": {'),
        ("codex", '[mcp_servers.whyzero]\ncommand = "mine"\n'),
        ("codex", 'mcp_servers = "none"\n'),
        ("codex", 'mcp_servers = { other = { command = "x" } }\n'),
        ("codex", "[broken"),
    ],
)
def test_what_cannot_be_added_to_safely_is_left_alone(host: str, text: str, place: Path) -> None:
    file = place / FILES[host]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    done = install(place, host, "--write")
    assert done.returncode == 2
    assert "by hand" in done.stderr
    assert "whyzero" in done.stderr
    assert ("Run this in the folder that you open in the host, or add" in done.stderr) == (host in ("claude-code", "vscode"))
    assert file.read_text() == text


def test_a_linked_config_is_written_where_it_lies(place: Path) -> None:
    real = place / "dotfiles.json"
    real.write_text('{"a": 1}')
    link = place / FILES["cursor"]
    link.parent.mkdir()
    link.symlink_to(real)
    assert install(place, "cursor", "--write").returncode == 0
    assert link.is_symlink()
    assert set(json.loads(real.read_text())) == {"a", "mcpServers"}


def test_a_folder_that_is_not_there_is_no_root(place: Path) -> None:
    done = install(place, "cursor", "--root", str(place / "nowhere"))
    assert done.returncode == 2
    assert "there is no folder" in done.stderr
