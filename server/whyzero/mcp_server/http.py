"""Streamable HTTP: on this machine only, and only for who knows the token."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import sys

import uvicorn
from mcp.server import MCPServer
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from whyzero.errors import UsageError

HOST = "127.0.0.1"
TOKEN = "WHYZERO_HTTP_TOKEN"
"""Variable with the token that clients send; unset = a new one is made for this start and shown on stderr."""


def serve_http(server: MCPServer, port: int) -> None:
    """Serve until stopped; port 0 = any free one. Foreign hosts and origins are refused by the SDK."""
    token, where = _token()
    try:
        listening = socket.create_server((HOST, port))
    except OSError:
        raise UsageError(f"Port {port} is not free. Name another one with --http, or 0 for any.") from None
    sys.stderr.write(f"whyzero: listening on http://{HOST}:{listening.getsockname()[1]}/mcp\n{where}\n")
    sys.stderr.flush()
    app = OnlyWithToken(server.streamable_http_app(host=HOST), token)
    uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, server_header=False)).run([listening])


def _token() -> tuple[str, str]:
    given = os.environ.get(TOKEN, "")
    if given and not given.startswith("${"):
        return given, f"whyzero: clients send the token in {TOKEN} as a bearer token"
    made = secrets.token_urlsafe(32)
    return made, f"whyzero: clients send the header  Authorization: Bearer {made}"


class OnlyWithToken:
    """Answers 401 to every request without the bearer token, before anything looks at it."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            sent = Headers(scope=scope).get("authorization", "").encode()
            if not hmac.compare_digest(sent, self._expected):
                refusal = PlainTextResponse("Unauthorized", 401, {"WWW-Authenticate": "Bearer"})
                return await refusal(scope, receive, send)
        return await self._app(scope, receive, send)
