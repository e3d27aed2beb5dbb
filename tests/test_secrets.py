"""Canaries in every place a secret can stand: none of them, and no piece of one, reaches anything that is said."""

from __future__ import annotations

import contextlib
import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from mcp import Client

from osmosis_trees import Rollout, Tree, in_grader, user, workspace
from test_roundtrip import endpoint
from whyzero import text
from whyzero.cli.app import main
from whyzero.mcp_server import build_server
from whyzero.osmosis_cli.answer import read_answer
from whyzero.osmosis_cli.find import Cli
from whyzero.osmosis_cli.managed import read_managed
from whyzero.text import REDACTED, clean, hide, redact

PIECE = 6
"""Characters of a secret that give nothing away."""
values = st.text("GHJKMNPQRSTVWXYZgjkqvwxz23456789-_./+=", min_size=12, max_size=60).filter(
    lambda v: not v.isalpha() and len(set(v)) > 6 and v.strip("-_./+=") == v
)
"""Of characters that rollout ids, times and our own words seldom put in a row."""
shapes = st.sampled_from(
    [
        "{v}",
        "KeyError: '{v}'",
        "401 Incorrect API key provided: {v}. See the docs.",
        '{{"error": {{"message": "no access with {v}", "code": 401}}}}',
        "GET /v1?key={v}&n=1",
        "https://bot:{v}@git.example.com/a.git",
        "curl -H 'x-key: {v}' ..",
        "first\n{v}\nlast",
        "\x1b[31m{v}\x1b[0m",
        "[{v}] {v} ({v})",
    ]
)


@pytest.fixture(autouse=True)
def nothing_hidden_yet() -> Iterator[None]:
    with mock.patch.dict(text._hidden, clear=True):
        yield


def pieces(value: str) -> list[str]:
    return [value[n : n + PIECE + 2] for n in range(len(value) - PIECE - 1)]


def leaks(value: str, *said: str) -> list[str]:
    """Pieces of the value that stand somewhere in what was said and do not in the rest of the world."""
    return [piece for piece in pieces(value) for one in said if piece in one]


# ---- the rule itself


@given(value=values, shape=shapes)
@settings(deadline=None)
def test_a_known_value_goes_whatever_it_looks_like(value: str, shape: str) -> None:
    with mock.patch.dict(text._hidden, clear=True):
        hide({"SOME_API_KEY": value})
        assert value not in redact(shape.format(v=value))
        assert value not in clean(shape.format(v=value))


@pytest.mark.parametrize(
    "value", ['9:"quoted\\\\back"4', "a&b<c>d'e\"f1", "tab\there-4477", "ünïcode-4477-ß", "\udcff\udcfe-raw-bytes-1"]
)
def test_a_known_value_goes_however_it_is_written_down(value: str) -> None:
    """In an error body, a log of error bodies, a traceback, an address, a page."""
    once = json.dumps({"message": f"key {value} is wrong"})
    page = f"<p>key {html.escape(value)} is wrong</p>"
    written = [value, once, json.dumps({"error": once}), json.dumps({"m": value}, ensure_ascii=False), repr({"m": value}), page]
    with mock.patch.dict(text._hidden, clear=True):
        hide({"SOME_API_KEY": value})
        for said in written:
            kept = redact(said)
            assert REDACTED in kept
            assert not [piece for piece in re.findall(r"[^\W_]{3,}", value) if piece in kept]


def test_a_variable_that_is_no_text_stops_nothing() -> None:
    """A byte that is no UTF-8, as a shell passes it on."""
    environment = {b"PATH": os.environb[b"PATH"], b"PYTHONPATH": str(Path(__file__).parents[1] / "server").encode()}
    done = subprocess.run(
        [sys.executable, "-m", "whyzero", "causes"],
        env=environment | {b"SOME_API_KEY": b"\xff\xfe-raw-bytes"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@given(value=values, keep=st.integers(PIECE, 11), end=st.booleans())
@settings(deadline=None)
def test_a_piece_at_a_cut_end_goes_too(value: str, keep: int, end: bool) -> None:
    with mock.patch.dict(text._hidden, clear=True):
        hide({"SOME_API_KEY": value})
        cut = f"the key is {value[:keep]}" if end else f"{value[-keep:]} is the key"
        assert redact(cut) == (f"the key is {REDACTED}" if end else f"{REDACTED} is the key")


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [
        ("OPENAI_API_KEY", "plain-0001-value", True),
        ("DB_PASSWORD", "correct horse 1 battery", True),
        ("GITHUB_TOKEN", "0123456789abcdef", True),
        ("client_secret", "a1b2c3d4", True),
        ("APP_ENV_KEY", "development", False),
        ("RETRY_TOKEN", "1234567", False),
        ("HOME", "/home/user1/lab", False),
        ("MAX_TOKENS", "40960000", False),
        ("KEYBOARD", "us-layout-105", False),
    ],
)
def test_values_are_hidden_by_the_name_of_their_variable(name: str, value: str, hidden: bool) -> None:
    hide({name: value})
    assert (redact(f"before {value} after") == f"before {REDACTED} after") is hidden


# ---- every way out


def planted(root: Path, dotenv: str, environment: str, config: str, shape: str) -> Path:
    """A workspace with a run whose grader failed with all three in its words, each standing where a secret can stand."""
    workspace(root, {".env": f'export JUDGE_API_KEY="{dotenv}"\nOSMOSIS_PLATFORM_URL=http://127.0.0.1:9\n'})
    error = "ValueError: " + " ".join(shape.format(v=v) for v in (dotenv, environment, config)).replace("\n", " ")
    trace = in_grader(user(60, "grade", f"raise ValueError({config!r})"), error=error)
    rows = [
        Rollout(0),
        Rollout(1, error="validation_error", traceback=trace, told=(f"calling with {environment}", config, dotenv)),
    ]
    path = Tree(rows).write(root / ".osmosis/evals/dev-run")
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["inputs"]["env"] = {"SERVICE_TOKEN": config}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return path


def spoken(*words: str) -> tuple[int, str]:
    """Exit code of the program, and all it said on both streams."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(list(words))
    return int(ended.value.code or 0), out.getvalue() + err.getvalue()


@given(dotenv=values, environment=values, config=values, shape=shapes)
@settings(max_examples=10, deadline=None, phases=[Phase.generate])
def test_no_report_in_any_form_holds_one(dotenv: str, environment: str, config: str, shape: str) -> None:
    with (
        mock.patch.dict(text._hidden, clear=True),
        mock.patch.dict(os.environ, {"OPENAI_API_KEY": environment}),
        tempfile.TemporaryDirectory() as folder,
    ):
        root, page = Path(folder) / "ws", Path(folder) / "page.html"
        run = str(planted(root, dotenv, environment, config, shape))
        request = Path(folder) / "run.json"
        request.write_text(json.dumps({"config": "configs/eval/arith.toml", "rows": [1], "attempts": 1}))
        everything = []
        for words in (
            ("diagnose", run, "--html", str(page)),
            ("diagnose", run, "--response-format", "detailed", "--json"),
            ("locate-failed-phase", run, "--json", "--error", f"upload failed: {shape.format(v=environment)}"),
            ("classify-zero", run, "--include", "all", "--json"),
            ("check-staleness", run, "--json"),
            ("verify-fix", run, "--json", "--run", str(request)),
            ("locate-failed-phase", run, "--trial", dotenv),
        ):
            _, said = spoken(*words)
            assert "bug in whyzero" not in said, words
            everything.append(said)
        assert any("grader_error" in said for said in everything), "the run was read"
        for value in (dotenv, environment, config):
            assert leaks(value, *everything, page.read_text()) == []


@pytest.mark.anyio
@pytest.mark.parametrize("shape", ["{v}", "401 Incorrect API key provided: {v}.", "GET /v1?key={v}&n=1"])
async def test_no_answer_over_mcp_holds_one(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = {"dotenv": "dot7env-aaaabbbbcc", "environment": "env8ironment.ddddee", "config": "con9fig_ffffgghh"}
    monkeypatch.setenv("OPENAI_API_KEY", secret["environment"])
    planted(tmp_path / "ws", shape=shape, **secret)
    said = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        said.append(str(message))

    async with Client(build_server([tmp_path / "ws"], allow_programs=True, allow_network=True)) as client:
        for tool, arguments in (
            ("locate_failed_phase", {"path": ".", "response_format": "detailed"}),
            ("locate_failed_phase", {"path": ".", "error": shape.format(v=secret["environment"])}),
            ("classify_zero", {"path": ".osmosis/evals/dev-run", "response_format": "detailed"}),
            ("check_staleness", {"path": ".osmosis/evals/dev-run"}),
            ("verify_fix", {"before": ".osmosis/evals/dev-run", "run": {"config": "configs/eval/arith.toml", "rows": [1]}}),
            ("locate_failed_phase", {"path": ".", "trial": secret["dotenv"]}),
            ("locate_failed_phase", {"path": secret["environment"]}),
        ):
            answer = await client.call_tool(tool, arguments, progress_callback=progress)
            said += [answer.model_dump_json(), *(one.text for one in answer.content)]  # type: ignore[union-attr]
    captured = capfd.readouterr()
    for value in secret.values():
        assert leaks(value, *said, captured.out, captured.err) == []


@given(
    value=values,
    shape=shapes,
    status=st.sampled_from([200, 400, 401, 429, 500]),
    protocol=st.sampled_from(["anthropic", "openai-chat"]),
)
@settings(max_examples=25, deadline=None, phases=[Phase.generate])
def test_a_provider_that_echoes_the_key_is_quoted_without_it(value: str, shape: str, status: int, protocol: str) -> None:
    def echo(spoken_protocol: str, number: int, body: object, headers: dict[str, str]) -> tuple[int, object]:
        return status, {"error": {"type": "authentication_error", "message": shape.format(v=value)}, "headers": headers}

    with mock.patch.dict(text._hidden, clear=True), mock.patch.dict(os.environ, {"PROBE_KEY": value}), endpoint(echo) as (url, _):
        for form in ((), ("--json",)):
            words = ("probe-tool-roundtrip", url, "--model", "m1", "--protocol", protocol, "--api-key-env", "PROBE_KEY", *form)
            _, said = spoken(*words)
            assert "PROBE_KEY" in said
            assert leaks(value, said) == []


@given(token=values, dotenv=values, shape=shapes)
@settings(max_examples=25, deadline=None, phases=[Phase.generate])
def test_the_platforms_own_words_are_quoted_without_the_login(token: str, dotenv: str, shape: str) -> None:
    """A program that echoes login and `.env` in an error envelope, in a warning and between them."""
    from whyzero.analyses.platform_run import locate_on_platform

    error = {"error": {"code": "AUTH_REQUIRED", "message": shape.format(v=token), "details": {"token": token, "env": dotenv}}}
    warning = {"warning": {"code": None, "message": shape.format(v=dotenv)}}
    streams = f"{json.dumps(warning)}\nLLM bridge error: {token!r}\n{json.dumps(error)}\n"
    with (
        mock.patch.dict(text._hidden, clear=True),
        mock.patch.dict(os.environ, {"OSMOSIS_TOKEN": token}),
        tempfile.TemporaryDirectory() as folder,
        mock.patch(
            "whyzero.osmosis_cli.managed.call", return_value=read_answer("osmosis eval info x", 1, "", streams, None, 0.1)
        ),
    ):
        (Path(folder) / ".env").write_text(f"JUDGE_SECRET='{dotenv}'\n")
        hide(os.environ)
        report = locate_on_platform(read_managed(Cli(("osmosis",), "given", "0.3.8"), "eval", "x", Path(folder)), "eval")
    assert report.cause == "not_logged_in"
    assert leaks(token, report.model_dump_json()) == []
    assert leaks(dotenv, report.model_dump_json()) == []


def test_a_crash_of_ours_says_no_value(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also with a debug log: the class and the frames, never the text."""
    monkeypatch.setenv("OPENAI_API_KEY", "crash1-canary-000001")
    run = planted(tmp_path / "ws", "dot7env-aaaabbbbcc", "crash1-canary-000001", "con9fig_ffffgghh", "{v}")

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("crash1-canary-000001 con9fig_ffffgghh")

    monkeypatch.setattr("whyzero.analyses.diagnose.diagnose", broken)
    code, said = spoken("diagnose", str(run))
    assert code == 2
    assert "unexpected RuntimeError" in said
    assert leaks("crash1-canary-000001", said) == []
    assert leaks("con9fig_ffffgghh", said) == []
