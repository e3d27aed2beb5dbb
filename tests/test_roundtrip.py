"""The provider round-trip against scripted servers on loopback: every verdict, three protocols, streaming and not."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from whyzero.analyses.probe_tool_roundtrip import RoundTrip, probe_tool_roundtrip
from whyzero.cli.app import main
from whyzero.errors import UsageError
from whyzero.evidence import dump
from whyzero.roundtrip import send
from whyzero.roundtrip.send import credential_is_set, round_trip

KEY = "sk-canary-0123456789abcdef"
PROTOCOLS = ("anthropic", "openai-chat", "openai-responses")
Answer = tuple[int, Any]
Script = Callable[[str, int, dict[str, Any], dict[str, str]], Answer]


@contextmanager
def endpoint(script: Script) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that answers by script(protocol, number of the request, body, headers); keeps what it was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked.append({"path": self.path, "body": body, "headers": dict(self.headers)})
            status, said = script(spoken(self.path), len(asked), body, {k.lower(): v for k, v in self.headers.items()})
            events = isinstance(said, list)
            text = (
                "".join(f"data: {json.dumps(e)}\n\n" for e in said)
                if events
                else said
                if isinstance(said, str)
                else json.dumps(said)
            )
            data = text.encode()
            self.send_response(status)
            self.send_header("content-type", "text/event-stream" if events else "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def spoken(path: str) -> str:
    return {"messages": "anthropic", "completions": "openai-chat", "responses": "openai-responses"}[path.rsplit("/", 1)[-1]]


def called(protocol: str, arguments: str = '{"name": "alpha"}', tool: str = "get_code", stream: bool = False) -> Any:
    """An answer that calls the tool, whole or as events with the arguments cut in two."""
    half = len(arguments) // 2
    parts = (arguments[:half], arguments[half:])
    if protocol == "anthropic":
        use = {"type": "tool_use", "id": "t1", "name": tool}
        if not stream:
            return {"type": "message", "content": [use | {"input": json.loads(arguments)}], "stop_reason": "tool_use"}
        deltas = [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": p}} for p in parts
        ]
        return [
            {"type": "message_start", "message": {"type": "message"}},
            {"type": "content_block_start", "index": 0, "content_block": use | {"input": {}}},
            *deltas,
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        ]
    if protocol == "openai-chat":
        call = {"id": "t1", "type": "function", "function": {"name": tool, "arguments": arguments}}
        if not stream:
            return {
                "choices": [
                    {"message": {"role": "assistant", "content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}
                ]
            }
        start = {"index": 0, "id": "t1", "function": {"name": tool, "arguments": parts[0]}}
        rest = {"index": 0, "function": {"arguments": parts[1]}}
        return [{"choices": [{"delta": {"tool_calls": [part]}}]} for part in (start, rest)]
    item = {"type": "function_call", "call_id": "t1", "name": tool, "arguments": arguments}
    if not stream:
        return {"status": "completed", "output": [item]}
    return [
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": {"status": "completed", "output": []}},
    ]


def spoke(protocol: str, text: str, stream: bool = False) -> Any:
    """An answer in words."""
    if protocol == "anthropic":
        if not stream:
            return {"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
        return [
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        ]
    if protocol == "openai-chat":
        if not stream:
            return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
        return [{"choices": [{"delta": {"content": text}}]}]
    item = {"type": "message", "content": [{"type": "output_text", "text": text}]}
    if not stream:
        return {"status": "completed", "output": [item]}
    return [{"type": "response.output_item.done", "item": item}, {"type": "response.completed", "response": {"output": []}}]


def result_of(protocol: str, body: dict[str, Any]) -> str:
    """The tool result that the second request carries back to its call."""
    if protocol == "anthropic":
        block = body["messages"][-1]["content"][0]
        assert block["tool_use_id"] == body["messages"][-2]["content"][0]["id"] == "t1"
        return str(block["content"])
    if protocol == "openai-chat":
        assert body["messages"][-1]["tool_call_id"] == body["messages"][-2]["tool_calls"][0]["id"] == "t1"
        return str(body["messages"][-1]["content"])
    assert body["input"][-1]["call_id"] == body["input"][-2]["call_id"] == "t1"
    return str(body["input"][-1]["output"])


def probe(url: str, protocol: str, *, key: str = "LAB_API_KEY", stream: bool = False) -> RoundTrip:
    turns = round_trip(url, "m", protocol, key, stream=stream)
    return probe_tool_roundtrip(turns, key if credential_is_set(key) else "")


@pytest.fixture(autouse=True)
def _credential(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", KEY)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_call_lands_and_its_result_is_accepted(protocol: str, stream: bool) -> None:
    def script(spoken: str, number: int, body: dict[str, Any], headers: dict[str, str]) -> Answer:
        assert body.get("stream", False) is stream
        assert KEY in (headers.get("x-api-key", ""), headers.get("authorization", "").removeprefix("Bearer "))
        return 200, called(spoken, stream=stream) if number == 1 else spoke(spoken, result_of(spoken, body), stream)

    with endpoint(script) as (url, asked):
        report = probe(url, protocol, stream=stream)
    assert report.verdict == "works"
    assert (report.reached, report.authenticated, report.tool_call_landed, report.tool_result_accepted) == (
        True,
        True,
        True,
        True,
    )
    assert report.evidence[0].quote.startswith("turn 2, status 200: KV-")
    assert [a["path"] for a in asked] == [asked[0]["path"]] * 2
    assert len(report.latency_ms) == 2


REFUSALS = [
    pytest.param(
        401, {"error": {"type": "authentication_error", "message": "invalid x-api-key"}}, "credential_rejected", id="auth"
    ),
    pytest.param(404, {"error": {"type": "not_found_error", "message": "model: m"}}, "model_not_found", id="model"),
    pytest.param(
        404, {"error": {"code": "model_not_found", "message": "The model `m` does not exist"}}, "model_not_found", id="code"
    ),
    pytest.param(400, {"error": {"message": "tools.0.custom.x: Extra inputs are not permitted"}}, "schema_rejected", id="schema"),
    pytest.param(400, {"error": {"message": "tool type function not supported"}}, "schema_rejected", id="tool-type"),
    pytest.param(429, {"error": {"type": "rate_limit_error", "message": "slow down"}}, "rate_limited", id="rate"),
    pytest.param(429, {"error": {"code": "insufficient_quota", "message": "check your plan"}}, "quota_exhausted", id="quota"),
    pytest.param(400, {"error": {"message": "Your credit balance is too low"}}, "quota_exhausted", id="credit"),
    pytest.param(529, {"error": {"type": "overloaded_error", "message": "Overloaded"}}, "provider_error", id="overload"),
    pytest.param(502, "<html><title>502 Bad Gateway</title></html>", "provider_error", id="gateway"),
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(("status", "body", "verdict"), REFUSALS)
def test_a_refused_first_turn_says_which_kind(status: int, body: Any, verdict: str, protocol: str) -> None:
    with endpoint(lambda *_: (status, body)) as (url, asked):
        report = probe(url, protocol)
    assert report.verdict == verdict
    assert len(asked) == 1
    assert report.tool_call_landed is None
    assert report.tool_result_accepted is None
    assert report.authenticated is (False if verdict == "credential_rejected" else None)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_missing_credential_is_not_a_rejected_one(protocol: str) -> None:
    def script(spoken: str, number: int, body: dict[str, Any], headers: dict[str, str]) -> Answer:
        assert not {"x-api-key", "authorization"} & headers.keys()
        return 401, {"error": {"type": "authentication_error", "message": "x-api-key header is required"}}

    with endpoint(script) as (url, _):
        report = probe(url, protocol, key="UNSET_LAB_API_KEY")
    assert report.verdict == "credential_missing"
    assert report.credential == "none"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('<tool_call>\n{"name": "get_code", "arguments": {"name": "alpha"}}\n</tool_call>', "calls_as_text"),
        ("I would call get_code, but I cannot.", "no_tool_call"),
    ],
)
def test_words_instead_of_a_call(text: str, verdict: str, protocol: str, stream: bool) -> None:
    with endpoint(lambda spoken, *_: (200, spoke(spoken, text, stream))) as (url, _):
        report = probe(url, protocol, stream=stream)
    assert report.verdict == verdict
    assert report.authenticated is True
    assert report.tool_call_landed is False


@pytest.mark.parametrize(
    "answer",
    [
        called("openai-chat", arguments='{"name": "al'),
        called("openai-chat", tool="functions.get_code"),
        called("openai-chat", arguments="[1]"),
    ],
    ids=["cut-off", "other-name", "no-object"],
)
def test_a_call_that_cannot_be_executed(answer: Any) -> None:
    with endpoint(lambda *_: (200, answer)) as (url, _):
        report = probe(url, "openai-chat")
    assert report.verdict == "malformed_call"
    assert report.tool_call_landed is False


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_result_that_the_bridge_rejects(protocol: str) -> None:
    body = {"error": {"type": "invalid_request_error", "message": "tool_use ids were found without tool_result blocks"}}
    with endpoint(lambda spoken, number, *_: (200, called(spoken)) if number == 1 else (400, body)) as (url, _):
        report = probe(url, protocol)
    assert report.verdict == "tool_result_rejected"
    assert report.tool_call_landed is True
    assert report.tool_result_accepted is False


def test_a_rate_limit_on_the_second_turn_does_not_accuse_the_bridge() -> None:
    body = {"error": {"type": "rate_limit_error"}}
    with endpoint(lambda spoken, number, *_: (200, called(spoken)) if number == 1 else (429, body)) as (url, _):
        assert probe(url, "anthropic").verdict == "rate_limited"


def test_an_error_inside_a_stream_of_status_200() -> None:
    events = [
        {"type": "message_start", "message": {}},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ]
    with endpoint(lambda *_: (200, events)) as (url, _):
        assert probe(url, "anthropic", stream=True).verdict == "provider_error"


def test_an_endpoint_that_answers_drop_by_drop_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send, "TIMEOUT", 0.5)

    def drip(listener: socket.socket) -> None:
        one, _ = listener.accept()
        with one, contextlib.suppress(OSError):
            one.sendall(b"HTTP/1.1 200 OK\r\n")
            for _ in range(30):
                one.sendall(b"x-a: b\r\n")
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,), daemon=True)
        thread.start()
        report = probe(f"http://127.0.0.1:{listener.getsockname()[1]}", "openai-chat")
        assert (report.verdict, report.evidence[0].quote) == ("unreachable", "turn 1, no status: Timeout")
        assert report.latency_ms[0] < 1500
        thread.join(5)


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        (called("openai-chat", tool="functions.get_code"), 'functions.get_code({"name": "alpha"})'),
        (called("openai-chat", arguments='{"nam": "alpha"}'), 'get_code({"nam": "alpha"})'),
        ({"choices": []}, '{"choices": []}'),
        ("", "an empty body"),
    ],
)
def test_what_came_back_is_the_evidence(answer: Any, quote: str) -> None:
    with endpoint(lambda *_: (200, answer)) as (url, asked):
        report = probe(url, "openai-chat")
    assert report.verdict in ("malformed_call", "provider_error")
    assert report.evidence[0].quote == f"turn 1, status 200: {quote}"
    assert len(asked) == 1, "a second turn would cost and show nothing"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_framed_as_the_standard_says(end: str) -> None:
    lines = [
        ": a comment",
        "event: x",
        "id: 1",
        'data: {"choices": [{"delta": {"content":',
        'data:  "two lines\u2028and one"}}]}',
        "",
        "retry: 10",
        "",
        "data: [DONE]",
        "",
    ]
    with endpoint(lambda *_: (200, end.join(lines))) as (url, _):
        report = probe(url, "openai-chat", stream=True)
    assert report.verdict == "no_tool_call"
    assert "two lines" in report.evidence[0].quote


def test_nobody_listens() -> None:
    with endpoint(lambda *_: (200, {})) as (url, _):
        pass
    report = probe(url, "openai-chat")
    assert (report.verdict, report.reached) == ("unreachable", False)


@pytest.mark.parametrize("body", ["", "not json", [], {"choices": None}, {"content": 7}, {"output": [{"type": "function_call"}]}])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_answer_of_another_form_is_an_answer_and_no_crash(body: Any, protocol: str) -> None:
    with endpoint(lambda *_: (200, body)) as (url, _):
        assert probe(url, protocol).verdict in ("provider_error", "no_tool_call", "malformed_call")


def test_a_redirect_is_not_followed() -> None:
    with endpoint(lambda *_: (307, {})) as (url, asked):
        assert probe(url, "openai-chat").verdict == "provider_error"
    assert len(asked) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_credential_comes_back_in_no_channel(protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A gateway that echoes the key in every place it can."""
    echo = {"error": {"type": "authentication_error", "message": f"key {KEY} is invalid; header x-api-key: {KEY}"}}
    with endpoint(lambda *_: (401, echo)) as (url, _):
        assert KEY not in json.dumps(dump(probe(url, protocol)))
        with pytest.raises(SystemExit) as ended:
            main(["probe-tool-roundtrip", url, "--model", "m", "--protocol", protocol, "--api-key-env", "LAB_API_KEY"])
    out = capsys.readouterr()
    assert ended.value.code == 1
    assert "credential" in out.out
    assert KEY not in out.out + out.err


@pytest.mark.parametrize(
    ("url", "key", "says"),
    [
        ("http://192.0.2.1/v1", "", "Only loopback"),
        ("https://api.example.com/v1", "", "Only loopback"),
        ("https://api.example.com/v1", "ANTHROPIC_API_KEY", "not sent to that host"),
        ("http://user:pw@127.0.0.1/v1", "", "without login"),
        ("ftp://127.0.0.1/v1", "", "http"),
        ("http://[::1", "", "base_url is"),
        ("http://[::1", "LAB_API_KEY", "base_url is"),
        ("", "LAB_API_KEY", "base_url is"),
        ("http://", "", "base_url is"),
        ("http://127.0.0.1/v1", "HOME", "ends in _KEY or _TOKEN"),
        ("http://127.0.0.1/v1", KEY, "never a value"),
    ],
)
def test_where_a_key_may_go_is_not_the_callers_to_choose(url: str, key: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        round_trip(url, "m", "openai-chat", key)


def test_another_machine_is_asked_over_https_only() -> None:
    with pytest.raises(UsageError, match="https only"):
        round_trip("http://gateway.example.com", "m", "openai-chat", hosts=frozenset({"gateway.example.com"}))


@pytest.mark.parametrize("words", ["localhost", "http://", "http://[::1", "127.0.0.1:8000"])
def test_what_is_no_address_is_said_to_be_none(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["probe-tool-roundtrip", words, "--model", "m"])
    assert (end.value.code, capsys.readouterr().err) == (
        2,
        "whyzero: BASE_URL is no address. Write http(s)://HOST[:PORT][/path].\n",
    )
