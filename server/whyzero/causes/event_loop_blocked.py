"""Synchronous work inside async code outlasted the deadline.

## What it means
`run()` or `grade()` did something that never awaits (a `time.sleep`, a blocking request, a long computation), so the
server's event loop stood still. The deadline could not fire until it was over; whatever came of it came too late. All
rollouts in that process stood still with it.

## Evidence
`timeout` on record, an end far past the limit, and no line of the rollout server around the deadline. A traceback, if any,
ends at the first `await` after the block, which is innocent. Blocked longer than both limits and a minute, the row gets no
record and the supervisor halts the run with an empty reason.

## What to do
Put the blocking part into `asyncio.to_thread(…)` or use an async client. Look before the awaited line of the traceback.

## Not to be confused with
`clock` and `grader_timeout`: they end at the limit, and the server goes on printing. `provider_error`: the call in the
traceback was never sent. Rows that waited in a queue end late too, while the server prints.
"""

from __future__ import annotations

from whyzero.causes._osmosis_work import blocked
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    return blocked(trial, run)


CAUSE = Cause(
    name="event_loop_blocked",
    phase=Phase.TRAJECTORY,
    whose="user code",
    summary="Synchronous work inside async code held the event loop past the deadline.",
    check="Run the row of {trial} with `PYTHONASYNCIODEBUG=1`: no slow callback in the output would show this wrong.",
    find=find,
)
