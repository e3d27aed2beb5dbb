"""The platform was asked without a valid login.

## What it means
The command needs the platform and has no token, an expired one, or one bound to another platform address. Local results
are untouched.

## Evidence
Error code `AUTH_REQUIRED` (or one of the token and keyring codes), `Not logged in. Run 'osmosis auth login' first.`

## What to do
`osmosis auth login`, or set `OSMOSIS_TOKEN` together with `OSMOSIS_TOKEN_PLATFORM_URL`. A `.env` in the workspace changes
the platform of every call. A local run with `--dataset-file` needs no login at all.

## Not to be confused with
`agent_auth`: the model provider refuses its key. `upload_refused`: the login is good and the run is not accepted.
"""

from __future__ import annotations

from whyzero.causes._cli import found, said, with_code
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run

CODES = (
    "AUTH_REQUIRED",
    "ENV_TOKEN_PLATFORM_REQUIRED",
    "ENV_TOKEN_PLATFORM_MISMATCH",
    "TOKEN_NOT_FOUND",
    "KEYRING_UNAVAILABLE",
    "CREDENTIALS_UNAVAILABLE",
    "CREDENTIALS_PARSE_FAILED",
    "CREDENTIALS_VERSION_CHANGED",
)


def find_in_run(run: Run) -> Found | None:
    return found(with_code(run, *CODES) or said(run, "not_logged_in"), "")


CAUSE = Cause(
    name="not_logged_in",
    phase=Phase.PUBLISH,
    whose="operator",
    summary="The platform was asked without a valid login.",
    check="Run `osmosis auth whoami`: an account in the answer would show this wrong.",
    find_in_run=find_in_run,
)
