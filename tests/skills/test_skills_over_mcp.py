"""A host that loads skills from the server gets the same files, byte for byte, and can check that it did."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PaginatedRequestParams, RequestParams
from mcp_types import Request as AnyRequest
from pydantic import BaseModel, ConfigDict

from skills.procedure import SKILLS, skills
from whyzero.mcp_server import build_server
from whyzero.mcp_server.skills_extension import GetSkillParams
from whyzero.skills import frontmatter

pytestmark = pytest.mark.anyio


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with Client(build_server([tmp_path])) as client:
        yield client


async def ask(client: Client, method: str, params: RequestParams) -> dict[str, Any]:
    request: AnyRequest[Any, Any] = AnyRequest(method=method, params=params)
    return (await client.session.send_request(request, Anything)).model_dump()


async def test_every_skill_is_listed_with_all_its_files(client: Client) -> None:
    listed = await ask(client, "skills/list", PaginatedRequestParams())
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "public")
    assert [entry["uri"] for entry in listed["skills"]] == [f"skill://{one.name}/SKILL.md" for one in skills()]
    for entry, one in zip(listed["skills"], skills(), strict=True):
        folder = SKILLS / one.name
        assert {file["uri"] for file in entry["resources"]} == {
            f"skill://{one.name}/{path.relative_to(folder)}" for path in folder.rglob("*") if path.is_file()
        }
        assert (entry["frontmatter"]["name"], entry["frontmatter"]["description"]) == (one.name, one.description)
        for file in entry["resources"]:
            read = (await client.read_resource(file["uri"])).contents[0].text.encode()  # type: ignore[union-attr]
            assert (f"sha256:{hashlib.sha256(read).hexdigest()}", len(read)) == (file["digest"], file["size"])
            assert read == (SKILLS / file["uri"].removeprefix("skill://")).read_bytes()
        alone = await ask(client, "skills/get", GetSkillParams(uri=entry["uri"]))
        assert alone["skill"] == entry


@pytest.mark.parametrize("uri", ["skill://debug-rollouts", "skill://nobody/SKILL.md", "skill://../SKILL.md", ""])
async def test_what_is_no_skill_is_refused(uri: str, client: Client) -> None:
    with pytest.raises(MCPError, match="no such skill"):
        await ask(client, "skills/get", GetSkillParams(uri=uri))


@pytest.mark.parametrize(
    "uri",
    [
        "skill://nobody/SKILL.md",
        "skill://debug-rollouts/references/nothing.md",
        "skill://debug-rollouts/references/..%2FSKILL.md",
    ],
)
async def test_what_is_no_file_of_a_skill_is_refused(uri: str, client: Client) -> None:
    with pytest.raises(MCPError):
        await client.read_resource(uri)


def test_the_head_of_a_skill_is_read_as_yaml_reads_it() -> None:
    text = '---\nname: a-b\ndescription: >-\n  First line,\n  second: line.\nlicense: Apache-2.0\nmetadata:\n  version: "1.2"\n---\n\n# Body\n---\n'
    assert frontmatter(text) == {
        "name": "a-b",
        "description": "First line, second: line.",
        "license": "Apache-2.0",
        "metadata": {"version": "1.2"},
    }
