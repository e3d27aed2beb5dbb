"""The run was not accepted for upload.

## What it means
The command line or the platform looked at the run and refused to publish it. The results on disk are what they were.

## Evidence
The command line's sentence: `local evaluation is incomplete: …`, a file that must be regular, identities that do not
match; or the platform's refusal of the upload.

## What to do
Mend what it names. Incomplete: run the eval again under the same name until nothing is pending, then upload. A symbolic
link among the artifacts: replace it by a file.

## Not to be confused with
`not_logged_in` and `platform_unreachable`: nobody looked at the run. `interrupted`: why the run is incomplete.
"""

from __future__ import annotations

from whyzero.causes._cli import found, refusals, said
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run

PUBLISHING = frozenset({"eval upload"})
CODES = frozenset({"VALIDATION", "CONFLICT", "NOT_FOUND", "PLATFORM_ERROR", "SUBSCRIPTION_REQUIRED", "BILLING_REQUIRED"})


def find_in_run(run: Run) -> Found | None:
    sentence = said(run, "upload_refused", "upload_after_run")
    other = next((u for u in refusals(run) if u.kind in PUBLISHING and u.code in CODES), None)
    return found(sentence or other, "")


CAUSE = Cause(
    name="upload_refused",
    phase=Phase.PUBLISH,
    whose="operator",
    summary="The run was not accepted for upload.",
    check="Compare index.jsonl with progress.json of {path}: complete and matching files would show this wrong.",
    find_in_run=find_in_run,
)
