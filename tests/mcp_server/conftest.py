"""A real server over stdio, as a client starts it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

SOURCE = Path(__file__).parents[2] / "server"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def parameters(*roots: Path, code: str | None = None) -> StdioServerParameters:
    """How a client starts the server; `code` runs in its place. As root, file permissions are made to count again."""
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 and shutil.which("setpriv") else []
    flags = [word for root in roots for word in ("--root", str(root))]
    command = [*drop, sys.executable, *(["-c", code, *map(str, roots)] if code else ["-m", "whyzero", "serve", *flags])]
    return StdioServerParameters(
        command=command[0],
        args=command[1:],
        env={"PYTHONPATH": str(SOURCE)},
        cwd=roots[0],
    )


@asynccontextmanager
async def connected(
    *roots: Path, mode: str = "auto", stderr: Path | None = None, code: str | None = None
) -> AsyncIterator[Client]:
    """A client of a server of its own."""
    with open(stderr or os.devnull, "w", encoding="utf-8") as errors:
        async with Client(stdio_client(parameters(*roots, code=code), errlog=errors), mode=mode) as client:
            yield client
