"""The newest version on a package index, asked on loopback: five seconds, once, and never a wrong promise."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from whyzero.osmosis_cli import package_index, public_get
from whyzero.osmosis_cli.package_index import about_an_upgrade, is_older, newest_version


@contextmanager
def index(body: object, status: int = 200, held_back: float = 0.0) -> Iterator[tuple[str, list[str]]]:
    """A package index that gives this answer; keeps the paths and headers it was asked with."""
    asked: list[str] = []
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.path} {self.headers['accept']}")
            over.wait(held_back)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("location", "/elsewhere/")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple", asked
    finally:
        over.set()
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in package_index.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    package_index._asked.cache_clear()


def test_without_an_index_nothing_is_asked() -> None:
    assert newest_version() is None
    assert "could not be asked" in about_an_upgrade("0.3.8")


def test_it_is_asked_once_for_the_public_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with index({"versions": ["0.3.8", "0.3.10", "0.3.9"]}) as (url, asked):
        monkeypatch.setenv("PIP_INDEX_URL", url + "/")
        assert [newest_version(), newest_version()] == ["0.3.10", "0.3.10"]
        assert asked == ["/simple/osmosis-ai/ application/vnd.pypi.simple.v1+json"]
        assert about_an_upgrade("0.3.8") == "osmosis-ai 0.3.10 is on your package index; 0.3.8 is installed."
        assert about_an_upgrade("0.3.10").endswith("nothing newer than 0.3.10: an upgrade will not help.")
        assert len(asked) == 1


@pytest.mark.parametrize(
    ("versions", "newest"),
    [
        (["0.9.0", "0.10.0"], "0.10.0"),
        (["1.0.0", "2.0.0rc1", "2.0.0.dev1"], "1.0.0"),
        (["1", "0.9"], "1"),
        ([], None),
        (["<script>", 7, None], None),
        ("0.4.0", None),
        (None, None),
    ],
)
def test_the_newest_is_the_highest_release(versions: object, newest: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    with index({"versions": versions}) as (url, _):
        monkeypatch.setenv("UV_INDEX_URL", url)
        assert newest_version() == newest


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"<html>", 200), (b"[]", 200), (b"", 200), (b"{}", 404), (b"{}", 302), (b"\xff\xfe", 200), (b"[" * 100_000, 200)],
)
def test_what_is_no_answer_is_none(body: bytes, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with index(body, status) as (url, asked):
        monkeypatch.setenv("PIP_INDEX_URL", url)
        assert newest_version() is None
        assert newest_version() is None
        assert len(asked) == 1, "neither redirected nor asked again"


def test_a_slow_index_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_get, "SECONDS", 0.2)
    with index({"versions": ["9.0"]}, held_back=5) as (url, _):
        monkeypatch.setenv("PIP_INDEX_URL", url)
        assert newest_version() is None


@pytest.mark.parametrize(
    "url", ["", "  ", "ftp://x", "file:///etc/passwd", "http://index.example.com/simple", "http://127.0.0.1:1", "https://["]
)
def test_an_address_that_cannot_be_asked_safely_is_not_asked(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", url)
    assert newest_version() is None


def test_versions_are_compared_as_numbers() -> None:
    assert is_older("0.3.8", "0.3.10")
    assert not is_older("0.3.10", "0.3.9")
    assert not is_older("0.3.8", "0.3.8")
    assert not is_older("0.4.0rc1", "0.3.9")
