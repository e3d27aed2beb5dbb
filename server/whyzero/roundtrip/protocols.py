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


def _field(value: object, *names: str | int) -> Any:
    for name in names:
        if isinstance(name, int):
            value = value[name] if isinstance(value, list) and len(value) > name else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def _error(body: Body) -> str | None:
    error = body.get("error")
    return json.dumps(body)[:4000] if error else None


# ---- Anthropic messages


def _anthropic_headers(key: str | None) -> dict[str, str]:
    return {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})


def _anthropic(model: str, messages: list[Body]) -> Body:
    tool = {"name": TOOL, "description": ABOUT, "input_schema": PARAMETERS}
    return {"model": model, "max_tokens": MAX_TOKENS, "tools": [tool], "messages": messages}


def _anthropic_second(model: str, call: ToolCall, result: str) -> Body:
    answer = {"type": "tool_result", "tool_use_id": call.id, "content": result}
    return _anthropic(
        model,
        [
            {"role": "user", "content": TASK},
            {"role": "assistant", "content": call.raw},
            {"role": "user", "content": [answer]},
        ],
    )


def _anthropic_parse(body: Body) -> Reply:
    blocks = [b for b in body.get("content") or [] if isinstance(b, dict)]
    text = "".join(str(b.get("text") or "") for b in blocks if b.get("type") == "text")
    use = next((b for b in blocks if b.get("type") == "tool_use"), None)
    call = ToolCall(str(use.get("id")), str(use.get("name")), json.dumps(use.get("input")), blocks) if use else None
    return Reply(call, text, body.get("stop_reason"), _error(body))


def _anthropic_gather(events: Iterable[Body]) -> Body:
    message: Body = {"content": []}
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
            elif "text" in delta:
                block["text"] = str(block.get("text") or "") + str(delta["text"])
        elif kind == "message_delta":
            message["stop_reason"] = _field(event, "delta", "stop_reason")
    for index, said in partial.items():
        try:
            blocks[index]["input"] = json.loads(said)
        except ValueError:
            blocks[index]["input"] = {"_raw": said}
    return message | {"content": [blocks[i] for i in sorted(blocks)]}


# ---- OpenAI chat completions


def _bearer(key: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _chat(model: str, messages: list[Body]) -> Body:
    tool = {"type": "function", "function": {"name": TOOL, "description": ABOUT, "parameters": PARAMETERS}}
    return {"model": model, "tools": [tool], "messages": messages}


def _chat_second(model: str, call: ToolCall, result: str) -> Body:
    return _chat(
        model,
        [{"role": "user", "content": TASK}, call.raw, {"role": "tool", "tool_call_id": call.id, "content": result}],  # type: ignore[list-item]
    )


def _chat_parse(body: Body) -> Reply:
    message = _field(body, "choices", 0, "message") or {}
    use = _field(message, "tool_calls", 0)
    function = _field(use, "function") or {}
    call = None
    if use:
        call = ToolCall(str(use.get("id")), str(function.get("name")), str(function.get("arguments") or ""), message)
    text = message.get("content")
    return Reply(call, text if isinstance(text, str) else "", _field(body, "choices", 0, "finish_reason"), _error(body))


def _chat_gather(events: Iterable[Body]) -> Body:
    message: Body = {"role": "assistant", "content": ""}
    calls: dict[int, Body] = {}
    finish = None
    for event in events:
        if event.get("error"):
            return event
        delta = _field(event, "choices", 0, "delta") or {}
        finish = _field(event, "choices", 0, "finish_reason") or finish
        message["content"] += delta.get("content") or ""
        for part in delta.get("tool_calls") or []:
            call = calls.setdefault(
                part.get("index", 0), {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
            )
            call["id"] = part.get("id") or call["id"]
            for key in ("name", "arguments"):
                call["function"][key] += _field(part, "function", key) or ""
    if calls:
        message["tool_calls"] = [calls[i] for i in sorted(calls)]
    return {"choices": [{"message": message, "finish_reason": finish}]}


# ---- OpenAI responses


def _responses(model: str, items: list[Body]) -> Body:
    tool = {"type": "function", "name": TOOL, "description": ABOUT, "parameters": PARAMETERS}
    return {"model": model, "tools": [tool], "input": items, "store": False}


def _responses_second(model: str, call: ToolCall, result: str) -> Body:
    answer = {"type": "function_call_output", "call_id": call.id, "output": result}
    given = call.raw if isinstance(call.raw, list) else []
    return _responses(model, [{"role": "user", "content": TASK}, *given, answer])


def _responses_parse(body: Body) -> Reply:
    items = [i for i in body.get("output") or [] if isinstance(i, dict)]
    use = next((i for i in items if i.get("type") == "function_call"), None)
    text = "".join(
        str(part.get("text") or "")
        for item in items
        if item.get("type") == "message"
        for part in item.get("content") or []
        if isinstance(part, dict)
    )
    call = ToolCall(str(use.get("call_id")), str(use.get("name")), str(use.get("arguments") or ""), items) if use else None
    return Reply(call, text, body.get("status"), _error(body))


def _responses_gather(events: Iterable[Body]) -> Body:
    done: list[Body] = []
    for event in events:
        kind = event.get("type")
        if kind == "error":
            return {"error": event}
        if kind in ("response.completed", "response.failed", "response.incomplete"):
            whole = _field(event, "response") or {}
            return whole if whole.get("output") or kind != "response.completed" else {**whole, "output": done}
        if kind == "response.output_item.done" and isinstance(event.get("item"), dict):
            done.append(event["item"])
    return {"output": done}


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
        ),
        Protocol(
            "openai-chat",
            "chat/completions",
            _bearer,
            lambda model: _chat(model, [{"role": "user", "content": TASK}]),
            _chat_second,
            _chat_parse,
            _chat_gather,
        ),
        Protocol(
            "openai-responses",
            "responses",
            _bearer,
            lambda model: _responses(model, [{"role": "user", "content": TASK}]),
            _responses_second,
            _responses_parse,
            _responses_gather,
        ),
    )
}
"""By name; `openai` is taken for `openai-chat`."""
