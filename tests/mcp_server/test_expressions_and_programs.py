"""An expression that never ends does not hold the server up, and a program runs only where the server allows it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from mcp_server.jobs import write_job
from whyzero.mcp_server import build_server, work

pytestmark = pytest.mark.anyio

NAMES = ("sum-numbers__aaaaaaa", "sum-numbers__bbbbbbb")
KEY = [{"id": 1, "total": 10}, {"id": 2, "total": 20}]
ENDLESS = r"(1+)+$"
ASKED: dict[str, Any] = {"paths": ["job"], "oracle": "key.json", "key": ["id"], "corpus": "corpus"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_job(tmp_path / "job", {name: {"verifier_result": {"rewards": {"reward": 0.5}}} for name in NAMES})
    for name in NAMES:
        (tmp_path / "job" / name / "verifier" / "submitted-totals.json").write_text(json.dumps(KEY[:1]))
    (tmp_path / "key.json").write_text(json.dumps(KEY))
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "ledger.txt").write_text("1" * 60 + "!\nentry 2: 20\n")
    return tmp_path


def children() -> list[str]:
    """Processes started by this one that are still at work."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if parent == str(os.getpid()) and state != "Z":
            found.append(name)
    return found


async def test_an_endless_expression_is_stopped_while_others_are_answered(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "DEADLINE", 4)
    said: list[str] = []

    async with Client(build_server([root])) as client:

        async def endless() -> None:
            answer = await client.call_tool("partition_disputed_rows", {**ASKED, "rule": ENDLESS, "wide": "."})
            said.append(answer.content[0].text)  # type: ignore[union-attr]

        async with anyio.create_task_group() as group:
            group.start_soon(endless)
            await anyio.sleep(1.5)
            start = time.monotonic()
            assert not (await client.call_tool("locate_failed_phase", {"path": "job"})).is_error
            assert time.monotonic() - start < 2
            assert said == []
    assert said[0].startswith("This took longer than 4 seconds and was stopped. Simplify `rule`, `wide` and `rules`")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes in /proc")
async def test_a_cancelled_call_leaves_no_process_behind(root: Path) -> None:
    async with Client(build_server([root])) as client:
        before = children()
        with pytest.raises(MCPError, match=r"(?i)timed out"):
            await client.call_tool("partition_disputed_rows", {**ASKED, "rule": ENDLESS, "wide": "."}, read_timeout_seconds=2)
        await anyio.sleep(0.5)
        assert children() == before


async def test_the_process_starts_no_workers_that_would_outlive_it() -> None:
    asked = partial(eval, "__import__('multiprocessing').current_process().daemon")
    assert await work.apart(anyio.CapacityLimiter(1), asked) is True


@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="needs SIGALRM")
async def test_the_process_ends_by_itself_where_nobody_ends_it() -> None:
    left = await work.apart(anyio.CapacityLimiter(1), partial(eval, "__import__('signal').alarm(0)"))
    assert left == work.DEADLINE + 5


async def test_the_process_is_bound_to_the_roots_too(root: Path) -> None:
    """A search that climbs from the trial finds no job around it, and a link in the source leads nowhere."""
    trial = root / "job" / NAMES[0]
    (trial / "key.json").write_text(json.dumps(KEY))
    (root / "corpus" / "away.txt").symlink_to("/etc/passwd")
    asked = {**ASKED, "paths": ["."], "corpus": str(root / "corpus"), "rule": "entry", "wide": "."}
    async with Client(build_server([trial, root / "corpus"])) as client:
        answer = await client.call_tool("partition_disputed_rows", asked)
        assert answer.structured_content is not None
        assert [run["name"] for run in answer.structured_content["runs"]] == [NAMES[0]]
        assert "root:" not in str(answer)
        outside = await client.call_tool("partition_disputed_rows", asked | {"oracle": str(root / "key.json")})
        assert outside.is_error


SCORER = """
import json, pathlib, sys
pathlib.Path(__file__).with_name("ran").touch()
print(json.dumps({"reward": 0.5}))
"""


@pytest.mark.parametrize("allowed", [False, True])
async def test_a_program_runs_only_where_the_server_allows_it(root: Path, allowed: bool) -> None:
    scorer = root / "scorer.py"
    scorer.write_text(SCORER)
    asked = {name: value for name, value in ASKED.items() if name != "corpus"} | {"scorer": [sys.executable, str(scorer)]}
    async with Client(build_server([root], allow_programs=allowed)) as client:
        answer = await client.call_tool("partition_disputed_rows", asked)
    assert answer.is_error is not allowed
    assert (root / "ran").exists() is allowed
    if allowed:
        assert answer.structured_content is not None
        assert answer.structured_content["regrade"]["validated"] is True
    else:
        assert "whyzero serve --allow-programs" in answer.content[0].text  # type: ignore[union-attr]


OSMOSIS = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/ran"
echo "osmosis-ai version 0.3.8"
[ "$1" = "--version" ] || exit 3
"""


def _fake_osmosis(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts a program of that name first on PATH; returns the file in which it notes how it was called."""
    program = folder / "bin" / "osmosis"
    program.parent.mkdir()
    program.write_text(OSMOSIS)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return program.parent / "ran"


RERUN = {"config": "configs/eval/arith.toml", "rows": [0], "attempts": 1, "model": "", "authorized": True}


@pytest.mark.parametrize("allowed", [False, True])
async def test_an_authorized_eval_run_starts_only_where_the_server_allows_it(
    allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = shutil.copytree(Path(__file__).parents[2] / "examples" / "osmosis-workspace", tmp_path / "workspace")
    ran = _fake_osmosis(tmp_path, monkeypatch)
    config = next((workspace / "configs" / "eval").glob("*.toml")).relative_to(workspace).as_posix()
    async with Client(build_server([workspace], allow_programs=allowed)) as client:
        answer = await client.call_tool("verify_fix", {"before": ".", "run": {**RERUN, "config": config}})
    assert ran.exists() is allowed
    if not allowed:
        assert answer.structured_content is not None
        assert answer.structured_content["verdict"] == "inconclusive"
        assert answer.structured_content["command"].startswith(f"osmosis eval run {config} --rows 0 ")
        assert answer.structured_content["cost_note"].endswith("run the command yourself.")


@pytest.mark.parametrize("flags", [(), ("allow_network",), ("allow_programs",), ("allow_network", "allow_programs")])
async def test_the_platform_is_asked_only_with_both_permissions_and_only_to_read(
    flags: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = shutil.copytree(Path(__file__).parents[2] / "examples" / "osmosis-workspace", tmp_path / "workspace")
    ran = _fake_osmosis(tmp_path, monkeypatch)
    async with Client(build_server([workspace], **dict.fromkeys(flags, True))) as client:  # type: ignore[arg-type]
        asked = {"managed": {"kind": "eval", "name": "nightly", "workspace": "."}}
        answer = await client.call_tool("locate_failed_phase", asked)
    if len(flags) < 2:
        assert answer.is_error
        assert not ran.exists()
    else:
        assert answer.structured_content is not None
        assert answer.structured_content["cause"] == "undetermined", "nothing was learned, which is not: nothing failed"
        assert len(answer.structured_content["problems"]) == 3
        commands = [line.removeprefix("--json ").split()[:2] for line in ran.read_text().splitlines()]
        assert commands[0] == ["--version"]
        assert {tuple(words) for words in commands[1:]} <= {("eval", "info"), ("eval", "logs"), ("rollout", "list")}


@pytest.mark.parametrize(
    ("allowed", "url", "says"),
    [
        ({}, "https://models.example.com", "This server asks loopback only."),
        ({"probe_hosts": ["models.example.com"]}, "https://models.example.com", "This server asks loopback only."),
        ({"allow_network": True}, "https://models.example.com", "Only loopback may be asked."),
        ({"allow_network": True}, "http://169.254.169.254/latest", "Only loopback may be asked."),
        ({"allow_network": True, "probe_hosts": ["models.example.com"]}, "http://models.example.com", "over https only"),
    ],
)
async def test_a_probe_goes_only_where_the_server_allows_it(allowed: dict[str, Any], url: str, says: str, tmp_path: Path) -> None:
    async with Client(build_server([tmp_path], **allowed)) as client:
        answer = await client.call_tool("probe_tool_roundtrip", {"base_url": url, "model": "m1"})
    assert answer.is_error
    assert says in answer.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("allowed", [False, True])
async def test_a_probe_of_a_closed_port_is_an_answer(allowed: bool, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    async with Client(build_server([tmp_path], allow_network=allowed)) as client:
        answer = await client.call_tool("probe_tool_roundtrip", {"base_url": f"http://127.0.0.1:{port}", "model": "m1"})
        schema = next(tool for tool in (await client.list_tools()).tools if tool.name == "probe_tool_roundtrip").output_schema
    assert answer.structured_content is not None
    assert answer.structured_content["verdict"] == "unreachable"
    assert schema is not None
    jsonschema.validate(answer.structured_content, schema)
