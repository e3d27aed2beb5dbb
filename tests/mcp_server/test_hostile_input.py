"""Sixty and more hostile questions to one server: each gets a clean answer, and the server still stands."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult

from mcp_server.conftest import connected
from mcp_server.hostile import CASES, INJECTION, LEAKS, OUTSIDE, SECRETS, Case
from mcp_server.jobs import write_job

pytestmark = pytest.mark.anyio

ANSWER_LIMIT, ERROR_LIMIT = 40_000, 600


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("hostile")
    (place / "outside").mkdir()
    (place / "outside" / "secret.txt").write_text(json.dumps({"trial_name": OUTSIDE, "task_name": OUTSIDE}))
    root = place / "root"
    (root / "down").mkdir(parents=True)
    write_job(root / "good")
    (root / "key.json").write_text('[{"id": 1, "total": 10}]')
    (root / "hostile-key.json").write_text(json.dumps([{"id": 1, INJECTION: LEAKS}, {"id": INJECTION, "total": LEAKS}, 7, None]))
    (root / "task" / "tests").mkdir(parents=True)
    (root / "task" / "task.toml").write_text(f'name = "{SECRETS[0]}"\n')
    (root / "task" / "instruction.md").write_text(f"Write totals.json by 2026-10-01. {INJECTION} {LEAKS}")
    (root / "task" / "tests" / "key.json").symlink_to(place / "outside" / "secret.txt")
    for case in CASES:
        case.tree(root / case.name)
    yield place
    (root / "locked-folder").chmod(0o700)


@pytest.fixture(scope="module")
async def client(place: Path) -> AsyncIterator[Client]:
    async with connected(place / "root", stderr=place / "stderr.txt") as client:
        yield client


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
async def test_hostile_input_gets_a_clean_answer(case: Case, client: Client, place: Path) -> None:
    told: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message)

    answer = await client.call_tool(case.tool, case.arguments, read_timeout_seconds=30, progress_callback=progress)

    text = _text(answer)
    if case.refused is not None:
        assert answer.is_error, "a report instead of a refusal"
        assert case.refused in text
    if answer.is_error:
        _is_a_clean_refusal(text)
    else:
        assert answer.structured_content is not None
        assert len(json.dumps(answer.structured_content)) <= ANSWER_LIMIT
        assert len(text) <= ANSWER_LIMIT
    everything = [
        text,
        *_strings(answer.structured_content),
        *(word for word in told if word),
        (place / "stderr.txt").read_text(),
    ]
    for said in everything:
        assert not [secret for secret in SECRETS if secret in said]
        assert OUTSIDE not in said
        assert "Traceback (most recent call last)" not in said or said in _strings(answer.structured_content) or said == text
        assert not [char for char in said if _acts_on_a_terminal(char)]


async def test_the_server_still_answers_in_full(client: Client) -> None:
    answer = await client.call_tool("locate_failed_phase", {"path": "good"})
    assert not answer.is_error
    assert answer.structured_content is not None
    assert answer.structured_content["counts"]["trials"] == 1


async def test_what_lies_outside_is_refused_in_the_same_words_whether_it_exists_or_not(client: Client) -> None:
    there, missing = [_text(await client.call_tool("classify_zero", {"path": path})) for path in ("/etc/passwd", "/etc/passwe")]
    assert there.replace("/etc/passwd", "X") == missing.replace("/etc/passwe", "X")


def test_nothing_was_executed_or_written(place: Path) -> None:
    assert not list(place.rglob("owned"))


def test_there_are_sixty_and_more() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


def _is_a_clean_refusal(text: str) -> None:
    assert len(text) <= ERROR_LIMIT
    assert "Error executing tool" not in text
    assert "pydantic" not in text
    assert "whyzero itself failed" not in text
    assert any(
        hint in text
        for hint in ("Name ", "Paths count from", "The arguments are: ", "Change ", "Check ", "Leave it out", "Point ")
    ), text


def _text(answer: CallToolResult) -> str:
    return "\n".join(block.text for block in answer.content if block.type == "text")


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.items() for one in item for text in _strings(one)]
    if isinstance(value, list):
        return [text for one in value for text in _strings(one)]
    return [value] if isinstance(value, str) else []


def _acts_on_a_terminal(char: str) -> bool:
    """Control, bidi and zero-width characters; line breaks and tabs are text."""
    return char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


if os.name == "nt":  # pipes, links and permissions of the trees are POSIX
    pytest.skip("needs a POSIX file system", allow_module_level=True)
