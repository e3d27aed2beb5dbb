"""Causes of the provider and the protocol: each proven on logs of several agent programs, each beside its look-alikes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agent_log_trees import PI_HEAD, TASK, Claude, Codex, mini, opencode_event, opencode_tool, pi_message, terminus
from ended_trials import EXIT, TIMEOUT, cause, decisive, ended
from harbor_trees import ABSENT, RIGHT, WRONG, cause_of, exception, graded, result, spans, verdict, write
from whyzero.causes import CAUSES
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Speaker, Spot, Utterance

# ---- each cause on the logs of several programs


@pytest.mark.parametrize(
    ("log", "name", "where"),
    [
        pytest.param("claude-rate-limited", "rate_limited", 11, marks=pytest.mark.positive("rate_limited")),
        pytest.param("opencode-throttled", "rate_limited", "opencode.log", marks=pytest.mark.positive("rate_limited")),
        pytest.param("mini-throttled", "rate_limited", "mini-swe-agent.txt", marks=pytest.mark.positive("rate_limited")),
        pytest.param("gemini-throttled", "rate_limited", "gemini-cli.txt", marks=pytest.mark.positive("rate_limited")),
        pytest.param("terminus-throttled", "rate_limited", "trial.log", marks=pytest.mark.positive("rate_limited")),
        pytest.param("pi-rate", "rate_limited", "pi.txt", marks=pytest.mark.positive("rate_limited")),
        pytest.param("codex-quota", "quota_exhausted", 8, marks=pytest.mark.positive("quota_exhausted")),
        pytest.param("claude-overloaded-in-stream", "provider_error", 8, marks=pytest.mark.positive("provider_error")),
        pytest.param("pi-drop", "provider_error", "pi.txt", marks=pytest.mark.positive("provider_error")),
        pytest.param("claude-not-logged-in", "agent_auth", 2, marks=pytest.mark.positive("agent_auth")),
        pytest.param("codex-unauthorized", "agent_auth", 11, marks=pytest.mark.positive("agent_auth")),
        pytest.param("opencode-unauthorized", "agent_auth", 1, marks=pytest.mark.positive("agent_auth")),
        pytest.param("mini-unauthorized", "agent_auth", "/messages/2/content", marks=pytest.mark.positive("agent_auth")),
        pytest.param("gemini-bad-key", "agent_auth", "gemini-cli.txt", marks=pytest.mark.positive("agent_auth")),
        pytest.param("gemini-no-such-model", "model_not_found", "gemini-cli.txt", marks=pytest.mark.positive("model_not_found")),
        pytest.param("codex-context", "context_length", "codex.txt", marks=pytest.mark.positive("context_length")),
        pytest.param("terminus-context-loop", "context_length", "trial.log", marks=pytest.mark.positive("context_length")),
        pytest.param("terminus-output-loop", "output_length", "trial.log", marks=pytest.mark.positive("output_length")),
        pytest.param("opencode-length", "output_length", "opencode.txt", marks=pytest.mark.positive("output_length")),
        pytest.param("pi-len", "output_length", "pi.txt", marks=pytest.mark.positive("output_length")),
        pytest.param("claude-refusal", "refusal", 6, marks=pytest.mark.positive("refusal")),
        pytest.param("opencode-filter", "refusal", "opencode.txt", marks=pytest.mark.positive("refusal")),
        pytest.param("codex-tools-rejected", "harness_incompatibility", 6, marks=pytest.mark.positive("harness_incompatibility")),
        pytest.param("claude-call-as-text", "harness_incompatibility", 2, marks=pytest.mark.positive("harness_incompatibility")),
        pytest.param(
            "mini-format-errors",
            "harness_incompatibility",
            "trajectory.json",
            marks=pytest.mark.positive("harness_incompatibility"),
        ),
        pytest.param("pi-textcall", "harness_incompatibility", "pi.txt", marks=pytest.mark.positive("harness_incompatibility")),
    ],
)
def test_a_log_of_the_laboratory_proves_its_cause(log: str, name: str, where: int | str, tmp_path: Path) -> None:
    found = ended(tmp_path, log)
    assert cause(found) == name
    assert found.finding is not None
    assert (found.finding.phase, found.finding.evidence_level) == (Phase.TRAJECTORY, Level.LOG)
    first = found.finding.evidence[0]
    assert where in (first.line, first.pointer) or str(where) in first.path
    assert not found.answered


# ---- look-alikes: the words are there, and somebody else said them


@pytest.mark.parametrize(
    ("log", "said"),
    [
        pytest.param(
            Claude().runs("cat gateway.log", "429 rate_limit_error\n401 authentication_error"), "early_stop", id="tool output"
        ),
        pytest.param(Claude().says("I counted 429 Too Many Requests and 401 invalid x-api-key."), "early_stop", id="model text"),
        pytest.param(
            Claude().runs("pip install x", "429 Client Error: Too Many Requests for url"), "early_stop", id="a package index"
        ),
        pytest.param(Claude().retry(429, "rate_limit").retry(529, "overloaded").runs("ls", "x"), "early_stop", id="overcome"),
        pytest.param(
            Claude().says("My credit balance is too low, said the log. Prompt is too long."), "early_stop", id="quota in prose"
        ),
    ],
)
@pytest.mark.lookalike(
    "rate_limited",
    "quota_exhausted",
    "provider_error",
    "agent_auth",
    "context_length",
    "harness_incompatibility",
    "model_not_found",
)
def test_words_of_others_are_no_cause(log: Claude, said: str, tmp_path: Path) -> None:
    text = log.says("Next I will write the report.").result("Next I will write the report.").text()
    assert cause(ended(tmp_path, {"claude-code.txt": text})) == said


@pytest.mark.lookalike("rate_limited")
def test_an_overcome_limit_before_the_deadline_leaves_the_clock(tmp_path: Path) -> None:
    text = Claude().retry(429, "rate_limit").runs("ls", "x").calls("Bash", "toolu_2", command="sleep 600").text()
    found = ended(tmp_path, {"claude-code.txt": text}, info=TIMEOUT)
    assert cause(found) == "clock"
    assert "rate_limited" in [i.what for i in found.incidents]


@pytest.mark.lookalike("provider_error")
def test_one_call_being_tried_again_when_the_time_ran_out_is_the_clocks(tmp_path: Path) -> None:
    text = Claude().runs("ls", "x").retry(529, "overloaded").text()
    assert cause(ended(tmp_path, {"claude-code.txt": text}, info=TIMEOUT)) == "clock"


@pytest.mark.positive("rate_limited")
def test_waiting_for_a_throttled_provider_until_the_deadline_is_the_limits(tmp_path: Path) -> None:
    log = Claude().runs("ls", "x")
    for attempt in range(1, 9):
        log.retry(429, "rate_limit", attempt)
    found = ended(tmp_path, {"claude-code.txt": log.text()}, info=TIMEOUT)
    assert (cause(found), decisive(found)) == ("rate_limited", ("agent/claude-code.txt", 4))
    assert "clock" in [i.what for i in found.incidents]


@pytest.mark.lookalike("quota_exhausted", "provider_error")
def test_an_error_after_the_answer_is_an_incident(tmp_path: Path) -> None:
    log = (
        Codex()
        .runs("python3 totals.py > /app/report.json", "")
        .failed("Selected model is at capacity. Please try a different model.")
    )
    found = ended(tmp_path, {"codex.txt": log.text()}, RIGHT, WRONG, info=EXIT)
    assert (cause(found), found.answered) == ("wrong_answer", True)
    assert "provider_error" in [i.what for i in found.incidents]


# ---- body before status, inner before outer, first before last


@pytest.mark.parametrize(
    ("error", "name"),
    [
        pytest.param(
            ("API Error: 400 You have reached your specified API usage limits.", "invalid_request", 400),
            "quota_exhausted",
            marks=[pytest.mark.positive("quota_exhausted"), pytest.mark.lookalike("harness_incompatibility")],
        ),
        pytest.param(
            ("API Error: 403 Budget limit exceeded", "unknown", 403),
            "quota_exhausted",
            marks=[pytest.mark.positive("quota_exhausted"), pytest.mark.lookalike("agent_auth")],
        ),
        pytest.param(
            (
                "API Error: 500 This model's maximum context length is 16384 tokens. However, you requested 20000",
                "server_error",
                500,
            ),
            "context_length",
            marks=[pytest.mark.positive("context_length"), pytest.mark.lookalike("provider_error")],
        ),
        pytest.param(
            ("API Error: 429 Too many tokens, please wait before trying again.", "rate_limit", 429),
            "rate_limited",
            marks=[pytest.mark.positive("rate_limited"), pytest.mark.lookalike("context_length")],
        ),
        pytest.param(
            (
                "There's an issue with the selected model (x). It may not exist or you may not have access to it.",
                "model_not_found",
                404,
            ),
            "model_not_found",
            marks=[pytest.mark.positive("model_not_found"), pytest.mark.lookalike("agent_auth")],
        ),
    ],
)
def test_the_body_decides_before_the_status(error: tuple[str, str, int], name: str, tmp_path: Path) -> None:
    text, code, status = error
    log = Claude().runs("ls", "x").api_error(text, code).result(text, error=True, status=status, stop="stop_sequence")
    found = ended(tmp_path, {"claude-code.txt": log.text()}, info=EXIT)
    assert (cause(found), decisive(found)) == (name, ("agent/claude-code.txt", 4))


@pytest.mark.positive("rate_limited")
def test_a_vague_last_word_does_not_bury_the_reason(tmp_path: Path) -> None:
    log = Codex().runs("ls", "x").error("Reconnecting... 1/5 (unexpected status 429 Too Many Requests: slow down)")
    log.failed("stream disconnected before completion: error decoding response body")
    found = ended(tmp_path, {"codex.txt": log.text()}, info=EXIT)
    assert (cause(found), decisive(found)) == ("rate_limited", ("agent/codex.txt", 6))


@pytest.mark.positive("context_length")
def test_a_reason_after_overloads_that_passed_is_the_reason(tmp_path: Path) -> None:
    log = Claude().runs("ls", "x").retry(529, "overloaded").api_error("Prompt is too long", "invalid_request")
    found = ended(tmp_path, {"claude-code.txt": log.result("Prompt is too long", error=True, status=400).text()}, info=EXIT)
    assert (cause(found), decisive(found)) == ("context_length", ("agent/claude-code.txt", 5))


# ---- what the harness put on record

SDK_TRACE = """Traceback (most recent call last):
  File "/opt/agent/adapter.py", line 120, in run
    response = self._client.messages.create(
anthropic.{name}: {text}

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/opt/agent/adapter.py", line 130, in run
    raise RuntimeError(f"Model call failed at episode 3: {{e}}") from e
RuntimeError: Model call failed at episode 3: {text}
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param(
            "APIStatusError",
            "Error code: 402 - {'error': {'message': 'This request requires more credits, or fewer max_tokens.'}}",
            "quota_exhausted",
            marks=pytest.mark.positive("quota_exhausted"),
        ),
        pytest.param(
            "APITimeoutError",
            "Request timed out or interrupted. This could be due to a network timeout.",
            "provider_error",
            marks=pytest.mark.positive("provider_error"),
        ),
        pytest.param(
            "BadRequestError",
            "Error code: 400 - {'error': {'message': 'messages.0: unexpected `tool_use_id` found in `tool_result` blocks'}}",
            "harness_incompatibility",
            marks=pytest.mark.positive("harness_incompatibility"),
        ),
        pytest.param(
            "AuthenticationError",
            "Error code: 401 - {'error': {'message': 'invalid x-api-key'}}",
            "agent_auth",
            marks=pytest.mark.positive("agent_auth"),
        ),
    ],
)
def test_an_adapter_that_wraps_the_client_s_exception(name: str, text: str, expected: str, tmp_path: Path) -> None:
    info = exception("RuntimeError", f"Model call failed at episode 3: {text}", SDK_TRACE.format(name=name, text=text))
    found = ended(tmp_path, {"trajectory.json": terminus(("I look.", "x"), complete=False)}, info=info)
    assert (cause(found), decisive(found)) == (expected, ("result.json", "/exception_info"))
    assert found.finding is not None
    assert found.finding.evidence_level is Level.RECORD


def _closing(line: str) -> str:
    return f'Traceback (most recent call last):\n  File "/opt/agent/adapter.py", line 9, in run\n    step()\n{line}\n'


@pytest.mark.positive("agent_auth")
def test_the_harness_s_own_check_for_a_credential(tmp_path: Path) -> None:
    text = "mini-swe-agent: no model API key selected. Set OPENAI_API_KEY or MSWEA_API_KEY."
    name = "MissingModelCredentialError"
    info = exception(name, text, _closing(f"harbor.agents.agent_auth_resolution.{name}: {text}"))
    found = ended(tmp_path, {}, info=info)
    assert (cause(found), decisive(found)) == ("agent_auth", ("result.json", "/exception_info"))
    assert found.finding is not None
    assert "The credential was missing." in found.finding.likely_cause


@pytest.mark.lookalike("model_not_found")
def test_a_class_of_the_same_name_from_a_sandbox_library(tmp_path: Path) -> None:
    info = exception("NotFoundError", "Sandbox sb-1 not found", _closing("modal.exception.NotFoundError: Sandbox sb-1 not found"))
    assert (
        cause(ended(tmp_path, {"trajectory.json": terminus(("I look.", "x"), complete=False)}, info=info))
        == "environment_failure"
    )


@pytest.mark.positive("rate_limited")
def test_a_client_s_class_on_record_without_a_traceback(tmp_path: Path) -> None:
    info = exception("RateLimitError", "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached")
    found = ended(tmp_path, {"trajectory.json": terminus(("I look.", "x"), complete=False)}, info=info)
    assert (cause(found), decisive(found)) == ("rate_limited", ("result.json", "/exception_info"))


@pytest.mark.lookalike("provider_error", "agent_auth")
def test_a_client_s_name_in_a_source_line_of_a_traceback_is_no_error(tmp_path: Path) -> None:
    trace = "Traceback (most recent call last):\n  File \"/opt/agent/adapter.py\", line 9, in run\n    except anthropic.AuthenticationError: 401\nKeyError: 'usage'\n"
    found = ended(
        tmp_path, {"trajectory.json": terminus(("I look.", "x"), complete=False)}, info=exception("KeyError", "'usage'", trace)
    )
    assert cause(found) == "harness_crash"


@pytest.mark.lookalike("rate_limited")
def test_a_class_the_harness_chose_by_words_needs_the_agents_log(tmp_path: Path) -> None:
    text = (
        Claude()
        .runs("cat gateway.log", "rate_limit_error 429")
        .says("Next I will write it.")
        .result("Next I will write it.")
        .text()
    )
    info = exception("ApiRateLimitError", "Command failed (exit 1): claude\nstdout: rate_limit_error 429")
    found = ended(tmp_path, {"claude-code.txt": text}, info=info)
    assert cause(found) != "rate_limited"


@pytest.mark.positive("rate_limited")
def test_the_same_class_without_any_log_is_a_weak_word_for_it(tmp_path: Path) -> None:
    info = exception("ApiRateLimitError", "Command failed (exit 1): claude")
    found = ended(tmp_path, {}, info=info)
    assert (cause(found), decisive(found)) == ("rate_limited", ("result.json", "/exception_info"))
    assert found.finding is not None
    assert found.finding.evidence_level is Level.INFERENCE


@pytest.mark.lookalike("rate_limited", "agent_auth")
def test_a_registry_s_429_and_a_judge_s_401_are_others_causes(tmp_path: Path) -> None:
    info = exception(
        "RuntimeError", "Docker compose command failed for environment x. registry-1.docker.io: 429 Too Many Requests"
    )
    record = result(reward=None, exception_info=info, **spans("environment_setup"))
    write(tmp_path / "a", {"result.json": record, "config.json": record["config"]})
    assert cause(verdict(tmp_path / "a")) == "environment_failure"
    judge = "openai.AuthenticationError: Error code: 401 - {'error': {'code': 'invalid_api_key'}}\n"
    record = result(reward=0.0)
    files = {
        "result.json": record,
        "config.json": record["config"],
        "verifier/reward.txt": "0",
        "verifier/test-stdout.txt": judge,
    }
    done = Claude().says("Done.").result("Done.").text()
    write(tmp_path / "b", {**files, "agent/claude-code.txt": done})
    assert cause(verdict(tmp_path / "b")) not in ("agent_auth", "subagent_auth")


# ---- ends of a turn


@pytest.mark.lookalike("output_length", "refusal")
def test_a_normal_stop_after_long_or_declining_words_is_neither(tmp_path: Path) -> None:
    words = "I can't help with this. " + "Let me think. " * 500
    text = opencode_tool("ls", "x") + opencode_event("text", part={"type": "text", "text": words})
    text += opencode_event("step_finish", part={"reason": "stop", "tokens": {"input": 9, "output": 32000}})
    assert cause(ended(tmp_path, {"opencode.txt": text})) == "early_stop"


@pytest.mark.positive("refusal")
def test_a_typed_filter_stop_without_an_error_event(tmp_path: Path) -> None:
    stop = {"finish_reason": "content_filter", "message": {"content": ""}}
    answer = {"role": "assistant", "content": "", "extra": {"response": {"choices": [stop], "usage": {}}}}
    found = ended(tmp_path, {"mini-swe-agent.trajectory.json": mini([answer])})
    assert (cause(found), decisive(found)[0]) == ("refusal", "agent/mini-swe-agent.trajectory.json")


@pytest.mark.parametrize(
    ("stop", "name"),
    [
        pytest.param("length", "output_length", marks=pytest.mark.positive("output_length")),
        pytest.param("content_filter", "refusal", marks=pytest.mark.positive("refusal")),
    ],
)
@pytest.mark.lookalike("malformed_output")
def test_answers_that_were_cut_or_filtered_are_not_the_models_bad_form(stop: str, name: str, tmp_path: Path) -> None:
    response = {"choices": [{"finish_reason": stop, "message": {"content": "Let me think."}}], "usage": {}}
    told = {
        "role": "user",
        "content": "Your previous response …",
        "extra": {"interrupt_type": "FormatError", "response": response},
    }
    act = {"role": "assistant", "content": "I look.", "extra": {"actions": [{"command": "ls"}]}}
    document = mini([act, {"role": "tool", "content": "x"}, told, told, told], "RepeatedFormatError")
    found = ended(tmp_path, {"mini-swe-agent.trajectory.json": document})
    assert (cause(found), decisive(found)) == (name, ("agent/mini-swe-agent.trajectory.json", "/info/exit_status"))


# ---- calls that nobody executed, answers that nobody could read

CALL = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'


@pytest.mark.positive("malformed_output")
@pytest.mark.lookalike("harness_incompatibility")
def test_a_call_as_text_after_executed_ones_is_the_models_slip(tmp_path: Path) -> None:
    text = Claude().runs("ls", "x").says(CALL).result(CALL).text()
    found = ended(tmp_path, {"claude-code.txt": text})
    assert (cause(found), decisive(found)) == ("malformed_output", ("agent/claude-code.txt", 4))


@pytest.mark.positive("malformed_output")
def test_answers_the_parser_could_not_read_until_the_end(tmp_path: Path) -> None:
    document = terminus(("I look.", "x"), complete=False)
    error = {"content": "Previous response had parsing errors:\nERROR: No valid JSON found in response"}
    for second in range(3):
        step = {"source": "agent", "message": "ls please", "timestamp": f"2026-03-01T10:00:3{second}Z"}
        document["steps"].append(
            {**step, "metrics": {"prompt_tokens": 9, "completion_tokens": 9}, "observation": {"results": [error]}}
        )
    document["steps"][1]["timestamp"] = "2026-03-01T10:00:20Z"
    found = ended(tmp_path, {"trajectory.json": document}, info=TIMEOUT)
    assert (cause(found), decisive(found)) == (
        "malformed_output",
        ("agent/trajectory.json", "/steps/2/observation/results/0/content"),
    )


@pytest.mark.lookalike("malformed_output", "harness_incompatibility")
@pytest.mark.parametrize(
    "words",
    [
        "The model should answer with <tool_call>{...}</tool_call> blocks; I documented that.",
        'Example:\n```\n<tool_call>\n{"name": "bash", "arguments": {}}\n</tool_call>\n```',
        '{"type":"turn.failed","error":{"message":"x"}}',
    ],
)
def test_talking_about_calls_is_no_call(words: str, tmp_path: Path) -> None:
    assert cause(ended(tmp_path, {"claude-code.txt": Claude().says(words).result(words).text()})) == "early_stop"


@pytest.mark.lookalike("malformed_output")
def test_a_malformed_call_the_agent_recovered_from_is_none(tmp_path: Path) -> None:
    log = (
        Claude()
        .calls("Sh", "toolu_9")
        .gets("toolu_9", "<tool_use_error>Error: No such tool available: Sh</tool_use_error>", error=True)
    )
    text = log.runs("ls", "x").says("Next I will write it.").result("Next I will write it.").text()
    assert cause(ended(tmp_path, {"claude-code.txt": text})) == "early_stop"


@pytest.mark.positive("harness_incompatibility")
def test_a_program_that_rejects_its_options(tmp_path: Path) -> None:
    found = ended(tmp_path, {"claude-code.txt": "error: unknown option '--effort'\n(use --help for usage)\n"}, info=EXIT)
    assert (cause(found), decisive(found)) == ("harness_incompatibility", ("agent/claude-code.txt", 1))
    assert found.finding is not None
    assert found.finding.evidence_level is Level.INFERENCE


# ---- an Osmosis call that ends before it dispatches anything


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param(
            "agent_auth", "litellm.AuthenticationError: Incorrect API key provided.", marks=pytest.mark.positive("agent_auth")
        ),
        pytest.param(
            "model_not_found",
            "litellm.NotFoundError: The model `x` does not exist",
            marks=pytest.mark.positive("model_not_found"),
        ),
        pytest.param(
            "quota_exhausted",
            "litellm.BadRequestError: Budget has been exceeded! Current cost: 2, Max budget: 1",
            marks=pytest.mark.positive("quota_exhausted"),
        ),
    ],
)
def test_a_refused_preflight(name: str, words: str, tmp_path: Path) -> None:
    said = Utterance(Speaker.PROVIDER, words, Spot("error", 1, "/error/message"), kind="preflight")
    run = Run(root=tmp_path, name="dev", format="osmosis", reported=(said,))
    found = {c.name: f for c in CAUSES if c.find_in_run and (f := c.find_in_run(run))}
    assert list(found) == [name]
    assert (found[name].phase, found[name].evidence[0].path) == (Phase.STARTUP, "error")
    warned = replace(run, reported=(replace(said, kind="preflight_warning"),))
    assert not [c.name for c in CAUSES if c.find_in_run and c.find_in_run(warned)]


def test_pi_messages_are_complete_json_lines() -> None:
    assert all(json.loads(line) for line in (PI_HEAD + pi_message("user", TASK)).splitlines())


@pytest.mark.positive("context_length")
@pytest.mark.lookalike("clock")
@pytest.mark.parametrize(("turns", "cause"), [(3, "context_length"), (12, "clock")])
def test_a_window_that_is_full_again_and_again_until_the_deadline(tmp_path: Path, turns: int, cause: str) -> None:
    full = opencode_event("error", error={"name": "ContextOverflowError", "data": {"message": "prompt too long"}})
    turn = opencode_tool("ls", "orders.csv") + opencode_event("step_finish", part={"reason": "tool-calls"})
    late = exception("AgentTimeoutError", "Agent execution timed out after 100.0 seconds")
    record = result(exception_info=late, agent_info={"name": "opencode", "version": "1", "model_info": None})
    path = graded(tmp_path, ABSENT, record=record, agent__opencode_txt=(full + turn * turns) * 6)
    (path / "agent/trajectory.json").unlink()
    assert cause_of(path) == cause


# ---- a part of the reward for an untouched workspace

REFUSED = "API Error: 401 invalid x-api-key"


@pytest.mark.positive("agent_auth")
@pytest.mark.lookalike("wrong_answer")
@pytest.mark.parametrize(("worked", "cause"), [(False, "agent_auth"), (True, "wrong_answer")])
def test_a_part_of_the_reward_is_no_answer_where_the_first_request_was_refused(tmp_path: Path, worked: bool, cause: str) -> None:
    log = Claude().runs("python3 totals.py > /app/report.json", "") if worked else Claude()
    text = log.api_error(REFUSED, "authentication_failed").result(REFUSED, error=True, status=401).text()
    record = result(reward=0.4, agent_info={"name": "claude-code", "version": "2", "model_info": None})
    path = graded(tmp_path, RIGHT, WRONG, reward=0.4, record=record, agent__claude_code_txt=text)
    (path / "agent/trajectory.json").unlink()
    (path / "agent/claude_code.txt").rename(path / "agent/claude-code.txt")
    assert cause_of(path) == cause


@pytest.mark.positive("harness_incompatibility")
@pytest.mark.lookalike("agent_setup_failure")
@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("flag provided but not defined: -model", "harness_incompatibility"),
        ("Error: No such option: --yolo", "harness_incompatibility"),
        ("agent: error: the following arguments are required: --task", "harness_incompatibility"),
        ("lint: error: unused variable", None),
    ],
)
def test_a_program_that_does_not_take_its_options(tmp_path: Path, said: str, cause: str | None) -> None:
    info = exception("NonZeroAgentExitCodeError", "Command failed (exit 2): run crush\nstdout: \nstderr: None")
    record = result(exception_info=info, agent_info={"name": "crush", "version": "1", "model_info": None})
    path = graded(tmp_path, ABSENT, record=record, agent__crush_txt=said + "\n")
    (path / "agent/trajectory.json").unlink()
    assert cause_of(path) == cause


@pytest.mark.positive("quota_exhausted")
@pytest.mark.lookalike("agent_auth")
@pytest.mark.parametrize(
    ("stdout", "cause"),
    [
        ('{"type":"turn.started"}\n{"type":"turn.failed","error":{"message":"unexpected status 403 Forbidden: Key limit exceeded"}}', "quota_exhausted"),
        ('{"type":"item.completed","item":{"text":"Key limit exceeded"}}', "agent_auth"),
        ("", "agent_auth"),
    ],
    ids=["its closing event", "its model's words", "nothing"],
)  # fmt: skip
def test_without_a_log_the_message_of_the_record_tells_more_than_its_class(tmp_path: Path, stdout: str, cause: str) -> None:
    message = f"Command failed (exit 1): codex exec\nstdout: {stdout}\nstderr: None"
    record = result(reward=None, exception_info=exception("AgentAuthenticationError", message), **spans("agent_execution"))
    assert cause_of(write(tmp_path, {"result.json": record})) == cause
