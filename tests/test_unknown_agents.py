"""Agent programs without a grammar of ours, and agents of the user's own: what may be said of them, and what may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import terminal_bench_trees as terminal_bench
from harbor_trees import (
    ABSENT,
    LOOKED,
    RIGHT,
    WRONG,
    WROTE,
    exception,
    first_evidence,
    graded,
    result,
    spans,
    trajectory,
    trial,
    write,
)
from harbor_trees import verdict as judged
from whyzero.evidence import Level
from whyzero.findings import Outcome, Verdict

FRAME = 'Traceback (most recent call last):\n  File "/home/me/agents/clever.py", line 42, in run\n    answer = ask()\n'
ASKED = "https://api.openai.com/v1/chat/completions"


def program(root: Path, name: str, text: str, info: dict[str, Any] | None = None, *tests: tuple[str, str, str]) -> Verdict:
    """The verdict on a trial of a program that left one text file."""
    record = result(exception_info=info, agent_info={"name": name, "version": "1", "model_info": {"name": "gpt-5"}})
    graded(root, *(tests or (ABSENT,)), record=record)
    (root / "agent" / "trajectory.json").unlink()
    return judged(write(root, {f"agent/{name}.txt": text}))


def failed(kind: str) -> dict[str, Any]:
    return exception(kind, "Command failed (exit 1): run\nstdout: …")


def cause(found: Verdict) -> str | None:
    return found.finding.cause if found.finding else None


@pytest.mark.parametrize(
    "text",
    [
        "Aider v0.86\nlitellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided\n",
        "Aider v0.86\nlitellm.RateLimitError: RateLimitError: OpenAIException\nRetrying in 32.0 seconds...\n> I know how.\n",
        "Aider v0.86\n+    except litellm.RateLimitError: pass\nApplied edit to client.py\n",
        "goose\nRan into this error: Rate limit exceeded.\n\nPlease retry if you think this is a transient or recoverable error.\nBye.\n",
        "Aider v0.86\n> I need more information.\nTokens: 3k sent, 100 received.\n",
    ],
)
@pytest.mark.lookalike("early_stop", "agent_auth", "rate_limited")
def test_lines_of_unknown_speakers_blame_nobody(text: str, tmp_path: Path) -> None:
    found = program(tmp_path, "aider", text)
    assert (found.finding, found.outcome) == (None, Outcome.GRADED_ZERO)


CLOSED = (
    ("goose", "goose\nls\nRan into this error: Rate limit exceeded: try later.\n\nPlease retry if you think this is a transient or recoverable error.\n", "rate_limited", 3),
    ("goose", "goose\nRan into this error: Request failed: Insufficient credits.\n\nPlease retry if you think this is a transient or recoverable error.\n\nClosing session. Recorded to /root/s.jsonl\n", "quota_exhausted", 2),
    ("aider", "Aider v0.86\nlitellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided\nThe API provider is not able to authenticate you. Check your API key.\n", "agent_auth", 2),
    ("aider", "Aider v0.86\nlitellm.RateLimitError: RateLimitError: OpenAIException - slow down\nThe API provider has rate limited you.\nRetrying in 32.0 seconds...\n", "rate_limited", 2),
)  # fmt: skip


@pytest.mark.positive("rate_limited", "agent_auth", "quota_exhausted")
@pytest.mark.parametrize(("name", "text", "word", "line"), CLOSED)
def test_the_phrase_with_which_a_program_closes_its_screen(name: str, text: str, word: str, line: int, tmp_path: Path) -> None:
    found = program(tmp_path, name, text)
    assert found.finding is not None
    assert (found.finding.cause, found.finding.evidence_level) == (word, Level.INFERENCE)
    assert (found.finding.evidence[0].path, found.finding.evidence[0].line) == (f"agent/{name}.txt", line)


@pytest.mark.parametrize(
    ("after", "name"),
    [
        pytest.param("root@box:/app#\n", "rate_limited", marks=pytest.mark.positive("rate_limited")),
        pytest.param("I go on.\nroot@box:/app#\n", None, marks=pytest.mark.lookalike("rate_limited")),
    ],
)
def test_the_phrase_counts_on_a_terminal_too(after: str, name: str | None, tmp_path: Path) -> None:
    launch = "['goose run --recipe ~/recipe.yaml', 'Enter']\n"
    commands = terminal_bench.INSTALL + launch + terminal_bench.TESTS
    pane = f"INSTALL_SUCCESS\nroot@box:/app# goose run\n{CLOSED[0][1]}{after}"
    path = terminal_bench.trial(tmp_path / "t", *terminal_bench.MISSING, commands=commands, pane=pane)
    assert cause(judged(path)) == name


@pytest.mark.positive("rate_limited")
def test_the_phrase_counts_beside_a_trajectory_too(tmp_path: Path) -> None:
    graded(tmp_path, ABSENT, agent__trajectory_json=trajectory(LOOKED, agent="goose"))
    assert cause(judged(write(tmp_path, {"agent/goose.txt": CLOSED[0][1]}))) == "rate_limited"


@pytest.mark.positive("rate_limited")
def test_harbor_s_class_confirmed_by_the_program_s_last_words(tmp_path: Path) -> None:
    text = "starting session\nls\nerror: Request failed: Rate limit exceeded: 429 Too Many Requests\n"
    found = program(tmp_path, "goose", text, failed("ApiRateLimitError"))
    assert found.finding is not None
    assert (found.finding.cause, found.finding.evidence_level) == ("rate_limited", Level.INFERENCE)
    assert (found.finding.evidence[0].path, found.finding.evidence[0].line) == ("agent/goose.txt", 3)


@pytest.mark.lookalike("rate_limited", "agent_auth")
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("ApiRateLimitError", "ls\ncurl api\nHTTP 429 rate limit exceeded\n" + "thinking\n" * 5),
        ("ApiRateLimitError", "ls\nI am done.\n"),
        ("AgentAuthenticationError", "ls\nerror: Rate limit exceeded\n"),
        ("NonZeroAgentExitCodeError", "ls\nerror: Rate limit exceeded\n"),
    ],
    ids=["words long before the end", "no words", "other words", "no class"],
)
def test_a_class_or_words_alone_decide_nothing(kind: str, text: str, tmp_path: Path) -> None:
    assert program(tmp_path, "goose", text, failed(kind)).finding is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.\n",
            "agent_auth",
        ),
        ("Missing API key for OpenAI-compatible auth. Set the 'OPENAI_API_KEY' environment variable.\n", "agent_auth"),
        (
            "I look.\n[API Error: 429 You exceeded your current quota, please check your plan and billing details.]\n",
            "quota_exhausted",
        ),
        ("I look.\n[API Error: 429 You exceeded your current quota.]\nI go on.\n", None),
        ("ls\nError: Authentication required. Please run 'agent login' first.\n", None),
    ],
)
@pytest.mark.positive("agent_auth", "quota_exhausted")
@pytest.mark.lookalike("agent_auth", "quota_exhausted")
def test_a_program_that_left_with_no_word_but_its_provider_s(text: str, name: str | None, tmp_path: Path) -> None:
    assert cause(program(tmp_path, "any-agent", text, failed("NonZeroAgentExitCodeError"))) == name


@pytest.mark.lookalike("agent_auth")
def test_the_same_word_of_a_program_that_left_in_peace_is_not_looked_at(tmp_path: Path) -> None:
    assert cause(program(tmp_path, "any-agent", "Error: Authentication required. Please run 'agent login' first.\n")) is None


@pytest.mark.positive("harness_crash")
@pytest.mark.lookalike("rate_limited")
def test_harbor_s_class_found_in_what_a_tool_printed_before_the_program_crashed(tmp_path: Path) -> None:
    text = "cat app.log\n429 Too Many Requests: rate limit exceeded\nthread 'main' panicked at src/session.rs:412:18:\n"
    assert cause(program(tmp_path, "goose", text, failed("ApiRateLimitError"))) == "harness_crash"


TRACE = 'Traceback (most recent call last):\n  File "/app/a.py", line 1, in <module>\n    total()\nValueError: no total\n'


@pytest.mark.positive("harness_crash")
@pytest.mark.lookalike("harness_crash")
@pytest.mark.parametrize(
    ("after", "name"),
    [
        ("", "harness_crash"),
        (f"\nDuring handling of the above exception, another exception occurred:\n\n{TRACE}", "harness_crash"),
        ("I mend it.\nError: the stream closed\n", None),
    ],
)
def test_a_traceback_is_the_program_s_where_it_ends_the_screen(after: str, name: str | None, tmp_path: Path) -> None:
    text = f"starting session\npython3 a.py\n{TRACE}{after}"
    assert cause(program(tmp_path, "goose", text, failed("NonZeroAgentExitCodeError"))) == name


def own_agent(root: Path, kind: str, message: str, closing: str, *tests: tuple[str, str, str]) -> Path:
    """An agent loaded by its import path that raised; Harbor 0.26 grades it all the same."""
    info = exception(kind, message, f"{FRAME}{closing}\n", at="2026-03-01T10:01:00Z")
    agent = {"name": "clever", "version": "0", "model_info": {"name": "gpt-5"}}
    if tests:
        return graded(root, *tests, record=result(exception_info=info, agent_info=agent))
    return trial(root, result(reward=None, exception_info=info, agent_info=agent, **spans("agent_execution")))


@pytest.mark.parametrize(
    ("closing", "name"),
    [
        pytest.param(
            f"httpx.HTTPStatusError: Client error '401 Unauthorized' for url '{ASKED}'",
            "agent_auth",
            marks=pytest.mark.positive("agent_auth"),
        ),
        pytest.param(
            f"requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: {ASKED}",
            "rate_limited",
            marks=pytest.mark.positive("rate_limited"),
        ),
        pytest.param(
            "httpx.HTTPStatusError: Client error '401 Unauthorized' for url 'https://pypi.internal/simple/x'",
            "harness_crash",
            marks=pytest.mark.lookalike("agent_auth"),
        ),
        pytest.param(
            "requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://api.github.com/v1/search",
            "harness_crash",
            marks=pytest.mark.lookalike("rate_limited"),
        ),
    ],
)
def test_a_bare_http_client_speaks_for_the_provider_only_at_a_model_s_address(closing: str, name: str, tmp_path: Path) -> None:
    kind, _, message = closing.partition(": ")
    path = own_agent(tmp_path, kind.rsplit(".", 1)[-1], message, closing)
    assert (cause(judged(path)), first_evidence(path)) == (name, ("result.json", "/exception_info"))


CLOUD = 'File "/opt/venv/lib/python3.12/site-packages/{}", line 9, in call\n'
BUSY = "An error occurred (ThrottlingException) when calling the {} operation: slow down"


@pytest.mark.parametrize(
    ("frame", "closing", "name"),
    [
        ("botocore/client.py", f"botocore.errorfactory.ThrottlingException: {BUSY.format('ConverseStream')}", "rate_limited"),
        ("botocore/client.py", f"botocore.errorfactory.ThrottlingException: {BUSY.format('PutItem')}", "harness_crash"),
        (
            "google/genai/_api_client.py",
            "google.auth.exceptions.DefaultCredentialsError: No credentials were found.",
            "agent_auth",
        ),
        ("google/cloud/storage/client.py", "google.auth.exceptions.DefaultCredentialsError: No credentials.", "harness_crash"),
        (
            "google/cloud/storage/client.py",
            "google.api_core.exceptions.NotFound: 404 GET https://storage.test/b/x",
            "harness_crash",
        ),
    ],
)
@pytest.mark.positive("rate_limited", "agent_auth")
@pytest.mark.lookalike("rate_limited", "agent_auth", "model_not_found")
def test_a_cloud_s_client_speaks_for_the_provider_where_it_asked_a_model(
    frame: str, closing: str, name: str, tmp_path: Path
) -> None:
    kind, _, message = closing.partition(": ")
    path = own_agent(tmp_path, kind.rsplit(".", 1)[-1], message, f"  {CLOUD.format(frame)}{closing}")
    assert cause(judged(path)) == name


@pytest.mark.positive("quota_exhausted")
def test_qwen_code_closes_the_stream_with_an_error_object(tmp_path: Path) -> None:
    closing = '{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"[API Error: 402 Insufficient Balance]"},"session_id":"q"}\n'
    found = program(tmp_path, "qwen-code", closing, failed("NonZeroAgentExitCodeError"))
    assert cause(found) == "quota_exhausted"


@pytest.mark.lookalike("harness_crash")
def test_an_agent_that_raised_after_delivering_was_graded(tmp_path: Path) -> None:
    path = own_agent(tmp_path, "KeyError", "'choices'", "KeyError: 'choices'", RIGHT, WRONG)
    assert cause(judged(write(path, {"agent/trajectory.json": trajectory(LOOKED, WROTE)}))) == "wrong_answer"


@pytest.mark.parametrize("words", ["Segmentation fault (core dumped)", "Collecting pytest\nKilled", "Installing …"])
@pytest.mark.lookalike("wrong_answer")
def test_a_verifier_that_broke_off_after_some_words_judged_nothing(words: str, tmp_path: Path) -> None:
    kept = {"verifier__reward_txt": "0\n", "verifier__test_stdout_txt": f"{words}\n"}
    path = trial(tmp_path, result(), agent__trajectory_json=trajectory(LOOKED, WROTE), **kept)
    assert cause(judged(path)) != "wrong_answer"


@pytest.mark.lookalike("grader_error")
def test_an_exception_of_no_known_time_is_not_the_verifier_s_that_brought_a_reward(tmp_path: Path) -> None:
    info = {**exception("FlurbError", "unknown"), "occurred_at": None}
    path = graded(tmp_path, ABSENT, record=result(exception_info=info), agent__trajectory_json=trajectory(LOOKED))
    assert cause(judged(path)) == "harness_crash"


STATE = "10:00:{} - openhands:INFO: agent_controller.py:676 - [Agent Controller x] Setting agent(CodeActAgent) state from AgentState.{} to AgentState.{}\n"


@pytest.mark.parametrize(
    ("after", "name"),
    [
        pytest.param("", "rate_limited", marks=pytest.mark.positive("rate_limited")),
        pytest.param(STATE.format("40", "RATE_LIMITED", "RUNNING"), "clock", marks=pytest.mark.lookalike("rate_limited")),
    ],
)
def test_openhands_state_tells_whether_it_still_waits(after: str, name: str, tmp_path: Path) -> None:
    text = STATE.format("10", "LOADING", "RUNNING") + STATE.format("20", "RUNNING", "RATE_LIMITED") + after
    timeout = exception("AgentTimeoutError", "Agent execution timed out after 100.0 seconds")
    assert cause(program(tmp_path, "openhands", text, timeout)) == name
