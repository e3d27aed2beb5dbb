"""What an agent program leaves behind, and small things all scribes need."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from benchmarks.zerobench.story import Refusal

Json = dict[str, Any]


@dataclass
class Written:
    """Files below agent/, lines in trial.log, and how the process ended."""

    files: dict[str, str] = field(default_factory=dict)
    trial_log: list[str] = field(default_factory=list)
    exit_code: int = 0
    stdout: str = ""
    """All of its output, of which the harness keeps head and tail."""
    raised: tuple[str, str] | None = None
    """Class and message of an exception raised inside the harness's own process (host-side agents)."""


def lines(events: list[Json]) -> str:
    """JSON lines."""
    return "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in events)


def body(refusal: Refusal) -> str:
    """The answer's body as the vendor sends it."""
    if refusal.message.startswith("<html"):
        return refusal.message
    if refusal.vendor == "anthropic":
        return json.dumps({"type": "error", "error": {"type": refusal.code, "message": refusal.message}})
    return json.dumps({"error": {"message": refusal.message, "type": refusal.code, "param": None, "code": refusal.code}})


LITELLM = {
    400: "BadRequestError",
    401: "AuthenticationError",
    402: "APIError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    422: "BadRequestError",
    429: "RateLimitError",
    500: "InternalServerError",
    502: "InternalServerError",
    503: "ServiceUnavailableError",
    529: "InternalServerError",
    None: "InternalServerError",
}


def litellm(refusal: Refusal) -> tuple[str, str]:
    """Class and message as LiteLLM raises it."""
    name = "ContextWindowExceededError" if refusal.code == "context_length_exceeded" else LITELLM[refusal.status]
    return name, f"litellm.{name}: {name}: OpenAIException - {refusal.message}"
