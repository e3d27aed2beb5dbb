"""The pages in references/tools: what a model reads of a tool, and what the server really answers to a bundled example."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp_types import CallToolResult, TextContent, Tool

from whyzero.mcp_server import build_server

EXAMPLES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "locate_failed_phase": [
        ("A job in which four of five trials went wrong", {"path": "examples/harbor-job"}),
        ("One row of an Osmosis run", {"path": "examples/osmosis-workspace", "row": 0}),
    ],
    "classify_zero": [("Which of these numbers may be recorded?", {"path": "examples/harbor-job"})],
    "check_staleness": [
        (
            "A sweep, and the brief that is planned for next month",
            {"path": "examples/staleness/jobs/mid-rev-k1", "task": "examples/staleness/briefs/first-quarter.md"},
        )
    ],
    "partition_disputed_rows": [
        (
            "Submissions held against a key",
            {"paths": ["examples/staleness/jobs"], "oracle": "examples/staleness/keys/corrected.json", "key": ["id"]},
        )
    ],
    "verify_fix": [
        ("Before and after a workflow was mended", {"before": "examples/fix/before", "after": "examples/fix/after"}),
        (
            "The command that would repeat one row, not run",
            {"before": "examples/fix/before", "run": {"config": "configs/eval/sums.toml", "rows": [2]}},
        ),
    ],
    "probe_tool_roundtrip": [
        (
            "A provider elsewhere, asked of a server that may not connect there",
            {"base_url": "https://models.example", "model": "some-model"},
        )
    ],
}
"""What is asked of each tool; paths count from the root of the project. Nothing that depends on when a file was written."""


def pages(root: Path) -> dict[str, str]:
    """Path and text of each page."""
    return anyio.run(_pages, root)


async def _pages(root: Path) -> dict[str, str]:
    written = {}
    async with Client(build_server([root])) as client:
        for tool in (await client.list_tools()).tools:
            answers = [(title, asked, await client.call_tool(tool.name, asked)) for title, asked in EXAMPLES[tool.name]]
            written[f"references/tools/{tool.name}.md"] = _page(tool, answers)
    return written


def _page(tool: Tool, answers: list[tuple[str, dict[str, Any], CallToolResult]]) -> str:
    lines = [f"# {tool.name}", "", *(tool.description or "").splitlines(), ""]
    lines += [f"On the command line: `whyzero {tool.name.replace('_', '-')}`.", ""]
    lines += ["## Arguments", "", "| argument | type | meaning |", "| --- | --- | --- |"]
    required = tool.input_schema.get("required", ())
    for name, schema in tool.input_schema["properties"].items():
        must = ", required" if name in required else ""
        meaning = schema.get("description", "").replace("|", "\\|")
        lines.append(f"| `{name}` | {_type(schema)}{must} | {meaning or '-'} |")
    lines += ["", "## Answer", "", "| field | meaning |", "| --- | --- |"]
    for name, schema in (tool.output_schema or {})["properties"].items():
        lines.append(f"| `{name}` | {_meaning(schema)} |")
    lines += ["", "Every answer comes twice, as text and as structured content, each complete by itself.", "", "## Examples"]
    for title, asked, answer in answers:
        [text] = [part.text for part in answer.content if isinstance(part, TextContent)]
        lines += [
            "",
            f"### {title}",
            "",
            "```json",
            json.dumps(asked),
            "```",
            "",
            "Refused:" if answer.is_error else "Answered:",
            "",
        ]
        lines += ["````markdown", *_steady(text).splitlines(), "````"]
    return "\n".join([*lines, ""])


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "object"))


def _meaning(schema: dict[str, Any]) -> str:
    return " ".join(schema.get("description", "-").replace("|", "\\|").split())


def _steady(text: str) -> str:
    """What is made anew for every answer is shown by its kind."""
    return re.sub(r"(--name whyzero-[0-9-]*)[0-9a-f]{6}\b", r"\1XXXXXX", text)
