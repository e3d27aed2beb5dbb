"""The rollout server exited at its start, or never became healthy.

## What it means
The entrypoint was imported and then ended, or it runs and does not answer `/health` on the port it was given. No row was
tried.

## Evidence
`rollout server exited with code N before becoming healthy: <last line>`, `did not become healthy within 90s`, or
`another process is already listening`, from the command line or from the log's `retrying startup on a new port`.

## What to do
Start the entrypoint by hand in the rollout's folder with the same environment. Look for a variable that only exists in
your shell, a licence or file that is not there, a port that is fixed instead of `_OSMOSIS_ROLLOUT_PORT`.

## Not to be confused with
`import_failure` and `dependency_failure`: the process ended while it imported. `server_died`: it served and vanished later.
"""

from __future__ import annotations

from whyzero.causes._startup import startup_failure
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run


def find_in_run(run: Run) -> Found | None:
    start = startup_failure(run)
    return Found(start.evidence, start.level, detail=start.detail) if start and start.cause == "server_start_failure" else None


CAUSE = Cause(
    name="server_start_failure",
    phase=Phase.STARTUP,
    whose="user code",
    summary="The rollout server exited at its start or never became healthy.",
    check="Start the entrypoint by hand with the run's environment: if `/health` answers, this is wrong.",
    find_in_run=find_in_run,
)
