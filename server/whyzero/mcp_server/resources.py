"""Resources: the pages of the causes, and the schemas of the answers."""

from __future__ import annotations

import json

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

CAUSES = "whyzero://causes"
CAUSE = "whyzero://causes/{name}"
SCHEMA = "whyzero://schemas/{tool}"


def add_resources(server: MCPServer) -> None:
    @server.resource(CAUSES, name="causes", title="Causes", mime_type="text/markdown")
    def causes() -> str:
        """All causes a report can name: phase, who can mend it, and one sentence."""
        from whyzero.catalogue import catalogue

        lines = [f"- [{one.name}]({CAUSES}/{one.name}) ({one.phase}, {one.whose}): {one.summary}" for one in catalogue()]
        return "\n".join(["# Causes", "", *lines, ""])

    @server.resource(CAUSE, name="cause", title="One cause", mime_type="text/markdown")
    def cause(name: str) -> str:
        """What a cause means, what proves it, what to do, and what it is mistaken for."""
        from whyzero.catalogue import page

        text = page(name)
        if text is None:
            raise ResourceNotFoundError(f"There is no such cause. {CAUSES} lists them.")
        return text

    @server.resource(SCHEMA, name="schema", title="Schema of an answer", mime_type="application/schema+json")
    async def schema(tool: str) -> str:
        """JSON schema of the structured answer of a tool."""
        schemas = {one.name: one.output_schema for one in await server.list_tools()}
        if tool not in schemas:
            raise ResourceNotFoundError(f"There is no such tool. The tools are: {', '.join(schemas)}.")
        return json.dumps(schemas[tool], indent=2)
