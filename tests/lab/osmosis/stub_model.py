"""The policy model of the laboratory: sums, answered as the scenario says."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..loopback_model import Answer, LoopbackModel, choice, completion, error

QUESTION = re.compile(r"(-?\d+)\s*([*+-])\s*(-?\d+)")
ERRORS = {
    401: ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
    429: ("Rate limit reached for policy on requests per min.", "requests", "rate_limit_exceeded"),
    500: ("The server had an error while processing your request.", "server_error", "server_error"),
}


@dataclass(frozen=True)
class Behaviour:
    """How the model answers: `right`, `wrong`, `prose`, `empty`, `tool`, `malformed_tool`, `no_choices`, `hang` or `http_<status>`.

    `a|b` is a on the first try of a prompt and b on every later one.
    """

    usual: str = "right"
    for_prompts_with: Mapping[str, str] = field(default_factory=dict)
    preflight: str = "right"
    """Answer to the one completion by which the CLI checks the model before it starts."""
    hang_seconds: float = 8
    """How long `hang` holds back a right answer: the CLI waits that long for it, whatever ended the row in the meantime."""


class StubModel(LoopbackModel):
    """Serves one run."""

    def __init__(self, behaviour: Behaviour) -> None:
        super().__init__()
        self.behaviour = behaviour
        self.played: list[str] = []
        """The behaviour shown to each request so far, in order."""
        self._tries: Counter[str] = Counter()

    def answer(self, request: Mapping[str, Any]) -> Answer:
        messages = request["messages"]
        prompt = str(next(m["content"] for m in reversed(messages) if m["role"] == "user"))
        play = self._choose(prompt, alone=len(messages) == 1)
        self.played.append(play)
        if play == "hang":
            self.over.wait(self.behaviour.hang_seconds)
            play = "right"
        if play.startswith("http_"):
            status = int(play.removeprefix("http_"))
            return error(status, *ERRORS[status])
        if play == "no_choices":
            return completion(request)
        if any(m["role"] == "tool" for m in messages):
            play = "right"
        return completion(request, _reply(play, prompt))

    def _choose(self, prompt: str, *, alone: bool) -> str:
        if alone and prompt == "hi":
            return self.behaviour.preflight
        play = next((b for part, b in self.behaviour.for_prompts_with.items() if part in prompt), self.behaviour.usual)
        tries = play.split("|")
        self._tries[prompt] += 1
        return tries[min(self._tries[prompt], len(tries)) - 1]


def _reply(play: str, prompt: str) -> dict[str, Any]:
    a, op, b = found.groups() if (found := QUESTION.search(prompt)) else ("0", "+", "0")
    if play in ("tool", "malformed_tool"):
        arguments = json.dumps({"a": int(a), "op": op, "b": int(b)})
        if play == "malformed_tool":
            arguments = arguments[:-4]
        call = {"id": "call_1", "type": "function", "function": {"name": "calculator", "arguments": arguments}}
        return choice({"content": None, "tool_calls": [call]}, "tool_calls")
    value = {"*": int(a) * int(b), "+": int(a) + int(b), "-": int(a) - int(b)}[op]
    texts = {
        "right": f"The answer is {value}.",
        "wrong": f"The answer is {value + 1}.",
        "prose": "I am not sure how to work that out.",
        "empty": "",
    }
    return choice({"content": texts[play]})
