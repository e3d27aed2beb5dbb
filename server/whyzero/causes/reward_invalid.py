"""What was written is no reward.

## What it means
The grader or verifier wrote something that is not a finite number, or dimensions the harness does not expect. There is no grade.

## Evidence
The text as written, beside the harness's refusal of it. Osmosis: the sample's ValidationError on
`reward`, raised through `set_reward()`.

## What to do
Mend the arithmetic (a division by zero rows is the usual source of NaN) or the names of the dimensions; grade again.

## Not to be confused with
`reward_missing`: nothing was written. `wrong_answer`: a finite number was.
"""

from __future__ import annotations

from whyzero.causes import _osmosis_grading as osmosis
from whyzero.causes import _osmosis_sandbox as sandbox
from whyzero.causes._verifier import no_number
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run, Trial


def find(trial: Trial, run: Run) -> Found | None:
    return no_number(trial, run) or osmosis.no_number(trial, run) or sandbox.no_number(trial, run)


CAUSE = Cause(
    name="reward_invalid",
    phase=Phase.GRADING,
    whose="grader",
    summary="What the grader wrote is no reward.",
    check="Read the reward of {trial} as it was written: a finite number in the expected place would show this wrong.",
    find=find,
    harbor_policy="not retried, reward not valid (VerifierOutputParseError)",
)
