"""Was the work really graded? A 0.0 in a reward file is no proof; a judgement of the work's content is.

A timeout, a non-zero exit or a provider error after the answer does not take it back: where this says yes, the score stands.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from whyzero.causes._exceptions import began
from whyzero.causes._started import never_started
from whyzero.evidence import Evidence
from whyzero.model import AgentLog, Deliverable, End, Recorded, Run, TestOutcome, Trial, Utterance

CUT_MODES = frozenset(
    {"agent_timeout", "unknown_agent_error", "fatal_llm_parse_error", "context_length_exceeded", "output_length_exceeded"}
)
"""Terminal-Bench failure modes that end the agent's work."""

_NONE_FAILED = re.compile(r"(?i)\b0 fail(?:ed|ures?|ing)?\b|\bfail(?:ed|ures?)?:? +0\b")
_FAILED = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|s)?|traceback|\w+error|wrong|incorrect|mismatch|expected|below|slow(?:er)?|exceed\w*|threshold)\b"
)
_GROUND = re.compile(
    r"(?i)\b(?:needed|required|minimum|at least|out of|points?|judges?|penal\w+|forbidden|not allowed|disallowed|violat\w+|tamper\w*|cheat\w*"
    r"|coverage|baseline|style|quality)\b"
)
"""Behind a suite that passed: another ground for the zero than its tests."""
_SUITE_ENDS = re.compile(r"\b\d+ pass(?:ed|ing)?\b|^OK\b|\btests? passed\b|^ok\s")
CLIENT_ERROR = re.compile(
    r"^(?:[\w -]{0,40}\b(?i:error|failed|failure|exception)[\w -]{0,20}: )?"
    r"(?:[\w.]*\b)?(?:openai|anthropic|litellm|google\.\w+|httpx|httpcore|requests|urllib3?|aiohttp|botocore|cohere|mistralai)\.[\w.]*"
    r"(?:Error|Exception|Timeout|Exhausted|Denied)\b.*"
)
"""An exception of a model or HTTP client, at the start of a line or behind the verifier's own word for a failure."""
REFUSED = re.compile(r"\bError code: [45]\d\d - \{")
_SUITE_S_OWN = re.compile(
    r"^fixture '\w+' not found|\bNo such file or directory: '/tests?/|Executable doesn't exist at /root/\.cache/|^docker\.errors\.DockerException\b"
)
"""What a test missed is a part of the suite."""
_MODEL_S_CLIENT = re.compile(
    r"^(?:openai|anthropic|litellm|google\.(?:genai|api_core)|mistralai|cohere)\.[\w.]*(?:Error|Exception|Timeout|Exhausted|Denied)\b"
)
_NO_MODULE = re.compile(r"^ModuleNotFoundError: No module named ")
_SUITE_S_FILE = re.compile(r"(?:^|/)tests?/|(?:^|/)(?:test_\w+|\w+_test|conftest)\.py$|/(?:site|dist)-packages/|/lib/python3")
OUTPUTS = frozenset({"test-stdout.txt", "test-stderr.txt"})
"""Where a verifier's words are kept: without them its silence proves nothing."""


def answered(trial: Trial, run: Run) -> tuple[bool, tuple[Evidence, ...]]:
    """True where a deliverable exists and the verifier judged it, with the evidence for it."""
    if trial.reward.value is None or trial.reward.invalid or trial.recorded is Recorded.PENDING or trial.is_nop:
        return False, ()
    if run.format == "osmosis":
        spot = trial.reward.spot or trial.spot
        refused = trial.log is not None and pending_error(trial.log) is not None
        graded = trial.recorded is Recorded.FINISHED and not trial.deliverable.missing and not refused
        return graded, (spot.evidence(trial.reward.text or f"{trial.reward.value:g}"),)
    if trial.steps:
        parts = [answered(step, run) for step in trial.steps]
        return all(yes for yes, _ in parts), tuple(e for _, proof in parts for e in proof[:2])
    proof = () if never_started(trial) or _never_spoke(trial) or passed_whole(trial) else _judged(trial)
    if proof and (_idle(trial.log) or cut_short(trial)) and not _surely_there(trial):
        proof = ()
    return bool(proof), proof


def passed_whole(trial: Trial) -> bool:
    """A zero although every test passed and nothing else was said of the work: the zero judges it in no way."""
    grading = trial.grading
    if trial.reward.value != 0 or len(trial.reward.components) > 1 or trial.is_oracle or trial.is_nop:
        return False
    if not grading.complete or trial.deliverable.missing or not all(t.passed for t in grading.tests):
        return False
    ran = len(grading.tests) or grading.collected
    if not ran or not grading.collected == grading.passed == ran:
        return False
    began = next((n for n, line in enumerate(grading.output) if "test session starts" in line.text), 0)
    if gave_up_after(trial) is not None:
        return True
    if any(_GROUND.search(line.text) for line in _after_the_suite(trial)):
        return False
    return not any(_FAILED.search(_NONE_FAILED.sub("", line.text)) for line in grading.output[began:])


def _after_the_suite(trial: Trial) -> tuple[Utterance, ...]:
    """What the verifier said behind the last closing line of its tests."""
    output = trial.grading.output
    ends = [n for n, line in enumerate(output) if _SUITE_ENDS.search(line.text)]
    return output[ends[-1] + 1 :] if ends else ()


def gave_up_after(trial: Trial) -> Utterance | None:
    """Behind a suite that passed, an error of a client of the verifier's (a judge that could not be asked), and no judgement after it."""
    told: Utterance | None = None
    for line in _after_the_suite(trial):
        if CLIENT_ERROR.match(line.text) or REFUSED.search(line.text):
            told = line
        elif _GROUND.search(line.text) and _says_more_than_it_failed(line.text):
            told = None
    return told


def _says_more_than_it_failed(line: str) -> bool:
    return not re.search(r"(?i)\b(?:failed|failure|error|attempt|retry\w*|unavailable|default\w*)\b", line)


def of_the_suite(test: TestOutcome) -> bool:
    """A test that failed for want of a part of its own suite, or of the model it asks: it says nothing of the work."""
    if test.passed or test.absent:
        return False
    if _SUITE_S_OWN.search(test.message):
        return True
    if not test.files or not all(_SUITE_S_FILE.search(file) for file in test.files):
        return False
    return bool(_MODEL_S_CLIENT.match(test.message) or _NO_MODULE.match(test.message))


def suite_failed(tests: tuple[TestOutcome, ...]) -> bool:
    """Some tests failed, and all that did miss a part of their own suite."""
    failed = [t for t in tests if not t.passed]
    return bool(failed) and all(of_the_suite(t) for t in failed)


def cut_short(trial: Trial) -> bool:
    """The agent's work was ended by something else than its own decision; a log without an end is no proof by itself."""
    if any(e.during == "agent" and not e.masked for e in trial.exceptions) or trial.error_type in CUT_MODES:
        return True
    log = trial.log
    return log is not None and (log.end is End.FAILED or pending_error(log) is not None)


def pending_error(log: AgentLog) -> Utterance | None:
    """The main agent's last error that no later turn of its model left behind."""
    return next((e for e in reversed(log.errors) if e.actor == "main" and not e.overcome), None)


def _judged(trial: Trial) -> tuple[Evidence, ...]:
    """Evidence that content was looked at, unless what failed for want of a file outweighs it."""
    work, tests = trial.deliverable, trial.grading.tests
    if not tests:
        if work.missing and not work.submitted and not trial.reward.value:
            return ()
        return work.seen or _silently(trial)
    absent = [t for t in tests if not t.passed and t.absent]
    wrong = [t for t in tests if not t.passed and not t.absent and not of_the_suite(t)]
    right = [t for t in tests if t.passed]
    if suite_failed(tests):
        return ()
    if absent and len(wrong) + len(right) <= len(absent):
        return ()
    if absent and not wrong and not work.submitted and not _only_some_missing(work, absent):
        return ()
    return work.seen


def _silently(trial: Trial) -> tuple[Evidence, ...]:
    """The agent wrote what was asked for, and a verifier that has nothing to complain of wrote the reward without a word."""
    output_kept = any(PurePosixPath(name).name in OUTPUTS for name in trial.grading.files)
    if not began(trial, "verifier") or not output_kept or any(line.text.strip() for line in trial.grading.output):
        return ()
    return trial.deliverable.written[:2]


def _only_some_missing(work: Deliverable, absent: list[TestOutcome]) -> bool:
    """The brief asks for several files, and the verifier missed only some of them."""
    names = {PurePosixPath(name).name for name in work.names}
    missing = {name for name in names if any(name in test.message for test in absent)}
    return bool(missing) and missing != names


def _never_spoke(trial: Trial) -> bool:
    """The first request was refused: whatever the reward, it is that of the untouched workspace."""
    log = trial.log
    if log is None or log.steps != 0 or log.last_message is not None or trial.deliverable.submitted:
        return False
    return _idle(log) and pending_error(log) is not None


def _idle(log: AgentLog | None) -> bool:
    """The model made no call that reached a tool."""
    return log is not None and log.tool_calls == 0 and not log.tool_results and not log.delegations


def _surely_there(trial: Trial) -> bool:
    """Proof that what was judged is the trial's own work and not the untouched workspace."""
    work = trial.deliverable
    if work.submitted or trial.reward.value or trial.reward.components.get("f2p_passed"):
        return True
    if work.written and work.seen:
        return True
    if any("patch applied" in e.quote for e in work.seen):
        return True
    if any(t.absent for t in trial.grading.tests if not t.passed) and not any(t.passed for t in trial.grading.tests):
        return False
    new_files = bool(work.names) and bool(trial.grading.tests) and not _idle(trial.log)
    return new_files or (trial.brief is None and bool(work.seen) and not _idle(trial.log))
