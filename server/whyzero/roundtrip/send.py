"""The two requests: bounded in time and size, without redirects or proxies, the credential named and never shown."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from whyzero.errors import UsageError
from whyzero.roundtrip.protocols import PROTOCOLS, Body, Protocol
from whyzero.roundtrip.turn import Reply, Turn
from whyzero.text import hide

TIMEOUT = 60.0
BODY_LIMIT = 2**20
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
    """One turn where the first fails or brings no call, else two.

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
    if call is None or first.status is None or first.status >= 300:
        return (first,)
    code = f"KV-{secrets.randbelow(9000) + 1000}"
    return first, _ask(2, url, wire, wire.second(model, call, code), key, stream)


def credential_is_set(api_key_env: str) -> bool:
    """Whether the named variable holds anything; the value is not looked at."""
    return bool(os.environ.get(api_key_env))


def is_loopback(host: str) -> bool:
    """127.0.0.0/8, ::1 or localhost."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
    import httpx2

    headers = {"accept": "text/event-stream" if stream else "application/json", **wire.headers(key)}
    sent = {**body, "stream": True} if stream else body
    started = time.monotonic()
    try:
        with (
            httpx2.Client(timeout=TIMEOUT, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", url, json=sent, headers=headers) as response,
        ):
            status, raw = response.status_code, b""
            for chunk in response.iter_bytes():
                raw += chunk
                if len(raw) > BODY_LIMIT or time.monotonic() - started > TIMEOUT:
                    break
    except httpx2.HTTPError as error:
        return Turn(number, url, _since(started), failure=type(error).__name__)
    said = raw[:BODY_LIMIT].decode("utf-8", "replace")
    if key:
        said = said.replace(key, "[REDACTED]")
    return Turn(number, url, _since(started), status, said[:20_000], None, _read(wire, said) if status < 300 else Reply())


def _since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 1)


def _read(wire: Protocol, said: str) -> Reply:
    try:
        body = wire.gather(_events(said)) if said.lstrip().startswith(("event:", "data:", ":")) else json.loads(said)
        return wire.parse(body) if isinstance(body, dict) else Reply()
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError, IndexError):
        return Reply(error="the answer is not of the protocol's form")


def _events(said: str) -> Iterator[Body]:
    for line in said.splitlines():
        if line.startswith("data:") and (text := line[5:].strip()) and text != "[DONE]":
            value = json.loads(text)
            if isinstance(value, dict):
                yield value
