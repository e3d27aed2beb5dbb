"""What a client sees when it asks for what is not there, and when whyzero itself fails."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

import whyzero.readers
from mcp_server.conftest import connected, parameters
from mcp_server.hostile import INJECTION, SECRETS
from whyzero.errors import UnknownFormatError
from whyzero.mcp_server import build_server
from whyzero.model import Run, Spot, Trial

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_unknown_tool_is_answered_with_the_tools_there_are(mode: str, tmp_path: Path) -> None:
    async with Client(build_server([tmp_path]), mode=mode) as client:
        for name in ("record_score", INJECTION * 1000):
            answer = await client.call_tool(name, {})
            assert answer.is_error
            text = answer.content[0].text  # type: ignore[union-attr]
            assert text.startswith("There is no tool `")
            assert "The tools are: locate_failed_phase, classify_zero" in text
            assert len(text) < 600
            assert "\x1b" not in text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_bug_shows_where_on_stderr_and_nothing_of_the_log_anywhere(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(path: Path, error: str | None = None) -> None:
        raise ValueError(f"cannot parse {SECRETS[0]}")

    monkeypatch.setattr(whyzero.readers, "open_run", broken)
    with caplog.at_level(logging.DEBUG):
        async with Client(build_server([tmp_path]), mode=mode) as client:
            answer = await client.call_tool("classify_zero", {"path": "."})
    assert answer.is_error
    assert answer.content[0].text.startswith("whyzero itself failed on this call; the server goes on.")  # type: ignore[union-attr]
    assert SECRETS[0] not in str(answer)
    assert SECRETS[0] not in caplog.text
    assert "classify_zero failed: ValueError at" in caplog.text
    assert "test_errors.py" in caplog.text


async def test_a_planned_refusal_is_cleaned_and_bounded_whoever_wrote_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, error: str | None = None) -> None:
        raise UnknownFormatError(f"Nothing known lies at {SECRETS[0]} {INJECTION}" + "x" * 5000)

    monkeypatch.setattr(whyzero.readers, "open_run", refused)
    async with Client(build_server([tmp_path])) as client:
        text = (await client.call_tool("locate_failed_phase", {"path": "."})).content[0].text  # type: ignore[union-attr]
    assert text.startswith("Nothing known lies at [REDACTED]")
    assert len(text) <= 600
    assert "\x1b" not in text


@pytest.mark.parametrize(("name", "steps"), [("monday", [{"path": "monday"}]), ("mon\u202eday\x1b[2J", [])])
async def test_a_name_that_cannot_be_sent_back_is_no_next_step(
    name: str, steps: list[dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder found on disk may be called anything; a step that names it would carry its characters to a terminal."""
    trial = Trial(id="t", task="sum-numbers", spot=Spot("result.json"))

    def found(path: Path, error: str | None = None) -> Run:
        return Run(root=path / name, name=name, format="harbor", read_trials=lambda: iter([trial]))

    monkeypatch.setattr(whyzero.readers, "open_run", found)
    async with Client(build_server([tmp_path])) as client:
        answer = await client.call_tool("locate_failed_phase", {"path": "."})
    assert answer.structured_content is not None
    assert [step["arguments"] for step in answer.structured_content["next_steps"]] == steps


LEAKY = f"""
import logging, pathlib, sys
import whyzero.readers
from whyzero.mcp_server import build_server, serve

def open_run(path, error=None):
    print("stray stdout print")
    logging.getLogger("library").error("key %s\\x1b[31m", "{SECRETS[0]}")
    raise ValueError("{SECRETS[1]}")

whyzero.readers.open_run = open_run
serve(build_server([pathlib.Path(sys.argv[1])]))
"""


async def test_stderr_holds_no_secret_and_no_control_character(tmp_path: Path) -> None:
    async with connected(tmp_path, stderr=tmp_path / "stderr", code=LEAKY) as client:
        assert (await client.call_tool("classify_zero", {"path": "."})).is_error
    said = (tmp_path / "stderr").read_text()
    assert "ERROR library: key [REDACTED]" in said
    assert "ERROR whyzero: classify_zero failed: ValueError at" in said
    assert not [secret for secret in SECRETS if secret in said]
    assert "\x1b" not in said


async def test_stdout_carries_nothing_but_messages(tmp_path: Path) -> None:
    """Garbage on the wire is survived, and a stray print of a library never gets onto it, not even at the end."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [
        "this is no JSON",
        "\x00\x01\x02",
        "[" * 5000,
        '{"jsonrpc": "2.0", "id": "\\ud800", "method": "tools/list"}',
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "no/such/method", "params": {}}),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "classify_zero"}}),
        json.dumps(_call(4, "classify_zero", {"path": "."})),
    ]
    command = parameters(tmp_path, code=LEAKY)
    with subprocess.Popen(
        [command.command, *command.args], env=command.env, cwd=tmp_path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("\n".join(lines) + "\n")
        server.stdin.flush()
        answers: dict[Any, Any] = {}
        while {1, 2, 3, 4} - answers.keys():
            message = json.loads(server.stdout.readline())
            answers[message.get("id")] = message
        out, err = server.communicate(timeout=20)
    assert answers[1]["result"]["serverInfo"]["name"] == "whyzero"
    assert answers[2]["error"]["code"] == -32601
    assert answers[3]["result"]["content"][0]["text"].startswith("`path` is required.")
    assert answers[4]["result"]["isError"] is True
    assert "stray stdout print" not in out
    assert "stray stdout print" in err
    assert server.returncode == 0


def _call(number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_unknown_prompt_and_resource_are_refused_without_an_echo(mode: str, tmp_path: Path) -> None:
    async with Client(build_server([tmp_path]), mode=mode) as client:
        with pytest.raises(MCPError) as prompt:
            await client.get_prompt(INJECTION * 100)
        with pytest.raises(MCPError) as resource:
            await client.read_resource("whyzero://causes/no_such_cause")
    assert "\x1b" not in str(prompt.value)
    assert len(str(prompt.value)) < 600
    assert len(str(resource.value)) < 600


def test_a_wrong_root_is_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    command = parameters(tmp_path)
    run = subprocess.run(
        [sys.executable, "-m", "whyzero", "serve", "--root", "/"], env=command.env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr == "whyzero: The whole disk is no root. Name the folder that holds your runs with --root.\n"
