"""The command line and the rollout's environment speak different versions of the protocol.

## What it means
The rollout's own `osmosis-ai` is older or newer than the one that runs the eval, and the server refused the work items as
they were sent. Nothing was executed. Or the platform refuses a command line that is too old.

## Evidence
`rollout_protocol_error` rows without a trial folder, `RolloutProtocolError: POST /rollout returned 4xx` in `logs.txt`, and
the server's warning that names both versions. For the platform: error code `UPGRADE_REQUIRED`.

## What to do
Pin the same `osmosis-ai` version in the rollout's `pyproject.toml` as the command line has, `uv sync`, and run again.
A warning about two versions alone, with rows that finish, is no failure.

## Not to be confused with
`server_start_failure`: there the server never answered. `workflow_error`: there the row was executed.
"""

from __future__ import annotations

from whyzero.causes._cli import found, with_code
from whyzero.causes._osmosis import logged, record
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    if run.format != "osmosis" or trial.error_type != "rollout_protocol_error":
        return None
    refused = tuple(u.evidence() for u in trial.harness if u.kind == "result")
    versions = logged(run, "server", "server_sdk_version")
    named = (versions.evidence(),) if versions else ()
    detail = "The log names both versions." if versions else "The server refused the request as it was sent."
    return Found((*refused, *named, *record(trial)), Level.LOG if refused else Level.RECORD, detail=detail)


def find_in_run(run: Run) -> Found | None:
    return found(with_code(run, "UPGRADE_REQUIRED"), "The platform asks for a newer command line.", Phase.PUBLISH)


CAUSE = Cause(
    name="version_mismatch",
    phase=Phase.DISPATCH,
    whose="operator",
    summary="The command line and the rollout's environment speak different protocol versions.",
    check="Compare `osmosis --version` with the osmosis-ai version in the rollout's uv.lock: the same version would show this wrong.",
    find=find,
    find_in_run=find_in_run,
)
