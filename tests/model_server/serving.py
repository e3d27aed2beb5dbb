"""The application, served on loopback."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .answers import (
    anthropic_body,
    anthropic_error,
    anthropic_events,
    chat_body,
    chat_events,
    openai_error,
    responses_body,
    responses_events,
)
from .models import Turn, checked, play
from .refusal import Refused
from .requests import AnthropicRequest, ChatRequest, ChatTool, ResponsesRequest

KEY = "lab-model-key-0001"
Body = dict[str, Any]


@dataclass(frozen=True)
class Spoken:
    """One protocol: its request, its two forms of an answer, its errors."""

    request: type[ChatRequest | AnthropicRequest | ResponsesRequest]
    body: Any
    events: Any
    error: Any


SPOKEN = {
    "/v1/chat/completions": Spoken(ChatRequest, chat_body, chat_events, openai_error),
    "/v1/messages": Spoken(AnthropicRequest, anthropic_body, anthropic_events, anthropic_error),
    "/v1/responses": Spoken(ResponsesRequest, responses_body, responses_events, openai_error),
}


class ModelServer:
    """The application; `asked` keeps the bodies it was sent."""

    def __init__(self) -> None:
        self.asked: list[Body] = []
        self.app = Starlette(routes=[Route(path, self.answer, methods=["POST"]) for path in SPOKEN])

    async def answer(self, request: Request) -> Response:
        wire = SPOKEN[request.url.path]
        try:
            body = self._authorised(request, await request.body())
            turn = self._turn(wire, body)
        except Refused as refused:
            return JSONResponse(wire.error(refused), refused.status)
        if body.get("stream"):
            return StreamingResponse(framed(wire.events(turn, body["model"]), wire), media_type="text/event-stream")
        return JSONResponse(wire.body(turn, body["model"]))

    def _authorised(self, request: Request, raw: bytes) -> Body:
        anthropic = request.url.path.endswith("messages")
        given = request.headers.get("x-api-key" if anthropic else "authorization", "")
        if not given:
            words = "x-api-key header is required" if anthropic else "You didn't provide an API key."
            raise Refused(401, "authentication_error" if anthropic else "invalid_request_error", words)
        if given != (KEY if anthropic else f"Bearer {KEY}"):
            words = "invalid x-api-key" if anthropic else "Incorrect API key provided."
            kind = "authentication_error" if anthropic else "invalid_request_error"
            raise Refused(401, kind, words, None if anthropic else "invalid_api_key")
        if anthropic and "anthropic-version" not in request.headers:
            raise Refused(400, "invalid_request_error", "anthropic-version: header is required")
        if request.headers.get("content-type") != "application/json":
            raise Refused(400, "invalid_request_error", "content-type: must be application/json")
        self.asked.append(json.loads(raw))
        return self.asked[-1]

    def _turn(self, wire: Spoken, body: Body) -> Turn:
        try:
            asked = wire.request.model_validate(body)
        except ValidationError as error:
            first = error.errors()[0]
            words = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise Refused(400, "invalid_request_error", words) from None
        checked(asked.model, bool(asked.tools), asked.results())
        tool = asked.tools[0] if asked.tools else None
        name = tool.function.name if isinstance(tool, ChatTool) else tool.name if tool else None
        return play(asked.model, name, asked.results(), len(self.asked))


async def framed(events: Iterable[Body], wire: Spoken) -> AsyncIterator[str]:
    """Server-sent events as each protocol frames them, with a comment and CRLF between as the standard allows."""
    yield ": connected\r\n\r\n"
    for number, event in enumerate(events):
        if wire.request is ChatRequest:
            yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
        else:
            numbered = event if wire.request is AnthropicRequest else event | {"sequence_number": number}
            yield f"event: {event['type']}\r\ndata: {json.dumps(numbered, ensure_ascii=False)}\r\n\r\n"
    if wire.request is ChatRequest:
        yield "data: [DONE]\n\n"


@contextmanager
def model_server() -> Iterator[tuple[str, ModelServer]]:
    """Serves on loopback until the end of the block."""
    served = ModelServer()
    config = uvicorn.Config(served.app, log_level="critical", lifespan="off", ws="none", http="h11", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1", served
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
