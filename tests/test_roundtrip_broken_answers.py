"""Endpoints that answer, but not in full or not in form: what is said of them, and that nobody else is blamed."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from test_roundtrip import PROTOCOLS, called, endpoint, probe, spoke
from whyzero.errors import UsageError
from whyzero.roundtrip import send
from whyzero.roundtrip.send import round_trip

KEY = "sk-canary-0123456789abcdef"


@pytest.fixture(autouse=True)
def _credential(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", KEY)


@contextmanager
def wire(*parts: bytes, pause: float = 0.0) -> Iterator[str]:
    """A server that answers every request with exactly these bytes, and closes."""

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                one, _ = listener.accept()
                with one, contextlib.suppress(OSError):
                    _request(one)
                    for part in parts:
                        one.sendall(part)
                        time.sleep(pause)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


def _request(one: socket.socket) -> None:
    said = b""
    while b"\r\n\r\n" not in said:
        said += one.recv(65536)
    head, _, body = said.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < length:
        body += one.recv(65536)


def whole(body: bytes, *headers: str, status: str = "200 OK", kind: str = "application/json") -> bytes:
    lines = (f"HTTP/1.1 {status}", f"content-type: {kind}", *headers, f"content-length: {len(body)}", "connection: close")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def events(said: list[Any], before: str = "") -> bytes:
    return (before + "".join(f"data: {json.dumps(event)}\n\n" for event in said)).encode()


# ---- cut off on the way


@pytest.mark.parametrize(
    ("head", "verdict", "authenticated"),
    [
        (b"200 OK\r\ncontent-length: 5000\r\n\r\n", "provider_error", None),
        (b"200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n", "provider_error", None),
        (b"200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 12\r\n\r\n", "provider_error", None),
        (b"401 Unauthorized\r\ncontent-length: 5000\r\n\r\n", "credential_rejected", False),
        (b"429 Too Many Requests\r\ncontent-length: 5000\r\n\r\n", "rate_limited", None),
    ],
)
def test_an_endpoint_whose_answer_breaks_off_was_reached(head: bytes, verdict: str, authenticated: bool | None) -> None:
    with wire(b"HTTP/1.1 " + head + b'{"choices": ') as url:
        report = probe(url, "openai-chat")
    assert (report.verdict, report.reached, report.authenticated) == (verdict, True, authenticated)
    assert report.tool_call_landed is None


def test_a_body_that_comes_drop_by_drop_was_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send, "TIMEOUT", 0.4)
    with wire(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n", *([b"{"] * 20), pause=0.05) as url:
        report = probe(url, "openai-chat")
    assert (report.verdict, report.reached) == ("provider_error", True)
    assert report.evidence[0].quote.startswith("turn 1, status 200: Timeout")


BREAKS: list[tuple[str, list[dict[str, Any]]]] = [
    ("openai-chat", [{"choices": [{"delta": {"role": "assistant", "content": ""}}]}]),
    ("openai-chat", called("openai-chat", stream=True)[:1]),
    ("anthropic", [{"type": "message_start", "message": {"type": "message"}}]),
    ("anthropic", called("anthropic", stream=True)[:3]),
    ("openai-responses", [{"type": "response.created", "response": {"status": "in_progress"}}]),
]


@pytest.mark.parametrize(("protocol", "said"), BREAKS)
def test_a_stream_that_breaks_off_is_no_answer_of_the_model(protocol: str, said: list[Any]) -> None:
    with wire(whole(events(said), kind="text/event-stream")) as url:
        report = probe(url, protocol, stream=True)
    assert report.verdict == "provider_error"
    assert "ended before its last event" in report.evidence[0].quote


def test_words_of_a_stream_that_breaks_off_may_not_be_all() -> None:
    said = [{"choices": [{"delta": {"content": "I will"}}]}]
    with wire(whole(events(said), kind="text/event-stream")) as url:
        report = probe(url, "openai-chat", stream=True)
    assert report.verdict == "no_tool_call"
    assert "ended before the last event" in report.summary


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_stream_that_came_to_its_end_is_the_models(protocol: str) -> None:
    end: dict[str, list[Any]] = {
        "anthropic": [{"type": "message_stop"}],
        "openai-chat": [{"choices": [{"delta": {}, "finish_reason": "stop"}]}],
        "openai-responses": [],
    }
    said = spoke(protocol, "The code is alpha.", stream=True) + end[protocol]
    with endpoint(lambda *_: (200, said)) as (url, _):
        report = probe(url, protocol, stream=True)
    assert report.verdict == "no_tool_call"
    assert "last event" not in report.summary


@pytest.mark.parametrize("before", ["id: 1\n", "retry: 3000\n\n", "\ufeff", ": hello\n\n", "\n"])
def test_whatever_field_a_stream_begins_with(before: str) -> None:
    with wire(whole(events(called("openai-chat", stream=True), before), kind="text/event-stream")) as url:
        assert probe(url, "openai-chat", stream=True).verdict == "works"


def test_a_mark_of_the_byte_order_is_no_part_of_the_json() -> None:
    with wire(whole(b"\xef\xbb\xbf" + json.dumps(called("openai-chat")).encode())) as url:
        assert probe(url, "openai-chat").verdict == "works"


@pytest.mark.parametrize(
    ("error", "verdict"),
    [({"code": 502, "message": "Upstream failed"}, "provider_error"), ({"code": 429, "message": "Slow down"}, "rate_limited")],
)
@pytest.mark.parametrize("part", ["message", "delta"])
def test_an_error_inside_a_choice_is_the_providers(part: str, error: dict[str, Any], verdict: str) -> None:
    choice = {"error": error, part: {"role": "assistant", "content": ""}, "finish_reason": "error"}
    said: Any = {"choices": [choice]}
    with endpoint(lambda *_: (200, said if part == "message" else [said])) as (url, _):
        report = probe(url, "openai-chat", stream=part == "delta")
    assert (report.verdict, report.authenticated) == (verdict, None)


# ---- packed


def test_a_packed_answer_is_read() -> None:
    with wire(whole(gzip.compress(json.dumps(called("openai-chat")).encode()), "content-encoding: gzip")) as url:
        assert probe(url, "openai-chat").verdict == "works"


@pytest.mark.parametrize("layers", [1, 2])
def test_a_packed_answer_is_unpacked_no_further_than_it_is_read(layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    body = b" " * 2**26
    for _ in range(layers):
        body = gzip.compress(body)
    read: list[int] = []
    monkeypatch.setattr(send, "_read", lambda wire, said: read.append(len(said)) or send.Reply(error=send.NO_ANSWER))
    with wire(whole(body, f"content-encoding: {', '.join(['gzip'] * layers)}")) as url:
        report = probe(url, "openai-chat")
    assert (report.verdict, report.reached) == ("provider_error", True)
    assert max(read, default=0) <= send.BODY_LIMIT


def test_nothing_packed_is_asked_for() -> None:
    with endpoint(lambda *_: (200, called("openai-chat"))) as (url, asked):
        probe(url, "openai-chat")
    assert {name.lower(): value for name, value in asked[0]["headers"].items()}["accept-encoding"] == "identity"


# ---- cut short, refused


@pytest.mark.parametrize(
    ("protocol", "said", "verdict", "says"),
    [
        ("openai-chat", {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}, "no_tool_call", "`length`"),
        (
            "openai-chat",
            {
                "choices": [
                    {
                        "message": {"tool_calls": [{"id": "a", "function": {"name": "get_code", "arguments": '{"na'}}]},
                        "finish_reason": "length",
                    }
                ]
            },
            "malformed_call",
            "`length`",
        ),
        ("anthropic", {"content": [{"type": "thinking"}], "stop_reason": "max_tokens"}, "no_tool_call", "`max_tokens`"),
        ("openai-responses", {"output": [], "status": "incomplete"}, "no_tool_call", "`incomplete`"),
        ("anthropic", {"content": [], "stop_reason": "refusal"}, "no_tool_call", "`refusal`"),
        (
            "openai-chat",
            {"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]},
            "no_tool_call",
            "`content_filter`",
        ),
    ],
)
def test_why_an_answer_ended_early_is_said(protocol: str, said: Any, verdict: str, says: str) -> None:
    with endpoint(lambda *_: (200, said)) as (url, _):
        report = probe(url, protocol)
    assert report.verdict == verdict
    assert says in report.summary


@pytest.mark.parametrize("stop", [7, ["length"], {"a": 1}, True, None])
@pytest.mark.parametrize("key", ["LAB_API_KEY", ""])
def test_a_reason_that_is_no_word_is_none(stop: Any, key: str) -> None:
    bodies = {
        "anthropic": {"content": [], "stop_reason": stop},
        "openai-chat": {"choices": [{"message": {"content": ""}, "finish_reason": stop}]},
        "openai-responses": {"output": [], "status": stop},
    }
    for protocol, body in bodies.items():
        with endpoint(lambda *_, body=body: (200, body)) as (url, _):
            assert probe(url, protocol, key=key).verdict == "no_tool_call"


def test_an_answer_that_ended_by_itself_gets_no_such_word() -> None:
    with endpoint(lambda *_: (200, spoke("openai-chat", "No."))) as (url, _):
        assert "`" not in probe(url, "openai-chat").summary


# ---- what no model said


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b'{"detail": "not here"}', b""])
def test_a_page_of_status_200_shows_neither_login_nor_model(body: bytes) -> None:
    with wire(whole(body, kind="text/html")) as url:
        report = probe(url, "openai-chat")
    assert (report.verdict, report.authenticated, report.tool_call_landed) == ("provider_error", None, None)


def test_a_path_that_is_not_there_is_no_rejected_schema() -> None:
    with wire(whole(b"404 page not found", status="404 Not Found", kind="text/plain")) as url:
        assert probe(url, "openai-chat").verdict == "model_not_found"


# ---- credentials as they come


@pytest.mark.parametrize("value", ["sk-abcdefgh12345\n", "sk-\u2013abcdefgh12", "sk-abc defgh12345", "\x00sk-abcdefgh"])
def test_a_credential_that_no_header_can_carry_is_not_the_endpoints_fault(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send.os, "environ", {"LAB_API_KEY": value})
    with (
        endpoint(lambda *_: (200, called("openai-chat"))) as (url, asked),
        pytest.raises(UsageError, match="LAB_API_KEY holds") as refused,
    ):
        round_trip(url, "m", "openai-chat", "LAB_API_KEY")
    assert asked == []
    assert value.strip("\n\x00") not in str(refused.value)


@pytest.mark.parametrize("value", ["tool", "id", "x", "1", "alpha", "function", "none"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_placeholder_for_a_key_does_not_change_what_is_read(value: str, protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", value)
    with endpoint(lambda *_: (200, called(protocol))) as (url, asked):
        report = probe(url, protocol)
    assert report.verdict == "works"
    assert "[REDACTED]" not in json.dumps([one["body"] for one in asked])
