"""Which folders may be read, and that nothing around them is."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client

from mcp_server.hostile import SECRETS
from mcp_server.jobs import failed_with, write_job
from whyzero.errors import PathRefusedError, UsageError
from whyzero.mcp_server import build_server
from whyzero.mcp_server.roots import Roots

NAMES = ("sum-numbers__aaaaaaa", "sum-numbers__bbbbbbb")


def test_paths_count_from_the_first_root_and_may_be_absolute_in_any(tmp_path: Path) -> None:
    for name in ("a/x", "b/y"):
        (tmp_path / name).mkdir(parents=True)
    roots = Roots([tmp_path / "a", tmp_path / "b"])
    assert roots.resolve("x") == tmp_path / "a" / "x"
    assert roots.resolve(".") == tmp_path / "a"
    assert roots.resolve(str(tmp_path / "b" / "y")) == tmp_path / "b" / "y"
    with pytest.raises(PathRefusedError, match="nothing at `y`"):
        roots.resolve("y")
    assert roots.shown(str(tmp_path / "a" / "x")) == "x"
    assert roots.shown(str(tmp_path / "a")) == "."
    assert roots.shown(str(tmp_path / "b" / "y")) == str(tmp_path / "b" / "y")
    assert roots.shown("not a path") == "not a path"


def test_a_refusal_repeats_no_secret_and_no_long_name(tmp_path: Path) -> None:
    with pytest.raises(PathRefusedError) as refusal:
        Roots([tmp_path]).resolve(f"missing?api_key={SECRETS[0]}&{'x' * 200}")
    assert SECRETS[0] not in str(refusal.value)
    assert len(str(refusal.value)) < 400


def test_a_root_that_is_a_link_is_the_place_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "real" / "x").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    roots = Roots([tmp_path / "link"])
    assert roots.resolve("x") == roots.resolve(str(tmp_path / "link" / "x")) == tmp_path / "real" / "x"


def test_a_neighbour_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    for name in ("jobs", "jobs-private"):
        (tmp_path / name).mkdir()
    with pytest.raises(PathRefusedError, match="outside"):
        Roots([tmp_path / "jobs"]).resolve(str(tmp_path / "jobs-private"))


def test_no_root_means_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Roots([]).folders == (tmp_path,)


@pytest.mark.parametrize(("root", "says"), [("/", "whole disk"), ("missing", "is no folder")])
def test_a_root_must_be_a_folder_and_not_the_disk(root: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Roots([Path(root)])


@pytest.mark.anyio
async def test_a_search_that_climbs_sees_nothing_above_the_root(tmp_path: Path) -> None:
    """Without bounds a trial is read with the job around it; a root that is the trial hides the job."""
    job = write_job(tmp_path / "private-job", {NAMES[0]: {}, NAMES[1]: failed_with("canary of a neighbour")})
    async with Client(build_server([job.parent])) as client:
        around = await client.call_tool("locate_failed_phase", {"path": f"private-job/{NAMES[0]}"})
    async with Client(build_server([job / NAMES[0]])) as client:
        alone = await client.call_tool("locate_failed_phase", {"path": "."})
    assert around.structured_content is not None
    assert alone.structured_content is not None
    assert around.structured_content["run"]["name"] == "private-job"
    assert alone.structured_content["run"]["name"] == NAMES[0]
    assert "private-job" not in str(alone)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
