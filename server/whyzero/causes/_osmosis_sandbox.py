"""How a rollout failed that Osmosis ran in a Harbor sandbox: by the phase its diagnostics name."""

from __future__ import annotations

from whyzero.causes._osmosis import record, short, told
from whyzero.causes.cause import Found
from whyzero.evidence import Evidence, Level
from whyzero.model import ExceptionRecord, Run, Trial

PHASES = frozenset({"setup", "environment_setup", "agent_setup", "agent", "verifier", "grading"})
AGENT_DEADLINE = "AgentTimeoutError"
VERIFIER_DEADLINE = "VerifierTimeoutError"
NO_REWARD = frozenset({"RewardFileNotFoundError", "RewardFileEmptyError"})
NO_NUMBER = frozenset({"VerifierOutputParseError"})


def environment(trial: Trial, run: Run) -> Found | None:
    """The sandbox was not built, not started, or lost; `http_error` is kept for its provider alone."""
    if run.format == "osmosis" and trial.error_type == "http_error":
        first = next(iter(trial.exceptions), None)
        return Found(
            (*record(trial), *((told(first),) if first else ())), Level.RECORD, detail="The sandbox's provider refused it."
        )
    return _named(_during(trial, run, "setup", "environment_setup"), trial, "The sandbox did not come up.")


def agent_setup(trial: Trial, run: Run) -> Found | None:
    """The agent could not be set up in the sandbox."""
    return _named(_during(trial, run, "agent_setup"), trial, "The agent's setup in the sandbox failed.")


def agent_deadline(trial: Trial, run: Run) -> Found | None:
    """Harbor's deadline for the agent."""
    exception = _during(trial, run, "agent")
    return _named(exception, trial, "The sandbox's deadline for the agent passed.") if _is(exception, AGENT_DEADLINE) else None


def workflow(trial: Trial, run: Run) -> Found | None:
    """What ran in the sandbox raised, or its program ended with an error."""
    exception = _during(trial, run, "agent")
    return None if _is(exception, AGENT_DEADLINE) else _named(exception, trial, "It was raised by what ran in the sandbox.")


def verifier_deadline(trial: Trial, run: Run) -> Found | None:
    """Harbor's deadline for the verifier."""
    exception = _during(trial, run, "verifier", "grading")
    return _named(exception, trial, "The verifier's deadline passed.") if _is(exception, VERIFIER_DEADLINE) else None


def no_reward(trial: Trial, run: Run) -> Found | None:
    """The verifier left no reward, or the task has no source of one."""
    exception = _during(trial, run, "verifier", "grading")
    if exception is not None:
        return _named(exception, trial, "The verifier left no reward.") if _is(exception, *NO_REWARD) else None
    if not _unusable(trial, run) or (trial.reward.invalid and trial.reward.invalid != "empty file"):
        return None
    return Found((*_said(trial), *_written(trial), *record(trial)), Level.LOG if _said(trial) else Level.RECORD)


def no_number(trial: Trial, run: Run) -> Found | None:
    """The verifier wrote something that is no finite number under `reward`."""
    exception = _during(trial, run, "verifier", "grading")
    if exception is not None:
        return _named(exception, trial, "The verifier's output is no reward.") if _is(exception, *NO_NUMBER) else None
    if not _unusable(trial, run) or not trial.reward.invalid or trial.reward.invalid == "empty file":
        return None
    return Found((*_written(trial), *_said(trial), *record(trial)), Level.RECORD, detail=f"The reward is {trial.reward.invalid}.")


def verifier(trial: Trial, run: Run) -> Found | None:
    """The verifier raised."""
    exception = _during(trial, run, "verifier", "grading")
    if exception is None or _is(exception, VERIFIER_DEADLINE, *NO_REWARD, *NO_NUMBER):
        return None
    return _named(exception, trial, "The verifier in the sandbox failed.")


def _during(trial: Trial, run: Run, *phases: str) -> ExceptionRecord | None:
    """The exception that Harbor recorded in one of these phases of an ungraded rollout."""
    if run.format != "osmosis" or trial.reward.value is not None:
        return None
    return next((e for e in trial.exceptions if e.during in phases), None)


def _unusable(trial: Trial, run: Run) -> bool:
    """The backend says that grading ended without a usable reward."""
    return run.format == "osmosis" and trial.sandbox_phase == "grading" and trial.reward.value is None


def _said(trial: Trial) -> tuple[Evidence, ...]:
    return tuple(u.evidence() for u in trial.harness if u.kind == "unusable_reward")


def _written(trial: Trial) -> tuple[Evidence, ...]:
    spot = trial.reward.spot
    return (spot.evidence(trial.reward.text),) if spot and trial.reward.text else ()


def _is(exception: ExceptionRecord | None, *kinds: str) -> bool:
    return exception is not None and short(exception) in kinds


def _named(exception: ExceptionRecord | None, trial: Trial, detail: str) -> Found | None:
    if exception is None:
        return None
    return Found((told(exception), *record(trial)), Level.RECORD, detail=detail)
