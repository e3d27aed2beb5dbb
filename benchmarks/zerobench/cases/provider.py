"""The provider, the gateway or the credential: seven kinds of refusal through six programs and three formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import Case, in_harbor, in_terminal_bench, one_row, task, version
from benchmarks.zerobench.harbor_verifier import nothing
from benchmarks.zerobench.osmosis import Row
from benchmarks.zerobench.refusals import REFUSALS, RETRIED_KINDS
from benchmarks.zerobench.scribes import PROGRAMS
from benchmarks.zerobench.story import Refusal, looked, untouched


def cases() -> Iterator[Case]:
    yield from _through_programs()
    yield from _until_the_deadline()
    yield from _terminal_bench()
    yield from _rows()


def _through_programs() -> Iterator[Case]:
    number = 0
    for kind, refusals in REFUSALS.items():
        for agent, program in PROGRAMS.items():
            for refusal in (r for r in refusals if r.vendor in program.vendors):
                number += 1
                waits = program.waits and kind in RETRIED_KINDS
                begun = looked(task(number), 2) if number % 3 else untouched(task(number))
                if waits:
                    story = begun.then(replace(refusal, retried=True), replace(refusal, retried=True), ends="timeout")
                else:
                    story = begun.then(refusal, ends="refused")
                trial = harbor.Trial(story, agent, version(number), nothing(story.task), limit=900.0 if waits else 600.0)
                yield in_harbor(f"{kind}-{agent}-{number}", kind, trial)


def _until_the_deadline() -> Iterator[Case]:
    """A host-side agent that goes on by itself after every refusal, until its time is up."""
    overflow = Refusal(
        "context_length", 400, "context_length_exceeded", "maximum context length is 128000 tokens", "openai", retried=True
    )
    for number, release in enumerate(("0.24.0", "0.26.0")):
        story = looked(task(number), 3).then(*[overflow] * 4, ends="timeout")
        yield in_harbor(
            f"context-loop-{number}", "context_length", harbor.Trial(story, "terminus-2", release, nothing(story.task))
        )


OPENHANDS = Refusal("rate_limited", 429, "rate_limit_exceeded", "Rate limit reached for requests", "openai")
BAD_KEY = Refusal("agent_auth", 401, "invalid_api_key", "Incorrect API key provided", "openai")
TOO_LONG = Refusal(
    "context_length", 400, "context_length_exceeded", "This model's maximum context length is 128000 tokens", "openai"
)
NO_MONEY = Refusal(
    "quota_exhausted",
    429,
    "insufficient_quota",
    "You exceeded your current quota, please check your plan and billing details.",
    "openai",
)
NO_MODEL = Refusal(
    "model_not_found", 404, "model_not_found", "The model `gpt-9` does not exist or you do not have access to it.", "openai"
)
TB = (
    ("openhands", OPENHANDS, "agent_timeout", "killed"),
    (
        "openhands",
        replace(OPENHANDS, message="Number of request tokens has exceeded your per-minute rate limit"),
        "agent_timeout",
        "killed",
    ),
    ("openhands", BAD_KEY, "unset", "refused"),
    ("mini-swe-agent", TOO_LONG, "unset", "refused"),
    ("mini-swe-agent", NO_MONEY, "unset", "refused"),
    ("mini-swe-agent", BAD_KEY, "unset", "refused"),
    ("mini-swe-agent", NO_MODEL, "unset", "refused"),
)


def _terminal_bench() -> Iterator[Case]:
    for number, (agent, refusal, mode, ends) in enumerate(TB):
        story = (looked(task(number), 2) if number % 2 == 0 else untouched(task(number))).then(refusal, ends=ends)
        seconds = (900.0, 30.0) if mode == "agent_timeout" else (80.0, 30.0)
        old = terminal_bench.Trial(story, agent, nothing(story.task), mode, seconds=seconds)
        yield in_terminal_bench(f"{refusal.kind}-{agent}-{number}", refusal.kind, old)


def sdk_error(name: str, status: int, message: str, code: str) -> str:
    """What the OpenAI SDK raises in a rollout that uses it."""
    said = f"Error code: {status} - {{'error': {{'message': {message!r}, 'type': 'invalid_request_error', 'param': None, 'code': {code!r}}}}}"
    asked = tb.user(58, "run", "reply = await client.chat.completions.create(model=model, messages=messages)")
    raised = tb.library(
        "openai/_base_client.py", 1594, "request", "raise self._make_status_error_from_response(err.response) from None"
    )
    return tb.in_workflow(asked, raised, error=f"openai.{name}: {said}")


def _rows() -> Iterator[Case]:
    for kind, status, words in (
        ("rate_limited", 429, "Too Many Requests"),
        ("agent_auth", 401, "Unauthorized"),
        ("provider_error", 500, "Internal Server Error"),
        ("provider_error", 502, "Bad Gateway"),
        ("provider_error", 503, "Service Unavailable"),
    ):
        row = Row(error="agent_error", block="workflow", statuses=(200, status))
        yield one_row(f"{kind}-{status}", kind, replace(row, traceback=tb.http(status, words, row.id)))
    for kind, name, status, message, code in (
        (
            "quota_exhausted",
            "RateLimitError",
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota",
        ),
        (
            "rate_limited",
            "RateLimitError",
            429,
            "Rate limit reached for requests per min. Limit: 3 / min.",
            "rate_limit_exceeded",
        ),
        (
            "context_length",
            "BadRequestError",
            400,
            "This model's maximum context length is 32768 tokens. However, your messages resulted in 40113 tokens.",
            "context_length_exceeded",
        ),
        ("model_not_found", "NotFoundError", 404, "The model `policy-7b` does not exist.", "model_not_found"),
        (
            "refusal",
            "BadRequestError",
            400,
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
            "content_filter",
        ),
    ):
        row = Row(error="agent_error", block="workflow", statuses=(status,), traceback=sdk_error(name, status, message, code))
        yield one_row(f"sdk-{kind}-{status}", kind, row)
