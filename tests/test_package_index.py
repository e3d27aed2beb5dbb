"""The newest version on a package index, asked on loopback: five seconds, once, and never a wrong promise."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from whyzero.osmosis_cli import index_settings, package_index, public_get
from whyzero.osmosis_cli.package_index import about_an_upgrade, is_older, newest_version
from whyzero.readers.files import BOUNDS


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
    for name in index_settings.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    package_index._asked.cache_clear()


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where the files of a user with an active environment are looked for; below `etc` those of the system."""
    for name in ("PIP_CONFIG_FILE", "UV_NO_CONFIG", "UV_CONFIG_FILE", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", f"{tmp_path}/etc:{tmp_path}/more")
    return tmp_path


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def ini(address: str, section: str = "global", name: str = "index-url") -> str:
    return f"[{section}]\n{name} = {address}\n"


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


# ---- which index


def test_each_place_gives_way_to_the_stronger_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the weakest to the strongest, as pip and uv document it."""
    workspace = home / "workspace"
    named = put(home / "named.conf", ini("https://pip-named.example/simple"))
    monkeypatch.setenv("PIP_CONFIG_FILE", str(named))
    places = [
        (home / "more/pip/pip.conf", ini("https://pip-more.example/simple")),
        (home / "etc/pip/pip.conf", ini("https://pip-etc.example/simple")),
        (home / ".pip/pip.conf", ini("https://pip-old.example/simple")),
        (home / ".config/pip/pip.conf", ini("https://pip-user.example/simple", name="index_url")),
        (home / "active/pip.conf", ini("https://pip-active.example/simple", section="install")),
        (home / "more/uv/uv.toml", 'index-url = "https://uv-more.example/simple"\n'),
        (home / "etc/uv/uv.toml", 'index-url = "https://uv-etc.example/simple"\n'),
        (home / ".config/uv/uv.toml", 'index-url = "https://uv-user.example/simple"\n'),
        (workspace / "pyproject.toml", '[tool.uv]\nindex-url = "https://uv-project.example/simple"\n'),
        (workspace / "uv.toml", '[[index]]\nurl = "https://uv-workspace.example/simple"\ndefault = true\n'),
    ]
    assert index_settings.package_index(workspace) == "https://pip-named.example/simple"
    for path, text in places:
        put(path, text)
        kind = "uv" if "uv" in path.parts or path.parent == workspace else "pip"
        assert index_settings.package_index(workspace).startswith(f"https://{kind}-")
        assert index_settings.package_index(workspace) in text
    assert index_settings.package_index() == "https://uv-user.example/simple"
    for name in ("PIP_INDEX_URL", "UV_INDEX_URL"):
        monkeypatch.setenv(name, f"https://{name.lower().replace('_', '-')}.example/simple")
        assert index_settings.package_index(workspace) == os.environ[name]
    monkeypatch.setenv("UV_DEFAULT_INDEX", "corp=https://named.example/simple")
    assert index_settings.package_index(workspace) == "https://named.example/simple"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ('[[index]]\nurl = "https://a.example"\n', ""),
        ('index-url = "https://b.example"\n[[index]]\nurl = "https://a.example"\n', "https://b.example"),
        ('index-url = "https://b.example"\n[[index]]\nurl = "https://a.example"\ndefault = true\n', "https://a.example"),
        ('[[index]]\nurl = "https://a.example"\ndefault = "yes"\n', ""),
        ("index = 7\nindex-url = 7\n", ""),
        ("[[index]]\ndefault = true\n", ""),
        ("index-url = ", ""),
        ("[" * 5000, ""),
    ],
)
def test_of_uv_only_the_default_index_counts(text: str, address: str, home: Path) -> None:
    put(home / ".config/uv/uv.toml", text)
    assert index_settings.package_index() == address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[global]\nindex-url = https://a.example\n[install]\nindex-url=https://b.example\n", "https://b.example"),
        ("[global]\nextra-index-url = https://a.example\n", ""),
        ("[download]\nindex-url = https://a.example\n", ""),
        ("[global]\nindex-url = https://%(host)s.example\n[global]\ntimeout = 1\n", "https://%(host)s.example"),
        ("[global]\nindex-url =\n", ""),
        ("index-url = https://a.example\n", ""),
        ("\0[[[", ""),
    ],
)
def test_of_pip_only_the_index_of_installs_counts(text: str, address: str, home: Path) -> None:
    put(home / ".config/pip/pip.conf", text)
    assert index_settings.package_index() == address


def test_what_switches_files_off_is_heeded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home / ".config/pip/pip.conf", ini("https://pip.example/simple"))
    put(home / ".config/uv/uv.toml", 'index-url = "https://uv.example/simple"\n')
    monkeypatch.setenv("UV_CONFIG_FILE", str(home / "nothing.toml"))
    assert index_settings.package_index() == "https://pip.example/simple"
    monkeypatch.delenv("UV_CONFIG_FILE")
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    assert index_settings.package_index() == "https://pip.example/simple"
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    assert index_settings.package_index() == ""


def test_a_workspace_cannot_point_at_this_machine(home: Path) -> None:
    with index({"versions": ["9.0"]}) as (url, asked):
        put(home / "workspace/uv.toml", f'index-url = "{url}"\n')
        assert newest_version(home / "workspace") is None
        assert asked == []
        put(home / ".config/uv/uv.toml", f'index-url = "{url}"\n')
        assert newest_version(home / "workspace") == "9.0"


def test_a_server_reads_no_settings_outside_its_roots(home: Path) -> None:
    put(home / ".config/pip/pip.conf", ini("https://pip.example/simple"))
    put(home / "workspace/uv.toml", 'index-url = "https://uv.example/simple"\n')
    token = BOUNDS.set((home / "workspace",))
    try:
        assert index_settings.package_index() == ""
        assert index_settings.package_index(home / "workspace") == "https://uv.example/simple"
    finally:
        BOUNDS.reset(token)


def test_a_login_in_the_address_goes_to_that_host_and_is_not_said(home: Path) -> None:
    with index({"versions": ["0.3.9"]}) as (url, asked):
        put(home / ".config/pip/pip.conf", ini(url.replace("://", "://reader:canary-0001@")))
        said = about_an_upgrade("0.3.8")
        assert said == "osmosis-ai 0.3.9 is on your package index; 0.3.8 is installed."
        assert len(asked) == 1
    with index(b"", 302) as (url, asked):
        put(home / ".config/pip/pip.conf", ini(url.replace("://", "://reader:canary-0001@")))
        assert "canary" not in about_an_upgrade("0.3.8")
        assert len(asked) == 1, "not followed"
