"""Osmosis rows and runs in which something looks like another cause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import PASS, Case, in_osmosis, one_row
from benchmarks.zerobench.cases.runs import DONE, workspace
from benchmarks.zerobench.osmosis import Eval, Row, healthy_start


def cases() -> Iterator[Case]:
    yield from _graded()
    yield from _raised()
    yield from _runs()


PRINTED = (
    "WARNING policy: 429 Too Many Requests, retrying in 2s",
    "openai.RateLimitError: Error code: 429 - {'error': {'code': 'rate_limit_exceeded'}}",
    "infrastructure error, do not count",
    "Traceback (most recent call last): KeyError: 'tolerance'",
)


def _graded() -> Iterator[Case]:
    for number, line in enumerate(PRINTED):
        row = Row(reward=0.0, answer="The answer is 82.", printed=(line,), statuses=(429, 200) if number < 2 else (200,))
        yield one_row(f"decoy-printed-wrong-{number}", "wrong_answer", row, "decoy")
        yield one_row(f"decoy-printed-pass-{number}", PASS, replace(row, reward=1.0, answer="The answer is 84."), "decoy")
    yield one_row(
        "decoy-overcome", "wrong_answer", Row(reward=0.0, answer="The answer is 80.", statuses=(502, 500, 200)), "decoy"
    )
    raw = {"tool_call_id": "c1", "function_name": "multiply", "arguments": {"_raw": '{"a": 12, "b": '}}
    yield one_row("decoy-tolerated-call", PASS, Row(calls=(raw,), statuses=(200, 200)), "decoy")
    yield one_row("decoy-tolerated-call-wrong", "wrong_answer", Row(reward=0.0, answer="The answer is 8.", calls=(raw,)), "decoy")
    yield one_row(
        "decoy-answer-speaks-of-errors",
        "wrong_answer",
        Row(reward=0.0, answer="Error 429: rate limit. The answer is 429."),
        "decoy",
    )
    mixed = [
        Row(0, reward=0.0, answer="The answer is 84.0.", label="85"),
        Row(1, answer="The answer is 42.", label="42"),
        Row(2, answer="It is 225.", label="225"),
    ]
    yield in_osmosis("decoy-label-like", "wrong_answer", Eval(mixed), "0.0", "decoy")


def _raised() -> Iterator[Case]:
    own = tb.in_workflow(
        tb.user(66, "run", 'raise TimeoutError("the table service gave no answer")'),
        error="TimeoutError: the table service gave no answer",
    )
    yield one_row(
        "decoy-own-timeout",
        "workflow_error",
        Row(error="timeout", block="workflow", seconds=1.2, traceback=own),
        "decoy",
        limits=(60.0, 10.0),
    )
    quoted = tb.in_grader(
        tb.user(92, "grade", "raise KeyError(message)"), error="KeyError: 'openai.AuthenticationError: 401 Unauthorized'"
    )
    yield one_row("decoy-grader-quotes", "grader_error", Row(error="agent_error", block="grader", traceback=quoted), "decoy")
    loads = tb.in_workflow(
        tb.user(30, "load_table", "table = json.loads(text)"),
        error="json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    )
    yield one_row("decoy-own-json", "workflow_error", Row(error="validation_error", block="workflow", traceback=loads), "decoy")


def _runs() -> Iterator[Case]:
    for number, said in enumerate(
        (
            "my run failed, I think a secret is missing",
            "we saw `Missing [secrets] section in x` yesterday",
            "the model said: SyntaxError: expected ':'",
        )
    ):
        yield in_osmosis(f"decoy-free-text-{number}", PASS, DONE, None, "decoy", said)
    warning = (
        "WARNING",
        "server",
        'ROLLOUT_SDK_VERSION_MISMATCH: the rollout environment has another SDK {"cli_sdk_version":"0.3.8","server_sdk_version":"0.3.7"}',
    )
    yield in_osmosis(
        "decoy-version-warning", PASS, Eval([Row(0), Row(1)], start=[*healthy_start(2), warning], sdk="0.3.7"), None, "decoy"
    )
    asked = ("WARNING", "cancel", "supervisor cancellation requested")
    resumed = [*healthy_start(2), asked, *healthy_start(2)]
    yield in_osmosis("decoy-resumed", PASS, Eval([Row(0), Row(1)], start=resumed), None, "decoy")
    notes = {"data/notes.txt": "not a dataset {", "rollouts/other/main.py": "def broken(\n"}
    yield workspace("decoy-other-files", PASS, notes, "decoy")
