"""The rollout server process vanished while rows were at work.

## What it means
The process that runs the rollouts ended in the middle of the run. The row at work has no result, the rows behind it were
never started; both stay pending and are run by the next call under the same name.

## Evidence
`[dispatch] halting dispatch` with `the rollout server exited with code N` (or the tunnel's exit) in `logs.txt`. The code
tells how: 137 or -9 a kill, often for memory; -11 a crash in native code; 1 an uncaught error. Or a result that the server
could no longer hand over, after a `SystemExit` in its output.

## What to do
Find the row that was dispatched last and has no result: its code, or its size, is the first suspect. Look at the
machine's memory at that time. Mend it and run again: finished rows are kept.

## Not to be confused with
`interrupted`: the supervisor was stopped. `event_loop_blocked`: the server lives and does not answer. The command line's
`cancelled: true` stands beside all three.
"""

from __future__ import annotations

import re

from whyzero.causes._cli import unexplained
from whyzero.causes._osmosis import logged, pending, short
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Recorded, Run, Trial

_NO_RESULT = re.compile(r'"reason":"RolloutProtocolError: GET /rollout/\w+/result returned 5\d\d')
_EXIT = re.compile(r"\] (?:SystemExit|KeyboardInterrupt)(?::|$)")
_VANISHED = re.compile(r'"reason":"the (?:rollout server|cloudflared tunnel) exited with code (?P<code>-?\d+)')


def find(trial: Trial, run: Run) -> Found | None:
    """A row left behind by a server that vanished; the row that told it to exit has a cause of its own."""
    if trial.recorded is not Recorded.PENDING or any(short(e) in ("SystemExit", "KeyboardInterrupt") for e in trial.exceptions):
        return None
    return find_in_run(run)


def find_in_run(run: Run) -> Found | None:
    if not unexplained(run):
        return None
    for line in run.logs:
        if line.kind == "dispatch" and (gone := _VANISHED.search(line.text)):
            return Found(
                (line.evidence(),), Level.LOG, detail=f"Exit code {gone['code']}; {pending(run)} work items are pending."
            )
    return _was_leaving(run)


def _was_leaving(run: Run) -> Found | None:
    """Code of the rollout told the interpreter to exit; the server, on its way out, answered for no row any more."""
    halt = next((u for u in run.logs if u.kind == "dispatch" and _NO_RESULT.search(u.text)), None)
    left = next((u for u in run.logs if u.kind == "rollout-server" and _EXIT.search(u.text)), None)
    if halt is None or left is None or logged(run, "cancel", "supervisor cancellation requested"):
        return None
    rest = f"{pending(run)} work items are pending."
    return Found((halt.evidence(), left.evidence()), Level.LOG, detail=f"Code of the rollout ended its server; {rest}")


CAUSE = Cause(
    name="server_died",
    phase=Phase.DISPATCH,
    whose="user code",
    summary="The rollout server process vanished in the middle of the run; the rest is pending.",
    check="Run the row that was at work alone: if it finishes, the row is not what ended the server.",
    find=find,
    find_in_run=find_in_run,
)
