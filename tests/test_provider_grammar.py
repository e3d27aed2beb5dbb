"""What a provider's words mean, with the speaker worked out by the reader: each string is written into a log of a real
agent program, in the place where it would stand, and read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_log_trees import PI_HEAD, TASK, Claude, Codex, mini, opencode_event, opencode_tool, pi_message, put, read, terminus
from harbor_trees import exception, result, trial
from harbor_trees import read as read_run
from whyzero.causes._ended_by import decisive_error
from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import Kind
from whyzero.model import AgentLog, Speaker, Spot, Utterance

SHARED = Path(__file__).parents[2] / "shared" / "cases" / "grammar_cases.jsonl"
LABELS = {
    "auth": Kind.AUTH,
    "rate_limit": Kind.RATE,
    "overloaded": Kind.OVERLOAD,
    "context_length": Kind.CONTEXT,
    "quota": Kind.QUOTA,
    "harness_incompat": Kind.SHAPE,
    "import": Kind.DEPENDENCY,
    "provider_5xx": Kind.SERVER,
    "content_filter": Kind.FILTER,
    "model_not_found": Kind.MODEL,
    "output_length": Kind.OUTPUT,
    "none": None,
    "env_failure": None,
    "verifier_failure": None,
}


# ---- writing a string into a log, by place and program


def _claude(where: str, text: str) -> dict[str, object]:
    log = Claude().runs("ls /app", "orders.csv")
    match where:
        case "provider_error" | "agent_result":
            log.api_error(text, "unknown").result(text, error=True, stop="stop_sequence")
        case "tool_output":
            log.runs("cat log", text, "toolu_2").says("Done.").result("Done.")
        case "assistant_text":
            log.says(text).result(text)
        case _:
            log.says("Done.").result("Done.")
    return {"claude-code.txt": log.text()}


def _codex(where: str, text: str) -> dict[str, object]:
    log = Codex().runs("ls /app", "orders.csv")
    match where:
        case "provider_error" | "agent_result":
            log.failed(text)
        case "tool_output":
            log.runs("cat log", text).says("Done.").completed()
        case "assistant_text":
            log.says(text).completed()
        case _:
            log.says("Done.").completed()
    return {"codex.txt": log.text()}


def _opencode(where: str, text: str) -> dict[str, object]:
    body = opencode_tool("ls /app", "orders.csv")
    match where:
        case "provider_error" | "agent_result":
            body += opencode_event("error", error={"name": "UnknownError", "data": {"message": text}})
        case "tool_output":
            body += opencode_tool("cat log", text)
        case "assistant_text":
            body += opencode_event("text", part={"type": "text", "text": text})
    if where not in ("provider_error", "agent_result"):
        body += opencode_event("step_finish", part={"reason": "stop"})
    return {"opencode.txt": body}


def _pi(where: str, text: str) -> dict[str, object]:
    body = PI_HEAD + pi_message("user", TASK) + pi_message("assistant", "I look.", "toolUse")
    match where:
        case "provider_error" | "agent_result":
            body += pi_message("assistant", "", "error", text)
        case "tool_output":
            body += pi_message("toolResult", text) + pi_message("assistant", "Done.")
        case "assistant_text":
            body += pi_message("assistant", text)
        case _:
            body += pi_message("assistant", "Done.")
    return {"pi.txt": body}


def _mini(where: str, text: str) -> dict[str, object]:
    act = {"role": "assistant", "content": "I look.", "extra": {"actions": [{"command": "ls"}]}}
    match where:
        case "provider_error" | "agent_result":
            document = mini([act, {"role": "tool", "content": "orders.csv"}], "UnknownError", text)
        case "tool_output":
            document = mini([act, {"role": "tool", "content": text}])
        case "assistant_text":
            document = mini([{**act, "content": text}, {"role": "tool", "content": "orders.csv"}])
        case _:
            document = mini([act])
    return {"mini-swe-agent.trajectory.json": document}


def _terminus(where: str, text: str) -> dict[str, object]:
    shown = text if where == "tool_output" else "orders.csv"
    spoken = text if where == "assistant_text" else "I look."
    failed = where in ("provider_error", "agent_result")
    log = "Trajectory dumped to /logs/trajectory.json\n" + (f"Unknown Error in LLM interaction: {text}\n" if failed else "")
    document = terminus((spoken, shown), complete=not failed)
    return {"trajectory.json": document, "../trial.log": log + "Trajectory dumped to /logs/trajectory.json\n"}


PROGRAMS: dict[str, Callable[[str, str], dict[str, object]]] = {
    "claude-code": _claude,
    "codex": _codex,
    "opencode": _opencode,
    "pi": _pi,
    "mini-swe-agent": _mini,
    "terminus-2": _terminus,
}


def understood(root: Path, program: str, where: str, text: str) -> Kind | None:
    """What is made of the string when it stands in this place of this program's log."""
    if where in ("harness_msg", "env_exception", "verifier_out"):
        return _by_harness(root, where, text)
    log: AgentLog = read(put(root, PROGRAMS[program](where, text)))
    assert log.agent == program
    kinds = [k for e in log.errors if e.actor == "main" and not e.overcome and (k := kind_of(e))]
    return kinds[0] if kinds else None


def _by_harness(root: Path, where: str, text: str) -> Kind | None:
    """Harbor's own record: an exception of the agent phase, of the environment, or the verifier's output."""
    if where == "verifier_out":
        made = trial(root, result(), verifier__test_stdout_txt=text + "\n", verifier__reward_txt="0\n")
    elif where == "env_exception":
        made = trial(
            root, result(reward=None, exception_info=exception("RuntimeError", text), agent_setup=None, agent_execution=None)
        )
    else:
        made = trial(root, result(reward=None, exception_info=exception("RuntimeError", text)))
    (one,) = read_run(made)[1]
    error = decisive_error(one)
    return kind_of(error) if error else None


# ---- the shared strings


def _shared() -> list[tuple[str, str, str]]:
    if not SHARED.is_file():
        return []
    cases = [json.loads(line) for line in SHARED.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [(c["where"], c["text"], c["label"]) for c in cases]


@pytest.mark.skipif(not SHARED.is_file(), reason="the labelled public strings lie outside the project")
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_labelled_string_is_understood_in_every_programs_log(program: str, tmp_path: Path) -> None:
    wrong = []
    for number, (where, text, label) in enumerate(_shared()):
        got = understood(tmp_path / str(number), program, where, text)
        if got != LABELS[label]:
            wrong.append((label, got, text))
    assert wrong == []


# ---- strings of our own: the provider's words

SPOKEN = [
    ("auth", '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'),
    ("auth", "Failed to authenticate. API Error: 403 <html><body><h1>403 Forbidden</h1></body></html>"),
    ("auth", "litellm.InternalServerError: OpenAIException - The api_key client option must be set either by passing api_key"),
    (
        "auth",
        '{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}',
    ),
    ("quota", '{"error":{"message":"Budget limit exceeded","code":403}}'),
    ("quota", "You’ve hit your usage limit."),
    ("quota", "Credit balance is too low"),
    ("quota", "litellm.RateLimitError: RateLimitError: OpenAIException - Billing hard limit has been reached"),
    ("quota", '{"error":{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan."}}'),
    ("quota", '402 {"error":{"message":"Insufficient Balance"}}'),
    ("rate_limit", "ThrottlingException: Too many tokens, please wait before trying again."),
    ("rate_limit", "exceeded retry limit, last status: 429 Too Many Requests, request id: 4290f"),
    (
        "rate_limit",
        '{"error":{"code":429,"message":"You exceeded your current quota","details":[{"quotaId":"RequestsPerMinute"}]}}',
    ),
    ("context_length", "400 The input (41232 tokens) is longer than the model's context length (32768 tokens)."),
    (
        "context_length",
        '{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed"}}',
    ),
    ("context_length", "Codex ran out of room in the model's context window. Start a new thread."),
    ("output_length", "API Error: Claude's response exceeded the 32000 output token maximum."),
    ("output_length", "Incomplete response returned, reason: max_output_tokens"),
    ("content_filter", "stream disconnected before completion: Incomplete response returned, reason: content_filter"),
    ("content_filter", "litellm.BadRequestError: AzureException - {'error': {'code': 'content_filter'}}"),
    ("harness_incompat", "API Error: 400 due to tool use concurrency issues."),
    ("harness_incompat", '{"error": {"message": "No tool output found for function call c1.", "type": "invalid_request_error"}}'),
    ("harness_incompat", '{"error":{"message":"No endpoints found that support tool use.","code":404}}'),
    ("model_not_found", "The model `gpt-9` does not exist or you do not have access to it."),
    ("model_not_found", "models/g-9 is not found for API version v1beta, or is not supported for generateContent."),
    ("overloaded", "Selected model is at capacity. Please try a different model."),
    ("overloaded", 'litellm.ServiceUnavailableError: AnthropicException - {"type":"error","error":{"type":"overloaded_error"}}'),
    ("provider_5xx", "unexpected status 502 Bad Gateway: <html>, url: http://gateway/v1/responses"),
    ("provider_5xx", "API Error: unexpected end of the answer"),
    ("import", "litellm.APIConnectionError: OpenAIException - No module named 'boto3'"),
]
"""None of these stands among the shared strings."""

NOT_SPOKEN = [
    "spec.rb:418-429 fails on retry",
    "The gateway log has 429 six times and 401 seven times.",
    '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}',
    "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached",
    "API Error: 529 Overloaded. This is a server-side issue",
    "Not logged in · Please run /login",
    "raise AuthenticationError('invalid x-api-key')",
    "Your credit balance is too low to access the Anthropic API.",
]


@pytest.mark.parametrize(("label", "text"), SPOKEN)
def test_the_providers_words(label: str, text: str, tmp_path: Path) -> None:
    for program in ("claude-code", "codex", "pi"):
        assert understood(tmp_path / program, program, "provider_error", text) == LABELS[label], program


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_words_of_a_tool_or_the_model_mean_nothing(program: str, tmp_path: Path) -> None:
    texts = [*NOT_SPOKEN, *(text for _, text in SPOKEN)]
    for number, text in enumerate(texts):
        for where in ("tool_output", "assistant_text"):
            assert understood(tmp_path / f"{number}-{where}", program, where, text) is None, (where, text)


@pytest.mark.parametrize(
    "text",
    [
        "Episode timed out after 900 seconds",
        "Command timed out after 429 seconds",
        "retry 3/5 for shard 429",
        "exited with status 1 after 4030 items",
        "pip install failed: 429 Client Error: Too Many Requests for url https://index.example/simple",
        "the agent gave up: invalid api key in its own config test, connection refused",
        "Model call failed at episode 5: Expecting value: line 1 column 6 (char 5)",
        "500 Server Error for http+docker://localhost/v1.41/containers/create",
    ],
)
def test_the_harness_speaking_for_itself_is_no_provider(text: str, tmp_path: Path) -> None:
    assert understood(tmp_path, "", "harness_msg", text) is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            Kind.QUOTA,
            "Model call failed at episode 25: Error code: 402 - {'error': {'message': 'This request requires more credits'}}",
        ),
        (
            Kind.SHAPE,
            "Model call failed: Error code: 400 - {'error': {'message': 'Provider returned error', 'metadata': {'raw': "
            '\'{"type":"error","error":{"type":"invalid_request_error","message":"unexpected `tool_use_id` found"}}\'}}}',
        ),
        (Kind.RATE, "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached"),
    ],
)
def test_the_harness_passing_on_a_providers_answer(kind: Kind, text: str, tmp_path: Path) -> None:
    assert understood(tmp_path, "", "harness_msg", text) is kind


@pytest.mark.parametrize("speaker", [Speaker.TOOL, Speaker.MODEL, Speaker.INSTRUCTION, Speaker.VERIFIER, Speaker.UNKNOWN])
def test_only_three_speakers_can_tell_of_a_provider(speaker: Speaker) -> None:
    assert kind_of(Utterance(speaker, "litellm.RateLimitError: 429", Spot("a"), status=429, code="rate_limit_error")) is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, Kind.AUTH),
        (402, Kind.QUOTA),
        (413, Kind.CONTEXT),
        (429, Kind.RATE),
        (504, Kind.UNREACHABLE),
        (529, Kind.OVERLOAD),
        (200, None),
    ],
)
def test_a_typed_status_alone(status: int, kind: Kind | None) -> None:
    assert kind_of(Utterance(Speaker.PROVIDER, "no words", Spot("a"), status=status)) is kind


@pytest.mark.parametrize(
    "text", ["took 1429ms", "pod-4013", "40412 records", "port :4010", "15290ms", "id 529f00", "v4.29.1 status"]
)
def test_numbers_that_are_no_status(text: str) -> None:
    assert kind_of(Utterance(Speaker.PROVIDER, text, Spot("a"))) is None
