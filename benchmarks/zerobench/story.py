"""What happened in a trial, told without any log format: turns of the agent, errors of the provider, an end.

A scribe (scribes.py) writes the same story as each agent program would log it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Task:
    """A brief, what a right, a wrong and a missing deliverable look like to its tests."""

    name: str
    brief: str
    deliverable: str
    look: tuple[str, str]
    """A first command and what it prints."""
    write: str
    """The command that writes the deliverable."""
    wrong: str
    """An assertion about content that fails."""
    tests: tuple[str, ...]


TASKS = (
    Task(
        "ledger-totals",
        "Read /app/ledger.csv and write /app/totals.json: one number per account, the sum of its entries.",
        "/app/totals.json",
        ("head -3 /app/ledger.csv", "account,amount\na,429\nb,401.5"),
        "python3 sum.py > /app/totals.json",
        "AssertionError: assert {'a': 429, 'b': 503} == {'a': 430, 'b': 401.5}",
        ("test_exists", "test_accounts", "test_sums"),
    ),
    Task(
        "status-report",
        "The file /app/gateway.log holds HTTP answers. Create /app/status.txt with one line per status code and its count.",
        "/app/status.txt",
        ("cut -d' ' -f2 /app/gateway.log | sort | uniq -c", "  6 429\n  5 401\n  2 529\n  1 API Error: 500 overloaded_error"),
        "python3 count.py > /app/status.txt",
        "AssertionError: assert '429 7' in '429 6\\n401 5'",
        ("test_file", "test_counts"),
    ),
    Task(
        "pension-match",
        "Compute the employer 401(k) match of every row of /app/staff.csv and save the table as /app/match.csv.",
        "/app/match.csv",
        ("wc -l /app/staff.csv", "40412 /app/staff.csv"),
        "python3 match.py",
        "AssertionError: row 7: expected 4290.00, got 4920.00",
        ("test_exists", "test_rows", "test_match"),
    ),
    Task(
        "retry-client",
        "Write /app/client.py with a function fetch() that retries on 429 and 503 with growing pauses.",
        "/app/client.py",
        ("ls /app", "README.md\nserver.py"),
        "cat > /app/client.py <<'PY'\ndef fetch(): ...\nPY",
        "AssertionError: expected 3 attempts, saw 1",
        ("test_module", "test_retries", "test_gives_up"),
    ),
    Task(
        "order-dates",
        "Normalise the dates in /app/orders.jsonl to ISO and write the result to /app/orders_iso.jsonl.",
        "/app/orders_iso.jsonl",
        ("head -1 /app/orders.jsonl", '{"id": 1, "at": "March 4, 2026", "note": "rate limit exceeded, see ticket 529"}'),
        "python3 iso.py",
        "AssertionError: '2026-04-03' != '2026-03-04'",
        ("test_exists", "test_dates"),
    ),
)


@dataclass(frozen=True)
class Said:
    """The model wrote this."""

    text: str


@dataclass(frozen=True)
class Ran:
    """The model ran a command and saw its output."""

    command: str
    output: str = ""
    seconds: float = 1.0


@dataclass(frozen=True)
class Refusal:
    """The provider refused or broke off; `body` is the vendor's answer, `status` the HTTP status (None = no answer came)."""

    kind: str
    status: int | None
    code: str
    message: str
    retried: bool = False


@dataclass(frozen=True)
class HandedOff:
    """Work given to a sub-agent; `answer` None = never came back, `refused` = its provider's words."""

    prompt: str
    answer: str | None = None
    background: bool = False
    refused: str | None = None


@dataclass(frozen=True)
class Cap:
    """The answer was cut at the output limit."""


@dataclass(frozen=True)
class Declined:
    """The provider stopped the answer for its content."""

    words: str = ""


Event = Said | Ran | Refusal | HandedOff | Cap | Declined


@dataclass(frozen=True)
class Story:
    """A trial from the agent's side."""

    task: Task
    events: tuple[Event, ...]
    ends: str = "normally"
    """`normally`, `refused` (by the last refusal), `timeout` (cut by the harness), `killed`."""
    wrote: bool = False
    """The deliverable was written."""

    def then(self, *more: Event, **changes: object) -> Story:
        return replace(self, events=(*self.events, *more), **changes)  # type: ignore[arg-type]


def work(task: Task, *, write: bool = True, steps: int = 1) -> Story:
    """The agent looks, and writes the deliverable."""
    look = [Said("I will look at the data first."), *(Ran(*task.look) for _ in range(steps))]
    done = [Ran(task.write)] if write else []
    return Story(task, (*look, *done), wrote=write)


def closing(task: Task) -> Said:
    return Said(f"The result is written to {task.deliverable}.")


# ---- what vendors say, several wordings a kind

REFUSALS: dict[str, tuple[Refusal, ...]] = {
    "rate_limited": (
        Refusal("rate_limited", 429, "rate_limit_error", "This request would exceed your organization's rate limit of 40,000 tokens per minute."),
        Refusal("rate_limited", 429, "rate_limit_exceeded", "Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1."),
        Refusal("rate_limited", 429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota). Please retry in 31s: requests per minute."),
        Refusal("rate_limited", 429, "throttling_error", "Too many tokens, please wait before trying again."),
    ),
    "quota_exhausted": (
        Refusal("quota_exhausted", 400, "invalid_request_error", "Your credit balance is too low to access the API. Please go to Plans & Billing."),
        Refusal("quota_exhausted", 429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
        Refusal("quota_exhausted", 402, "payment_required", "Insufficient credits. Add more using the billing page."),
        Refusal("quota_exhausted", 400, "budget_exceeded", "Budget has been exceeded! Current cost: 25.01, Max budget: 25.0"),
    ),
    "provider_error": (
        Refusal("provider_error", 529, "overloaded_error", "Overloaded"),
        Refusal("provider_error", 500, "api_error", "Internal server error"),
        Refusal("provider_error", 503, "service_unavailable", "The server is temporarily unable to service your request."),
        Refusal("provider_error", 502, "bad_gateway", "<html><head><title>502 Bad Gateway</title></head></html>"),
    ),
    "agent_auth": (
        Refusal("agent_auth", 401, "authentication_error", "invalid x-api-key"),
        Refusal("agent_auth", 401, "invalid_api_key", "Incorrect API key provided."),
        Refusal("agent_auth", 403, "permission_error", "Your API key does not have permission to use the specified resource."),
        Refusal("agent_auth", 401, "authentication_error", "Authentication Error, Invalid proxy server token passed."),
    ),
    "model_not_found": (
        Refusal("model_not_found", 404, "not_found_error", "model: claude-unknown-9"),
        Refusal("model_not_found", 404, "model_not_found", "The model `gpt-unknown` does not exist or you do not have access to it."),
        Refusal("model_not_found", 404, "NOT_FOUND", "models/gemini-unknown is not found for API version v1beta."),
    ),
    "context_length": (
        Refusal("context_length", 400, "invalid_request_error", "prompt is too long: 204113 tokens > 200000 maximum"),
        Refusal("context_length", 400, "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, you requested 131072."),
        Refusal("context_length", 400, "INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens allowed (1048576)."),
    ),
    "harness_incompatibility": (
        Refusal("harness_incompatibility", 400, "invalid_request_error", "tools.0.custom.input_examples: Extra inputs are not permitted"),
        Refusal("harness_incompatibility", 400, "invalid_request_error", "tool type namespace not supported"),
        Refusal(
            "harness_incompatibility",
            400,
            "invalid_request_error",
            "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01.",
        ),
    ),
}
