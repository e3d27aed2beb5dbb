"""The two requests: bounded in time and size, without redirects or proxies, the credential named and never shown."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from whyzero.errors import UsageError
from whyzero.network import host_of, is_loopback, within
from whyzero.roundtrip.protocols import BROKE_OFF, DONE, NO_ANSWER, PROTOCOLS, Body, Protocol, executable
from whyzero.roundtrip.turn import Reply, Turn
from whyzero.text import hide

TIMEOUT = 60.0
BODY_LIMIT = 2**20
TEXT_KEPT = 20_000
SHORT = 8
"""Characters below which a credential may be a placeholder, such as `none` or `x`."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_FIELD = re.compile(r"\s*(?:event|data|id|retry)?:")
"""How a stream of events begins."""
_CARRIED = re.compile(r"[\x21-\x7e]+")
"""What a header can carry, and no key goes without."""
KEY_NAME = re.compile(r"[A-Z][A-Z0-9_]*(?:_KEY|_TOKEN)")
VENDORS = {"ANTHROPIC_API_KEY": "api.anthropic.com", "OPENAI_API_KEY": "api.openai.com", "OPENROUTER_API_KEY": "openrouter.ai"}
"""A vendor's key is sent to that vendor, to loopback, or to a host the operator named; never where a log or a model points."""


def round_trip(
    base_url: str,
    model: str,
    protocol: str,
    api_key_env: str = "",
    *,
    stream: bool = False,
    hosts: frozenset[str] | None = frozenset(),
) -> tuple[Turn, ...]:
    """One turn where the first fails or brings no call that could be carried out, else two.

    Args:
        api_key_env: name of the variable that holds the credential; empty = none is sent.
        hosts: hosts beyond loopback that may be asked; None = any (a person named the URL on the command line).

    Raises:
        UsageError: an unknown protocol, a URL or variable name that cannot be meant, or a host that may not be asked.
    """
    wire = PROTOCOLS.get("openai-chat" if protocol == "openai" else protocol)
    if wire is None:
        raise UsageError(f"protocol is one of {', '.join(PROTOCOLS)}.")
    if not model or len(model) > 200 or not model.isprintable():
        raise UsageError("model is the model id as the endpoint knows it.")
    key = _key(api_key_env, base_url, hosts)
    url = _url(base_url, wire, hosts)
    first = _ask(1, url, wire, wire.first(model), key, stream)
    call = first.reply.call
    if call is None or not executable(call) or first.status is None or first.status >= 300:
        return (first,)
    code = f"KV-{secrets.randbelow(9000) + 1000}"
    return first, _ask(2, url, wire, wire.second(model, call, code), key, stream)


def credential_is_set(api_key_env: str) -> bool:
    """Whether the named variable holds anything; the value is not looked at."""
    return bool(os.environ.get(api_key_env))


def _key(name: str, base_url: str, hosts: frozenset[str] | None) -> str | None:
    if not name:
        return None
    if not KEY_NAME.fullmatch(name):
        raise UsageError("api_key_env is the name of a variable that ends in _KEY or _TOKEN, never a value.")
    host = host_of(base_url)
    vendor = VENDORS.get(name)
    if host and hosts is not None and not is_loopback(host) and host != vendor and host not in hosts:
        raise UsageError(f"{name} is not sent to that host. The operator can allow it: start with --probe-host HOST.")
    value = os.environ.get(name) or None
    hide({name: value or ""})
    if value and not _CARRIED.fullmatch(value):
        raise UsageError(f"{name} holds a space, a line end or a letter that no request can carry: set it anew.")
    return value


def _url(base_url: str, wire: Protocol, hosts: frozenset[str] | None) -> str:
    host = host_of(base_url)
    parts = urlsplit(base_url.strip() if host else "")
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError("base_url is http(s)://HOST[:PORT][/path], without login, query or fragment.")
    if not is_loopback(host):
        if hosts is not None and host not in hosts:
            raise UsageError("Only loopback may be asked. Start with --allow-network, and --probe-host HOST for this host.")
        if parts.scheme != "https":
            raise UsageError("A credential goes to another machine over https only.")
    path = parts.path.rstrip("/")
    if wire.name == "anthropic":
        path = path.removesuffix("/v1")
    return f"{parts.scheme}://{parts.netloc}{path}/{wire.path}"


def _ask(number: int, url: str, wire: Protocol, body: Body, key: str | None, stream: bool) -> Turn:
    started = time.monotonic()
    headers = {"accept": "text/event-stream" if stream else "application/json", **wire.headers(key)}
    sent = {**body, "stream": True} if stream else body
    got = _Got()
    if within(TIMEOUT, lambda over: _post(url, sent, headers, got, over)) is None:
        got.failure = "Timeout"
    if got.status is None:
        return Turn(number, url, _since(started), failure=got.failure)
    said = _unpacked(got).decode("utf-8-sig", "replace")
    reply = _read(wire, said) if got.status < 300 and not got.failure else Reply()
    return _without(key, Turn(number, url, _since(started), got.status, said, got.failure, reply))


@dataclass(slots=True)
class _Got:
    """What has come so far."""

    status: int | None = None
    encoding: str = ""
    raw: bytearray = field(default_factory=bytearray)
    failure: str | None = None
    """The class of what went wrong on the way."""


def _post(url: str, sent: Body, headers: dict[str, str], got: _Got, over: threading.Event) -> _Got:
    import httpx2

    asked = {"accept-encoding": "identity", **headers}
    try:
        with (
            httpx2.Client(timeout=TIMEOUT, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", url, json=sent, headers=asked) as response,
        ):
            got.encoding = response.headers.get("content-encoding", "identity").strip().lower()
            got.status = response.status_code
            for chunk in response.iter_raw():
                got.raw += chunk
                if len(got.raw) > BODY_LIMIT or over.is_set():
                    break
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as error:
        got.failure = type(error).__name__
    return got


def _unpacked(got: _Got) -> bytes:
    """The body as far as it is read; one packed in a way that was not asked for and is not gzip stays as it came."""
    raw = bytes(got.raw[:BODY_LIMIT])
    if got.encoding not in ("gzip", "x-gzip"):
        return raw
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(raw, BODY_LIMIT)
    except zlib.error as error:
        got.failure = got.failure or type(error).__name__
        return raw


def _without(key: str | None, turn: Turn) -> Turn:
    """The turn, bounded, without the credential; a short one stands in many words, and goes where it is a word of its own."""
    if not key:
        return replace(turn, body=turn.body[:TEXT_KEPT])
    whole = re.escape(key) if len(key) >= SHORT else rf"(?<![\w-]){re.escape(key)}(?![\w-])"

    def cut(said: str) -> str:
        return re.sub(whole, "[REDACTED]", said)

    call = turn.reply.call
    reply = replace(
        turn.reply,
        call=call and replace(call, shown=cut(f"{call.name}({call.arguments})")),
        text=cut(turn.reply.text),
        stop=cut(turn.reply.stop) if turn.reply.stop else None,
        error=cut(turn.reply.error) if turn.reply.error else None,
    )
    return replace(turn, body=cut(turn.body)[:TEXT_KEPT], reply=reply)


def _since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 1)


def _read(wire: Protocol, said: str) -> Reply:
    try:
        if not _FIELD.match(said):
            body = json.loads(said)
            return wire.parse(body) if isinstance(body, dict) else Reply(error=NO_ANSWER)
        events = list(_events(said))
        reply = wire.parse(wire.gather(events))
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError, IndexError):
        return Reply(error=NO_ANSWER)
    landed = reply.call is not None and executable(reply.call)
    ended = any(event.get("type") == DONE or wire.ends(event) for event in events)
    if reply.error or landed or ended:
        return reply
    return replace(reply, stop=BROKE_OFF) if reply.text and reply.call is None else replace(reply, error=BROKE_OFF)


def _events(said: str) -> Iterator[Body]:
    """The data of server-sent events; only CR and LF end a line, and an empty line ends an event."""
    data: list[str] = []
    for line in [*_LINE_END.split(said), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            text = "\n".join(data).strip()
            data.clear()
            value = {"type": DONE} if text == DONE else json.loads(text) if text else None
            if isinstance(value, dict):
                yield value
