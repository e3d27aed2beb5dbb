"""Canaries in what is asked beyond the files of a run: the platform's program, uv, the two indexes. None reaches anything said."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from mcp import Client

from osmosis_trees import CONFIG, Rollout, Tree, workspace
from test_docs_index import ok, served
from test_secrets import leaks, spoken
from whyzero import text
from whyzero.mcp_server import build_server
from whyzero.osmosis_cli import docs_index, package_index

SECRETS = {
    "login": "lo7gin+QQZZ_KKVVJJ",
    "dotenv": "dot9env-wwxxkkqqzz",
    "provider": "pro4vider.jjqqvvkkzz",
    "plain": "pl8ain/kkwwqqxxvv",
    "stored": "sto3red.VVZZ_JJKKQQ",
    "index": "in5dex-xxjjwwqqvv",
    "docs": "do2cs_zzvvkkxxww",
}
"""Where each stands: the login and a provider's key in the environment, a key in the workspace's `.env`, a variable whose name tells
nothing and that a config lists as a secret, the program's stored login, and the logins in the addresses of both indexes."""

PROGRAM = """\
import json, os, pathlib, sys
words = sys.argv[1:]
if words == ["--version"]:
    print("osmosis-ai, version 0.3.8"); sys.exit()
stored = json.loads(pathlib.Path(os.environ["XDG_CONFIG_HOME"], "osmosis/credentials.json").read_text())["access_token"]
dotenv = pathlib.Path(".env").read_text().split("=", 1)[1].strip().strip("'")
known = [dotenv, os.environ.get("OSMOSIS_TOKEN", ""), "PLAIN", f"Authorization: Bearer {stored}"]
known = [PLAIN if one == "PLAIN" else one for one in known]
said = MODE.format(v=" and ".join(known))
print(json.dumps({"warning": {"code": None, "message": said}}), file=sys.stderr)
print("LLM bridge error:", said, file=sys.stderr)
if FAILS:
    error = {"code": FAILS, "message": said, "details": {"status_code": 426, "token": dotenv, "message": said}}
    print(json.dumps({"command": "eval info", "error": error}), file=sys.stderr); sys.exit(1)
about = {"name": "night", "status": "failed", "dataset": "d", "rollout": said, "model": said}
data = {"eval_run": about, "commit_sha": said, "config": {"env": said}, "resolved_secret_scopes": {"LAB_PIN": "workspace", said: None}}
lines = [("error", "setup", "Secret " + said + " is not set"), ("error", said, said), ("info", "run", said)]
items = [{"level": level, "step": step, "message": m, "details": {"code": said, "env": known}} for level, step, m in lines]
print(json.dumps({"items": items, "next_cursor": None} if "logs" in words else {"data": data, "items": []}))
"""


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    docs_index._fetched.cache_clear()
    package_index._asked.cache_clear()
    with mock.patch.dict(text._hidden, clear=True):
        yield


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, its program not yet written, and every secret in its place."""
    config = CONFIG.replace('"OPENAI_API_KEY"', '"OPENAI_API_KEY", "LAB_PIN"')
    files = {".env": f"JUDGE_API_KEY='{SECRETS['dotenv']}'\n", "configs/eval/arith.toml": config}
    root = workspace(tmp_path / "ws", files)
    Tree([Rollout(0, error="agent_error")]).write(root / ".osmosis/evals/dev-run")
    stored = tmp_path / "home/osmosis/credentials.json"
    stored.parent.mkdir(parents=True)
    stored.write_text(json.dumps({"access_token": SECRETS["stored"]}))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OSMOSIS_TOKEN", SECRETS["login"])
    monkeypatch.setenv("OPENAI_API_KEY", SECRETS["provider"])
    monkeypatch.setenv("LAB_PIN", SECRETS["plain"])
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    return root


def install(at: Path, shape: str, fails: str = "") -> Path:
    """A program that echoes all it knows; `LAB_PIN` it has from the platform."""
    head = f"#!{sys.executable}\nMODE, FAILS, PLAIN = {shape!r}, {fails!r}, {SECRETS['plain']!r}\n"
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text(head + PROGRAM)
    at.chmod(0o755)
    return at


@contextlib.contextmanager
def indexes(monkeypatch: pytest.MonkeyPatch, shape: str) -> Iterator[list[bytes]]:
    """Both indexes behind a login of their own, saying back all they can."""
    every = shape.format(v=" ".join(SECRETS.values()))
    entry = {"title": f"Secrets {every}", "url": "/secrets", "description": every}
    pages = [entry, {"title": every, "url": f"/login/{SECRETS['login']}"}, {"title": "Install", "url": "/install", "text": every}]
    body = {"docs": pages, "versions": ["9.9.9", every], "name": every}
    with served(ok(body)) as (site, asked):
        named = site.replace("://", "://reader:{}@")
        monkeypatch.setenv(docs_index.VARIABLE, named.format(SECRETS["docs"]) + f"/index.json?key={SECRETS['docs']}")
        monkeypatch.setenv("PIP_INDEX_URL", named.format(SECRETS["index"]) + "/simple")
        yield asked


SHAPES = ["{v}", "401 Incorrect API key provided: {v}. See the docs.", '{{"error": "{v}"}}', "\x1b[31m{v}\x1b[0m\n{v}"]
OUTCOMES = ["", "AUTH_REQUIRED", "UPGRADE_REQUIRED", "INTERNAL", "A_CODE_OF_TOMORROW"]
CAUSES = {"": "secret_missing", "AUTH_REQUIRED": "not_logged_in", "UPGRADE_REQUIRED": "version_mismatch"}


@pytest.mark.parametrize("fails", OUTCOMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_command_line_says_none(
    shape: str, fails: str, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    install(lab / ".venv/bin/osmosis", shape, fails)
    page = tmp_path / "page.html"
    words = ("locate-failed-phase", "--managed", "night", "--workspace", str(lab), "--allow-network")
    with indexes(monkeypatch, shape) as asked:
        everything = [spoken(*words)[1], spoken(*words, "--json")[1], spoken(*words, "--html", str(page))[1], page.read_text()]
        everything.append(spoken("locate-failed-phase", str(lab), "--error", f"Not logged in. {shape}", "--allow-network")[1])
        sent = b"".join(asked)
    assert CAUSES.get(fails, "undetermined") in everything[1]
    assert "bug in whyzero" not in "".join(everything)
    for value in SECRETS.values():
        assert leaks(value, *everything, caplog.text) == []
    for value in SECRETS.values():
        assert value not in sent.decode().replace(f"/index.json?key={SECRETS['docs']}", "")
    assert len(asked) == {"AUTH_REQUIRED": 1, "UPGRADE_REQUIRED": 2, "": 1}.get(fails, 1)


@pytest.mark.parametrize("shape", SHAPES[:2])
def test_a_program_that_is_started_by_uv_says_none(
    shape: str, lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """uv speaks on both streams and fails; nothing of it is repeated."""
    uv = tmp_path / "bin/uv"
    uv.parent.mkdir()
    every = shape.format(v=" ".join(SECRETS.values()))
    uv.write_text(f"#!{sys.executable}\nimport sys\nprint({every!r})\nprint({every!r}, file=sys.stderr)\nsys.exit(2)\n")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(uv.parent))
    (lab / ".venv").mkdir()
    (lab / ".venv/pyvenv.cfg").write_text("")
    request = lab / "run.json"
    request.write_text(json.dumps({"config": "configs/eval/arith.toml", "rows": [0], "attempts": 1, "authorized": True}))
    for words in (
        ("locate-failed-phase", "--managed", "night", "--workspace", str(lab), "--allow-network", "--uv"),
        ("verify-fix", str(lab / ".osmosis/evals/dev-run"), "--run", str(request), "--uv", "--allow-network"),
    ):
        code, said = spoken(*words)
        assert (code, "Neither `uv run` nor `uvx` brought one." in said) == (2, True)
        for value in SECRETS.values():
            assert leaks(value, said) == []


def test_an_authorised_run_says_none(lab: Path, tmp_path: Path) -> None:
    """The program's own words about a run that was not made."""
    install(lab / ".venv/bin/osmosis", "401 key {v}", "INTERNAL")
    request = lab / "run.json"
    request.write_text(json.dumps({"config": "configs/eval/arith.toml", "rows": [0], "attempts": 1, "authorized": True}))
    page = tmp_path / "page.html"
    said = [
        spoken("verify-fix", str(lab / ".osmosis/evals/dev-run"), "--run", str(request), *form)[1]
        for form in ((), ("--json",), ("--html", str(page)))
    ]
    assert "No run was made" in said[0]
    for value in (SECRETS[name] for name in ("login", "dotenv", "provider", "stored")):
        assert leaks(value, *said, page.read_text()) == []


@pytest.mark.anyio
@pytest.mark.parametrize("fails", OUTCOMES)
async def test_the_server_says_none(
    fails: str, lab: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "whyzero")
    install(lab / ".venv/bin/osmosis", SHAPES[1], fails)
    said: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        said.append(str(message))

    with indexes(monkeypatch, SHAPES[1]):
        async with Client(build_server([lab], allow_programs=True, allow_network=True)) as client:
            for arguments in (
                {"managed": {"kind": "eval", "name": "night", "workspace": "."}},
                {"path": ".", "error": f"Not logged in. {SECRETS['login']}"},
            ):
                answer = await client.call_tool("locate_failed_phase", arguments, progress_callback=progress)
                said += [answer.model_dump_json(), *(one.text for one in answer.content)]  # type: ignore[union-attr]
    assert CAUSES.get(fails, "undetermined") in "".join(said)
    captured = capfd.readouterr()
    for value in SECRETS.values():
        assert leaks(value, *said, captured.out, captured.err, caplog.text) == []


def test_the_canaries_are_there_to_be_said(lab: Path) -> None:
    """The test of the tests: asked by itself, the program tells them."""
    program = install(lab / ".venv/bin/osmosis", "{v}")
    done = subprocess.run([program, "--json", "eval", "info"], cwd=lab, capture_output=True, text=True, check=True)
    assert all(SECRETS[name] in done.stdout for name in ("login", "dotenv", "plain", "stored"))
