"""How each protocol says a turn of a model, whole and as events, and how it says no."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .models import Turn
from .refusal import Refused

Body = dict[str, Any]


def chat_body(turn: Turn, model: str) -> Body:
    calls = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in turn.calls]
    message = {"role": "assistant", "content": turn.text or None, "refusal": None}
    message |= {"tool_calls": calls} if calls else {}
    message |= {"reasoning_content": turn.thought} if turn.thought else {}
    finish = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}


def chat_events(turn: Turn, model: str) -> Iterator[Body]:
    def chunk(delta: Body, finish: str | None = None) -> Body:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [choice]}

    yield chunk({"role": "assistant", "content": "" if turn.text else None})
    yield from (chunk({"reasoning_content": piece}) for piece in halves(turn.thought))
    yield from (chunk({"content": piece}) for piece in halves(turn.text))
    for index, (key, name, arguments) in enumerate(turn.calls):
        yield chunk(
            {"tool_calls": [{"index": index, "id": key, "type": "function", "function": {"name": name, "arguments": ""}}]}
        )
        for piece in halves(arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls" if turn.calls else "stop")
    yield {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [], "usage": {}}


def anthropic_blocks(turn: Turn) -> list[Body]:
    thought = [{"type": "thinking", "thinking": turn.thought, "signature": "c2lnbmVk"}] if turn.thought else []
    text = [{"type": "text", "text": turn.text}] if turn.text else []
    return [*thought, *text, *({"type": "tool_use", "id": i, "name": n, "input": loaded(a)} for i, n, a in turn.calls)]


def anthropic_body(turn: Turn, model: str) -> Body:
    about = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "stop_sequence": None}
    stop = "tool_use" if turn.calls else "end_turn"
    return about | {"content": anthropic_blocks(turn), "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 1}}


def anthropic_events(turn: Turn, model: str) -> Iterator[Body]:
    yield {"type": "message_start", "message": anthropic_body(Turn(), model) | {"stop_reason": None}}
    yield {"type": "ping"}
    if model == "breaks":
        yield {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        return
    arguments = iter([a for _, _, a in turn.calls])
    for index, block in enumerate(anthropic_blocks(turn)):
        kind = block["type"]
        empty = {"thinking": {"thinking": "", "signature": ""}, "text": {"text": ""}, "tool_use": {"input": {}}}[kind]
        yield {"type": "content_block_start", "index": index, "content_block": block | empty}
        said = next(arguments) if kind == "tool_use" else block[kind]
        name, of = {"thinking": ("thinking_delta", "thinking"), "text": ("text_delta", "text")}.get(
            kind, ("input_json_delta", "partial_json")
        )
        for piece in halves(said):
            yield {"type": "content_block_delta", "index": index, "delta": {"type": name, of: piece}}
        if kind == "thinking":
            delta = {"type": "signature_delta", "signature": block["signature"]}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use" if turn.calls else "end_turn"}, "usage": {}}
    yield {"type": "message_stop"}


def response_items(turn: Turn) -> list[Body]:
    thought = [{"type": "reasoning", "id": "rs_1", "summary": []}] if turn.thought else []
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    text = [said | {"content": [{"type": "output_text", "text": turn.text, "annotations": []}]}] if turn.text else []
    call = {"type": "function_call", "status": "completed"}
    return [*thought, *text, *(call | {"id": f"fc_{i}", "call_id": i, "name": n, "arguments": a} for i, n, a in turn.calls)]


def responses_body(turn: Turn, model: str) -> Body:
    about = {"id": "resp_1", "object": "response", "created_at": 1, "model": model, "error": None, "incomplete_details": None}
    return about | {"status": "completed", "output": response_items(turn)}


def responses_events(turn: Turn, model: str) -> Iterator[Body]:
    begun = responses_body(Turn(), model) | {"status": "in_progress"}
    yield {"type": "response.created", "response": begun}
    for index, item in enumerate(response_items(turn)):
        at = {"output_index": index, "item_id": item["id"]}
        started = item | ({"arguments": ""} if "arguments" in item else {"content": []} if "content" in item else {})
        yield {"type": "response.output_item.added", "output_index": index, "item": started}
        if "arguments" in item:
            for piece in halves(item["arguments"]):
                yield {"type": "response.function_call_arguments.delta", "delta": piece, **at}
            yield {"type": "response.function_call_arguments.done", "arguments": item["arguments"], **at}
        elif "content" in item:
            for piece in halves(turn.text):
                yield {"type": "response.output_text.delta", "delta": piece, "content_index": 0, **at}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": responses_body(turn, model)}


def halves(text: str) -> list[str]:
    return [piece for piece in (text[: len(text) // 2], text[len(text) // 2 :]) if piece]


def loaded(arguments: str) -> Any:
    """Anthropic's calls carry an object; what was cut off becomes an empty one in a whole answer."""
    try:
        return json.loads(arguments)
    except ValueError:
        return {}


def openai_error(refused: Refused) -> Body:
    return {"error": {"message": refused.message, "type": refused.kind, "param": None, "code": refused.code}}


def anthropic_error(refused: Refused) -> Body:
    kind, message = refused.kind, refused.message
    if refused.code == "model_not_found":
        kind, message = "not_found_error", f"model: {refused.message.split('`')[1]}"
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
