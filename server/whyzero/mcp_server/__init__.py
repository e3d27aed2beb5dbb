"""The MCP server: a thin shell around the analyses. The only part that imports the MCP SDK."""

from whyzero.mcp_server.server import build_server, serve

__all__ = ["build_server", "serve"]
