"""A call that is given up really stops, says how far it is while it runs, and leaves the server usable."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

import whyzero.readers
from mcp_server.conftest import connected
from whyzero.mcp_server import build_server
from whyzero.model import Run, Spot, Trial

pytestmark = pytest.mark.anyio


class EndlessRun:
    """A run that never ends, one trial every 10 ms, and counts what was read of it."""

    def __init__(self, stop_after: int = 10_000) -> None:
        self.read = 0
        self.stop_after = stop_after

    def trials(self) -> Iterator[Trial]:
        while self.read < self.stop_after:
            self.read += 1
            time.sleep(0.01)
            yield Trial(id=f"t{self.read}", task="sum-numbers", spot=Spot("result.json"))

    def open(self, path: Path, error: str | None = None) -> Run:
        return Run(root=path, name="endless", format="harbor", found=self.stop_after, read_trials=self.trials)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_cancelled_call_stops_reading(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = EndlessRun()
    monkeypatch.setattr(whyzero.readers, "open_run", run.open)
    async with Client(build_server([tmp_path]), mode=mode) as client:
        with pytest.raises(MCPError, match=r"(?i)timed out"):
            await client.call_tool("classify_zero", {"path": "."}, read_timeout_seconds=0.3)
        await anyio.sleep(0.1)
        seen = run.read
        await anyio.sleep(0.3)
        assert seen > 0
        assert run.read == seen
        assert (await client.call_tool("classify_zero", {"path": ".."})).is_error


CODE = """
import pathlib, sys, time
import whyzero.readers
from whyzero.mcp_server import build_server, serve
from whyzero.model import Run, Spot, Trial

def trials():
    for number in range(10_000):
        pathlib.Path("read").write_text(str(number))
        time.sleep(0.01)
        yield Trial(id=str(number), task="sum-numbers", spot=Spot("result.json"))

whyzero.readers.open_run = lambda path, error=None: Run(root=path, name="endless", format="harbor", read_trials=trials)
serve(build_server([pathlib.Path(sys.argv[1])]))
"""


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_stops_over_stdio_too(mode: str, tmp_path: Path) -> None:
    async with connected(tmp_path, mode=mode, code=CODE) as client:
        with pytest.raises(MCPError, match=r"(?i)timed out"):
            await client.call_tool("locate_failed_phase", {"path": "."}, read_timeout_seconds=1.5)
        await anyio.sleep(0.2)
        seen = (tmp_path / "read").read_text()
        await anyio.sleep(0.3)
        assert (tmp_path / "read").read_text() == seen
        assert (await client.call_tool("classify_zero", {"path": ".."})).is_error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_long_call_says_how_far_it_is(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whyzero.readers, "open_run", EndlessRun(stop_after=130).open)
    heard: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async with Client(build_server([tmp_path]), mode=mode) as client:
        answer = await client.call_tool("locate_failed_phase", {"path": "."}, progress_callback=progress)
    assert not answer.is_error
    assert 1 <= len(heard) <= 4
    assert [done for done, _, _ in heard] == sorted({done for done, _, _ in heard})
    assert {(total, message) for _, total, message in heard} == {(130.0, "trials read")}


async def test_without_a_listener_nothing_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whyzero.readers, "open_run", EndlessRun(stop_after=70).open)
    async with Client(build_server([tmp_path])) as client:
        answer = await client.call_tool("locate_failed_phase", {"path": "."})
    assert answer.structured_content is not None
    assert answer.structured_content["counts"]["trials"] == 70
