"""The model behind terminus-2: a script of turns, which it types as terminus-2's JSON commands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..loopback_model import Answer, LoopbackModel, choice, completion, error

ERRORS = {
    "auth": (401, "Incorrect API key provided: sk-lab-*0000.", "invalid_request_error", "invalid_api_key"),
    "rate_limit": (
        429,
        "Rate limit reached for gpt-5-mini on requests per min (RPM): Limit 3, Used 3, Requested 1.",
        "requests",
        "rate_limit_exceeded",
    ),
}


@dataclass(frozen=True)
class Turn:
    """One answer: a command to type, an error by name, or (with neither) the claim to be done."""

    types: str | None = None
    waits: float = 0.5
    """Seconds that terminus-2 is asked to wait for the command."""
    error: str | None = None


class StubModel(LoopbackModel):
    """Plays the turn that the request itself asks for, so that a retried request gets the same answer; the last turn repeats."""

    def __init__(self, script: Sequence[Turn]) -> None:
        super().__init__()
        self.script = script
        self.asked = 0

    def answer(self, request: Mapping[str, Any]) -> Answer:
        self.asked += 1
        so_far = sum(message["role"] == "assistant" for message in request["messages"])
        turn = self.script[min(so_far, len(self.script) - 1)]
        if turn.error:
            return error(*ERRORS[turn.error])
        typed = [] if turn.types is None else [{"keystrokes": turn.types + "\n", "duration": turn.waits}]
        text = {"analysis": "Looking at the orders.", "plan": "Go on.", "commands": typed, "task_complete": not typed}
        return completion(request, choice({"content": json.dumps(text)}))
