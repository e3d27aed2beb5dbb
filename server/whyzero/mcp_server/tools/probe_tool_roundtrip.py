"""Tool: does a tool call make the round-trip at this endpoint?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from whyzero.errors import UsageError
from whyzero.mcp_server.arguments import NAME_LIMIT, NoNull
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import REACHES_OUT, Ctx, make
from whyzero.mcp_server.work import Progress

if TYPE_CHECKING:
    from whyzero.analyses.probe_tool_roundtrip import RoundTrip


def probe_tool_roundtrip(desk: Desk) -> Tool:
    """The tool at this desk."""

    async def probe_tool_roundtrip(
        ctx: Ctx,
        base_url: Annotated[str, Field(description="http(s)://HOST[:PORT][/path].", max_length=2000)],
        model: Annotated[str, Field(description="Model id there.", max_length=NAME_LIMIT)],
        protocol: Literal["anthropic", "openai-chat", "openai-responses"] = "openai-chat",
        api_key_env: Annotated[str, Field(description="Variable that holds the key.", max_length=NAME_LIMIT), NoNull] = "",
        stream: bool = False,
    ) -> CallToolResult:
        """Tries one two-turn tool call at a model endpoint: reached, authenticated, call landed, result accepted. Ask to tell a
        provider or harness fault from the model; not to judge answers. Costs a few tokens; loopback only, unless the server allows more.
        """

        def ask(progress: Progress) -> RoundTrip:
            from whyzero.analyses.probe_tool_roundtrip import probe_tool_roundtrip
            from whyzero.network import host_of, is_loopback
            from whyzero.roundtrip.send import credential_is_set, round_trip

            if not desk.allow_network and not is_loopback(host_of(base_url)):
                raise UsageError(
                    "This server asks loopback only. Have it started with `whyzero serve --allow-network --probe-host HOST`, or "
                    "run `whyzero probe-tool-roundtrip` yourself."
                )
            turns = round_trip(base_url, model, protocol, api_key_env, stream=stream, hosts=desk.probe_hosts)
            return probe_tool_roundtrip(turns, api_key_env if credential_is_set(api_key_env) else "")

        return await desk.answer(ctx, ask)

    return make(probe_tool_roundtrip, "Probe a tool round-trip", "RoundTrip", REACHES_OUT)
