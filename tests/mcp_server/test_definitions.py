"""What a client is told before it asks anything: names, schemas, budgets. Snapshots show every change of it in review."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from mcp import Client
from mcp.types import Tool

from mcp_server.conftest import SOURCE
from whyzero.cli.app import COMMANDS
from whyzero.mcp_server import build_server

pytestmark = pytest.mark.anyio

PROJECT = Path(__file__).parents[2]
SNAPSHOTS = PROJECT / "tests" / "snapshots" / "tools"
DESCRIPTION_LIMIT, INSTRUCTIONS_LIMIT = 1000, 1500
PLAIN = ("protocol", "stream")
"""Arguments whose name and values say all."""
TOKENS = 2000
"""For the definitions of all tools, at four characters a token."""


@pytest.fixture(scope="module")
async def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tool]:
    async with Client(build_server([tmp_path_factory.mktemp("root")])) as client:
        return {tool.name: tool for tool in (await client.list_tools()).tools}


def definition(tool: Tool) -> dict[str, Any]:
    return tool.model_dump(mode="json", by_alias=True, exclude_none=True)


async def test_definitions_are_the_committed_ones(tools: dict[str, Tool]) -> None:
    """UPDATE_SNAPSHOTS=1 writes them anew."""
    now = {name: json.dumps(definition(tool), indent=2) + "\n" for name, tool in tools.items()}
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        SNAPSHOTS.mkdir(parents=True, exist_ok=True)
        for old in SNAPSHOTS.glob("*.json"):
            old.unlink()
        for name, text in now.items():
            (SNAPSHOTS / f"{name}.json").write_text(text)
    assert {path.stem: path.read_text() for path in SNAPSHOTS.glob("*.json")} == now


async def test_definitions_fit_the_budget(tools: dict[str, Tool]) -> None:
    size = {}
    for name, tool in tools.items():
        whole = definition(tool)
        size[name] = len(json.dumps({key: whole[key] for key in ("name", "description", "inputSchema")})) // 4
    print("\n".join(f"{tokens:5} tokens  {name}" for name, tokens in size.items()), f"\n{sum(size.values()):5} tokens in all")
    assert sum(size.values()) <= TOKENS


async def test_every_tool_says_what_it_is_and_what_it_is_not(tools: dict[str, Tool]) -> None:
    for name, tool in tools.items():
        assert tool.title, name
        assert tool.description, name
        assert len(tool.description) <= DESCRIPTION_LIMIT, name
        assert "Ask " in tool.description, f"{name}: when to use it"
        assert "not to " in tool.description, f"{name}: when not to use it"
        assert "  " not in tool.description, f"{name}: an indented docstring"


async def test_every_argument_is_described_and_no_other_is_taken(tools: dict[str, Tool]) -> None:
    for name, tool in tools.items():
        assert tool.input_schema["additionalProperties"] is False, name
        for argument, schema in tool.input_schema["properties"].items():
            assert schema.get("description") or argument in PLAIN, f"{name}.{argument}"
            assert not {"anyOf", "$ref"} & schema.keys(), f"{name}.{argument}: plain types travel best"


@pytest.mark.parametrize(
    ("allowed", "reach_out"),
    [
        ({}, ["probe_tool_roundtrip"]),
        ({"allow_network": True}, ["probe_tool_roundtrip"]),
        ({"allow_programs": True}, ["partition_disputed_rows", "verify_fix", "probe_tool_roundtrip"]),
        (
            {"allow_programs": True, "allow_network": True},
            ["locate_failed_phase", "partition_disputed_rows", "verify_fix", "probe_tool_roundtrip"],
        ),
    ],
)
async def test_a_tool_that_may_start_a_program_or_ask_a_provider_says_so(
    allowed: dict[str, bool], reach_out: list[str], tmp_path: Path
) -> None:
    async with Client(build_server([tmp_path], **allowed)) as client:  # type: ignore[arg-type]
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    for name, hint in hints.items():
        assert hint is not None, name
        assert hint.destructive_hint is False, name
        assert hint.read_only_hint is (name not in reach_out), name
        assert hint.idempotent_hint is (name not in reach_out), name
        assert hint.open_world_hint is (name in reach_out), name


async def test_every_output_field_is_described(tools: dict[str, Tool]) -> None:
    for name, tool in tools.items():
        schema = tool.output_schema
        assert schema is not None, name
        assert schema["type"] == "object", name
        for kind, one in {name: schema, **schema["$defs"]}.items():
            assert one.get("description"), kind
            for field, described in one.get("properties", {}).items():
                assert described.get("description") or "$ref" in described, f"{kind}.{field}"


async def test_a_tool_is_named_like_its_command(tools: dict[str, Tool]) -> None:
    assert {name.replace("_", "-") for name in tools} == set(COMMANDS) - {"diagnose", "explain", "causes", "serve", "install"}


async def test_the_bundle_lists_the_same_tools_and_starts_this_server(tools: dict[str, Tool], tmp_path: Path) -> None:
    manifest = json.loads((PROJECT / "manifest.json").read_text())
    assert [tool["name"] for tool in manifest["tools"]] == list(tools)
    assert manifest["version"] == build_server([tmp_path]).version
    arguments = manifest["server"]["mcp_config"]["args"]
    assert arguments[arguments.index("whyzero") :] == ["whyzero", "serve", "--root", "${user_config.runs}"]
    assert manifest["user_config"]["runs"]["required"] is True, "an unset value reaches the server as the literal ${...}"
    assert (PROJECT / manifest["server"]["entry_point"]).is_file()


async def test_instructions_begin_with_the_rule(tmp_path: Path) -> None:
    said = build_server([tmp_path]).instructions
    assert said is not None
    assert said.startswith("Rule: a zero is not a score. Before you record")
    assert len(said) < INSTRUCTIONS_LIMIT


async def test_hosts_find_the_mark_of_the_server_and_of_what_a_user_picks(tmp_path: Path) -> None:
    async with Client(build_server([tmp_path])) as client:
        pictures = [client.server_info.icons, *(prompt.icons for prompt in (await client.list_prompts()).prompts)]
    for icons in pictures:
        assert icons is not None
        head, data = icons[0].src.split(",")
        assert (head, icons[0].mime_type) == ("data:image/svg+xml", "image/svg+xml")
        assert ElementTree.fromstring(unquote(data)).tag == "{http://www.w3.org/2000/svg}svg"


async def test_the_server_starts_without_readers_causes_or_analyses(tmp_path: Path) -> None:
    """Its first answer waits for the SDK alone."""
    code = (
        "import sys, time, mcp.server.mcpserver, typing, pathlib\n"
        "start = time.perf_counter()\n"
        "from whyzero.mcp_server import build_server\n"
        "build_server([pathlib.Path('.')])\n"
        "print(time.perf_counter() - start)\n"
        "print(*(name for name in sys.modules if name.startswith('whyzero.')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SOURCE)}, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    seconds, modules = run.stdout.splitlines()
    print(f"own start-up {float(seconds) * 1000:.0f} ms")
    heavy = ("whyzero.readers", "whyzero.causes", "whyzero.analyses", "whyzero.render", "whyzero.findings", "whyzero.model")
    assert [name for name in modules.split() if name.startswith(heavy)] == []
