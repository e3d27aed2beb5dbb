"""The osmosis program found by a real uv: in an environment that there is, or fetched with leave from an index on loopback."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import osmosis_trees
from whyzero.cli.app import main
from whyzero.errors import UsageError
from whyzero.osmosis_cli.call import call
from whyzero.osmosis_cli.find import find_cli

pytestmark = pytest.mark.live

STUB = """\
import json, os, sys
def main():
    if sys.argv[1:] == ["--version"]:
        print("osmosis-ai, version 9.8.7")
    else:
        print(json.dumps({"schema_version": 1, "data": {"asked": sys.argv[1:], "seen": sorted(os.environ)}}))
"""
PROJECT = '[project]\nname = "lab"\nversion = "0"\nrequires-python = ">=3.11"\ndependencies = ["osmosis-ai"]\n'
CHECKERS = Path(__file__).parents[2] / ".cache" / "checkers"
NONE = "the osmosis program is not looked for by a real uv: none beside this Python, none on PATH, none from `make conformance`"


@pytest.fixture(scope="module")
def uv() -> Path:
    places = (Path(sys.executable).with_name("uv"), CHECKERS / "tools" / "bin" / "uv")
    found = next((str(place) for place in places if place.is_file()), None) or shutil.which("uv")
    if found is None:
        pytest.skip(NONE)
    return Path(found)


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def index(tmp_path: Path, asked: list[str]) -> Iterator[str]:
    """A package index with one package, `osmosis-ai` 9.8.7, whose program answers what it was asked."""
    wheel = tmp_path / "osmosis_ai-9.8.7-py3-none-any.whl"
    about = "osmosis_ai-9.8.7.dist-info"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("osmosis_stub.py", STUB)
        packed.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: osmosis-ai\nVersion: 9.8.7\n")
        packed.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: lab\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{about}/entry_points.txt", "[console_scripts]\nosmosis = osmosis_stub:main\n")
        packed.writestr(f"{about}/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    file = {"filename": wheel.name, "url": f"/files/{wheel.name}", "hashes": {"sha256": digest}}
    listing = {"meta": {"api-version": "1.1"}, "name": "osmosis-ai", "versions": ["9.8.7"], "files": [file | {"size": 1}]}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = wheel.read_bytes() if self.path.startswith("/files/") else json.dumps(listing).encode()
            self.send_response(200 if "osmosis" in self.path else 404)
            self.send_header("content-type", "application/vnd.pypi.simple.v1+json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/simple"
    server.shutdown()
    server.server_close()


@pytest.fixture
def workspace(uv: Path, index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose environment does not exist; uv and nothing else on PATH, with a cache of its own."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "uv").symlink_to(uv)
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT", "UV_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_DEFAULT_INDEX", index)
    monkeypatch.setenv("UV_PYTHON", sys.executable)
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    monkeypatch.setenv("SOME_API_KEY", "canary-000000000001")
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PROJECT)
    return folder


def environment(uv: Path, folder: Path) -> Path:
    """An environment with the program in it."""
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], check=True)
    script = folder / "bin/osmosis"
    script.write_text(f"#!{folder}/bin/python\n{STUB}main()\n")
    script.chmod(0o755)
    return folder


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_uv_run_finds_the_program_where_uv_keeps_the_environment(
    uv: Path, workspace: Path, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_PROJECT_ENVIRONMENT", str(environment(uv, tmp_path / "elsewhere")))
    before = files(workspace)
    with pytest.raises(UsageError, match="No osmosis program was found"):
        find_cli(workspace)
    cli = find_cli(workspace, use_uv=True)
    assert (cli.where, cli.version) == ("uv run", "9.8.7")
    answer = call(cli, workspace, ("eval", "info"), "night")
    assert answer.data is not None
    assert answer.data["data"]["asked"] == ["--json", "eval", "info", "--", "night"]
    assert not {"SOME_API_KEY", "UV_PROJECT_ENVIRONMENT"} & set(answer.data["data"]["seen"])
    assert files(workspace) == before
    assert asked == []


def test_the_environment_of_the_project_around_the_workspace_counts(uv: Path, workspace: Path, asked: list[str]) -> None:
    inner = workspace / "packages/inner"
    inner.mkdir(parents=True)
    (workspace / "uv.lock").write_text("")
    environment(uv, workspace / ".venv")
    assert find_cli(inner, use_uv=True).where == "uv run"
    assert asked == []


def test_uv_run_makes_no_environment_and_fetches_nothing(workspace: Path, asked: list[str]) -> None:
    before = files(workspace)
    with pytest.raises(UsageError) as said:
        find_cli(workspace, use_uv=True)
    assert str(said.value) == (
        "No osmosis program was found in the workspace's .venv, in the active environment or on PATH. `uv run` has none; `uvx` could"
        " fetch osmosis-ai: give --allow-network to let it. Install osmosis-ai there, or name the program."
    )
    assert files(workspace) == before
    assert asked == []


def test_uvx_fetches_the_program_with_leave(workspace: Path, asked: list[str]) -> None:
    before = files(workspace)
    cli = find_cli(workspace, use_uv=True, download=True)
    assert (cli.where, cli.version) == ("uvx", "9.8.7")
    assert {path.split("/")[1] for path in asked} == {"simple", "files"}
    answer = call(cli, workspace, ("eval", "info"), "night")
    assert answer.data is not None
    assert answer.data["data"]["asked"] == ["--json", "eval", "info", "--", "night"]
    assert "SOME_API_KEY" not in answer.data["data"]["seen"]
    assert files(workspace) == before


def test_what_lies_in_the_workspace_comes_before_uv(uv: Path, workspace: Path, asked: list[str]) -> None:
    environment(uv, workspace / ".venv")
    assert find_cli(workspace, use_uv=True, download=True).where == "the workspace's .venv"
    assert asked == []


def test_an_environment_that_was_moved_is_passed_over(uv: Path, workspace: Path, tmp_path: Path, asked: list[str]) -> None:
    environment(uv, tmp_path / "first")
    shutil.move(tmp_path / "first", workspace / ".venv")
    with pytest.raises(UsageError, match="No osmosis program was found"):
        find_cli(workspace)


def test_without_uv_it_is_said(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="uv is not on PATH either"):
        find_cli(workspace, use_uv=True, download=True)


def test_a_relative_workspace_is_found_from_where_the_user_stands(
    uv: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment(uv, workspace / "venv")
    monkeypatch.chdir(workspace.parent)
    assert find_cli(Path("workspace")).where == "the workspace's venv"
    assert find_cli(Path("workspace"), Path("workspace/venv/bin/osmosis")).where == "given"


def test_the_command_line_reaches_it(
    uv: Path, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["locate-failed-phase", "--managed", "night", "--workspace", str(workspace), "--allow-network", "--json"]
    assert code(words) == 2
    assert "No osmosis program was found" in capsys.readouterr().err
    assert code([*words, "--uv"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert report["run"]["writer"] == "osmosis platform, asked by osmosis-ai 9.8.7"
    assert code(["locate-failed-phase", str(workspace), "--uv"]) == 2
    assert "give --managed NAME too" in capsys.readouterr().err
    assert code(["verify-fix", str(workspace), "--uv"]) == 2
    assert "give --run FILE too" in capsys.readouterr().err
    assert "canary" not in json.dumps(report)


def test_an_authorised_run_reaches_it_too(workspace: Path, asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lab = osmosis_trees.workspace(workspace / "lab")
    before = osmosis_trees.Tree([osmosis_trees.Rollout(0, error="agent_error")]).write(lab / ".osmosis/evals/dev-run")
    request = {"config": "configs/eval/arith.toml", "rows": [0], "attempts": 1, "authorized": True}
    (lab / "run.json").write_text(json.dumps(request))
    words = ["verify-fix", str(before), "--run", str(lab / "run.json"), "--uv", "--json"]
    assert code(words) == 2
    assert "give --allow-network to let it" in capsys.readouterr().err
    assert asked == []
    assert code([*words, "--allow-network"]) == 2
    assert "No run was made: The command answered." in json.loads(capsys.readouterr().out)["cost_note"]


def code(words: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)
