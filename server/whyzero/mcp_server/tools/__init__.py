"""The tools: what a model may ask, in its words. Each opens what it is pointed at and calls one analysis.

The analyses are imported inside the tools, so that the server answers its first message without them.
"""

from __future__ import annotations

from mcp.server.mcpserver.tools import Tool

from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.check_staleness import check_staleness
from whyzero.mcp_server.tools.classify_zero import classify_zero
from whyzero.mcp_server.tools.locate_failed_phase import locate_failed_phase
from whyzero.mcp_server.tools.partition_disputed_rows import partition_disputed_rows
from whyzero.mcp_server.tools.probe_tool_roundtrip import probe_tool_roundtrip
from whyzero.mcp_server.tools.verify_fix import verify_fix

TOOLS = (locate_failed_phase, classify_zero, check_staleness, partition_disputed_rows, verify_fix, probe_tool_roundtrip)
"""In the order in which they are listed."""


def tools(desk: Desk) -> list[Tool]:
    """All tools, each tied to the folders it may read."""
    return [make(desk) for make in TOOLS]
