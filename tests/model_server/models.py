"""How the models behave, whatever the protocol."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from .refusal import Refused

MODELS = {
    "caller": "calls the tool, then says what came back",
    "parallel": "calls the tool twice at once",
    "thinker": "thinks aloud before it calls",
    "text-caller": "writes its call into its text",
    "talker": "talks and calls nothing",
    "cutter": "is cut off in its arguments",
    "misnamer": "calls a tool that was not offered",
    "no-tools": "is served without tools",
    "forgetful": "sits behind a bridge that forgets the calls it passed on",
    "limited": "is over its rate",
    "unpaid": "is over its credit",
    "overloaded": "is down",
    "breaks": "fails in the middle of a stream",
}


@dataclass
class Turn:
    """What the model says: thoughts, words, calls (id, tool, arguments)."""

    thought: str = ""
    text: str = ""
    calls: list[tuple[str, str, str]] = field(default_factory=list)


def play(model: str, tool: str | None, results: list[str], asked: int) -> Turn:
    """The next turn of a model, whatever the protocol."""
    if results:
        return Turn(text=f"The code is {results[0]}.")
    arguments = json.dumps({"name": "alpha"})
    written = f'<tool_call>\n{{"name": "{tool}", "arguments": {arguments}}}\n</tool_call>'
    if tool is None or model == "talker":
        return Turn(text="I would rather\u2028talk.")
    if model == "text-caller":
        return Turn(text=written)
    name = f"functions.{tool}" if model == "misnamer" else tool
    arguments = arguments[:-4] if model == "cutter" else arguments
    calls = [(f"call_{asked}_{n}", name, arguments) for n in range(2 if model == "parallel" else 1)]
    return Turn("The task wants a code." if model == "thinker" else "", "", calls)


def checked(model: str, tools: bool, results: list[str]) -> None:
    """What stands in the way before the model is asked."""
    if model not in MODELS:
        raise Refused(404, "not_found", f"The model `{model}` does not exist or you do not have access to it.", "model_not_found")
    if model == "limited":
        raise Refused(429, "rate_limit_error", "Rate limit reached on requests per min.", "rate_limit_exceeded")
    if model == "unpaid":
        raise Refused(429, "insufficient_quota", "You exceeded your current quota, please check your plan.", "insufficient_quota")
    if model == "overloaded":
        raise Refused(503, "overloaded_error", "Overloaded")
    if model == "no-tools" and tools:
        raise Refused(400, "invalid_request_error", "no-tools does not support tools")
    if model == "forgetful" and results:
        raise Refused(400, "invalid_request_error", "tool result refers to a call that is not in this conversation")
