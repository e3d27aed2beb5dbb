"""Where an analysis runs: in a thread or a process of its own, so that the server answers others and can stop it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from functools import partial
from multiprocessing import current_process
from typing import Any, TypeVar

from anyio import CapacityLimiter, fail_after, from_thread, to_process, to_thread
from mcp.server.mcpserver import Context

from whyzero.errors import UsageError
from whyzero.text import hide

T = TypeVar("T")
Progress = Callable[[int, int | None], None]

AT_ONCE = 4
"""Analyses that run side by side; more wait for their turn."""
EVERY = 0.5
"""Seconds between two progress notices."""
DEADLINE = 45
"""Seconds for an analysis with expressions of the caller's: a bad one never ends, and no thread can be ended."""


async def in_thread(
    ctx: Context[Any, Any], limiter: CapacityLimiter, work: Callable[[Progress], T], counted: str = "trials read"
) -> T:
    """Run `work` in a thread. When the call is cancelled, its next progress report raises there and ends it."""
    return await to_thread.run_sync(partial(work, _reporter(ctx, counted)), abandon_on_cancel=True, limiter=limiter)


async def apart(limiter: CapacityLimiter, work: Callable[[], T]) -> T:
    """Run `work`, which has to be picklable, in a process that is killed when the call is cancelled or takes too long."""
    try:
        with fail_after(DEADLINE):
            return await to_process.run_sync(_alone, work, cancellable=True, limiter=limiter)
    except TimeoutError:
        raise UsageError(
            f"This took longer than {DEADLINE:g} seconds and was stopped. Simplify `rule`, `wide` and `rules`: repeats inside "
            "repeats take forever on long lines. Or name a smaller `corpus`."
        ) from None


def _alone(work: Callable[[], T]) -> T:
    hide(os.environ)
    current_process().daemon = True  # it starts no workers: they would outlive it when it is killed
    _end_in(DEADLINE + 5)  # also where the server was killed before it could do so
    try:
        return work()
    finally:
        _end_in(0)


def _end_in(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def _reporter(ctx: Context[Any, Any], counted: str) -> Progress:
    last = time.monotonic()

    def progress(done: int, total: int | None) -> None:
        nonlocal last
        from_thread.check_cancelled()
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            from_thread.run(ctx.report_progress, done, total, counted)

    return progress
