"""What the platform's answers prove about a run that never came to work, each beside an answer that looks like it and does not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal

import pytest

from whyzero.analyses.locate_failed_phase import FailedPhase
from whyzero.analyses.platform_run import locate_on_platform
from whyzero.osmosis_cli.answer import Answer
from whyzero.osmosis_cli.find import Cli, find_cli
from whyzero.osmosis_cli.managed import Asked, _run, read_managed

Line = tuple[str, str, str] | tuple[str, str, str, dict[str, Any]]
COMMIT = "4f" * 20


def told(
    *lines: Line,
    status: str = "failed",
    kind: Literal["eval", "train"] = "eval",
    results: dict[str, Any] | None = None,
    secrets: dict[str, Any] | None = None,
    commit: str = COMMIT,
    synced: str | None = COMMIT,
    steps: int | None = None,
) -> FailedPhase:
    """The diagnosis of a run about which the platform says this."""
    about = {"id": "r1", "name": "night", "status": status, "dataset": "d", "rollout": "arith", "current_step": steps}
    run = {"eval_run" if kind == "eval" else "training_run": about, "rollout": {"id": "r", "name": "arith"}}
    data = {**run, "results": results, "commit_sha": commit, "resolved_secret_scopes": secrets or {}}
    logs = [
        {"timestamp": None, "level": one[0], "step": one[1], "message": one[2], "details": one[3] if len(one) > 3 else None}
        for one in lines
    ]
    asked = [
        Asked(Answer("osmosis --json eval info -- night", 0, data={"data": data}), "info"),
        Asked(Answer("osmosis --json eval logs -- night", 0, data={"items": logs}), "logs"),
        Asked(
            Answer("osmosis --json rollout list", 0, data={"items": [{"name": "arith", "last_synced_commit_sha": synced}]}),
            "rollouts",
        ),
    ]
    return locate_on_platform(_run(Cli(("osmosis",), "given", "0.3.8"), kind, "night", Path("/nowhere"), asked), kind)


NAMED: list[tuple[str, tuple[Line, ...], str]] = [
    ("by its step", (("error", "git_clone", "exit status 128"),), "git_out_of_sync"),
    ("by its step", (("critical", "Workspace-Sync", "timed out"),), "git_out_of_sync"),
    ("by its code", (("error", "platform", "refused", {"code": "GIT_REPOSITORY_NOT_CONNECTED"}),), "git_out_of_sync"),
    ("by its words", (("error", "setup", "failed to clone the repository lab/arith"),), "git_out_of_sync"),
    ("by its words", (("error", "run", "Commit 4f4f4f4 was not found in the connected repository"),), "git_out_of_sync"),
    ("by its words", (("error", "prepare", "Git sync failed"),), "git_out_of_sync"),
    ("while provisioning", (("error", "provision", "could not fetch branch main of the repository"),), "git_out_of_sync"),
    ("by its step", (("error", "secrets.inject", "exit status 1"),), "secret_missing"),
    ("by its code", (("error", "platform", "refused", {"error_code": "SECRET_NOT_FOUND"}),), "secret_missing"),
    ("by its words", (("error", "setup", "Secret JUDGE_API_KEY is not set in this workspace"),), "secret_missing"),
    ("by its words", (("error", "inject_env", "could not inject secret JUDGE_API_KEY"),), "secret_missing"),
    ("by its step", (("error", "Scheduler", "evicted"),), "scheduling"),
    ("by its code", (("error", "platform", "refused", {"reason": "BILLING_REQUIRED"}),), "scheduling"),
    ("by its words", (("error", "run", "no GPU nodes are available in this region"),), "scheduling"),
    ("by its words", (("error", "launch", "insufficient capacity for 8 workers"),), "scheduling"),
    ("while provisioning", (("error", "provisioning", "timed out"),), "scheduling"),
    (
        "after a first try",
        (("error", "sync", "timed out"), ("warning", "sync", "again"), ("error", "sync", "gone")),
        "git_out_of_sync",
    ),
]


@pytest.mark.positive("git_out_of_sync", "secret_missing", "scheduling")
@pytest.mark.parametrize(("how", "lines", "cause"), NAMED, ids=[f"{cause} {how}" for how, _, cause in NAMED])
@pytest.mark.parametrize("kind", ["eval", "train"])
def test_the_platforms_own_line_names_the_cause(
    how: str, lines: tuple[Line, ...], cause: str, kind: Literal["eval", "train"]
) -> None:
    report = told(*lines, kind=kind, status="failed" if kind == "eval" else "crashed")
    assert (report.cause, report.phase, report.evidence_level) == (cause, "hosted", "log")
    assert (report.evidence[0].path, report.evidence[0].line) == (f"osmosis {kind} logs night", 1)


UNNAMED: list[tuple[str, tuple[Line, ...]]] = [
    ("a row's own words", (("error", "rollout", "could not clone the repository; secret X is not set; no GPU available"),)),
    ("a grader's own words", (("error", "grading", "no such secret"),)),
    ("a work item", (("error", "dispatch", "halting: commit not found"),)),
    ("the model's provider", (("error", "preflight", "the engine has no capacity, no GPU nodes are available"),)),
    ("the model", (("error", "model", "model repository not found"),)),
    ("a build of the user's code", (("error", "build", "git: repository not found for requirement x @ git+https"),)),
    ("a dataset", (("error", "dataset", "the branch of the dataset was not found"),)),
    ("the user's code while provisioning", (("error", "provision", "entrypoint main.py does not exist"),)),
    ("words that only touch a matter", (("error", "run", "the task is about git commits and secrets of a queue"),)),
    ("a code of the row's own", (("error", "rollout", "KeyError", {"code": "SECRET_NOT_FOUND"}),)),
    ("a code of the grader's own", (("error", "grading", "boom", {"error_code": "GIT_REVISION"}),)),
    ("a code of the workflow's own", (("error", "workflow", "nothing to do", {"reason": "QUEUE_EMPTY"}),)),
    ("a code of the provider's own", (("error", "model", "status 429", {"code": "CAPACITY_EXCEEDED"}),)),
    ("a code of the provider's own, asked first", (("error", "preflight", "no", {"code": "BILLING_HARD_LIMIT_REACHED"}),)),
    ("a form of the record", (("error", "rollout", "x\nERROR [sync] requested commit aaa, last synced commit bbb"),)),
    ("an envelope that was printed", (("error", "run", '{"error": {"code": "GIT_REPOSITORY_NOT_CONNECTED"}}'),)),
    ("no reason", (("error", "platform", "internal failure"),)),
    ("a mere warning", (("warning", "sync", "commit not found"), ("error", "platform", "internal failure"))),
    (
        "an error that was overcome",
        (("error", "sync", "timed out"), ("info", "sync", "synced"), ("error", "platform", "gave up")),
    ),
    (
        "an error before work",
        (("error", "scheduler", "no capacity"), ("info", "dispatch", "row 0"), ("error", "platform", "gave up")),
    ),
]


@pytest.mark.lookalike("git_out_of_sync", "secret_missing", "scheduling")
@pytest.mark.parametrize(("what", "lines"), UNNAMED, ids=[what for what, _ in UNNAMED])
def test_what_others_say_is_not_the_platforms_fault(what: str, lines: tuple[Line, ...]) -> None:
    report = told(*lines)
    assert (report.cause, report.evidence) == ("undetermined", ())


@pytest.mark.lookalike("git_out_of_sync", "secret_missing", "scheduling")
@pytest.mark.parametrize(("how", "lines", "cause"), NAMED, ids=[f"{cause} {how}" for how, _, cause in NAMED])
def test_a_run_that_worked_was_neither_unsynced_nor_unscheduled(how: str, lines: tuple[Line, ...], cause: str) -> None:
    rows = {"total_runs": 4, "failed": 4, "passed": 0}
    assert told(*lines, results=rows).cause == "undetermined"
    assert told(*lines, status="running").cause is None
    assert told(*lines, status="stopped").cause is None
    assert told(*lines, ("info", "rollout", "row 0"), ("error", "rollout", "KeyError")).cause == "undetermined"


@pytest.mark.parametrize("name", ["-o", "--json", "a\nb", "", "x" * 600, 7, None, "\x1b[31m"])
def test_names_that_the_platform_makes_up_reach_no_command_line(name: object, tmp_path: Path) -> None:
    """A dataset or a page that is named like a flag is not asked for; the rest of the diagnosis stands."""
    about = {"name": "night", "status": "failed", "dataset": name}
    info = {"data": {"eval_run": about}}
    logs = {"items": [{"level": "error", "step": "sync", "message": "gone"}], "next_cursor": name}
    program = tmp_path / "osmosis"
    answers = f"{info!r} if 'info' in sys.argv else {logs!r} if 'logs' in sys.argv else {{}}"
    version = "print('osmosis-ai 0.3.8') if '--version' in sys.argv else"
    program.write_text(f"#!{sys.executable}\nimport json, sys\n{version} print(json.dumps({answers}))\n")
    program.chmod(0o755)
    asked: list[str] = []
    run = read_managed(find_cli(tmp_path, program), "eval", "night", tmp_path, asked.append)
    assert locate_on_platform(run, "eval").cause == "git_out_of_sync"
    assert asked == ["osmosis eval info", "osmosis eval logs", "osmosis rollout list"]


@pytest.mark.lookalike("scheduling")
@pytest.mark.parametrize(
    ("steps", "cause"), [(0, "scheduling"), (None, "scheduling"), (1, "undetermined"), (300, "undetermined")]
)
def test_a_training_run_that_did_steps_was_scheduled(steps: int | None, cause: str) -> None:
    """Preempted in the middle, its log may begin with the scheduler's last word."""
    assert told(("error", "scheduler", "no capacity"), kind="train", status="crashed", steps=steps).cause == cause


@pytest.mark.positive("scheduling")
def test_a_training_run_that_waits_again_after_some_steps_is_not_scheduled_now() -> None:
    assert told(("error", "scheduler", "no capacity"), kind="train", status="queued", steps=3).cause == "scheduling"


# ---- what no line says


@pytest.mark.positive("secret_missing")
@pytest.mark.parametrize("scope", [None, "", "missing", "Not found", "unresolved"])
def test_a_secret_without_a_scope_is_named(scope: str | None) -> None:
    report = told(("error", "platform", "internal failure"), secrets={"OPENAI_API_KEY": "workspace", "JUDGE_API_KEY": scope})
    assert (report.cause, report.evidence_level, report.evidence[0].pointer) == (
        "secret_missing",
        "record",
        "/data/resolved_secret_scopes/JUDGE_API_KEY",
    )
    assert report.likely_cause.endswith("The platform names JUDGE_API_KEY.")


@pytest.mark.lookalike("secret_missing")
@pytest.mark.parametrize("scope", ["workspace", "user", "user_override", "a scope of tomorrow"])
def test_a_secret_with_a_scope_is_there(scope: str) -> None:
    assert told(secrets={"JUDGE_API_KEY": scope}).cause == "undetermined"


@pytest.mark.lookalike("secret_missing")
def test_a_secret_that_nothing_needed_is_not_blamed_for_another_end() -> None:
    unsynced = ("error", "deps", "uv sync failed for rollouts/arith with exit code 1: No solution found")
    assert told(unsynced, secrets={"OLD_KEY": None}).cause == "dependency_failure"
    assert told(("error", "sync", "commit gone"), secrets={"OLD_KEY": None}).cause == "git_out_of_sync"


@pytest.mark.positive("git_out_of_sync")
def test_a_commit_that_is_not_the_synced_one_explains_an_end_without_words() -> None:
    report = told(("info", "run", "accepted"), synced="0" * 40)
    assert (report.cause, report.evidence_level, report.evidence[0].pointer) == (
        "git_out_of_sync",
        "inference",
        "/data/commit_sha",
    )
    assert report.evidence[0].quote == f"ERROR [sync] requested commit {COMMIT}, last synced commit {'0' * 40}"


@pytest.mark.lookalike("git_out_of_sync")
@pytest.mark.parametrize(
    "about",
    [
        {"commit": COMMIT[:7]},
        {"synced": COMMIT.upper()},
        {"synced": None},
        {"synced": "0" * 40, "status": "pending"},
        {"synced": "0" * 40, "status": "finished"},
        {"synced": "0" * 40, "results": {"total_runs": 4, "failed": 4, "passed": 0}},
    ],
    ids=["shortened", "in capitals", "never told", "still waits", "finished", "worked"],
)
def test_a_commit_that_may_be_the_synced_one_explains_nothing(about: dict[str, Any]) -> None:
    assert told(("info", "run", "accepted"), **about).cause != "git_out_of_sync"


@pytest.mark.lookalike("git_out_of_sync")
def test_a_pinned_commit_is_not_blamed_where_the_log_has_an_error() -> None:
    """Who pins an earlier commit on purpose asks for another one than the last synced."""
    assert told(("error", "platform", "internal failure"), synced="0" * 40).cause == "undetermined"


# ---- the program's own sentences, said by the platform

OWN = [
    ("preflight", "model preflight failed for 'openai/policy': AuthenticationError: Error code: 401 - bad key", "agent_auth"),
    ("preflight", "model preflight failed for 'openai/p': NotFoundError: Error code: 404 - no model `p`", "model_not_found"),
    ("preflight", "model preflight failed for 'openai/policy': RateLimitError: Error code: 429", "rate_limited"),
    ("deps", "uv sync failed for rollouts/arith with exit code 1: No solution found", "dependency_failure"),
    ("run", "uv sync failed for rollouts/arith with exit code 1: git repository not found", "dependency_failure"),
    ("build", "Error: uv sync failed for rollouts/arith with exit code 1: No solution found", "dependency_failure"),
    ("server", "rollout server exited with code 3 before becoming healthy: licence not found", "server_start_failure"),
    (
        "provision",
        "rollout entrypoint rollouts/arith/main.py does not exist; check experiment.rollout and experiment.entrypoint",
        "config_invalid",
    ),
]


@pytest.mark.parametrize(("step", "message", "cause"), OWN, ids=[f"{cause} in {step}" for step, _, cause in OWN])
def test_a_start_that_failed_on_the_platform_is_told_by_the_same_sentences(step: str, message: str, cause: str) -> None:
    report = told(("info", "deps", "begins"), ("error", step, message), ("info", "cleanup", "released"))
    assert (report.cause, report.evidence[0].line, report.evidence_level) == (cause, 2, "log")
    assert report.phase != "hosted"


@pytest.mark.parametrize(("step", "message", "cause"), OWN, ids=[f"{cause} in {step}" for step, _, cause in OWN])
def test_the_same_sentences_before_work_are_history(step: str, message: str, cause: str) -> None:
    line = ("error", step, message)
    assert told(line, ("info", "dispatch", "row 0"), ("error", "result", "failed")).cause == "undetermined"
    assert told(line, ("info", step, "second try: fine"), ("error", "platform", "gave up")).cause == "undetermined"
    assert told(line, status="finished", results={"total_runs": 4, "passed": 4, "failed": 0}).cause is None


@pytest.mark.parametrize("step", ["grading", "rollout", "rollout-server", "result"])
def test_a_row_that_repeats_such_a_sentence_proves_nothing(step: str) -> None:
    assert told(("error", step, "uv sync failed for rollouts/arith with exit code 1: x")).cause == "undetermined"
