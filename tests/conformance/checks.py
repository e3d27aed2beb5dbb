"""What is checked, by whom, and what counts as passed."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from checkers import CLAUDE, GEMINI, ROOT, node_tool, python_tool, run, server_tool, whyzero

Check = Callable[[Path], str]
"""Takes a scratch folder, answers with what was measured, and raises Failed."""

REVISIONS = ("2025-11-25", "2026-07-28")
GAUNTLET = 95.0
EXPECTED_FAILURES = Path(__file__).parent / "expected_failures"


class Failed(Exception):
    """The check was made and not passed."""


# ---- the official suite


@contextmanager
def served(*flags: str) -> Iterator[str]:
    """Address of a server of the suite's, gone afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = [sys.executable, str(Path(__file__).parent / "fixture_server.py"), str(port), *flags]
    process = subprocess.Popen(script, env={"PYTHONPATH": str(ROOT / "server")}, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        else:
            raise Failed("the server did not start")
        yield f"http://localhost:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


def suite(revision: str, fixtures: bool, scratch: Path) -> str:
    """All scenarios that the revision requires of a server; on the real one those that need no fixture.

    Several of them wait fractions of a second for an answer, so on a busy machine a second try is made.
    """
    try:
        return _suite(revision, fixtures, scratch / "first")
    except Failed as first:
        said = f"{_suite(revision, fixtures, scratch / 'second')}; at the second try, the first said: {first}"
        return said.replace("\n", ", ")


def _suite(revision: str, fixtures: bool, results: Path) -> str:
    expected = [] if fixtures else ["--expected-failures", str(EXPECTED_FAILURES / f"{revision}.yml")]
    program = node_tool("@modelcontextprotocol/conformance", "conformance")
    with served(*(["--fixtures"] if fixtures else [])) as url:
        command = [*program, "server", "--url", url, "--requirements", revision, "--output-dir", str(results), *expected]
        code, said = run(command)
    scored, _, not_scored = said.partition("\nNot scored")
    passed = len(re.findall(r"^✓", scored, flags=re.M))
    if code or not passed:
        unscored = set(re.findall(r"✗ (\S+) \(", not_scored))
        wrong = [
            name for name in re.findall(r"^\s*✗ ([^\s:]+)", said.partition("=== SUMMARY")[2], flags=re.M) if name not in unscored
        ]
        raise Failed(", ".join(dict.fromkeys(wrong)) or said[-2000:])
    return f"{passed} scenarios passed" + ("" if fixtures else ", those that need no fixture")


# ---- the Inspector and the linters of servers


def runs_folder(scratch: Path) -> Path:
    """Runs to be asked about. One is called `test`: that is what the gauntlet sends for a text."""
    for name in ("harbor-job", "test"):
        shutil.copytree(ROOT / "examples" / "harbor-job", scratch / name)
    return scratch


def inspector(scratch: Path) -> str:
    """Schemas portable in both eras, and a call through a client that is not the SDK's."""
    program = [*node_tool("@modelcontextprotocol/inspector", "mcp-inspector"), "--cli"]
    server = [whyzero(), "serve", "--root", str(runs_folder(scratch))]
    said = []
    for era in ("legacy", "modern"):
        code, output = run([*program, *server, "--method", "tools/list", "--strict", "--protocol-era", era])
        found = re.search(r"(\d+) errors?, (\d+) warnings?", output)
        if code or (found and (found[1], found[2]) != ("0", "0")):
            raise Failed(f"{era}: {output[-1500:]}")
        said.append(era)
    call = [
        "--method",
        "tools/call",
        "--tool-name",
        "locate_failed_phase",
        "--tool-arg",
        "path=harbor-job",
        "--format",
        "json",
        "-q",
    ]
    code, output = run([*program, *server, *call])
    if code or '"cause":"rate_limited"' not in output.replace(" ", ""):
        raise Failed(output[-1500:])
    return f"--strict without a warning in both eras ({', '.join(said)}); a call answered"


def skills_over_mcp(scratch: Path) -> str:
    """The skills extension, by its own verifier."""
    program = [*node_tool("@modelcontextprotocol/inspector", "mcp-inspector"), "--cli"]
    server = [whyzero(), "serve", "--root", str(scratch)]
    verify = ["--protocol-era", "modern", "--method", "skills/list", "--verify", "--require-digests"]
    code, output = run([*program, *server, *verify])
    if code:
        raise Failed(output[-1500:])
    return "skills/list verified with digests"


def quality(scratch: Path) -> str:
    """mcp-quality, grade A."""
    server = f"{whyzero()} serve --root {runs_folder(scratch)}"
    code, output = run([server_tool("mcp-quality"), "run", server, "--security", "--safety", "--fail-under", "A"])
    score = re.search(r"MCP Quality Score\s+(\d+)\s+Grade (\S+)", output)
    if code or not score or score[2] != "A":
        raise Failed(output[-2500:])
    return f"{score[1]}, grade {score[2]}"


def gauntlet(scratch: Path) -> str:
    """mcp-gauntlet, 95 or more, without a model."""
    server = f"{whyzero()} serve --root {runs_folder(scratch / 'runs')}"
    program = [server_tool("mcp-gauntlet"), "run", server, "--no-agentic", "-o", str(scratch / "out")]
    code, output = run([*program, "--fail-under", str(GAUNTLET)], cwd=scratch)
    report = scratch / "out" / "report.json"
    score = json.loads(report.read_text())["overall_score"] if report.is_file() else 0.0
    if code or score < GAUNTLET:
        raise Failed(output[-2500:])
    return f"{score:.1f}"


# ---- skills and packages


def committed(scratch: Path) -> Path:
    """The tree as a clone would have it: nothing that git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, scratch / name)
    return scratch


def skills(scratch: Path) -> str:
    """The open specification of skills, by its two validators."""
    folders = sorted(path.parent for path in (ROOT / "skills").glob("*/SKILL.md"))
    for program in (node_tool("skills-ref", "skills-ref"), [python_tool("agentskills")]):
        for folder in folders:
            code, output = run([*program, "validate", str(folder)])
            if code:
                raise Failed(output[-1000:])
    return f"{len(folders)} valid, by skills-ref and agentskills"


def agnix(scratch: Path) -> str:
    """Skills, plugin and server entries, as several assistants read them."""
    code, output = run([python_tool("agnix"), "--strict", "."], cwd=committed(scratch))
    found = re.search(r"Found (\d+) errors?, (\d+) warnings?", output)
    if code or found is None or found.groups() != ("0", "0"):
        raise Failed(output[-2000:])
    return "--strict: no error, no warning"


def manifests(scratch: Path) -> str:
    """Skills, plugins, marketplace, Agent Plugins, registry entry."""
    code, output = run([python_tool("skillsaw"), "lint", str(committed(scratch))])
    errors = re.search(r"Errors:\s+(\d+)\s+Warnings:\s+(\d+)", output)
    if code or not errors or (errors[1], errors[2]) != ("0", "0"):
        raise Failed(output[-3000:])
    kinds = re.search(r"Repo type: (.+)", output)
    return f"no error, no warning: {kinds[1] if kinds else ''}"


def bundle(scratch: Path) -> str:
    """Validated, packed, unpacked, and its server started by uv as the host starts it."""
    program, uv = node_tool("@anthropic-ai/mcpb", "mcpb"), python_tool("uv")
    tree, packed, unpacked = committed(scratch / "tree"), scratch / "whyzero.mcpb", scratch / "unpacked"
    for command in ([*program, "validate", str(tree / "manifest.json")], [*program, "pack", str(tree), str(packed)]):
        code, output = run(command)
        if code:
            raise Failed(output[-1500:])
    zipfile.ZipFile(packed).extractall(unpacked)
    configured = json.loads((unpacked / "manifest.json").read_text())["server"]["mcp_config"]
    runs = runs_folder(scratch / "runs")
    filled = [
        word.replace("${__dirname}", str(unpacked)).replace("${user_config.runs}", str(runs)) for word in configured["args"]
    ]
    inspector = [*node_tool("@modelcontextprotocol/inspector", "mcp-inspector"), "--cli", uv, *filled]
    run([uv, *filled[: filled.index("whyzero")], "whyzero", "--version"])  # dependencies, before a client waits for an answer
    code, output = run([*inspector, "--method", "tools/list"])
    if code or '"classify_zero"' not in output:
        raise Failed(output[-1500:])
    return f"valid, {packed.stat().st_size // 1024} KiB, started from the unpacked bundle"


def uvx(scratch: Path) -> str:
    """The built wheel, started in an environment made for it."""
    uv, tree = python_tool("uv"), committed(scratch / "tree")
    code, output = run([uv, "build", "--wheel", "--out-dir", str(scratch / "dist"), str(tree)])
    wheels = list((scratch / "dist").glob("*.whl"))
    if code or not wheels:
        raise Failed(output[-1500:])
    start = [uv, "tool", "run", "--isolated", "--from", str(wheels[0]), "whyzero"]
    code, output = run([*start, "diagnose", str(ROOT / "examples" / "harbor-job"), "--json"], cwd=scratch)
    if code != 1 or '"cause": "rate_limited"' not in output:
        raise Failed(output[-1500:])
    return "uvx --from WHEEL whyzero diagnose"


# ---- hosts


def claude(scratch: Path) -> str:
    """Claude Code: plugin valid, installed from a marketplace, its server and one added by hand connected."""
    program = node_tool("@anthropic-ai/claude-code", "claude", CLAUDE)
    tree, home, project = committed(scratch / "tree"), scratch / "home", scratch / "project"
    for folder in (home, project):
        folder.mkdir()
    steps = [
        ["plugin", "validate", "--strict", str(tree)],
        ["plugin", "marketplace", "add", str(tree)],
        ["plugin", "install", "whyzero@whyzero"],
        ["mcp", "add", "by-hand", "--", whyzero(), "serve", "--root", str(project)],
    ]
    for step in steps:
        code, output = run([*program, *step], cwd=project, home=home)
        if code:
            raise Failed(f"claude {' '.join(step[:2])}: {output[-1000:]}")
    start = json.loads((tree / ".mcp.json").read_text())["mcpServers"]["whyzero"]["args"]
    ready = [word.replace("${CLAUDE_PLUGIN_ROOT}", str(tree)) for word in start[: start.index("whyzero")]]
    run([python_tool("uv"), *ready, "whyzero", "--version"], home=home)  # dependencies, before a client waits for an answer
    code, output = run([*program, "mcp", "list"], cwd=project, home=home)
    connected = re.findall(r"^(\S+): .*Connected$", output, flags=re.M)
    if code or sorted(connected) != ["by-hand", "plugin:whyzero:whyzero"]:
        raise Failed(output[-1500:])
    return "plugin valid (--strict) and installed; mcp list: 2 connected"


def gemini(scratch: Path) -> str:
    """Gemini CLI: extension valid."""
    program = node_tool("@google/gemini-cli", "gemini", GEMINI)
    (scratch / "home").mkdir()
    code, output = run([*program, "extensions", "validate", str(committed(scratch / "tree"))], home=scratch / "home")
    if code or "successfully validated" not in output:
        raise Failed(output[-1500:])
    return "extension valid"


CHECKS: dict[str, Check] = {
    **{f"conformance {revision}, fixtures on the real server": partial(suite, revision, True) for revision in REVISIONS},
    **{f"conformance {revision}, the server as it is": partial(suite, revision, False) for revision in REVISIONS},
    "MCP Inspector": inspector,
    "MCP Inspector, skills over MCP": skills_over_mcp,
    "mcp-quality": quality,
    "mcp-gauntlet": gauntlet,
    "skills-ref": skills,
    "skillsaw": manifests,
    "agnix": agnix,
    "MCP bundle": bundle,
    "uvx": uvx,
    "Claude Code": claude,
    "Gemini CLI": gemini,
}
