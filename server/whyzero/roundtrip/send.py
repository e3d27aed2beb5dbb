"""The two requests: bounded in time and size, without redirects or proxies, the credential named and never shown."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from whyzero.errors import UsageError
from whyzero.network import is_loopback, within
from whyzero.roundtrip.protocols import NO_ANSWER, PROTOCOLS, Body, Protocol, executable
from whyzero.roundtrip.turn import Reply, Turn
from whyzero.text import hide

TIMEOUT = 60.0
BODY_LIMIT = 2**20
_LINE_END = re.compile(r"\r\n|\n|\r")
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
    host = urlsplit(base_url).hostname or ""
    vendor = VENDORS.get(name)
    if hosts is not None and not is_loopback(host) and host != vendor and host not in hosts:
        raise UsageError(f"{name} is not sent to that host. The operator can allow it: start with --probe-host HOST.")
    value = os.environ.get(name) or None
    hide({name: value or ""})
    return value


def _url(base_url: str, wire: Protocol, hosts: frozenset[str] | None) -> str:
    parts = urlsplit(base_url.strip())
    host = parts.hostname
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
    status, raw, failure = within(TIMEOUT, lambda over: _post(url, sent, headers, over)) or (None, b"", "Timeout")
    if status is None:
        return Turn(number, url, _since(started), failure=failure)
    said = raw[:BODY_LIMIT].decode("utf-8", "replace")
    if key:
        said = said.replace(key, "[REDACTED]")
    return Turn(number, url, _since(started), status, said[:20_000], None, _read(wire, said) if status < 300 else Reply())


def _post(url: str, sent: Body, headers: dict[str, str], over: threading.Event) -> tuple[int | None, bytes, str]:
    """Status and body, or the class of what went wrong on the way."""
    import httpx2

    try:
        with (
            httpx2.Client(timeout=TIMEOUT, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", url, json=sent, headers=headers) as response,
        ):
            status, raw = response.status_code, b""
            for chunk in response.iter_bytes():
                raw += chunk
                if len(raw) > BODY_LIMIT or over.is_set():
                    break
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as error:
        return None, b"", type(error).__name__
    return status, raw, ""


def _since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 1)


def _read(wire: Protocol, said: str) -> Reply:
    try:
        body = wire.gather(_events(said)) if said.lstrip().startswith(("event:", "data:", ":")) else json.loads(said)
        return wire.parse(body) if isinstance(body, dict) else Reply(error=NO_ANSWER)
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError, IndexError):
        return Reply(error=NO_ANSWER)


def _events(said: str) -> Iterator[Body]:
    """The data of server-sent events; only CR and LF end a line, and an empty line ends an event."""
    data: list[str] = []
    for line in [*_LINE_END.split(said), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            text = "\n".join(data).strip()
            data.clear()
            value = json.loads(text) if text and text != "[DONE]" else None
            if isinstance(value, dict):
                yield value
