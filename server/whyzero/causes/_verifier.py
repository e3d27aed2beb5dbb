"""How a Harbor or Terminal-Bench verifier failed, as far as records and its own output tell.

A verifier phase that began and left no result failed, whatever exception the harness keeps for the trial.
"""

from __future__ import annotations

import re

from whyzero.causes._answered import CLIENT_ERROR, REFUSED, gave_up_after, passed_whole, suite_failed
from whyzero.causes._exceptions import VERIFIER_TIMEOUT, began, during, evidence, null, short
from whyzero.causes._started import never_started
from whyzero.causes.cause import Found
from whyzero.evidence import Evidence, Level
from whyzero.model import ExceptionRecord, Run, Spot, Trial, Utterance

NO_REWARD = frozenset({"RewardFileNotFoundError", "RewardFileEmptyError"})
NO_NUMBER = frozenset({"VerifierOutputParseError"})
TAIL = 40
"""Lines at the end of the verifier's output in which its own failure is looked for."""
_CRASHED = re.compile(
    r"\bFatal Python error: |\bSegmentation fault\b|\(core dumped\)|^(?:\S+: line \d+: +\d+ )?(?:Killed|Aborted|Bus error)\b"
)
_OWN_PROGRAM = re.compile(r"(?:Killed|Segmentation fault|Aborted|Bus error)\b.* /tests?/\S+$")
_LOCAL = re.compile(r"(?<![\w.])(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?![\w.])")
"""What was called there is the work's own service."""
_OWN_FRAME = re.compile(r'^\s*File "/(?:[\w.-]+/)*(?:tests?|verifiers?|oracle|graders?|grading|judge)/[^"]+", line \d+')
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception)\b(?::.*)?$")
_APPLY = re.compile(r"(?i)\b(?:failed to apply|could not apply|does not apply|error: patch failed|apply_failed)\b")
_HARNESSES = ("harbor", "terminal-bench")


def timed_out(trial: Trial, run: Run) -> Found | None:
    """The verifier's own deadline."""
    if run.format not in _HARNESSES:
        return None
    for exception in trial.exceptions:
        if short(exception) == VERIFIER_TIMEOUT:
            return _named(exception, "The verifier's deadline passed.")
    if trial.error_type == "test_timeout" and not never_started(trial):
        record = Spot(trial.spot.path, pointer="/failure_mode").evidence(trial.error_type)
        return Found((record,), Level.RECORD, detail="The harness ended the tests at their deadline.")
    verifier, limit = trial.span("verifier"), trial.limits.grader
    if _left_nothing(trial) and verifier is not None and verifier.seconds is not None and limit and verifier.seconds >= limit:
        return Found(
            (_nothing(trial),),
            Level.INFERENCE,
            detail=f"The verifier ran {verifier.seconds:.0f} s of {limit:g} s.",
        )
    if _left_nothing(trial) and not during(trial, "verifier") and verifier is not None and _whole_deadline(verifier.seconds):
        return Found(
            (_nothing(trial),),
            Level.INFERENCE,
            detail=f"The verifier ran {verifier.seconds:.0f} s, as long as a deadline (or two attempts at one), and left no result.",
        )
    return None


def no_reward(trial: Trial, run: Run) -> Found | None:
    """Grading ended and no reward was there to read."""
    if run.format not in _HARNESSES:
        return None
    for exception in trial.exceptions:
        if short(exception) in NO_REWARD:
            return _named(exception, "The verifier ended without writing a reward.")
    if trial.reward.invalid == "empty file" and trial.reward.spot:
        return Found((_nothing(trial),), Level.RECORD, detail=f"{trial.reward.spot.path} is empty.")
    return None


def no_number(trial: Trial, run: Run) -> Found | None:
    """What was written is no reward."""
    if run.format not in _HARNESSES:
        return None
    invalid = trial.reward.invalid
    written = trial.reward.spot.evidence(trial.reward.text) if trial.reward.spot and trial.reward.text else None
    for exception in trial.exceptions:
        if short(exception) in NO_NUMBER:
            proof = (written, evidence(exception)) if written else (evidence(exception),)
            return Found(
                proof, Level.LOG if exception.masked else Level.RECORD, detail=f"The reward is {invalid}." if invalid else ""
            )
    if invalid and invalid != "empty file" and written:
        return Found((written,), Level.RECORD, detail=f"The reward is {invalid}.")
    return None


def broke(trial: Trial, run: Run) -> Found | None:
    """The verifier raised, could not apply what it was given, or ran into an error of its own tools."""
    if run.format not in _HARNESSES:
        return None
    for exception in during(trial, "verifier"):
        if short(exception) not in NO_REWARD | NO_NUMBER | {VERIFIER_TIMEOUT}:
            return _named(exception, "The verifier raised.")
    if trial.error_type == "parse_error" and not never_started(trial):
        record = Spot(trial.spot.path, pointer="/failure_mode").evidence(trial.error_type)
        last = tuple(line.evidence() for line in trial.grading.output[-1:])
        return Found((record, *last), Level.RECORD, detail="The harness could not read the tests' output.")
    if trial.reward.components.get("apply_failed") and trial.reward.spot:
        said = tuple(line.evidence() for line in trial.grading.output if _APPLY.search(line.text))
        rewards = Spot(trial.reward.spot.path, pointer=(trial.reward.spot.pointer or "").rpartition("/")[0] or None)
        return Found(
            (*said[:1], rewards.evidence('"apply_failed": 1')), Level.RECORD, detail="It could not apply what it was given."
        )
    return (
        _misses_its_own(trial)
        or _contradicts_its_tests(trial)
        or _error_of_its_own(trial)
        or (
            Found((_nothing(trial),), Level.INFERENCE, detail="The verifier began and left no result.")
            if _left_nothing(trial)
            else None
        )
    )


def _misses_its_own(trial: Trial) -> Found | None:
    """Every test that failed did so for want of a part of the suite: a fixture, a module, a file of its own, the model it asks."""
    tests, reward = trial.grading.tests, trial.reward
    if reward.value != 0 or reward.spot is None or not suite_failed(tests):
        return None
    told = tuple(t.spot.evidence(t.message) for t in tests if t.spot and not t.passed)[:2]
    return Found((*told, reward.spot.evidence(reward.text or "0")), Level.LOG, detail="Its tests miss a part of their own suite.")


def _contradicts_its_tests(trial: Trial) -> Found | None:
    """A zero beside a report in which every test passed."""
    grading, reward = trial.grading, trial.reward
    if not passed_whole(trial) or reward.spot is None:
        return None
    counts = [line.evidence() for line in grading.output if line.spot == grading.report]
    counts = counts or [t.spot.evidence("passed" if t.spot.pointer else t.name) for t in grading.tests[:1] if t.spot]
    proof = (*counts, reward.spot.evidence(reward.text or "0"))
    if told_off := gave_up_after(trial):
        return Found((told_off.evidence(), *proof), Level.LOG, detail="Every test passed, and what should judge the rest failed.")
    told = f"{grading.passed} of {grading.collected} tests passed by its own report"
    return Found(proof, Level.INFERENCE, detail=f"{told}, nothing failed, and it wrote 0.")


def _error_of_its_own(trial: Trial) -> Found | None:
    """A zero beside an error of the verifier's own tools, with no test and no judgement of the work."""
    grading = trial.grading
    if trial.reward.value != 0 or grading.tests or grading.collected is not None or trial.deliverable.missing:
        return None
    if any(not _is_trace(e.quote) for e in trial.deliverable.seen):
        return None
    last = grading.output[-TAIL:]
    told = _client_error(last) or _own_traceback(last) or _broke_off(grading.output)
    if told is not None and told.spot in {Spot(e.path, e.line) for e in trial.deliverable.seen}:
        # It closes a traceback through the work, or is an assertion about it.
        return None
    if told is not None and trial.brief is None and "No module named" in told.text:
        # The work's own module, or one of the verifier's: without the brief nothing tells.
        return None
    reward = (trial.reward.spot.evidence(trial.reward.text or "0"),) if trial.reward.spot else ()
    return (
        Found((told.evidence(), *reward), Level.LOG, detail="It wrote 0 after an error of its own, without judging the work.")
        if told
        else None
    )


def _client_error(lines: tuple[Utterance, ...]) -> Utterance | None:
    """An exception of a model or HTTP client at the start of a line, or a model client's words for a refusal."""
    return next((line for line in reversed(lines) if CLIENT_ERROR.match(line.text) or REFUSED.search(line.text)), None)


def _broke_off(lines: tuple[Utterance, ...]) -> Utterance | None:
    """The system's word that a test session, which had begun, or a program of the verifier's was ended by a crash or a kill."""
    begun = any("test session starts" in line.text for line in lines)
    return next(
        (line for line in lines[-TAIL:] if _CRASHED.search(line.text) and (begun or _OWN_PROGRAM.search(line.text))), None
    )


def _own_traceback(lines: tuple[Utterance, ...]) -> Utterance | None:
    """The closing line of a traceback all of whose files are the verifier's own or a library's."""
    frames = [line.text for line in lines if line.text.lstrip().startswith('File "')]
    if not any(_OWN_FRAME.match(frame) for frame in frames):
        return None
    if any('File "/app/' in frame or 'File "/workspace/' in frame for frame in frames):
        return None
    return next((line for line in reversed(lines) if _RAISED.match(line.text)), None)


def _is_trace(quote: str) -> bool:
    return bool(CLIENT_ERROR.match(quote) or _RAISED.match(quote)) and not _LOCAL.search(quote)


def _nothing(trial: Trial) -> Evidence:
    """The null where a result would stand."""
    reward = trial.reward
    return reward.spot.evidence("null") if reward.spot and reward.text == "null" else null(trial, "verifier_result")


def _left_nothing(trial: Trial) -> bool:
    return began(trial, "verifier") and trial.reward.value is None and not trial.reward.invalid


def _whole_deadline(seconds: float | None) -> bool:
    """A round number of five minutes and a little more: how a deadline shows where nobody recorded it."""
    return seconds is not None and seconds >= 300 and seconds % 300 <= 0.01 * seconds


def _named(exception: ExceptionRecord, detail: str) -> Found:
    level = Level.LOG if exception.masked else Level.RECORD
    if exception.masked:
        detail += " The harness kept another exception as the official one."
    return Found((evidence(exception),), level, detail=detail)
