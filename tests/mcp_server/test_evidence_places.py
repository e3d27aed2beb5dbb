"""Which file a handle opens: the one the answer quoted, as long as it is that file; of several runs none by guess."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference

from mcp_server.jobs import failed_with, write_job
from whyzero import text
from whyzero.mcp_server import build_server
from whyzero.readers import excerpt as excerpts
from whyzero.readers.excerpt import NO_KEY_AFTER, excerpt
from whyzero.readers.files import Folder

pytestmark = pytest.mark.anyio

TRIAL = "sum-numbers__aaaaaaa"
RESULT = f"{TRIAL}/result.json/exception_info"
CRASH = """Traceback (most recent call last):
  File "/tests/test_outputs.py", line 3, in <module>
    judge(REPORT)
openai.AuthenticationError: Error code: 401 - {'error': {'message': 'Incorrect API key provided'}}
"""
GONE = "or its file is gone or replaced"


def broken(folder: Path, message: str, trial: str = TRIAL) -> Path:
    return write_job(folder, {trial: failed_with(message)})


async def page(client: Client, handle: str) -> str:
    return (await client.read_resource(f"whyzero://evidence/{quote(handle, safe='/:?=')}")).contents[0].text  # type: ignore[union-attr]


async def handles(client: Client, path: str, tool: str = "locate_failed_phase", **asked: Any) -> list[str]:
    answer = (await client.call_tool(tool, {"path": path, **asked})).structured_content
    assert answer is not None
    return [
        one["path"] + (f":{one['line']}" if "line" in one else "") + one.get("pointer", "")
        for one in (*answer.get("evidence", ()), *(e for trial in answer["trials"] for e in trial["evidence"]))
    ]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_two_runs_with_the_same_trial_are_told_apart(tmp_path: Path, mode: str) -> None:
    """After answers about both, the short handle names both files: it opens neither, and says how each is read."""
    broken(tmp_path / "jobs" / "monday", "disk of monday is full")
    broken(tmp_path / "jobs" / "tuesday", "disk of tuesday is full")
    async with Client(build_server([tmp_path]), mode=mode) as client:
        (handle, *_) = await handles(client, "jobs/monday")
        assert "disk of monday" in await page(client, handle)
        assert await handles(client, "jobs/tuesday") == [handle] * len(await handles(client, "jobs/tuesday"))
        with pytest.raises(MCPError, match="used this handle") as error:
            await page(client, handle)
        for day in ("monday", "tuesday"):
            assert f"whyzero://evidence/jobs/{day}/{handle}" in str(error.value)
            assert f"disk of {day}" in await page(client, f"jobs/{day}/{handle}")
        done = await client.complete(
            ResourceTemplateReference(uri="whyzero://evidence/{+handle}{?line}"), {"name": "handle", "value": "jobs/"}
        )
        assert done.completion.values == [f"jobs/monday/{handle}", f"jobs/tuesday/{handle}"]


async def test_one_answer_about_several_runs_keeps_them_apart(tmp_path: Path) -> None:
    """The entry names its run; where two trials of one name were quoted, the handle stands for neither of them alone."""
    broken(tmp_path / "jobs" / "monday", "disk of monday is full")
    broken(tmp_path / "jobs" / "tuesday", "disk of tuesday is full", "sum-numbers__bbbbbbb")
    (tmp_path / "jobs" / "tuesday" / TRIAL).mkdir()
    (tmp_path / "jobs" / "tuesday" / TRIAL / "result.json").write_text("{}")
    async with Client(build_server([tmp_path])) as client:
        seen = await handles(client, "jobs", "classify_zero")
        mine = [one for one in seen if one.startswith(RESULT)]
        assert mine
        assert "disk of monday" in await page(client, mine[0])


async def test_a_file_of_the_same_name_in_the_first_root_is_not_meant(tmp_path: Path) -> None:
    broken(tmp_path / "monday", "disk is full")
    (tmp_path / TRIAL).mkdir()
    (tmp_path / TRIAL / "result.json").write_text(json.dumps({"exception_info": "nobody quoted this"}))
    async with Client(build_server([tmp_path])) as client:
        (handle, *_) = await handles(client, "monday")
        shown = await page(client, handle)
        assert "disk is full" in shown
        assert "nobody quoted this" not in shown


async def test_a_run_in_the_second_root_is_read_on_too(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    broken(tmp_path / "second" / "monday", "disk is full")
    async with Client(build_server([tmp_path / "first", tmp_path / "second"])) as client:
        (handle, *_) = await handles(client, str(tmp_path / "second" / "monday"))
        shown = await page(client, handle)
        assert "disk is full" in shown
        assert "disk is full" in await page(client, f"{tmp_path}/second/monday/{handle}")
        with pytest.raises(MCPError, match=GONE):
            await page(client, f"{tmp_path}/second/monday/result.json")


async def test_only_what_the_answer_shows_is_opened(tmp_path: Path) -> None:
    """Of sixty trials a concise answer shows six; the evidence of the others was never quoted."""
    write_job(tmp_path / "big", {f"sum-numbers__t{n:06}": failed_with("disk is full") for n in range(60)})
    async with Client(build_server([tmp_path])) as client:
        seen = {handle.partition("/")[0] for handle in await handles(client, "big")}
        assert 0 < len(seen) < 10
        for n in range(60):
            trial = f"sum-numbers__t{n:06}"
            if trial not in seen:
                with pytest.raises(MCPError, match=GONE):
                    await page(client, f"{trial}/result.json/exception_info")


def as_link(place: Path) -> None:
    place.unlink()
    place.symlink_to(place.parents[3] / "notes.txt")


def as_folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


def as_pipe(place: Path) -> None:
    place.unlink()
    os.mkfifo(place)


def folder_as_link(place: Path) -> None:
    other = place.parents[3] / "other"
    (other / "verifier").mkdir(parents=True)
    (other / "verifier" / place.name).write_text("nobody quoted this\n")
    place.parent.parent.rename(place.parents[3] / "moved")
    place.parents[1].symlink_to(other)


def as_dotenv(place: Path) -> None:
    place.rename(place.parent / ".env")
    place.symlink_to(place.parent / ".env")


@pytest.mark.parametrize("replace", [as_link, as_folder, as_pipe, folder_as_link, as_dotenv])
async def test_another_file_in_its_place_is_not_shown(tmp_path: Path, replace: Any) -> None:
    """Not even one inside the roots: it was not quoted."""
    job = write_job(tmp_path / "jobs" / "monday", {TRIAL: {}})
    (tmp_path / "jobs" / "notes.txt").write_text("nobody quoted this\n")
    (job / TRIAL / "verifier" / "ctrf.json").unlink()
    place = job / TRIAL / "verifier" / "test-stdout.txt"
    place.write_text(CRASH)
    async with Client(build_server([tmp_path])) as client:
        handle = next(one for one in await handles(client, "jobs/monday") if "test-stdout.txt" in one)
        assert "Incorrect API key" in await page(client, handle)
        replace(place)
        with anyio.fail_after(5), pytest.raises(MCPError, match=GONE):
            await page(client, handle)


async def test_a_link_to_a_file_with_credentials_is_not_shown(tmp_path: Path) -> None:
    job = write_job(tmp_path / "jobs" / "monday", {TRIAL: {}})
    (job / TRIAL / "verifier" / "ctrf.json").unlink()
    place = job / TRIAL / "verifier" / "test-stdout.txt"
    place.write_text(CRASH)
    as_dotenv(place)
    async with Client(build_server([tmp_path])) as client:
        for handle in await handles(client, "jobs/monday"):
            if "test-stdout" in handle:
                with pytest.raises(MCPError, match=GONE):
                    await page(client, handle)


@pytest.mark.parametrize(
    "name", ["a b", "who?line=3", "a#b", "50%41 done", "t:12", "汉字😀", "`tick`", "dots..and..more", "x" * 240]
)
async def test_a_name_with_signs_of_an_address_is_read_on(tmp_path: Path, name: str) -> None:
    message = "\n".join(f"frame {n}" for n in range(60))
    write_job(tmp_path / "jobs" / name, {f"{name}__aaaaaaa"[-250:]: failed_with("disk is full", traceback=message)})
    async with Client(build_server([tmp_path])) as client:
        (handle, *_) = await handles(client, f"jobs/{name}")
        address = f"whyzero://evidence/{quote(handle)}"
        read = 0
        while address:
            text = (await client.read_resource(address)).contents[0].text  # type: ignore[union-attr]
            read += 1
            address = next((line.removeprefix("After: ") for line in text.splitlines() if line.startswith("After: ")), "")
        assert read > 0


async def test_many_clients_and_more_places_than_are_kept(tmp_path: Path) -> None:
    """The oldest are forgotten and asked for again; nobody gets the file of another."""
    for n in range(12):
        broken(tmp_path / f"job-{n}", f"disk {n} is full", f"sum-numbers__{n:07}")
    server = build_server([tmp_path])

    async def ask(n: int) -> None:
        async with Client(server) as client:
            for _ in range(3):
                (handle, *_) = await handles(client, f"job-{n}")
                assert f"disk {n} is full" in await page(client, handle)

    async with anyio.create_task_group() as group:
        for n in range(12):
            group.start_soon(ask, n)


async def test_reading_a_long_file_stops_when_nobody_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is far behind in a file of which every line takes a while; the thread ends with the call."""
    job = write_job(tmp_path / "monday", {TRIAL: {}})
    (job / TRIAL / "verifier" / "ctrf.json").unlink()
    place = job / TRIAL / "verifier" / "test-stdout.txt"
    place.write_text(CRASH)
    read = 0

    def slowly(self: Folder, path: str, keep_open_tail: bool = True) -> Any:
        nonlocal read
        for number in range(1, 10**6):
            read = number
            time.sleep(0.002)
            yield number, "line"

    async with Client(build_server([tmp_path])) as client:
        handle = next(one for one in await handles(client, "monday") if "test-stdout.txt" in one)
        monkeypatch.setattr(Folder, "lines", slowly)
        monkeypatch.setattr(excerpts, "WATCHED", 10)
        with anyio.move_on_after(0.5):
            await page(client, f"{handle}?line=99999999")
        await anyio.sleep(0.3)
        seen = read
        await anyio.sleep(0.3)
        assert 0 < read == seen


KEY = ["-----BEGIN RSA PRIVATE KEY-----", *["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2] * 4, "-----END RSA PRIVATE KEY-----"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    "begins", ["-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN\u200b PRIVATE KEY-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----"]
)
def test_no_page_shows_a_key(tmp_path: Path, begins: str, encoding: str) -> None:
    (tmp_path / "log").write_bytes("\n".join(["first", begins, *KEY[1:], "last"]).encode(encoding))
    for start in range(1, 9):
        shown = excerpt(Folder(tmp_path), "log", 1, None, start)
        assert shown is not None
        assert not [text for _, text in shown.lines if "MIIE" in text]
    assert shown.lines[-1][1] == "last"


def test_a_key_that_is_only_spoken_of_hides_no_more_than_a_few_lines(tmp_path: Path) -> None:
    said = ["assert '-----BEGIN PRIVATE KEY-----' in text", *(f"line {n}" for n in range(20))]
    (tmp_path / "log").write_text("\n".join(said))
    shown = excerpt(Folder(tmp_path), "log", 1, None)
    assert shown is not None
    assert [text for _, text in shown.lines][NO_KEY_AFTER + 1 :] == said[NO_KEY_AFTER + 1 :]


def test_a_secret_that_the_line_above_names_is_one(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("Authorization: Bearer\nabcdefghijklmnop123\npassword:\n  correct-horse\nthe end\n")
    for start in (1, 2, 4):
        shown = excerpt(Folder(tmp_path), "log", 1, None, start)
        assert shown is not None
        assert not [text for _, text in shown.lines if "abcdef" in text or "horse" in text]
        assert shown.lines[-1][1] == "the end"


def test_a_secret_of_several_lines_is_hidden_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_hidden", {})
    lines = ["first-part-0123456789abcdef", "{", "second-part-0123456789abcdef"]
    text.hide({"SIGNING_KEY": "\n".join(lines)})
    (tmp_path / "log").write_text("\n".join(["begin", *lines, "{", "end"]))
    shown = excerpt(Folder(tmp_path), "log", 1, None)
    assert shown is not None
    assert [line for _, line in shown.lines] == ["begin", "[REDACTED]", "{", "[REDACTED]", "{", "end"]


def test_a_secret_that_its_pointer_names_is_one(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"env": {"OPENAI_API_KEY": "correct-horse", "MODE": "correct-horse"}}))
    for name, said in (("OPENAI_API_KEY", "[REDACTED]"), ("MODE", "correct-horse")):
        shown = excerpt(Folder(tmp_path), "config.json", None, f"/env/{name}")
        assert shown is not None
        assert shown.lines == ((1, said),)


def test_a_value_that_is_too_large_says_that_it_was_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excerpts, "VALUE_LIMIT", 25)
    (tmp_path / "log.json").write_text(json.dumps({"out": "0123456789\n" * 4}))
    shown = excerpt(Folder(tmp_path), "log.json", None, "/out")
    assert shown is not None
    assert [text for _, text in shown.lines] == ["0123456789", "0123456789", "… (19 characters and more are not shown)"]


def test_a_value_nested_deeper_than_it_can_be_laid_out_is_no_crash(tmp_path: Path) -> None:
    for depth in (300, 950, 5000):
        (tmp_path / "deep.json").write_text('{"a":' + "[" * depth + "]" * depth + "}")
        excerpt(Folder(tmp_path), "deep.json", None, "/a")
