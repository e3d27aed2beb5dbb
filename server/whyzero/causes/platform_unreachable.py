"""The platform did not answer, or answered with a failure of its own.

## What it means
The request never reached the platform or it could not serve it. Local results are complete and untouched.

## Evidence
`PLATFORM_ERROR` without a status and `Could not connect to platform`, a timeout, code `NETWORK`, a 5xx status, or a limit
on the number of calls.

## What to do
Look at the address first: `--platform`, `OSMOSIS_PLATFORM_URL` and a `.env` in the workspace decide it. Then try again.

## Not to be confused with
`upload_refused`: it answered and said no. `provider_error`: the model provider is another party.
"""

from __future__ import annotations

from whyzero.causes._cli import found, refusals, said, with_code
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run


def find_in_run(run: Run) -> Found | None:
    silent = said(run, "unreachable") or with_code(run, "NETWORK", "RATE_LIMITED")
    broken = next((u for u in refusals(run) if u.code == "PLATFORM_ERROR" and (u.status or 0) >= 500), None)
    wrapped = next((u for u in refusals(run) if u.kind in WRAPPED and any(words in u.text for words in WORDS)), None)
    return found(silent or broken or wrapped, "")


WRAPPED = ("upload_after_run", "dataset_unreachable", "upload_refused")
"""Sentences that repeat why, where the platform did not answer."""
WORDS = ("Could not connect to platform", "Connection to the platform timed out")

CAUSE = Cause(
    name="platform_unreachable",
    phase=Phase.PUBLISH,
    whose="operator",
    summary="The platform did not answer, or failed by itself.",
    check="Run `osmosis auth whoami` with the same platform address: an answer would show this wrong.",
    find_in_run=find_in_run,
)
