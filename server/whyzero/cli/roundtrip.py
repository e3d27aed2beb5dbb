"""`probe-tool-roundtrip`: does a tool call make the round-trip at this endpoint?"""

from __future__ import annotations

from typing import Annotated

import typer

from whyzero.cli.arguments import Html, Json
from whyzero.cli.output import answer
from whyzero.cli.reading import SignOfLife
from whyzero.errors import UsageError

Url = Annotated[str, typer.Argument(metavar="BASE_URL", help="http(s)://HOST[:PORT][/path] of the endpoint.")]
Model = Annotated[str, typer.Option("--model", metavar="MODEL", help="Model id as the endpoint knows it.")]
Wire = Annotated[str, typer.Option("--protocol", metavar="NAME", help="anthropic, openai-chat or openai-responses.")]
Key = Annotated[str, typer.Option("--api-key-env", metavar="NAME", help="Variable that holds the key; its value is never shown.")]
Stream = Annotated[bool, typer.Option("--stream", help="Ask for a stream, as most agents do.")]
Network = Annotated[bool, typer.Option("--allow-network", help="Needed for any host but loopback. Costs a few tokens.")]


def probe_tool_roundtrip(
    base_url: Url,
    model: Model,
    protocol: Wire = "openai-chat",
    api_key_env: Key = "",
    stream: Stream = False,
    allow_network: Network = False,
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Try one tool call at a provider (a few tokens)."""
    from whyzero.analyses.probe_tool_roundtrip import probe_tool_roundtrip
    from whyzero.network import is_loopback
    from whyzero.roundtrip.send import credential_is_set, round_trip

    host = _host(base_url)
    if not allow_network and not is_loopback(host):
        raise UsageError(
            "The probe sends a key and costs a few tokens, so only loopback is asked without leave. "
            "Give --allow-network to ask this host."
        )
    with SignOfLife(base_url, quiet=as_json):
        turns = round_trip(base_url, model, protocol, api_key_env, stream=stream, hosts=None)
    report = probe_tool_roundtrip(turns, api_key_env if credential_is_set(api_key_env) else "")
    return answer(report, as_json=as_json, page=page)


def _host(base_url: str) -> str:
    from whyzero.network import host_of

    host = host_of(base_url)
    if not host:
        raise UsageError("BASE_URL is no address. Write http(s)://HOST[:PORT][/path].")
    return host
