"""A model provider on loopback that speaks OpenAI chat completions. What it answers is up to the subclass."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Answer = tuple[int, dict[str, Any]]
"""HTTP status and JSON body."""


class LoopbackModel:
    """`with SomeModel(...) as model:` serves until the end of the block, on a port of the system's choice."""

    def __init__(self) -> None:
        self.over = threading.Event()
        """Set at the end of the block, to wake answers that are held back."""
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """The answer to one chat completion request. Called from several threads."""
        raise AssertionError("a model must answer")


def completion(request: Mapping[str, Any], *choices: dict[str, Any]) -> Answer:
    """A successful answer with these choices."""
    return 200, {
        "id": "chatcmpl-lab",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request["model"],
        "choices": list(choices),
        "usage": {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28},
    }


def choice(message: Mapping[str, Any], finish_reason: str = "stop") -> dict[str, Any]:
    """The one choice of an answer."""
    return {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", **message}}


def error(status: int, message: str, kind: str, code: str) -> Answer:
    """An error in OpenAI's shape."""
    return status, {"error": {"message": message, "type": kind, "param": None, "code": code}}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: LoopbackModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away in mid-request are part of the scenarios."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._send(*self.server.model.answer(request))

    def do_GET(self) -> None:
        """Answers a health check as any web server might, which lets it stand for a stranger on somebody's port."""
        self._send(200, {"status": "ok"})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Silent: the run's own files are what matters."""
