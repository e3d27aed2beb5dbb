"""The skills over MCP, for hosts that load them from a server: the extension io.modelcontextprotocol/skills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, PaginatedRequestParams, RequestParams

SCHEME = "skill://"
CACHED = {"resultType": "complete", "ttlMs": 300_000, "cacheScope": "public"}
"""The skills change with the program only."""


class GetSkillParams(RequestParams):
    """Which skill: the address of its SKILL.md."""

    uri: str


class Skills(Extension):
    """Lists the skills with a digest of every file."""

    identifier = "io.modelcontextprotocol/skills"

    def methods(self) -> Sequence[MethodBinding]:
        return [
            MethodBinding("skills/list", PaginatedRequestParams, _list),
            MethodBinding("skills/get", GetSkillParams, _get),
        ]


def add_skill_files(server: MCPServer) -> None:
    """The files themselves, as resources."""

    @server.resource(f"{SCHEME}{{skill}}/SKILL.md", name="skill", title="A skill", mime_type="text/markdown")
    def skill(skill: str) -> str:
        """The procedure of a skill."""
        return _file(skill, "SKILL.md")

    @server.resource(
        f"{SCHEME}{{skill}}/references/{{page}}", name="skill_reference", title="A page of a skill", mime_type="text/markdown"
    )
    def reference(skill: str, page: str) -> str:
        """A page that a skill refers to."""
        return _file(skill, f"references/{page}")


def _file(skill: str, path: str) -> str:
    from whyzero.skills import skills

    files = skills()[skill].files if skill in skills() else ()
    data = next((file.data for file in files if file.path == path), None)
    if data is None:
        raise ResourceNotFoundError("There is no such file of a skill. skills/list tells which there are.")
    return data.decode("utf-8")


def _entries() -> dict[str, dict[str, Any]]:
    from whyzero.skills import skills

    return {
        f"{SCHEME}{name}/SKILL.md": {
            "uri": f"{SCHEME}{name}/SKILL.md",
            "frontmatter": one.frontmatter,
            "resources": [
                {"uri": f"{SCHEME}{name}/{file.path}", "digest": file.digest, "size": len(file.data)} for file in one.files
            ],
        }
        for name, one in skills().items()
    }


async def _list(ctx: Any, params: PaginatedRequestParams) -> dict[str, Any]:
    return {**CACHED, "skills": list(_entries().values())}


async def _get(ctx: Any, params: GetSkillParams) -> dict[str, Any]:
    entry = _entries().get(params.uri)
    if entry is None:
        raise MCPError(INVALID_PARAMS, "There is no such skill. skills/list tells which there are.")
    return {**CACHED, "skill": entry}
