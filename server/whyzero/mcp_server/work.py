"""Reading a run in a worker thread: the server stays responsive, tells how far it is, and stops when told to."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, from_thread, to_thread
from mcp.server.mcpserver import Context

T = TypeVar("T")
Progress = Callable[[int, int | None], None]

AT_ONCE = 4
"""Analyses that run side by side; more wait for their turn."""
EVERY = 0.5
"""Seconds between two progress notices."""


async def in_thread(ctx: Context[Any, Any], limiter: CapacityLimiter, work: Callable[[Progress], T]) -> T:
    """Run `work` in a thread. When the call is cancelled, its next progress report raises there and ends it."""
    return await to_thread.run_sync(partial(work, _reporter(ctx)), abandon_on_cancel=True, limiter=limiter)


def _reporter(ctx: Context[Any, Any]) -> Progress:
    last = time.monotonic()

    def progress(done: int, total: int | None) -> None:
        nonlocal last
        from_thread.check_cancelled()
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            from_thread.run(ctx.report_progress, done, total, "trials read")

    return progress
