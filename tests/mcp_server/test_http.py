"""HTTP: the same answers as over stdio, on this machine only, and nothing without the token."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from mcp_server.conftest import SOURCE
from mcp_server.jobs import write_job

pytestmark = pytest.mark.anyio

TOKEN = "a-token-of-this-test-0123456789"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("http")
    write_job(root / "job")
    return root


@pytest.fixture(scope="module")
def url(root: Path) -> Iterator[str]:
    with started(root, TOKEN) as server:
        yield server_url(server)


@contextmanager
def started(root: Path, token: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "whyzero", "serve", "--root", str(root), "--http", "0"]
    environment = {"PYTHONPATH": str(SOURCE), "WHYZERO_HTTP_TOKEN": token}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as server:
        try:
            yield server
        finally:
            server.kill()


def server_url(server: subprocess.Popen[str]) -> str:
    assert server.stderr is not None
    line = server.stderr.readline()
    assert line.startswith("whyzero: listening on http://127.0.0.1:"), line
    return line.rpartition(" ")[2].strip()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_with_the_token_gets_the_same_answers(url: str, mode: str) -> None:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        assert "locate_failed_phase" in [tool.name for tool in (await client.list_tools()).tools]
        answer = await client.call_tool("locate_failed_phase", {"path": "job"})
        assert answer.structured_content is not None
        assert answer.structured_content["counts"]["trials"] == 1
        assert (await client.call_tool("locate_failed_phase", {"path": "/etc"})).is_error


@pytest.mark.parametrize("sent", [None, "", "Bearer", f"bearer{TOKEN}", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \u00e9"])
async def test_nothing_is_answered_without_the_token(url: str, sent: str | None) -> None:
    headers = {} if sent is None else {"Authorization": sent.encode()}
    async with httpx2.AsyncClient() as http:
        for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/"), ("GET", "/docs")):
            answer = await http.request(method, url.removesuffix("/mcp") + path, content=PING, headers=headers)
            assert (answer.status_code, answer.text) == (401, "Unauthorized")


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [("Origin", "https://evil.example", 403), ("Host", "evil.example", 421), ("Host", "127.0.0.1.evil.example:80", 421)],
)
async def test_a_web_page_cannot_reach_it_even_with_the_token(url: str, header: str, value: str, status: int) -> None:
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    async with httpx2.AsyncClient() as http:
        answer = await http.post(url, content=PING, headers=headers | {header: value})
    assert answer.status_code == status


async def test_a_body_too_large_is_refused(url: str) -> None:
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    async with httpx2.AsyncClient() as http:
        assert (await http.post(url, content=b" " * (5 * 2**20), headers=headers)).status_code == 413


@pytest.mark.parametrize("unset", ["", "${user_config.token}"])
async def test_without_a_token_one_is_made_and_shown(root: Path, unset: str) -> None:
    with started(root, unset) as server:
        url = server_url(server)
        assert server.stderr is not None
        header = server.stderr.readline().rstrip().partition("Authorization: ")[2]
        async with httpx2.AsyncClient() as http:
            told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
            assert len(header) > 40
            assert (await http.post(url, content=PING, headers=told | {"Authorization": header})).status_code != 401
            assert (await http.post(url, content=PING, headers=told | {"Authorization": f"Bearer {unset}x"})).status_code == 401


async def test_a_taken_port_is_a_sentence(url: str, root: Path) -> None:
    port = url.rpartition(":")[2].removesuffix("/mcp")
    command = [sys.executable, "-m", "whyzero", "serve", "--root", str(root), "--http", port]
    run = subprocess.run(command, env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=False, timeout=30)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"whyzero: Port {port} is not free. Name another one with --http, or 0 for any.\n"
