"""An eval run asked for over MCP: the user sees exactly what would start, and a no is a no; progress, and an end with the call."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestParams, ElicitResult

from whyzero.mcp_server import build_server

pytestmark = pytest.mark.anyio

PROGRAM = """#!/bin/sh
[ "$1" = --version ] && echo "osmosis-ai version 0.3.8" && exit
echo "$@" >> "{folder}/ran"
echo $$ >> "{folder}/pids"
trap 'echo interrupted >> "{folder}/ran"; exit 130' INT
[ -e "{folder}/slow" ] && sleep 60 & wait
exit 3
"""


class User:
    """Answers what the client is asked to show, and remembers it."""

    def __init__(self, action: str = "accept", start: bool = True) -> None:
        self.action, self.start = action, start
        self.asked: list[str] = []

    async def __call__(self, context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        content = {"start": self.start} if self.action == "accept" else None
        return ElicitResult(action=self.action, content=content)  # type: ignore[arg-type]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the workspace and a program of that name, first on PATH, that notes how it was called."""
    shutil.copytree(Path(__file__).parents[2] / "examples" / "osmosis-workspace", tmp_path / "workspace")
    program = tmp_path / "bin" / "osmosis"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(folder=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def asked(bench: Path, **changes: Any) -> dict[str, Any]:
    config = next((bench / "workspace/configs/eval").glob("*.toml")).relative_to(bench / "workspace").as_posix()
    run = {"config": config, "rows": [0, 2], "attempts": 1, "model": "", "timeout_s": 30, "authorized": True} | changes
    return {"before": ".", "run": run}


def ran(bench: Path) -> list[str]:
    return (bench / "ran").read_text().splitlines() if (bench / "ran").exists() else []


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_user_is_asked_with_the_exact_command_and_then_it_is_started(bench: Path, mode: Any) -> None:
    user = User()
    server = build_server([bench / "workspace"], allow_programs=True)
    async with Client(server, mode=mode, elicitation_callback=user) as client:
        answer = await client.call_tool("verify_fix", asked(bench))
    assert len(user.asked) == 1
    assert "Rows: 0, 2. Attempts each: 1. Model: openai/policy." in user.asked[0]
    started = ran(bench)
    assert len(started) == 1
    assert user.asked[0].endswith(f"osmosis {started[0]}")
    assert answer.structured_content is not None
    assert answer.structured_content["command"] == f"osmosis {started[0]}"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    "user", [User("decline"), User("cancel"), User("accept", start=False)], ids=["declined", "cancelled", "no"]
)
async def test_a_no_starts_nothing(bench: Path, mode: Any, user: User) -> None:
    server = build_server([bench / "workspace"], allow_programs=True)
    async with Client(server, mode=mode, elicitation_callback=user) as client:
        answer = await client.call_tool("verify_fix", asked(bench))
    assert ran(bench) == []
    assert answer.structured_content is not None
    assert answer.structured_content["verdict"] == "inconclusive"
    assert answer.structured_content["cost_note"].endswith("The user was asked and did not agree: nothing was started.")
    assert answer.structured_content["command"].startswith("osmosis eval run ")


@pytest.mark.parametrize(
    "content", [{"start": "yes"}, {"start": "true"}, {"start": 1}, {"start": None}, {}, {"Start": True}, {"start": "no"}], ids=str
)
async def test_only_true_is_a_yes(bench: Path, content: dict[str, Any]) -> None:
    async def careless(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        return ElicitResult(action="accept", content=content)

    async with Client(build_server([bench / "workspace"], allow_programs=True), elicitation_callback=careless) as client:
        answer = await client.call_tool("verify_fix", asked(bench))
    assert ran(bench) == []
    assert answer.structured_content is not None
    assert answer.structured_content["cost_note"].endswith("The user was asked and did not agree: nothing was started.")


@pytest.mark.parametrize(
    ("allowed", "changes"),
    [
        (True, {"authorized": False}),
        (True, {"authorized": "true"}),
        (True, {"authorized": 1}),
        (True, {"authorized": None}),
        (False, {}),
    ],
)
async def test_nobody_is_asked_about_what_would_not_be_started(bench: Path, allowed: bool, changes: dict[str, Any]) -> None:
    user = User()
    async with Client(build_server([bench / "workspace"], allow_programs=allowed), elicitation_callback=user) as client:
        answer = await client.call_tool("verify_fix", asked(bench, **changes))
    assert user.asked == []
    assert ran(bench) == []
    assert not answer.is_error


@pytest.mark.parametrize(
    ("changes", "says"), [({"attempts": 7}, "Make them agree"), ({"rows": []}, "run.rows"), ({"sudo": 1}, "run knows no")]
)
async def test_what_cannot_be_run_is_refused_before_anybody_is_asked(bench: Path, changes: dict[str, Any], says: str) -> None:
    user = User()
    async with Client(build_server([bench / "workspace"], allow_programs=True), elicitation_callback=user) as client:
        answer = await client.call_tool("verify_fix", asked(bench, **changes))
    assert answer.is_error
    assert says in answer.content[0].text  # type: ignore[union-attr]
    assert user.asked == []
    assert ran(bench) == []


async def test_a_client_that_cannot_ask_runs_what_was_authorized_and_allowed(bench: Path) -> None:
    async with Client(build_server([bench / "workspace"], allow_programs=True)) as client:
        await client.call_tool("verify_fix", asked(bench))
    assert len(ran(bench)) == 1


async def test_a_run_reports_progress_and_ends_with_its_call(bench: Path) -> None:
    (bench / "slow").touch()
    told: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async with Client(build_server([bench / "workspace"], allow_programs=True)) as client:
        with pytest.raises(MCPError, match=r"(?i)timed out"):
            await client.call_tool("verify_fix", asked(bench), progress_callback=progress, read_timeout_seconds=3)
        with anyio.fail_after(25):
            while alive(bench):
                await anyio.sleep(0.1)
    assert told
    assert {(total, message) for _, total, message in told} == {(30, "seconds of the run")}


def alive(bench: Path) -> list[int]:
    pids = [int(line) for line in (bench / "pids").read_text().split()]
    return [pid for pid in pids if Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]]


async def test_the_question_is_no_argument_of_the_tool(bench: Path) -> None:
    async with Client(build_server([bench / "workspace"], allow_programs=True)) as client:
        tool = next(tool for tool in (await client.list_tools()).tools if tool.name == "verify_fix")
        forged = await client.call_tool("verify_fix", asked(bench) | {"consent": {"start": True}})
    assert "consent" not in json.dumps(tool.input_schema)
    assert forged.is_error
    assert ran(bench) == []


async def test_a_question_to_the_platform_ends_with_its_call(bench: Path) -> None:
    (bench / "slow").touch()
    server = build_server([bench / "workspace"], allow_programs=True, allow_network=True)
    managed = {"kind": "eval", "name": "night", "workspace": "."}
    async with Client(server) as client:
        with pytest.raises(MCPError, match=r"(?i)timed out"):
            await client.call_tool("locate_failed_phase", {"managed": managed}, read_timeout_seconds=3)
        with anyio.fail_after(10):
            while alive(bench):
                await anyio.sleep(0.1)
    assert ran(bench) == ["--json eval info -- night"]
