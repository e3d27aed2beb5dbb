"""How the workflow of an Osmosis rollout failed: out of time, by its own exception, or with nothing to show."""

from __future__ import annotations

import re

from whyzero.causes._osmosis import (
    deadline,
    deepest,
    elapsed,
    finish,
    logged,
    place,
    raised,
    record,
    sdk_function,
    short,
    slack,
    told,
    user_sources,
)
from whyzero.causes._osmosis_calls import why_unusable
from whyzero.causes.cause import Found
from whyzero.evidence import Evidence, Level
from whyzero.model import Phase, Recorded, Run, Spot, Trial, Utterance

# ---- time


def out_of_time(trial: Trial, run: Run) -> Found | None:
    """The SDK's deadline around `run()`, or the supervisor's around the whole work item."""
    if run.format != "osmosis":
        return None
    limit = trial.limits.agent
    over = f" of {limit:g} s" if limit is not None else ""
    exception = deadline(trial, "workflow")
    if exception is not None and trial.recorded is Recorded.FAILED:
        return Found(
            (told(exception), *record(trial)), Level.LOG, detail=f"The workflow's deadline{over} passed while it was waiting."
        )
    if halted := _item_deadline(trial, run):
        return halted
    took = elapsed(trial)
    if trial.error_type != "timeout" or trial.workflow_finished is not False or trial.exceptions or took is None or limit is None:
        return None
    if took < 0.95 * limit:
        return None
    return Found(
        (*record(trial), *finish(trial)), Level.INFERENCE, detail=f"It ended {took:.1f} s after dispatch, with a limit{over}."
    )


def _item_deadline(trial: Trial, run: Run) -> Found | None:
    """The row on which the supervisor gave up waiting: without limits of its own that is an hour."""
    if trial.recorded is not Recorded.PENDING or (trial.limits.agent is not None and trial.limits.grader is not None):
        return None
    halt = halted_on(trial, run)
    return Found((halt.evidence(),), Level.LOG, detail="The supervisor waited for its hour; no limit is set.") if halt else None


def halted_on(trial: Trial, run: Run) -> Utterance | None:
    """The line with which the supervisor stopped because this row's deadline passed."""
    row, attempt = f'"row_index":{trial.row_index},', f'"run_index":{trial.attempt}'
    for line in run.logs:
        if line.kind == "dispatch" and '"reason":"TimeoutError: ' in line.text and row in line.text and attempt in line.text:
            return line
    return None


def blocked(trial: Trial, run: Run) -> Found | None:
    """The server's event loop stood still past the deadline: it printed nothing, and the deadline could not fire in time."""
    silence = trial.silence
    if (
        run.format != "osmosis"
        or silence is None
        or not silence.seconds
        or silence.started_at is None
        or silence.finished_at is None
    ):
        return None
    if trial.recorded is Recorded.PENDING:
        return _blocked_for_good(trial, run, silence.seconds)
    if trial.error_type != "timeout" or not (deadline(trial, "workflow") or deadline(trial, "grader") or not trial.exceptions):
        return None
    late = _late_workflow(trial) if trial.workflow_finished is False else _late_grader(trial)
    if late is None:
        return None
    phase, why = late
    traces = tuple(told(e) for e in trial.exceptions[:1])
    return Found((*record(trial), *finish(trial), *traces, *_limit(trial)), Level.LOG, phase=phase, detail=why)


def _late_workflow(trial: Trial) -> tuple[Phase, str] | None:
    limit, took, silence = trial.limits.agent, elapsed(trial), trial.silence
    if (
        limit is None
        or took is None
        or silence is None
        or not trial.started_at
        or not silence.started_at
        or not silence.finished_at
    ):
        return None
    began = (silence.started_at - trial.started_at).total_seconds()
    ended = (silence.finished_at - trial.started_at).total_seconds()
    waited = deadline(trial, "workflow") is not None
    late = limit + slack(limit) * (2 if waited else 1)
    if took <= late or began >= limit or ended <= late:
        return None
    return (
        Phase.TRAJECTORY,
        f"It ended {took:.1f} s after dispatch with a limit of {limit:g} s, and the server printed nothing for {silence.seconds:.1f} s around "
        "the deadline: code in run() held the event loop. The await at which it is reported is innocent.",
    )


def _late_grader(trial: Trial) -> tuple[Phase, str] | None:
    limit, took, silence = trial.limits.grader, elapsed(trial), trial.silence
    if limit is None or took is None or silence is None or silence.seconds is None or silence.finished_at is None:
        return None
    at_end = trial.finished_at is None or abs((trial.finished_at - silence.finished_at).total_seconds()) < 0.5
    both = limit + trial.limits.agent if trial.limits.agent is not None else None
    waited = deadline(trial, "grader") is not None
    over = both is not None and took > both + slack(both)
    if not at_end or not (over or silence.seconds > limit + slack(limit) * (2 if waited else 1)):
        return None
    left = " The reward that was set came too late and is not booked." if trial.left_reward else ""
    return (
        Phase.GRADING,
        f"The server printed nothing for {silence.seconds:.1f} s while the grader had {limit:g} s: code in grade() held the event loop.{left}",
    )


def _blocked_for_good(trial: Trial, run: Run, seconds: float) -> Found | None:
    """Longer than both limits together: the supervisor gave up on the row and halted the run."""
    agent, grader = trial.limits.agent, trial.limits.grader
    if agent is None or grader is None or seconds <= agent + grader + slack(agent + grader):
        return None
    halt = halted_on(trial, run)
    if halt is None:
        return None
    first = next(iter(trial.exceptions), None)
    phase = Phase.GRADING if first and first.during == "grader" else Phase.TRAJECTORY
    why = f"The server printed nothing for {seconds:.0f} s, with limits of {agent:g} s and {grader:g} s: code of the rollout held the event loop."
    return Found((halt.evidence(), *_limit(trial), *((told(first),) if first else ())), Level.LOG, phase=phase, detail=why)


def _limit(trial: Trial) -> tuple[Evidence, ...]:
    spot, limit = trial.limits.spot, trial.limits.agent
    return (spot.evidence(f'"agent_timeout_sec": {limit}'),) if spot and limit is not None else ()


# ---- what was raised

SAMPLE_FUNCTIONS = ("set_sample_source", "get_sample", "coerce_output", "register_sample_source")
_NO_SESSION = re.compile(r"\bwithout an active \w*(?:Session|session)\b")
NOTHING_TO_GRADE = "No messages from the agent phase, skipping grading"


def without_sample(trial: Trial, run: Run) -> Found | None:
    """run() made no sample, or a second one."""
    if run.format != "osmosis":
        return None
    return _grader_found_none(trial) or _sdk_refused(trial) or _empty_sample(trial) or _graded_nothing(trial)


def _grader_found_none(trial: Trial) -> Found | None:
    """The grader failed, and no sample ever left the workflow."""
    exception = raised(trial, "grader")
    if exception is None or trial.workflow_finished is not False:
        return None
    return Found(
        (told(exception), *record(trial)),
        Level.LOG,
        detail="It shows in the grader, but no sample left the workflow: run() returned nothing and registered no source.",
    )


def _sdk_refused(trial: Trial) -> Found | None:
    exception = raised(trial, "workflow")
    if exception is None:
        return None
    last = deepest(exception)
    in_sdk = last is not None and "osmosis_ai/rollout/" in last.file
    if in_sdk and (sdk_function(exception, *SAMPLE_FUNCTIONS) or _NO_SESSION.search(exception.message)):
        return Found((told(exception), *record(trial)), Level.LOG, detail=f"The SDK refused it. {place(exception)}".strip())
    return None


def _empty_sample(trial: Trial) -> Found | None:
    """A sample without messages: its trajectory could not be written, and the grader found no last message."""
    exception = raised(trial, "grader")
    if exception is None or trial.deliverable.submitted or short(exception) != "IndexError":
        return None
    unsaved = next((u for u in trial.harness if "Failed to save the trajectory" in u.text), None)
    if unsaved is None or not any("messages" in source for source in user_sources(exception)):
        return None
    return Found((told(exception), unsaved.evidence()), Level.INFERENCE, detail="run() returned a sample without messages.")


def _graded_nothing(trial: Trial) -> Found | None:
    """In a sandbox: the grader says there was nothing to grade and writes 0.0."""
    silent = next((u for u in trial.grading.output if NOTHING_TO_GRADE in u.text), None)
    if silent is None or trial.reward.value or any(e.during == "agent" for e in trial.exceptions):
        return None
    return Found((silent.evidence(), *record(trial)), Level.LOG, detail="The zero was written for want of messages.")


def unusable_output(trial: Trial, run: Run) -> Found | None:
    """The workflow died of the model's call or answer: arguments that do not parse or fit, a tool there is not."""
    exception = raised(trial, "workflow") if run.format == "osmosis" else None
    if exception is None:
        return None
    why = why_unusable(exception)
    return Found((told(exception), *record(trial)), Level.LOG, detail=f"{why} {place(exception)}".strip()) if why else None


def own_exception(trial: Trial, run: Run) -> Found | None:
    """run() raised."""
    if run.format != "osmosis":
        return None
    exception = raised(trial, "workflow")
    if exception is None:
        return Found(record(trial), Level.RECORD) if trial.error_type == "workflow_failed" else None
    inner = f" Raised from {exception.inner[0].partition(':')[0]}." if exception.inner else ""
    return Found((told(exception), *record(trial)), Level.LOG, detail=f"{place(exception)}{inner}".strip())


def own_cancellation(trial: Trial, run: Run) -> Found | None:
    """A cancellation that nobody asked for: it came out of run() itself, which leaves the row without a record."""
    if run.format != "osmosis" or trial.recorded is not Recorded.PENDING:
        return None
    cancelled = next((u for u in trial.harness if u.kind == "cancel" and "rollout cancelled" in u.text), None)
    if (
        cancelled is None
        or logged(run, "cancel", "supervisor cancellation requested")
        or logged(run, "dispatch", "halting dispatch")
    ):
        return None
    why = "run() let a CancelledError out, although neither the supervisor nor a deadline had cancelled it."
    return Found((cancelled.evidence(),), Level.INFERENCE, detail=why)


def crashed(trial: Trial, run: Run) -> Found | None:
    """The server's own code raised, outside of workflow and grader."""
    outside = next((e for e in trial.exceptions if e.during is None and not e.user_frame), None)
    if run.format != "osmosis" or trial.reward.value is not None or (outside is None and trial.error_type != "internal_error"):
        return None
    return Found((*((told(outside),) if outside else ()), *record(trial)), Level.LOG if outside else Level.RECORD)


def said_nothing(trial: Trial, run: Run) -> Found | None:
    """A graded zero whose last reply is empty: no text and no call."""
    log = trial.log
    last = log.last_message if log else None
    if run.format != "osmosis" or trial.reward.value is None or trial.reward.value > 0 or log is None or last is None:
        return None
    if last.text.strip() or log.stop_reason == "tool_use":
        return None
    step = Spot(last.spot.path, pointer=(last.spot.pointer or "").removesuffix("/message"))
    return Found((step.evidence('"message": ""'), *record(trial)), Level.RECORD, detail="The model's last reply is empty.")
