"""The grader's own deadline passed.

## What it means
The work was handed to the grader or verifier, which did not finish in its time. There is no grade. The work may be right,
wrong, or the very thing that hung (an endless loop in code under test).

## Evidence
A recorded verifier or grader timeout, also where another exception was kept as the official one. A verifier phase as long
as its limit without a result. Osmosis: `timeout` on record, and the SDK's deadline in the frame `run_grader`.

## What to do
Look at the last line the tests printed: the same test every time is the task's, a different one each time is load. Raise
the grader's limit or put one on each test, then grade the kept work again.

## Not to be confused with
`clock`: the agent's deadline, which masks this one when both passed. `event_loop_blocked`: the grader finished but could
not report in time.
"""

from __future__ import annotations

from whyzero.causes import _osmosis_grading as osmosis
from whyzero.causes import _osmosis_sandbox as sandbox
from whyzero.causes._verifier import timed_out
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    return timed_out(trial, run) or osmosis.timed_out(trial, run) or sandbox.verifier_deadline(trial, run)


CAUSE = Cause(
    name="grader_timeout",
    phase=Phase.GRADING,
    whose="grader",
    summary="The grader's own deadline passed.",
    check="Grade the work of {trial} again with a longer limit: a quick finish would point at load, not at the grader.",
    find=find,
    harbor_policy="not retried, reward not valid (VerifierTimeoutError)",
    terminal_bench_mode="test_timeout",
)
