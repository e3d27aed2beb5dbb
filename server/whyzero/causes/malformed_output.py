"""What the model wrote could not be read, and the attempt died of it.

## What it means
A call with broken arguments, a tool that does not exist, an answer outside the required form, again and again or at the
end. The model had working tools and did not use them properly; there is no graded answer.

## Evidence
The program's own word that it could not parse a call or answer, as the last thing that happened, or a call written out
as text although earlier calls of the attempt had been executed. The provider's refusal to read the call its model wrote.

## What to do
Look at the raw message: cut at a limit (`output_length`), an old format, or a server that parses calls wrongly for all
models of its kind.

## Not to be confused with
`harness_incompatibility`: not one call of the attempt was executed, which points at the bridge. `workflow_error`: the
rollout's own code raised for another reason. A malformed call the agent recovered from is no cause.
"""

from __future__ import annotations

from whyzero.causes import output_length, refusal
from whyzero.causes._answered import answered
from whyzero.causes._ended_by import found_as, pending_errors
from whyzero.causes._osmosis_work import unusable_output
from whyzero.causes._recorded_mode import recorded_mode
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import End, Phase, Run, Trial, Utterance

NAME = "malformed_output"
FORMAT_ENDS = frozenset({"exit_format", "RepeatedFormatError", "FormatError", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
TYPED_STOPS = output_length.CUT | refusal.STOPS
"""With one of these the provider itself says why the answer is unusable."""
IN_A_ROW = 3
MODE = "fatal_llm_parse_error"


def find(trial: Trial, run: Run) -> Found | None:
    told = "The harness recorded that it could not read the model's answers."
    return (
        unusable_output(trial, run) or found_as(NAME, trial, run) or _agent(trial, run) or recorded_mode(trial, run, MODE, told)
    )


def _agent(trial: Trial, run: Run) -> Found | None:
    """By the agent program's own log."""
    log = trial.log
    if log is None or pending_errors(trial) or answered(trial, run)[0]:
        return None
    if (log.calls_as_text and not log.tool_results) or log.stop_reason in TYPED_STOPS:
        return None
    end = log.end_event
    gave_up = end is not None and log.end is End.FAILED and end.code in FORMAT_ENDS
    if gave_up or log.stop_reason in FORMAT_ENDS:
        shown = tuple(u for u in (end, *log.malformed[-1:]) if u is not None)
        return _found(shown, f"The program gave up after {len(log.malformed)} answers it could not read.")
    if log.calls_as_text and log.tool_results:
        shown = (log.calls_as_text[-1], *((end,) if end else ()))
        return _found(shown, f"The turn ended with a call written as text, after {log.tool_results} calls had been executed.")
    if log.malformed_at_end >= IN_A_ROW:
        shown = log.malformed[-IN_A_ROW:]
        return _found(shown, f"The last {log.malformed_at_end} answers could not be read, and no call was executed after them.")
    return None


def _found(shown: tuple[Utterance, ...], detail: str) -> Found:
    return Found(tuple(u.evidence() for u in shown), Level.LOG, detail=detail)


CAUSE = Cause(
    name=NAME,
    phase=Phase.TRAJECTORY,
    whose="model",
    summary="What the model wrote could not be read as a call or an answer, and the attempt died of it.",
    check="Send the raw message of {trial} through the server's tool parser: if it parses there, the harness is at fault.",
    find=find,
    terminal_bench_mode=MODE,
)
