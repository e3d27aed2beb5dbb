"""A policy model on loopback: OpenAI chat completions, answers scripted by the prompt."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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


class StubModel:
    """Serves one run. `with StubModel(behaviour) as model:` … `model.url`."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.answers: list[str] = []
        """The behaviour played for each request so far, in order."""
        self._tries: Counter[str] = Counter()
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> StubModel:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """HTTP status and JSON body for one request."""
        messages = body["messages"]
        prompt = str(next(m["content"] for m in reversed(messages) if m["role"] == "user"))
        play = self._choose(prompt, alone=len(messages) == 1)
        self.answers.append(play)
        if play == "hang":
            self._over.wait(self.behaviour.hang_seconds)
            play = "right"
        if play.startswith("http_"):
            status = int(play.removeprefix("http_"))
            message, kind, code = ERRORS[status]
            return status, {"error": {"message": message, "type": kind, "code": code}}
        turn_after_tool = any(m["role"] == "tool" for m in messages)
        choices = [] if play == "no_choices" else [_choice("right" if turn_after_tool else play, prompt)]
        return 200, {
            "id": "chatcmpl-lab",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body["model"],
            "choices": choices,
            "usage": {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28},
        }

    def _choose(self, prompt: str, *, alone: bool) -> str:
        if alone and prompt == "hi":
            return self.behaviour.preflight
        play = next((b for part, b in self.behaviour.for_prompts_with.items() if part in prompt), self.behaviour.usual)
        tries = play.split("|")
        self._tries[prompt] += 1
        return tries[min(self._tries[prompt], len(tries)) - 1]


def _choice(play: str, prompt: str) -> dict[str, Any]:
    a, op, b = found.groups() if (found := QUESTION.search(prompt)) else ("0", "+", "0")
    value = {"*": int(a) * int(b), "+": int(a) + int(b), "-": int(a) - int(b)}[op]
    if play in ("tool", "malformed_tool"):
        arguments = json.dumps({"a": int(a), "op": op, "b": int(b)})
        if play == "malformed_tool":
            arguments = arguments[:-4]
        call = {"id": "call_1", "type": "function", "function": {"name": "calculator", "arguments": arguments}}
        return {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": None, "tool_calls": [call]},
        }
    text = {
        "right": f"The answer is {value}.",
        "wrong": f"The answer is {value + 1}.",
        "prose": "I am not sure how to work that out.",
        "empty": "",
    }[play]
    return {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: StubModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away in mid-request are part of the scenarios."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._send(*self.server.model.answer(body))

    def do_GET(self) -> None:
        """Answers a health check as any web server might, which lets it stand for a stranger on a rollout's port."""
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
