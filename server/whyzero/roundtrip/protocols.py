"""The three protocols agents speak: how a tool is offered, how a call comes back, how its result is returned."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from whyzero.roundtrip.turn import Reply, ToolCall

TOOL = "get_code"
ABOUT = "Returns the code that belongs to a name."
PARAMETERS = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "The name."}},
    "required": ["name"],
    "additionalProperties": False,
}
TASK = "Call the tool get_code with the name alpha. When it has answered, reply with the code it returned and nothing else."
MAX_TOKENS = 512

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Protocol:
    """One wire format."""

    name: str
    path: str
    """Below the base URL, whose own trailing `/v1` is kept."""
    headers: Callable[[str | None], dict[str, str]]
    first: Callable[[str], Body]
    second: Callable[[str, ToolCall, str], Body]
    parse: Callable[[Body], Reply]
    gather: Callable[[Iterable[Body]], Body]
    """Puts the events of a stream together into the body that the same answer has without streaming."""
    ends: Callable[[Body], bool]
    """Whether an event says that the answer is whole."""


def _field(value: object, *names: str | int) -> Any:
    for name in names:
        if isinstance(name, int):
            value = value[name] if isinstance(value, list) and len(value) > name else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


NO_ANSWER = "the answer is not of the protocol's form"
BROKE_OFF = "the stream ended before its last event"
DONE = "[DONE]"
"""The last line of many streams, here the type of an event."""


def _error(body: Body, answer: object) -> str | None:
    """What a body says went wrong, or that it holds no answer of a model."""
    if body.get("error"):
        return json.dumps(body)[:4000]
    return None if isinstance(answer, (dict, list)) else NO_ANSWER


def _word(value: object) -> str | None:
    """A stop reason is a word, whatever stands in its place."""
    return value if isinstance(value, str) else None


def _listed(value: object, kind: str | None = None) -> list[Body]:
    """The objects of a list, all or those of one type."""
    objects = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return [one for one in objects if kind is None or one.get("type") == kind]


def executable(call: ToolCall) -> bool:
    """A call of the tool that was offered, with arguments as its schema has them: a harness could carry it out."""
    try:
        given = json.loads(call.arguments)
    except ValueError:
        return False
    return call.name == TOOL and isinstance(given, dict) and isinstance(given.get("name"), str)


# ---- Anthropic messages


def _anthropic_headers(key: str | None) -> dict[str, str]:
    return {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})


def _anthropic(model: str, messages: list[Body]) -> Body:
    tool = {"name": TOOL, "description": ABOUT, "input_schema": PARAMETERS}
    return {"model": model, "max_tokens": MAX_TOKENS, "tools": [tool], "messages": messages}


def _anthropic_second(model: str, call: ToolCall, result: str) -> Body:
    said = [block for block in _listed(call.raw) if block.get("type") != "text" or block.get("text")]  # none may be empty
    answers = [{"type": "tool_result", "tool_use_id": use.get("id"), "content": result} for use in _listed(said, "tool_use")]
    return _anthropic(
        model,
        [{"role": "user", "content": TASK}, {"role": "assistant", "content": said}, {"role": "user", "content": answers}],
    )


def _anthropic_parse(body: Body) -> Reply:
    blocks = _listed(body.get("content"))
    text = "".join(str(block.get("text") or "") for block in _listed(blocks, "text"))
    use = next(iter(_listed(blocks, "tool_use")), None)
    call = ToolCall(str(use.get("id")), str(use.get("name")), json.dumps(use.get("input")), blocks) if use else None
    return Reply(call, text, _word(body.get("stop_reason")), _error(body, body.get("content")))


def _anthropic_gather(events: Iterable[Body]) -> Body:
    message: Body = {}
    blocks: dict[int, Body] = {}
    partial: dict[int, str] = {}
    for event in events:
        kind, index = event.get("type"), event.get("index", 0)
        if kind == "error":
            return {**event, "content": list(blocks.values())}
        if kind == "message_start":
            message = {**(_field(event, "message") or {}), "content": []}
        elif kind == "content_block_start":
            blocks[index] = dict(_field(event, "content_block") or {})
        elif kind == "content_block_delta":
            block, delta = blocks.setdefault(index, {"type": "text"}), _field(event, "delta") or {}
            if delta.get("type") == "input_json_delta":
                partial[index] = partial.get(index, "") + str(delta.get("partial_json") or "")
            for part in ("text", "thinking", "signature"):
                if part in delta:
                    block[part] = str(block.get(part) or "") + str(delta[part])
        elif kind == "message_delta":
            message["stop_reason"] = _field(event, "delta", "stop_reason")
    for index, said in partial.items():
        try:
            blocks[index]["input"] = json.loads(said)
        except ValueError:
            blocks[index]["input"] = {"_raw": said}
    return message | ({"content": [blocks[i] for i in sorted(blocks)]} if message or blocks else {})


# ---- OpenAI chat completions


def _bearer(key: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _chat(model: str, messages: list[Body]) -> Body:
    tool = {"type": "function", "function": {"name": TOOL, "description": ABOUT, "parameters": PARAMETERS}}
    return {"model": model, "tools": [tool], "messages": messages}


def _chat_second(model: str, call: ToolCall, result: str) -> Body:
    said = call.raw if isinstance(call.raw, dict) else {}
    uses = _listed(said.get("tool_calls"))
    answers = [{"role": "tool", "tool_call_id": use.get("id"), "content": result} for use in uses]
    return _chat(model, [{"role": "user", "content": TASK}, said, *answers])


def _chat_parse(body: Body) -> Reply:
    answer = _field(body, "choices", 0, "message")
    message = answer or {}
    use = _field(message, "tool_calls", 0)
    function = _field(use, "function") or {}
    call = None
    if use:
        call = ToolCall(str(use.get("id")), str(function.get("name")), str(function.get("arguments") or ""), message)
    text = message.get("content")
    choice = _field(body, "choices", 0) or {}
    error = _error({"error": choice["error"]}, answer) if choice.get("error") else _error(body, answer)  # told in its choice
    return Reply(call, text if isinstance(text, str) else "", _word(choice.get("finish_reason")), error)


def _chat_gather(events: Iterable[Body]) -> Body:
    message: Body = {"role": "assistant", "content": None}
    calls: dict[int, Body] = {}
    finish, answered = None, False
    for event in events:
        if event.get("error") or _field(event, "choices", 0, "error"):
            return event
        delta = _field(event, "choices", 0, "delta") or {}
        finish = _field(event, "choices", 0, "finish_reason") or finish
        answered = answered or bool(event.get("choices"))
        for part in ("content", "reasoning_content"):
            if delta.get(part):
                message[part] = (message.get(part) or "") + str(delta[part])
        for part in delta.get("tool_calls") or []:
            call = calls.setdefault(
                part.get("index", 0), {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
            )
            call["id"] = part.get("id") or call["id"]
            for key in ("name", "arguments"):
                call["function"][key] += _field(part, "function", key) or ""
    if calls:
        message["tool_calls"] = [calls[i] for i in sorted(calls)]
    return {"choices": [{"message": message, "finish_reason": finish}] if answered else []}


# ---- OpenAI responses


def _responses(model: str, items: list[Body]) -> Body:
    tool = {"type": "function", "name": TOOL, "description": ABOUT, "parameters": PARAMETERS}
    return {"model": model, "tools": [tool], "input": items, "store": False}


def _responses_second(model: str, call: ToolCall, result: str) -> Body:
    """The calls without the ids of stored items, and without thoughts: nothing is stored, so nothing can be referred to."""
    uses = _listed(call.raw, "function_call")
    calls = [{key: use.get(key) for key in ("type", "call_id", "name", "arguments")} for use in uses]
    answers = [{"type": "function_call_output", "call_id": use.get("call_id"), "output": result} for use in uses]
    return _responses(model, [{"role": "user", "content": TASK}, *calls, *answers])


def _responses_parse(body: Body) -> Reply:
    items = _listed(body.get("output"))
    use = next(iter(_listed(items, "function_call")), None)
    parts = [part for item in _listed(items, "message") for part in _listed(item.get("content"))]
    text = "".join(str(part.get("text") or "") for part in parts)
    call = ToolCall(str(use.get("call_id")), str(use.get("name")), str(use.get("arguments") or ""), items) if use else None
    return Reply(call, text, _word(body.get("status")), _error(body, body.get("output")))


RESPONSE_ENDS = ("response.completed", "response.failed", "response.incomplete")


def _responses_gather(events: Iterable[Body]) -> Body:
    done: list[Body] = []
    known = False
    for event in events:
        kind = event.get("type")
        known = known or str(kind).startswith("response.")
        if kind == "error":
            return {"error": event}
        if kind in RESPONSE_ENDS:
            whole = _field(event, "response") or {}
            return whole if whole.get("output") or kind != "response.completed" else {**whole, "output": done}
        if kind == "response.output_item.done" and isinstance(event.get("item"), dict):
            done.append(event["item"])
    return {"output": done} if known else {}


PROTOCOLS: dict[str, Protocol] = {
    p.name: p
    for p in (
        Protocol(
            "anthropic",
            "v1/messages",
            _anthropic_headers,
            lambda model: _anthropic(model, [{"role": "user", "content": TASK}]),
            _anthropic_second,
            _anthropic_parse,
            _anthropic_gather,
            lambda event: event.get("type") == "message_stop" or bool(_field(event, "delta", "stop_reason")),
        ),
        Protocol(
            "openai-chat",
            "chat/completions",
            _bearer,
            lambda model: _chat(model, [{"role": "user", "content": TASK}]),
            _chat_second,
            _chat_parse,
            _chat_gather,
            lambda event: bool(_field(event, "choices", 0, "finish_reason")),
        ),
        Protocol(
            "openai-responses",
            "responses",
            _bearer,
            lambda model: _responses(model, [{"role": "user", "content": TASK}]),
            _responses_second,
            _responses_parse,
            _responses_gather,
            lambda event: event.get("type") in RESPONSE_ENDS,
        ),
    )
}
"""By name; `openai` is taken for `openai-chat`."""
