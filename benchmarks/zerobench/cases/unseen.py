"""Written after the rest stood, from the facts alone, and asked once before anything was changed: see README.md for that figure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import PASS, Case, in_harbor, task
from benchmarks.zerobench.harbor_verifier import Tests, nothing, right, wrong
from benchmarks.zerobench.refusals import REFUSALS
from benchmarks.zerobench.story import (
    CallAsText,
    Cap,
    HandedOff,
    Ran,
    Refusal,
    Said,
    closing,
    delivered,
    finished,
    looked,
    untouched,
)


def cases() -> Iterator[Case]:
    yield from _provider()
    yield from _environment()
    yield from _decoys()


def _codex_text(*events: dict[str, object]) -> str:
    return "".join(
        json.dumps(e) + "\n" for e in ({"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}, *events)
    )


def _ended(
    name: str,
    truth: str,
    agent: str,
    file: str,
    text: str,
    release: str,
    kind: str = "NonZeroAgentExitCodeError",
    number: int = 0,
) -> Case:
    """An agent whose whole log is `text`, and which left by exit code 1."""
    said = f"Command failed (exit 1): run {agent}\nstdout: {text[-500:]}\nstderr: None"
    trial = harbor.Trial(
        untouched(task(number)),
        agent,
        release,
        nothing(task(number)),
        exception=(kind, said, "agent_execution"),
        no_agent_files=True,
        extra_files={f"agent/{file}": text},
    )
    return in_harbor(f"unseen-{name}", truth, trial)


def _provider() -> Iterator[Case]:
    cut = "stream disconnected before completion: Transport error: network error: error decoding response body"
    yield _ended(
        "codex-cut-stream",
        "provider_error",
        "codex",
        "codex.txt",
        _codex_text({"type": "error", "message": cut}, {"type": "turn.failed", "error": {"message": cut}}),
        "0.24.0",
    )
    window = 'unexpected status 400 Bad Request: {"error":{"message":"Invalid Value: \'tools.namespace\'. This model does not support namespaces","type":"invalid_request_error"}}'
    yield _ended(
        "codex-namespace",
        "harness_incompatibility",
        "codex",
        "codex.txt",
        _codex_text({"type": "error", "message": window}, {"type": "turn.failed", "error": {"message": window}}),
        "0.26.0",
        number=1,
    )
    head = "YOLO mode is enabled. All tool calls will be automatically approved.\n"
    yield _ended(
        "gemini-no-key",
        "agent_auth",
        "gemini-cli",
        "gemini-cli.txt",
        head
        + "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.\nUpdate your environment and try again (no reload needed if using .env)!\n",
        "0.26.0",
        number=2,
    )
    error = {
        "type": "error",
        "timestamp": 1778491817000,
        "sessionID": "s",
        "error": {"name": "UnknownError", "data": {"message": "ProviderModelNotFoundError: ProviderModelNotFoundError"}},
    }
    yield _ended("opencode-model", "model_not_found", "opencode", "opencode.txt", json.dumps(error) + "\n", "0.24.0", number=3)
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "api_error_status": None,
        "num_turns": 1,
        "result": "Not logged in · Please run /login",
        "stop_reason": "stop_sequence",
    }
    yield _ended(
        "claude-not-logged-in", "agent_auth", "claude-code", "claude-code.txt", json.dumps(result) + "\n", "0.13.0", number=4
    )
    page = dict(
        result,
        api_error_status=403,
        result="Failed to authenticate. API Error: 403 <html><head><title>403 Forbidden</title></head><body>Egress policy</body></html>",
    )
    yield _ended(
        "claude-proxy-page",
        "agent_auth",
        "claude-code",
        "claude-code.txt",
        json.dumps(page) + "\n",
        "0.26.0",
        "UnknownApiError",
        5,
    )
    key = "litellm.InternalServerError: InternalServerError: OpenAIException - The api_key client option must be set either by passing api_key to the client or by setting the OPENAI_API_KEY environment variable"
    trial = harbor.Trial(
        untouched(task(0)),
        "terminus-2",
        "0.26.0",
        nothing(task(0)),
        exception=("InternalServerError", key, "agent_execution"),
        extra_log=(f"Unknown Error in LLM interaction: {key}",),
    )
    yield in_harbor("unseen-terminus-no-key", "agent_auth", trial)
    vllm = Refusal(
        "context_length",
        500,
        "api_error",
        "This model's maximum context length is 32768 tokens. However, you requested 40960 tokens.",
        "anthropic",
    )
    yield in_harbor(
        "unseen-context-behind-500",
        "context_length",
        harbor.Trial(looked(task(1), 3).then(vllm, ends="refused"), "claude-code", "0.24.0", nothing(task(1))),
    )
    key_limit = Refusal("quota_exhausted", 403, "403", "Budget limit exceeded for this key", "gateway")
    yield in_harbor(
        "unseen-budget-behind-403",
        "quota_exhausted",
        harbor.Trial(looked(task(2)).then(key_limit, ends="refused"), "opencode", "0.26.0", nothing(task(2))),
    )
    bedrock = Refusal(
        "rate_limited",
        429,
        "ThrottlingException",
        "Too many tokens per day is not the problem: Too many requests, please wait before trying again.",
        "gateway",
    )
    yield in_harbor(
        "unseen-throttled",
        "rate_limited",
        harbor.Trial(looked(task(3)).then(bedrock, ends="refused"), "mini-swe-agent", "0.20.0", nothing(task(3))),
    )
    yield in_harbor(
        "unseen-first-answer-cut",
        "output_length",
        harbor.Trial(untouched(task(4)).then(Said("Let me think."), Cap()), "opencode", "0.13.0", nothing(task(4))),
    )
    text = CallAsText('```json\n{"tool": "bash", "arguments": {"command": "ls -la /app"}}\n```')
    yield in_harbor(
        "unseen-call-in-a-fence",
        "harness_incompatibility",
        harbor.Trial(untouched(task(5)).then(text), "gemini-cli", "0.26.0", nothing(task(5))),
    )


def _environment() -> Iterator[Case]:
    died = harbor.Trial(
        looked(task(0), 2).then(Ran("stress --vm 8"), ends="killed"),
        "claude-code",
        "0.1.40",
        Tests(None, None, "", ctrf=False),
        exception=("RewardFileNotFoundError", "No reward file found at /x/verifier/reward.txt", "verifier"),
        extra_files={"agent/command-1/return-code.txt": "137\n", "agent/command-1/stdout.txt": ""},
        seconds={"verifier": 0.6},
    )
    yield in_harbor("unseen-container-died", "environment_failure", died)
    memory = harbor.Trial(
        looked(task(1)),
        "codex",
        "0.24.0",
        exception=("SandboxLikelyOutOfMemoryError", "The sandbox was likely killed for using too much memory", "agent_execution"),
    )
    yield in_harbor("unseen-out-of-memory", "environment_failure", memory)
    npm = harbor.Trial(
        untouched(task(2)),
        "codex",
        "0.24.0",
        exception=(
            "NonZeroAgentExitCodeError",
            "Command failed (exit 1): npm install -g @openai/codex\nstdout: npm ERR! code E429\nnpm ERR! 429 Too Many Requests - GET https://registry.example/@openai%2fcodex\n\nstderr: None",
            "agent_setup",
        ),
        no_agent_files=True,
    )
    yield in_harbor("unseen-npm-429", "agent_setup_failure", npm)
    stalled = harbor.Trial(
        untouched(task(3)),
        "opencode",
        "0.26.0",
        exception=("RuntimeError", "Docker compose command timed out after 600 seconds", "environment_setup"),
        no_agent_files=True,
    )
    yield in_harbor("unseen-compose-timeout", "environment_failure", stalled)
    judge = "judge: calling model\nopenai.AuthenticationError: Error code: 401 - {'error': {'message': 'Incorrect API key provided', 'code': 'invalid_api_key'}}\n"
    trial = harbor.Trial(
        finished(task(4)),
        "claude-code",
        "0.26.0",
        exception=("RewardFileNotFoundError", "No reward file found at /x/verifier/reward.txt", "verifier"),
        tests=Tests(None, None, judge, ctrf=False),
    )
    yield in_harbor("unseen-judge-refused-no-reward", "reward_missing", trial)


def _decoys() -> Iterator[Case]:
    paid = harbor.Trial(untouched(task(0)), "nop", "0.26.0", right(task(0)))
    yield in_harbor("unseen-nop-paid", PASS, paid, "decoy")
    said = looked(task(1)).then(Said("API Error: 529 Overloaded. This is a server-side issue, usually temporary"))
    yield in_harbor(
        "unseen-model-quotes-529", "early_stop", harbor.Trial(said, "claude-code", "0.26.0", nothing(task(1))), "decoy"
    )
    throttled = HandedOff(
        "Check the sums.", refused="API Error: Request rejected (429) · This request would exceed your account's rate limit."
    )
    story = looked(task(2)).then(throttled, Ran(task(2).write), closing(task(2)))
    yield in_harbor(
        "unseen-subagent-throttled", "wrong_answer", harbor.Trial(story, "claude-code", "0.24.0", wrong(task(2))), "decoy"
    )
    partial = Tests(2, 0.67, failures=(task(3).wrong,))
    yield in_harbor("unseen-partial", "wrong_answer", harbor.Trial(finished(task(3)), "opencode", "0.26.0", partial), "decoy")
    wordy = replace(
        wrong(task(4)),
        output="Collecting pytest\nWARNING: Retrying (Retry(total=4)) after connection broken by 'ReadTimeoutError'\nSuccessfully installed pytest-8.4\n",
    )
    yield in_harbor(
        "unseen-slow-registry-then-tests", "wrong_answer", harbor.Trial(finished(task(4)), "terminus-2", "0.20.0", wordy), "decoy"
    )
    raised = delivered(task(5)).then(REFUSALS["provider_error"][0], ends="refused")
    yield in_harbor(
        "unseen-overloaded-after-answer", "wrong_answer", harbor.Trial(raised, "claude-code", "0.20.0", wrong(task(5))), "decoy"
    )
    asks = looked(task(0)).then(
        Said("Before I go on: should the totals include refunds? Please answer and I will write the file.")
    )
    yield in_harbor("unseen-asks-back", "early_stop", harbor.Trial(asks, "gemini-cli", "0.24.0", nothing(task(0))), "decoy")
    empty = harbor.Trial(
        finished(task(1)),
        "mini-swe-agent",
        "0.24.0",
        wrong(task(1)),
        extra_log=("WARNING rate limit of the metrics endpoint reached, skipping upload",),
    )
    yield in_harbor("unseen-harness-log-chatter", "wrong_answer", empty, "decoy")
