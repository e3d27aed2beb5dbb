"""The grader failed, not the work.

## What it means
The grader or verifier raised, could not apply or read what it was given, or met an error of its own tools (a judge model
without a key, a missing file or fixture of its own). A zero beside such an error is no grade.

## Evidence
A recorded exception of the verifier phase, masked ones included. A zero beside an error of the verifier's own client, with
no test and no judgement of the work. A verifier phase that began and left no result. A zero as the only mark although every
test of its own report passed and nothing it printed speaks of a failure or of another ground. Tests that all fail for want of
a part of their own suite. Osmosis: the traceback with the frame `run_grader`, over a sample that was there; a reward set
before it raised is not booked.

## What to do
Run the verifier alone on the kept work; mend key, file or code; grade again. The agent need not run again.

## Not to be confused with
`agent_auth`: the verifier's missing key is not the agent's. `tests_never_ran`: its script never got as far as grading.
`wrong_answer`: an assertion about the work failed, the verifier could not read what the work had written, or it called a
service of the work's own machine in vain.
"""

from __future__ import annotations

from whyzero.causes import _osmosis_grading as osmosis
from whyzero.causes import _osmosis_sandbox as sandbox
from whyzero.causes._verifier import broke
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    return broke(trial, run) or osmosis.broke(trial, run) or sandbox.verifier(trial, run)


CAUSE = Cause(
    name="grader_error",
    phase=Phase.GRADING,
    whose="grader",
    summary="The grader or verifier itself failed.",
    check="Run the verifier of {task} on the work of {trial}: the same error on the reference solution would prove it, a clean run would show it wrong.",
    find=find,
    harbor_policy="retried, not graded (AddTestsDirError, DownloadVerifierDirError)",
    terminal_bench_mode="parse_error",
)
