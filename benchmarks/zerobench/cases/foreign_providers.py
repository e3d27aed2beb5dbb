"""Providers, gateways, client libraries and sandbox services in words the rest of the cases does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import Case, in_harbor, task
from benchmarks.zerobench.cases.logged import ADAPTER, RUNNER, claude_log, codex_log, logged, opencode_log, raised
from benchmarks.zerobench.harbor_verifier import Tests, nothing, wrong
from benchmarks.zerobench.refusals import REFUSALS
from benchmarks.zerobench.story import Refusal, delivered, finished, looked, untouched


def cases() -> Iterator[Case]:
    yield from _vendors()
    yield from _unreachable()
    yield from _wrapped()
    yield from _sandboxes()
    yield from _options()
    yield from _parts()


WORDS = (
    ("quota_exhausted", "opencode", 403, "403", "Key limit exceeded (daily limit). Manage it using https://openrouter.example/settings/keys"),
    ("quota_exhausted", "mini-swe-agent", 429, "1113", "余额不足或无可用资源包,请充值。"),
    ("rate_limited", "opencode", 429, "1302", "您的账户已达到速率限制，请您控制请求频率"),
    ("quota_exhausted", "codex", 403, "AccountOverdueError", "The request failed because your account has an overdue balance."),
    ("quota_exhausted", "terminus-2", 403, "403", "Your newly created team doesn't have any credits yet. You can purchase credits on the console."),
    ("quota_exhausted", "claude-code", 429, "rate_limit_error", "You have used all available credits or reached the monthly spending cap of this workspace."),
    ("context_length", "codex", 400, "exceed_context_size_error", "the request exceeds the available context size, try increasing it"),
    ("context_length", "mini-swe-agent", 422, "validation", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: 31240 `inputs` tokens and 4096 `max_new_tokens`"),
    ("context_length", "opencode", 400, "400", "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length"),
    ("malformed_output", "opencode", 400, "tool_use_failed", "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."),
    ("agent_auth", "claude-code", 400, "invalid_request_error", "This organization has been disabled."),
    ("rate_limited", "claude-code", 429, "rate_limit_error", "This request would exceed your rate limit of 8,000 output tokens per minute. Contact billing or see your quota in the console to raise it."),
    ("provider_error", "mini-swe-agent", 503, "503", "no healthy upstream"),
)  # fmt: skip
"""(cause, agent, status, code, message)"""


def _vendors() -> Iterator[Case]:
    for number, (truth, agent, status, code, words) in enumerate(WORDS):
        vendor = "anthropic" if agent == "claude-code" else "openai"
        refusal = Refusal(truth, status, code, words, vendor)
        story = looked(task(number), 1 + number % 3).then(refusal, ends="refused")
        release = ("0.24.0", "0.26.0", "0.20.0", "0.13.0")[number % 4]
        yield in_harbor(f"foreign-words-{number}", truth, harbor.Trial(story, agent, release, nothing(story.task)))
    said = 'unexpected status 404 Not Found: {"detail":"Not Found"}, url: http://127.0.0.1:8000/v1/responses'
    yield logged("route", "harness_incompatibility", "codex", "codex.txt", codex_log(said))
    said = (
        "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again."
    )
    yield logged("refresh-token", "agent_auth", "codex", "codex.txt", codex_log(said), number=1)
    yield logged(
        "five-hours",
        "quota_exhausted",
        "claude-code",
        "claude-code.txt",
        claude_log("5-hour limit reached ∙ resets 3am", 429),
        number=2,
    )
    daily = (
        "YOLO mode is enabled. All tool calls will be automatically approved.\n"
        "Error when talking to Gemini API Full report available at: /tmp/gemini-client-error.json TerminalQuotaError: "
        "You have exhausted your daily quota on this model.\n"
        "    at classifyGoogleError (file:///opt/gemini/googleQuotaErrors.js:182:20) {\n  code: 429\n}\n"
        "An unexpected critical error occurred:[object Object]\n"
    )
    yield logged("daily-quota", "quota_exhausted", "gemini-cli", "gemini-cli.txt", daily, number=3)


def _unreachable() -> Iterator[Case]:
    said = (
        "Unable to connect. Is the computer able to access the url?",
        "Client network socket disconnected before secure TLS connection was established",
        "The operation timed out.",
    )
    for number, words in enumerate(said):
        text = opencode_log("UnknownError", words)
        yield logged(f"unreachable-{number}", "provider_error", "opencode", "opencode.txt", text, number)
    dns = "stream disconnected before completion: error sending request for url (http://llm.invalid/v1/responses): dns error: failed to lookup address information"
    yield logged("unreachable-dns", "provider_error", "codex", "codex.txt", codex_log(dns), 4)


def _group(*lines: str) -> str:
    """What Python prints of an exception group with one exception in it."""
    held = "".join(f"    | {line}\n" for line in lines)
    return (
        "  + Exception Group Traceback (most recent call last):\n"
        f'  |   File "{ADAPTER}", line 88, in run\n  |     async with asyncio.TaskGroup() as group:\n'
        "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n"
        "  +-+---------------- 1 ----------------\n"
        f"{held}    +------------------------------------\n"
    )


def _wrapped() -> Iterator[Case]:
    group = ("ExceptionGroup", "unhandled errors in a TaskGroup (1 sub-exception)")
    paid = _group(
        "Traceback (most recent call last):",
        f'  File "{ADAPTER}", line 51, in ask',
        "openai.APIStatusError: Error code: 402 - {'error': {'message': 'Insufficient credits', 'code': 402}}",
    )
    yield raised("group-quota", "quota_exhausted", group, paid)
    own = _group("Traceback (most recent call last):", f'  File "{ADAPTER}", line 52, in parse', "KeyError: 'rate_limit_error'")
    yield raised("group-own", "harness_crash", group, own, kind="decoy")
    retry = (
        "Traceback (most recent call last):\n"
        f'  File "{ADAPTER}", line 40, in ask\n'
        "anthropic.RateLimitError: Error code: 429 - {'type': 'error', 'error': {'type': 'rate_limit_error', 'message': 'Number of requests has exceeded your per-minute rate limit'}}\n"
        "\nThe above exception was the direct cause of the following exception:\n\n"
    )
    yield raised(
        "retry-error",
        "rate_limited",
        ("tenacity.RetryError", "RetryError[<Future at 0x7f30 state=finished raised RateLimitError>]"),
        retry,
    )
    launch = 'Traceback (most recent call last):\n  File "/usr/local/lib/python3.12/asyncio/base_events.py", line 1756, in subprocess_exec\n  File "/usr/local/lib/python3.12/subprocess.py", line 1955, in _execute_child\n'
    gone = ("FileNotFoundError", "[Errno 2] No such file or directory: 'opencode'")
    yield raised("no-program", "agent_setup_failure", gone, launch, 0.1, steps=0)
    prompt = ("FileNotFoundError", "[Errno 2] No such file or directory: '/tmp/prompt-0007.md'")
    yield raised("no-prompt", "harness_crash", prompt, "", 210.0, "decoy")


def _sandboxes() -> Iterator[Case]:
    lost = (
        ("daytona.common.errors.DaytonaNotFoundError", "Failed to execute command: Sandbox with ID 7f2c not found", "0.24.0"),
        ("e2b.exceptions.TimeoutException", "The sandbox was not found: This error is likely due to sandbox timeout.", "0.20.0"),
        ("modal.exception.NotFoundError", "Sandbox sb-9a has already shut down", "0.26.0"),
        ("kubernetes.client.exceptions.ApiException", '(404) Reason: Not Found: pods "trial-7f2c" not found', "0.24.0"),
    )
    for number, (name, message, release) in enumerate(lost):
        story = looked(task(number), 3)
        trial = harbor.Trial(
            story, "terminus-2", release, exception=(name, message, "agent_execution"), seconds={"agent_execution": 140.0}
        )
        trial.trace = f'Traceback (most recent call last):\n  File "{RUNNER}", line 654, in run\n{name}: {message}\n'
        yield in_harbor(f"foreign-sandbox-{number}", "environment_failure", trial)
    busy = ("daytona.common.errors.DaytonaRateLimitError", "Failed to create sandbox: Too Many Requests: rate limit exceeded")
    early = harbor.Trial(untouched(task(1)), "codex", "0.24.0", exception=(*busy, "environment_setup"), no_agent_files=True)
    yield in_harbor("foreign-sandbox-throttled", "environment_failure", early, "decoy")
    done = replace(wrong(task(2)), submitted=("submitted-match.csv",))
    late = harbor.Trial(finished(task(2)), "terminus-2", "0.26.0", done, exception=(*lost[0][:2], "agent_execution"))
    yield in_harbor("foreign-sandbox-after-answer", "wrong_answer", late, "decoy")


OPTIONS = (
    ("crush", "crush.txt", "flag provided but not defined: -model"),
    ("kimi-cli", "kimi.txt", "Error: No such option: --yolo"),
    ("qwen-code", "qwen-code.txt", "Unknown arguments: yolo, outputFormat"),
    ("goose", "goose.txt", "usage: agent [-h] --task TASK\nagent: error: the following arguments are required: --task"),
)


def _options() -> Iterator[Case]:
    for number, (agent, file, said) in enumerate(OPTIONS):
        yield logged(f"option-{number}", "harness_incompatibility", agent, file, f"{said}\n", number)


def _parts() -> Iterator[Case]:
    """A part of the reward is paid for the untouched workspace."""
    refused = (("claude-code", "agent_auth"), ("codex", "quota_exhausted"), ("opencode", "harness_incompatibility"))
    for number, (agent, kind) in enumerate(refused):
        vendor = "openai" if agent == "codex" else "anthropic"
        story = untouched(task(number)).then(next(r for r in REFUSALS[kind] if r.vendor == vendor), ends="refused")
        left = ("NonZeroAgentExitCodeError", "Command failed (exit 1): run\nstdout: \nstderr: None", "agent_execution")
        part = Tests(1, 0.4, failures=(story.task.wrong,))
        yield in_harbor(f"foreign-part-{agent}", kind, harbor.Trial(story, agent, "0.20.0", part, exception=left))
    late = delivered(task(0)).then(REFUSALS["provider_error"][0], ends="refused")
    part = Tests(2, 0.67, failures=(task(0).wrong,))
    yield in_harbor("foreign-part-earned", "wrong_answer", harbor.Trial(late, "claude-code", "0.24.0", part), "decoy")
