"""The wrapper with the real `osmosis` against a platform on loopback: live verdicts are those of the recordings."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.osmosis.platform import EvalRun, Platform, TrainRun
from lab.osmosis.workspace import Workspace, rows
from lab.osmosis.workspace import _write as write
from lab.processes import free_port
from live.osmosis_program import installed
from osmosis_recordings import READ_ONLY, split
from whyzero import processes
from whyzero.errors import UsageError
from whyzero.osmosis_cli.allowed import COMMANDS, arguments
from whyzero.osmosis_cli.answer import Answer, read_answer
from whyzero.osmosis_cli.call import call
from whyzero.osmosis_cli.find import Cli, find_cli, flags, lacking, subcommands

pytestmark = pytest.mark.live

CHANGING = re.compile(
    r"submit|upload|download|retry|stop|deploy|secret|login|logout|upgrade|init|quickstart|template|run|rubric|tunnel"
)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    return find_cli(tmp_path_factory.mktemp("none"), installed())


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab") / "workspace"
    Workspace().write(folder)
    for name, lines in {
        "short.jsonl": rows(2),
        "uneven.jsonl": (*rows(3), {"user_prompt": "x", "label": "1"}),
        "meta.jsonl": tuple({"metadata": {"a": n}} for n in range(4)),
        "meta-empty.jsonl": ({"metadata": {"a": 1}}, {"metadata": {}}, {"metadata": None}, {"metadata": "x"}),
    }.items():
        write(folder / "data" / name, "".join(json.dumps(line) + "\n" for line in lines))
    write(folder / "data/ok.csv", "user_prompt,ground_truth\n" + "".join(f"What is {n}+1?,{n + 1}\n" for n in range(4)))
    return folder


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Platform]:
    """The platform of the recordings; nobody is logged in yet, and no login of this machine is looked at."""
    for name in os.environ:
        if name.startswith("OSMOSIS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OSMOSIS_TOKEN_STORE", "file")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with Platform() as served:
        served.evals = {
            "graded-zero-run": EvalRun(passed=3, logs=tuple(("info", "run", f"line {n}") for n in range(9))),
            "waiting-run": EvalRun("pending", 0, 0, 0),
            "broken-run": EvalRun("failed", 0, 4),
        }
        served.trains = {"train-a": TrainRun(), "train-b": TrainRun("crashed", (("error", "rollout", "all rollouts failed"),))}
        served.datasets = {"arith-dev": [{"user_prompt": "What is 12 * 7?", "ground_truth": "84"}] * 4}
        yield served


def log_in(one: dict[str, Any], platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was when the call was recorded."""
    login = dict(platform.login)
    if one["name"].endswith("platform-down"):
        login |= dict.fromkeys(("OSMOSIS_PLATFORM_URL", "OSMOSIS_TOKEN_PLATFORM_URL"), f"http://127.0.0.1:{free_port()}")
    elif one["name"] == "whoami-bad-token":
        login["OSMOSIS_TOKEN"] = "some-other-made-up-token"
    elif one["name"] == "insecure-url":
        login["OSMOSIS_PLATFORM_URL"] = "http://platform.example.invalid"
    elif found := re.search(r"http-(\d+)$", one["name"]):
        platform.fails = (int(found[1]), {"error": "SOME_CODE", "message": f"answer {found[1]}"})
    for name, value in login.items() if one["logged_in"] else ():
        monkeypatch.setenv(name, value)


def verdict(answer: Answer) -> tuple[object, ...]:
    return (
        answer.ok,
        answer.code,
        answer.sentence,
        answer.next_step,
        answer.status,
        sorted(answer.details),
        [c for c, _ in answer.warnings],
    )


@pytest.mark.parametrize("one", READ_ONLY, ids=lambda one: one["name"])
def test_a_recorded_call_gets_the_same_verdict_live(
    one: dict[str, Any], cli: Cli, workspace: Path, platform: Platform, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = split(one["command"])
    assert asked is not None
    log_in(one, platform, monkeypatch)
    at = tmp_path if one["name"] == "doctor-outside" else workspace
    live = call(cli, at, *asked)
    recorded = read_answer(one["command"], one["exit_code"], one["stdout"], one["stderr"], None, 0.0)
    assert verdict(live) == verdict(recorded)
    if live.data is not None and recorded.data is not None:
        assert shape(live.data) == shape(recorded.data)
    assert platform.changes == []


def shape(value: Any) -> Any:
    """Names of an envelope, two levels deep."""
    return {key: sorted(below) if isinstance(below, dict) else None for key, below in value.items()}


# ---- the whole command tree of the installed program

TREE = """
import json, sys
from osmosis_ai.cli import main
from typer.main import get_command
main._register_commands() if hasattr(main, "_register_commands") else None
def walk(command, path=()):
    below = getattr(command, "commands", None)
    if below is None:
        yield path, sorted(o for p in command.params for o in p.opts if o.startswith("-"))
    for name, one in (below or {}).items():
        yield from walk(one, (*path, name))
print(json.dumps(list(walk(get_command(main.create_app() if hasattr(main, "create_app") else main.app)))))
"""


@pytest.fixture(scope="module")
def tree(cli: Cli) -> dict[tuple[str, ...], frozenset[str]]:
    """Every command of the program, hidden ones too, with its flags."""
    python = Path(cli.program[0]).parent / "python"
    done = subprocess.run([python, "-c", TREE], capture_output=True, text=True, check=True)
    return {tuple(path): frozenset(flags) for path, flags in json.loads(done.stdout.splitlines()[-1])}


def test_the_allow_list_names_commands_and_flags_that_there_are(tree: dict[tuple[str, ...], frozenset[str]]) -> None:
    assert set(COMMANDS) <= set(tree)
    for command, allowed in COMMANDS.items():
        assert allowed.options <= tree[command], command


def test_whatever_else_the_program_can_do_is_out_of_reach(tree: dict[tuple[str, ...], frozenset[str]]) -> None:
    others = set(tree) - set(COMMANDS)
    assert len(others) > 20
    assert {
        ("eval", "submit"),
        ("train", "submit"),
        ("eval", "upload"),
        ("eval", "stop"),
        ("secret", "set"),
        ("auth", "login"),
    } <= others
    assert not [command for command in COMMANDS if any(CHANGING.fullmatch(word) for word in command)]
    for command in others:
        with pytest.raises(UsageError, match="not among the read-only commands"):
            arguments(command)
        with pytest.raises(UsageError):
            arguments(command, "a-name")
    for command, options in tree.items():
        for flag in options - (COMMANDS[command].options if command in COMMANDS else frozenset()):
            with pytest.raises(UsageError):
                arguments(command, "a-name" if command in COMMANDS and COMMANDS[command].needs_name else None, {flag: "x"})


def test_the_program_is_asked_what_it_can_do(cli: Cli, tree: dict[tuple[str, ...], frozenset[str]]) -> None:
    """By its own `--help`, which shows what the tree holds."""
    assert {path[1] for path in tree if path[0] == "eval"} <= subcommands(cli, ("eval",))
    assert COMMANDS["eval", "logs"].options <= flags(cli, ("eval", "logs"))
    assert lacking(cli, ("eval", "logs"), frozenset({"--limit"})) is None
    assert lacking(cli, ("eval", "explain")) == f"osmosis {cli.version} has no `eval explain`."
    assert lacking(cli, ("eval", "logs"), frozenset({"--since"})) == f"osmosis {cli.version} `eval logs` has no --since."


# ---- processes


def test_a_program_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not answer"):
        find_cli(tmp_path, Path("/bin/echo"))
    with pytest.raises(UsageError, match="could not be started"):
        find_cli(tmp_path, tmp_path / "nothing")


def test_the_workspaces_own_program_comes_before_that_of_the_path(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / ".venv/bin/osmosis"
    own.parent.mkdir(parents=True)
    own.symlink_to(cli.program[0])
    monkeypatch.setenv("PATH", f"{Path(cli.program[0]).parent}:{os.environ['PATH']}")
    assert find_cli(tmp_path).where == "the workspace's .venv"
    own.unlink()
    assert find_cli(tmp_path).where == "PATH"
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="No osmosis program was found"):
        find_cli(tmp_path)


def test_of_the_environment_only_what_is_needed_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-000000000001")
    monkeypatch.setenv("OSMOSIS_TOKEN", "canary-000000000002")
    program = tmp_path / "osmosis"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo "osmosis-ai 0.3.8" && exit\nenv | cut -d= -f1 >names\necho "{}"\n'
    )
    program.chmod(0o755)
    assert call(find_cli(tmp_path, program), tmp_path, ("eval", "list")).ok
    names = set((tmp_path / "names").read_text().split())
    assert "SOME_API_KEY" not in names
    assert "OSMOSIS_TOKEN" in names
    assert processes.environment({}).keys().isdisjoint({"SOME_API_KEY", "OSMOSIS_TOKEN"})
