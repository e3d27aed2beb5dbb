"""What the MCP server costs a host: definitions, answers, start-up and memory, each beside its budget.

    python benchmarks/bench_server.py [--starts N]

Start-up and memory are measured side by side with an empty server of the same SDK, in turns, so that a busy machine slows both.
Its budget is held against processor time, which depends least on what else the machine does.
Tokens are counted as four characters each. Exit code 1 where a budget is exceeded.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from mcp import Client

from whyzero.mcp_server import build_server
from whyzero.mcp_server.server import INSTRUCTIONS

ROOT = Path(__file__).resolve().parent.parent
EMPTY = "from mcp.server import MCPServer; MCPServer('empty').run('stdio')"
CHARACTERS_PER_TOKEN = 4

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("locate_failed_phase", {"path": "examples/harbor-job"}),
    ("locate_failed_phase", {"path": "examples/osmosis-workspace"}),
    ("classify_zero", {"path": "examples/harbor-job"}),
    ("classify_zero", {"path": "examples/osmosis-workspace"}),
    ("check_staleness", {"path": "examples/staleness/jobs", "task": "examples/staleness/tasks/permit-register"}),
    (
        "partition_disputed_rows",
        {"paths": ["examples/staleness/jobs"], "oracle": "examples/staleness/keys/corrected.json", "key": ["id"]},
    ),
    ("verify_fix", {"before": "examples/fix/before", "after": "examples/fix/after"}),
]
"""Questions to the bundled examples, each asked concisely and in detail where the tool knows the difference."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the table."""

    what: str
    value: float
    budget: float | None = None
    unit: str = "tokens"

    @property
    def kept(self) -> bool:
        return self.budget is None or self.value <= self.budget

    def __str__(self) -> str:
        budget = "" if self.budget is None else f"budget {self.budget:g}{'' if self.kept else '  EXCEEDED'}"
        return f"{self.what:64} {self.value:10.5g} {self.unit:7} {budget}"


def tokens(value: object) -> int:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return len(text) // CHARACTERS_PER_TOKEN


async def definitions_and_answers() -> list[Measured]:
    """Sizes of what a model sees."""
    rows: list[Measured] = []
    async with Client(build_server([ROOT])) as client:
        tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in (await client.list_tools()).tools]
        seen = sum(tokens({key: tool[key] for key in ("name", "description", "inputSchema")}) for tool in tools)
        rows += [
            Measured("tools", len(tools), 8, "tools"),
            Measured("definitions (name, description, input schema)", seen, 2000),
            Measured("output schemas", sum(tokens(tool["outputSchema"]) for tool in tools)),
            Measured("instructions", len(INSTRUCTIONS), 1500, "chars"),
        ]
        known = {tool["name"]: tool["inputSchema"]["properties"] for tool in tools}
        for tool, arguments in CALLS:
            where = Path(str(arguments.get("path") or arguments.get("before") or arguments["paths"][0])).name
            formats = ("concise", "detailed") if "response_format" in known[tool] else ("concise",)
            for response_format in formats:
                asked = arguments | ({"response_format": response_format} if len(formats) > 1 else {})
                answer = await client.call_tool(tool, asked)
                assert not answer.is_error, answer.content
                budget = 1000 if response_format == "concise" else 5000
                name = f"{tool} {where}, {response_format}"
                rows.append(Measured(f"{name}: text", tokens(answer.content[0].text), budget))  # type: ignore[union-attr]
                rows.append(Measured(f"{name}: structured", tokens(answer.structured_content), budget))
    return rows


class Start(NamedTuple):
    """One start, until `initialize` is answered."""

    seconds: float
    processor: float
    """Seconds of processor time: what a busy machine does not stretch."""
    memory: float
    """MiB."""


def start(arguments: list[str]) -> Start:
    """Start a server and ask it who it is."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    seconds = time.perf_counter() - begun
    assert "result" in answer, answer
    measured = Start(seconds, processor_time(process.pid), resident(process.pid))
    process.stdin.close()
    process.wait(10)
    process.stdout.close()
    return measured


def processor_time(pid: int) -> float:
    """Seconds in user and system; 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.is_file():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """MiB in memory; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)


def side_by_side(starts: int) -> list[Measured]:
    """Ours and an empty one in turns; the first of each warms up and does not count."""
    taken: dict[str, list[Start]] = {"whyzero": [], "empty": []}
    for turn in range(starts + 1):
        for name, arguments in (("whyzero", ["-m", "whyzero", "serve", "--root", "examples"]), ("empty", ["-c", EMPTY])):
            measured = start(arguments)
            if turn:
                taken[name].append(measured)
    rows: list[Measured] = []
    for name, runs in taken.items():
        rows.append(
            Measured(f"initialize, {name}: median of {starts}", statistics.median(r.seconds for r in runs) * 1000, None, "ms")
        )
        rows.append(
            Measured(f"initialize, {name}: processor time", statistics.median(r.processor for r in runs) * 1000, None, "ms")
        )
        rows.append(Measured(f"memory after initialize, {name}", statistics.median(r.memory for r in runs), None, "MiB"))
    ours, empty = (taken[name] for name in ("whyzero", "empty"))
    wall = statistics.median(one.seconds / other.seconds for one, other in zip(ours, empty, strict=True))
    rows.append(Measured("initialize, against the empty server", wall, None, "times"))
    if all(one.processor for one in empty):
        busy = statistics.median(one.processor for one in ours) / statistics.median(one.processor for one in empty)
        rows.append(Measured("initialize, against the empty server: processor time", busy, 1.15, "times"))
        held = statistics.median(one.memory for one in ours) / statistics.median(one.memory for one in empty)
        rows.append(Measured("memory, against the empty server", held, 1.2, "times"))
    return rows


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=7)
    rows = [*anyio.run(definitions_and_answers), *side_by_side(parser.parse_args().starts)]
    for row in rows:
        print(row)
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
