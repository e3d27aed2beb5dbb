"""Runs on the platform: hosted causes from its own evidence only, beside runs that look like them and had another end."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.osmosis.platform import EvalRun, Platform, TrainRun
from lab.osmosis.workspace import Workspace
from lab.processes import free_port
from live.osmosis_program import installed
from test_docs_index import LLMS, ok, served
from whyzero.analyses.locate_failed_phase import FailedPhase
from whyzero.analyses.platform_run import NOTE, locate_on_platform
from whyzero.cli.app import main
from whyzero.errors import UsageError
from whyzero.osmosis_cli.find import Cli, find_cli
from whyzero.osmosis_cli.managed import Kind, read_managed

pytestmark = pytest.mark.live

OTHER = "1" * 40
NOTHING = {"passed": 0, "failed": 0, "total": 0}
ROWS = {"passed": 0, "failed": 4, "total": 4}


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    return find_cli(tmp_path_factory.mktemp("none"), installed())


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab") / "workspace"
    Workspace().write(folder)
    return folder


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Platform]:
    for name in os.environ:
        if name.startswith("OSMOSIS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OSMOSIS_TOKEN_STORE", "file")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with Platform() as served:
        served.datasets = {"arith-dev": [{"user_prompt": "What is 12 * 7?", "ground_truth": "84"}]}
        for name, value in served.login.items():
            monkeypatch.setenv(name, value)
        yield served


def asked(cli: Cli, workspace: Path, kind: Kind = "eval", name: str = "night") -> FailedPhase:
    report = locate_on_platform(read_managed(cli, kind, name, workspace), kind)
    assert NOTE in report.summary
    return report


HOSTED = {
    "the sync fails": (
        EvalRun(
            "failed",
            **NOTHING,
            logs=(("info", "sync", "fetching"), ("error", "sync", "commit 11111111 is not in the repository")),
        ),
        ("git_out_of_sync", "log", "osmosis eval logs night", 2, None),
    ),
    "another commit is synced and nothing was run": (
        EvalRun("failed", **NOTHING, commit=OTHER),
        ("git_out_of_sync", "inference", "osmosis eval info night", None, "/data/commit_sha"),
    ),
    "a secret has no scope": (
        EvalRun("failed", **NOTHING, secrets={"OPENAI_API_KEY": "workspace", "JUDGE_API_KEY": None}),
        ("secret_missing", "record", "osmosis eval info night", None, "/data/resolved_secret_scopes/JUDGE_API_KEY"),
    ),
    "the injection of a secret fails": (
        EvalRun("failed", **NOTHING, logs=(("info", "schedule", "placed"), ("error", "secrets", "JUDGE_API_KEY is not set"))),
        ("secret_missing", "log", "osmosis eval logs night", 2, None),
    ),
    "no capacity": (
        EvalRun("pending", **NOTHING, logs=(("error", "scheduler", "no capacity for 4 workers"),)),
        ("scheduling", "log", "osmosis eval logs night", 1, None),
    ),
}


@pytest.mark.parametrize("case", HOSTED)
def test_a_hosted_cause_is_named_from_the_platforms_evidence(case: str, cli: Cli, workspace: Path, platform: Platform) -> None:
    platform.evals["night"], expected = HOSTED[case]
    report = asked(cli, workspace)
    first = report.evidence[0]
    assert (report.cause, report.evidence_level, first.path, first.line, first.pointer) == expected
    assert report.phase == "hosted"
    if report.cause == "secret_missing":
        assert "JUDGE_API_KEY" in first.quote
    assert [step.arguments["managed"]["name"] for step in report.next_steps] == ["night"]
    assert platform.changes == []


LOOKALIKES = {
    "a healthy run of an earlier commit": (EvalRun(commit=OTHER), None),
    "a healthy run that needed two tries to sync": (
        EvalRun(logs=(("error", "sync", "timed out"), ("info", "sync", "synced"), ("info", "rollout", "row 0"))),
        None,
    ),
    "rows failed in the rollout's own code": (
        EvalRun("failed", **ROWS, commit=OTHER, logs=(("error", "sync", "timed out"), ("error", "rollout", "KeyError: 'times'"))),
        "undetermined",
    ),
    "a run at work that once found no capacity": (
        EvalRun("running", **NOTHING, logs=(("error", "scheduler", "no capacity"), ("info", "scheduler", "placed"))),
        None,
    ),
    "a run that waits without an error": (EvalRun("pending", **NOTHING, logs=(("info", "scheduler", "waiting"),)), None),
    "a run that was stopped": (EvalRun("stopped", **NOTHING, commit=OTHER), None),
    "a row's own words about secrets and git": (
        EvalRun("failed", **ROWS, logs=(("error", "rollout", "ERROR [secrets] OPENAI_API_KEY not set; git sync failed"),)),
        "undetermined",
    ),
    "a healthy run with a secret that nothing needed": (EvalRun(secrets={"OLD_KEY": None}), None),
    "zeros": (EvalRun(passed=1), "undetermined"),
    "it failed and says nothing": (EvalRun("failed", **NOTHING), "undetermined"),
}


@pytest.mark.parametrize("case", LOOKALIKES)
def test_what_looks_hosted_and_is_not_stays_unnamed(case: str, cli: Cli, workspace: Path, platform: Platform) -> None:
    platform.evals["night"], expected = LOOKALIKES[case]
    report = asked(cli, workspace)
    assert report.cause == expected
    if expected == "undetermined":
        assert "eval download night" in report.likely_cause
        assert report.evidence == ()


def test_a_start_that_failed_there_is_told_by_the_programs_own_sentence(cli: Cli, workspace: Path, platform: Platform) -> None:
    said = "uv sync failed for rollouts/arith with exit code 1: No solution found"
    platform.evals["night"] = EvalRun("failed", **NOTHING, secrets={"OLD_KEY": None}, logs=(("error", "deps", said),))
    report = asked(cli, workspace)
    assert (report.cause, report.phase, report.evidence[0].line) == ("dependency_failure", "startup", 1)


def test_nobody_is_logged_in(cli: Cli, workspace: Path, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    platform.evals["night"] = EvalRun()
    monkeypatch.delenv("OSMOSIS_TOKEN")
    report = asked(cli, workspace)
    assert (report.cause, report.phase) == ("not_logged_in", "publish")
    assert platform.asked == []


def test_the_platform_is_not_there(cli: Cli, workspace: Path, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("OSMOSIS_PLATFORM_URL", nowhere)
    monkeypatch.setenv("OSMOSIS_TOKEN_PLATFORM_URL", nowhere)
    assert asked(cli, workspace).cause == "platform_unreachable"


@pytest.mark.parametrize(
    ("status", "cause"),
    [(500, "platform_unreachable"), (429, "platform_unreachable"), (426, "version_mismatch"), (404, "undetermined")],
)
def test_an_answer_that_refuses_the_first_question(
    status: int, cause: str, cli: Cli, workspace: Path, platform: Platform
) -> None:
    platform.fails = (status, {"error": "SOME_CODE", "message": "no"})
    run = read_managed(cli, "eval", "night", workspace)
    report = locate_on_platform(run, "eval", lambda: "9.9.9 is newer.")
    assert report.cause == cause
    assert ("9.9.9 is newer." in report.likely_cause) is (cause == "version_mismatch"), "asked only before an upgrade"
    assert any(problem.path.startswith("osmosis --json eval info") for problem in report.problems)


@pytest.mark.parametrize("path", ["/logs", "/rollouts", "/datasets"])
def test_a_refused_side_question_is_a_problem_and_no_cause(path: str, cli: Cli, workspace: Path, platform: Platform) -> None:
    platform.evals["night"] = EvalRun()
    platform.fails_for[path] = (429, {"error": "RATE_LIMITED", "message": "slow down"})
    report = asked(cli, workspace)
    assert report.cause is None
    assert len(report.problems) == 1


def test_a_training_run_that_crashed_is_undetermined_until_something_says_why(
    cli: Cli, workspace: Path, platform: Platform
) -> None:
    platform.trains = {
        "night": TrainRun("crashed", (("error", "rollout", "all rollouts failed"),)),
        "queue": TrainRun("queued", (("error", "scheduler", "no capacity"),)),
        "good": TrainRun("finished"),
    }
    assert asked(cli, workspace, "train").cause == "undetermined"
    assert asked(cli, workspace, "train", "queue").cause == "scheduling"
    assert asked(cli, workspace, "train", "good").cause is None


def test_a_dotenv_that_moves_the_platform_is_told(
    cli: Cli, platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Workspace().write(tmp_path / "workspace")
    (tmp_path / "workspace/.env").write_text(f"export OSMOSIS_PLATFORM_URL={platform.url}\nOTHER=canary-000000000001\n")
    monkeypatch.delenv("OSMOSIS_PLATFORM_URL")
    platform.evals["night"] = EvalRun()
    report = asked(cli, tmp_path / "workspace")
    said = [problem.reason for problem in report.problems if problem.path == ".env"]
    assert said == ["The workspace's .env sets OSMOSIS_PLATFORM_URL: platform and login of every call are those of that file."]
    assert "canary" not in report.model_dump_json()


def test_a_workspace_inside_this_source_is_refused(cli: Cli, platform: Platform) -> None:
    with pytest.raises(UsageError, match="inside whyzero's own source"):
        read_managed(cli, "eval", "night", Path(__file__).parent)
    assert platform.asked == []


@pytest.mark.parametrize("name", ["", "-o", "--json", "a\nb", "x" * 600])
def test_a_name_that_could_be_a_flag_is_refused(name: str, cli: Cli, workspace: Path, platform: Platform) -> None:
    with pytest.raises(UsageError):
        read_managed(cli, "eval", name, workspace)
    assert platform.asked == []


def test_the_command_line_asks_only_with_leave(
    cli: Cli, workspace: Path, platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    platform.evals["night"] = HOSTED["a secret has no scope"][0]
    words = ["locate-failed-phase", "--managed", "night", "--workspace", str(workspace), "--osmosis", cli.program[0], "--json"]
    assert code(words) == 2
    assert "Give --allow-network" in capsys.readouterr().err
    assert platform.asked == []
    assert code([*words, "--allow-network"]) == 1
    assert json.loads(capsys.readouterr().out)["cause"] == "secret_missing"
    assert code([*words, "--allow-network", "--row", "1"]) == 2
    assert code([*words[:-1], "--allow-network", str(workspace)]) == 2
    platform.evals["night"] = EvalRun()
    assert code([*words, "--allow-network"]) == 0
    assert platform.changes == []


def test_with_leave_the_page_about_the_cause_is_named(
    cli: Cli, workspace: Path, platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    platform.evals["night"] = HOSTED["the sync fails"][0]
    words = ["locate-failed-phase", "--managed", "night", "--workspace", str(workspace), "--osmosis", cli.program[0]]
    with served(ok(LLMS)) as (site, requests):
        assert code([*words, "--json", "--docs-index", f"{site}/llms.txt"]) == 2
        assert requests == []
        capsys.readouterr()
        assert code([*words, "--json", "--docs-index", f"{site}/llms.txt", "--allow-network"]) == 1
        report = json.loads(capsys.readouterr().out)
        assert f'Read on in the documentation: "Git Sync" ({site}/cli/workspace/git-sync.md)' in report["likely_cause"]
        assert len(requests) == 1
    assert platform.changes == []


def code(words: list[str]) -> int:
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)
