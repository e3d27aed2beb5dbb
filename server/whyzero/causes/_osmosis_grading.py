"""How the grader of an Osmosis rollout failed: the SDK's own sentences, and the traceback of the grading phase."""

from __future__ import annotations

import re

from whyzero.causes._osmosis import (
    deadline,
    elapsed,
    finish,
    logged_nothing,
    place,
    raised,
    record,
    sdk_function,
    short,
    told,
    user_sources,
)
from whyzero.causes.cause import Found
from whyzero.evidence import Evidence, Level
from whyzero.model import ExceptionRecord, Recorded, Run, Spot, Trial

NO_REWARD_SET = "Sample has no reward after grading"
_OF_THE_SAMPLE = re.compile(r"ValidationError: \d+ validation errors? for (?:RolloutSample|GraderContext)\nreward\b")
_NONE = re.compile(r"\bNoneType\b|\bNone\b")
_WANTED = re.compile(r"'NoneType' object has no attribute '(\w+)'")
_LABEL = re.compile(r"\b(?:label|ground_truth|expected|gold|target)\b")


def grading_failed(trial: Trial, run: Run) -> ExceptionRecord | None:
    """What the grader raised over a sample that was there."""
    if run.format != "osmosis" or trial.workflow_finished is False:
        return None
    return raised(trial, "grader")


def timed_out(trial: Trial, run: Run) -> Found | None:
    """The SDK's deadline around `grade()`."""
    if run.format == "osmosis" and trial.error_type == "grader_timeout":
        return Found(record(trial), Level.RECORD)
    if run.format != "osmosis" or trial.error_type != "timeout":
        return None
    limit = trial.limits.grader
    over = f" of {limit:g} s" if limit is not None else ""
    exception = deadline(trial, "grader")
    if exception is not None:
        return Found(
            (told(exception), *record(trial)), Level.LOG, detail=f"The grader's deadline{over} passed while it was waiting."
        )
    took = elapsed(trial)
    if trial.workflow_finished and not trial.exceptions and limit is not None and took is not None and took >= 0.95 * limit:
        proof = (*record(trial), *finish(trial))
        return Found(proof, Level.INFERENCE, detail=f"A sample was made, and the rollout then ran into a deadline{over}.")
    return None


def no_reward(trial: Trial, run: Run) -> Found | None:
    """`grade()` returned and set nothing, or there was nobody to grade."""
    if run.format != "osmosis":
        return None
    exception = grading_failed(trial, run)
    if exception is not None and exception.message.startswith(NO_REWARD_SET) and short(exception) == "ValueError":
        return Found((told(exception), *record(trial)), Level.LOG, detail="grade() returned without set_reward() on this row.")
    if trial.error_type == "rollout_failed" and trial.label_missing is not True:
        return Found(record(trial), Level.RECORD if trial.label else Level.INFERENCE, detail="The backend has no grader.")
    if trial.error_type == "rollout_failed" and trial.has_metadata:
        return Found(record(trial), Level.RECORD, detail="The row carries metadata to grade by, and the backend has no grader.")
    if trial.error_type == "missing_grader_callback":
        return Found(record(trial), Level.RECORD, detail="The grader never reported back.")
    if trial.recorded is Recorded.FINISHED and trial.reward.value is None and not trial.reward.invalid:
        return Found(record(trial), Level.RECORD, detail="Recorded as finished, without a reward.")
    return None


def no_number(trial: Trial, run: Run) -> Found | None:
    """The sample refused the reward that was set."""
    exception = grading_failed(trial, run)
    if exception is None or short(exception) != "ValidationError" or not _OF_THE_SAMPLE.search(exception.traceback):
        return None
    if not sdk_function(exception, "set_reward") and not any("reward" in source for source in user_sources(exception)):
        return None
    return Found((told(exception), *record(trial)), Level.LOG, detail=place(exception))


def broke(trial: Trial, run: Run) -> Found | None:
    """`grade()` raised."""
    exception = grading_failed(trial, run)
    if exception is not None:
        return Found(
            (told(exception), *record(trial), *_left(trial)), Level.LOG, detail=f"{place(exception)}{_left_words(trial)}"
        )
    if run.format == "osmosis" and trial.error_type == "grader_failed":
        return Found(record(trial), Level.RECORD)
    return _by_elimination(trial, run)


def _by_elimination(trial: Trial, run: Run) -> Found | None:
    """`agent_error` after a sample was made: only an exception in the grader is booked so, logged or not."""
    if run.format != "osmosis" or trial.error_type != "agent_error" or not trial.workflow_finished or trial.exceptions:
        return None
    proof = (
        *record(trial),
        *(Spot(path, pointer="/extra/osmosis/rollout_id").evidence(trial.id) for path in trial.deliverable.submitted),
    )
    hidden = "; its traceback was not logged" if logged_nothing(trial) else ""
    return Found(
        proof, Level.INFERENCE, detail=f"The workflow had made its sample, so what was raised came from the grader{hidden}."
    )


def needs_label(trial: Trial, run: Run) -> Found | None:
    """The grader met None where it reads the label; asked of rows that have none."""
    exception = grading_failed(trial, run)
    if exception is None or not _NONE.search(exception.message) or _of_no_text(exception.message):
        return None
    if not any(_LABEL.search(source) for source in user_sources(exception)):
        return None
    return Found((told(exception), *record(trial)), Level.LOG, detail=f"The row has no label. {place(exception)}".strip())


def _of_no_text(message: str) -> bool:
    """What was asked of None is nothing that a text has, so no label stood there: `re.match` found nothing."""
    wanted = _WANTED.search(message)
    return wanted is not None and not hasattr(str, wanted[1])


def _left(trial: Trial) -> tuple[Evidence, ...]:
    left = trial.left_reward
    return (left.spot.evidence(left.text),) if left and left.spot else ()


def _left_words(trial: Trial) -> str:
    return " A reward had been set before; it is not booked and is no grade." if trial.left_reward else ""
