"""Why an Osmosis run or call stopped: from what the user saw, from the run's files, and from a look at the workspace."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from pathlib import Path

import pytest

from osmosis_trees import CONFIG, Rollout, Tree, envelope, frame, of_run, opened, trial, until, user, workspace
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.causes.engine import judge, run_finding
from whyzero.evidence import Level
from whyzero.findings import Outcome
from whyzero.model import Phase
from whyzero.readers import open_run

DONE = Tree([Rollout(0), Rollout(1)])
TWO_OF_FOUR = [Rollout(0), Rollout(1)]
LOCK = "/home/user/ws/.osmosis/evals/.locks/dev-run.lock"


# ---- what the command line said

SAID = [
    ("config_invalid", Phase.LAYOUT, "Missing [secrets] section in /home/user/ws/configs/eval/arith.toml", "VALIDATION"),
    ("config_invalid", Phase.LAYOUT, "Invalid eval config:\n  - evaluation.timeout_s: Unrecognized key", "VALIDATION"),
    ("config_invalid", Phase.LAYOUT, "This workspace directory is missing required Osmosis scaffold paths.\n  - data/", "VALIDATION"),
    ("config_invalid", Phase.LAYOUT, "rollout entrypoint /ws/rollouts/arith/server.py does not exist; check experiment.rollout and experiment.entrypoint", "VALIDATION"),
    ("config_invalid", Phase.LAYOUT, "Run this command from an Osmosis workspace directory created by Platform.", "WORKSPACE_REQUIRED"),
    ("config_invalid", Phase.STARTUP, "model preflight failed for 'policy': RuntimeError: Invalid LiteLLM model format. Use 'provider/model'", "VALIDATION"),
    ("secret_missing", Phase.LAYOUT, "No value found for: JUDGE_API_KEY. Export them or pass --secrets-file.", "INTERACTIVE_REQUIRED"),
    ("dataset_invalid", Phase.DATA, "data/dev.jsonl:3: invalid JSON (Expecting ',' delimiter)", "VALIDATION"),
    ("dataset_invalid", Phase.DATA, "--rows selects [9] but dev.jsonl has 4 rows (valid indices are 0-3)", "VALIDATION"),
    ("dataset_invalid", Phase.DATA, "row 0: user_prompt is required for a dataset with no 'metadata' column", "VALIDATION"),
    ("label_missing", Phase.DATA, "row 2: ground_truth (or label) is required for a dataset with no 'metadata' column", "VALIDATION"),
    ("dependency_failure", Phase.STARTUP, "uv sync failed for rollouts/arith with exit code 1: no solution\nLogs: logs.txt", "VALIDATION"),
    ("dependency_failure", Phase.STARTUP, "rollout server exited with code 1 before becoming healthy: ModuleNotFoundError: No module named 'numpy'", "VALIDATION"),
    ("import_failure", Phase.STARTUP, "rollout server exited with code 1 before becoming healthy: ImportError: cannot import name 'Runner' from 'osmosis_ai'", "VALIDATION"),
    ("import_failure", Phase.STARTUP, "rollout server exited with code 1 before becoming healthy: SyntaxError: expected ':'", "VALIDATION"),
    ("import_failure", Phase.STARTUP, "rollout server exited with code 1 before becoming healthy: ModuleNotFoundError: No module named 'osmosis_ai.nope'", "VALIDATION"),
    ("server_start_failure", Phase.STARTUP, "rollout server exited with code 1 before becoming healthy: KeyError: 'ARITH_TABLE'", "VALIDATION"),
    ("server_start_failure", Phase.STARTUP, "rollout server exited with code 3 before becoming healthy: no licence found", "VALIDATION"),
    ("server_start_failure", Phase.STARTUP, "rollout server did not become healthy within 90s\nLogs: logs.txt", "VALIDATION"),
    ("server_start_failure", Phase.STARTUP, "another process is already listening on http://127.0.0.1:8000 and its /health reports instance_id=None", "VALIDATION"),
    ("run_control", Phase.DISPATCH, f"another `osmosis eval run` already holds {LOCK}. Wait for it to finish, or use a different --name.", "VALIDATION"),
    ("run_control", Phase.DISPATCH, "run 'dev-run' was created with different resolved inputs, so resuming it would mix versions. Changed: rollout.", "VALIDATION"),
    ("run_control", Phase.DISPATCH, "/home/user/ws/.osmosis/evals/dev-run/events.jsonl:2: invalid JSON (Unterminated string starting at)", "VALIDATION"),
    ("agent_auth", Phase.STARTUP, "model preflight failed for 'openai/policy': AuthenticationError: litellm.AuthenticationError: OpenAIException - no", "VALIDATION"),
    ("model_not_found", Phase.STARTUP, "model preflight failed for 'openai/policy': NotFoundError: litellm.NotFoundError: NotFoundError: OpenAIException - error", "VALIDATION"),
    ("version_mismatch", Phase.PUBLISH, "This version of the Osmosis CLI is no longer supported. Run: osmosis upgrade", "UPGRADE_REQUIRED"),
]  # fmt: skip
TOLD_BY_THE_CODE = {"UPGRADE_REQUIRED"}
"""Their sentence alone is not known."""


@pytest.mark.positive(
    "config_invalid",
    "secret_missing",
    "dataset_invalid",
    "label_missing",
    "dependency_failure",
    "import_failure",
    "server_start_failure",
    "run_control",
    "version_mismatch",
)
@pytest.mark.parametrize(("cause", "phase", "message", "code"), SAID, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("shape", ["json", "plain"])
def test_a_sentence_of_the_command_line_is_proof(
    tmp_path: Path, cause: str, phase: Phase, message: str, code: str, shape: str
) -> None:
    error = envelope(message, code) if shape == "json" or code in TOLD_BY_THE_CODE else f"Error: {message}\n"
    finding = of_run(DONE, tmp_path, error)
    assert finding is not None
    assert (finding.cause, finding.phase) == (cause, phase)
    assert (finding.evidence[0].path, finding.evidence[0].line) == ("error", 1)
    assert " ".join(finding.evidence[0].quote.split())[:30] in " ".join(message.split())


PUBLISHED = [
    ("not_logged_in", "Not logged in. Run 'osmosis auth login' first.", "AUTH_REQUIRED", {}),
    ("not_logged_in", "The OSMOSIS_TOKEN environment variable is invalid or expired.", "AUTH_REQUIRED", {"status_code": 401}),
    ("not_logged_in", "OSMOSIS_TOKEN must be bound to this non-production platform.", "ENV_TOKEN_PLATFORM_REQUIRED", {}),
    ("git_out_of_sync", "Set `origin` to the Platform-connected repository, or clone the repository from Platform.", "VALIDATION", {}),
    ("git_out_of_sync", "Clone the repository created by Platform.", "PLATFORM_ERROR", {"status_code": 403, "platform_code": "GIT_REPOSITORY_NOT_CONNECTED"}),
    ("upload_refused", "local evaluation is incomplete: index.jsonl has 2 terminal results but progress.json expects 4", "VALIDATION", {}),
    ("upload_refused", "rollout_trials/99b4/artifacts/latest.json must not be a symlink", "VALIDATION", {}),
    ("upload_refused", "the platform refuses POST /api/cli/eval-runs/imports", "PLATFORM_ERROR", {"status_code": 403}),
    ("platform_unreachable", "Could not connect to platform: [Errno 111] Connection refused", "PLATFORM_ERROR", {}),
    ("platform_unreachable", "Local evaluation results are complete at x, but the upload failed: Could not connect to platform: refused", "PLATFORM_ERROR", {}),
    ("platform_unreachable", "The service is in maintenance.", "PLATFORM_ERROR", {"status_code": 503}),
]  # fmt: skip


@pytest.mark.positive("not_logged_in", "git_out_of_sync", "upload_refused", "platform_unreachable")
@pytest.mark.lookalike("upload_refused", "platform_unreachable", "not_logged_in", "git_out_of_sync")
@pytest.mark.parametrize(("cause", "message", "code", "details"), PUBLISHED, ids=lambda value: str(value)[:40])
def test_what_the_platform_answers_to_an_upload(
    tmp_path: Path, cause: str, message: str, code: str, details: dict[str, object]
) -> None:
    finding = of_run(DONE, tmp_path, envelope(message, code, "eval upload", **details))
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence[0].path) == (cause, Phase.PUBLISH, "error")


@pytest.mark.positive("scheduling")
def test_a_plan_that_does_not_allow_it(tmp_path: Path) -> None:
    finding = of_run(DONE, tmp_path, envelope("Your plan has no eval runs left.", "BILLING_REQUIRED", "eval submit"))
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence[0].path) == ("scheduling", Phase.HOSTED, "error")


@pytest.mark.lookalike("scheduling", "secret_missing", "config_invalid", "dataset_invalid", "run_control", "import_failure")
@pytest.mark.parametrize(
    "text",
    [
        "my run failed, I think a secret is missing",
        "INFO [schedule] running 4 work items, up to 4 in flight",
        "we saw `Missing [secrets] section in x` yesterday",
        "the model said: SyntaxError: expected ':'",
    ],
)
def test_free_text_proves_nothing(tmp_path: Path, text: str) -> None:
    assert of_run(DONE, tmp_path, text) is None


def test_an_unknown_sentence_is_undetermined_and_not_nothing(tmp_path: Path) -> None:
    finding = of_run(DONE, tmp_path, envelope("Something nobody has seen before."))
    assert finding is not None
    assert (finding.cause, finding.phase) == ("undetermined", Phase.LAYOUT)
    assert finding.evidence[0].quote == "Something nobody has seen before."


@pytest.mark.lookalike("interrupted")
def test_what_was_refused_comes_before_why_the_run_is_incomplete(tmp_path: Path) -> None:
    cancelled = Tree(TWO_OF_FOUR, rows=4, after=("WARNING [cancel] supervisor cancellation requested",))
    sentence = "local evaluation is incomplete: index.jsonl has 2 terminal results but progress.json expects 4"
    finding = of_run(cancelled, tmp_path, envelope(sentence, command="eval upload"))
    assert finding is not None
    assert finding.cause == "upload_refused"


# ---- what the run's own files tell


@pytest.mark.positive("interrupted")
def test_a_supervisor_that_was_asked_to_stop(tmp_path: Path) -> None:
    finding = of_run(Tree(TWO_OF_FOUR, rows=4, after=("WARNING [cancel] supervisor cancellation requested",)), tmp_path)
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence_level) == ("interrupted", Phase.DISPATCH, Level.LOG)
    assert finding.evidence[0].quote == "WARNING [cancel] supervisor cancellation requested"


@pytest.mark.positive("interrupted")
@pytest.mark.lookalike("server_died")
def test_a_killed_supervisor_leaves_the_record_of_its_server(tmp_path: Path) -> None:
    root = Tree(TWO_OF_FOUR, rows=4, status="running").write(tmp_path / "dev-run")
    (root / "server.json").write_text(json.dumps({"pid": 1, "pgid": 1, "start_token": "1", "port": 40000}))
    (tmp_path / ".locks").mkdir()
    (tmp_path / ".locks/dev-run.lock").touch()
    finding = run_finding(open_run(root))
    assert finding is not None
    assert (finding.cause, finding.evidence_level, finding.evidence[0].path) == ("interrupted", Level.RECORD, "server.json")


@pytest.mark.lookalike("interrupted")
@pytest.mark.parametrize("after", [(), ("WARNING [cancel] supervisor cancellation requested",)])
def test_a_run_whose_lock_is_held_is_at_work(tmp_path: Path, after: tuple[str, ...]) -> None:
    """Also while it winds down after Ctrl-C."""
    root = Tree(TWO_OF_FOUR, rows=4, status="running", after=after).write(tmp_path / "dev-run")
    (tmp_path / ".locks").mkdir()
    holder = os.open(tmp_path / ".locks/dev-run.lock", os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX)
        run = open_run(root)
        assert (run.live, run_finding(run)) == (True, None)
        assert judge(trial(run, 3), run).outcome is Outcome.PENDING
    finally:
        os.close(holder)
    assert open_run(root).live is False


@pytest.mark.lookalike("interrupted", "dependency_failure", "import_failure", "server_start_failure")
def test_a_run_that_stopped_at_its_preflight_says_so_and_asks_for_stderr(tmp_path: Path) -> None:
    finding = of_run(
        Tree([], rows=4, status="running", before=(*until("run"), "INFO [preflight] checking model openai/policy")), tmp_path
    )
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence_level) == ("undetermined", Phase.STARTUP, Level.INFERENCE)
    assert "stderr" in finding.likely_cause


@pytest.mark.positive("config_invalid")
def test_a_log_that_stops_between_the_model_check_and_the_sync(tmp_path: Path) -> None:
    finding = of_run(Tree([], rows=4, status="running", before=until("preflight")), tmp_path)
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence_level) == ("config_invalid", Phase.LAYOUT, Level.INFERENCE)


def test_the_providers_words_on_stderr_explain_no_stop(tmp_path: Path) -> None:
    tree = Tree(TWO_OF_FOUR, rows=4, after=("WARNING [cancel] supervisor cancellation requested",))
    finding = of_run(tree, tmp_path, "LLM bridge error: litellm.InternalServerError: Connection error.\n")
    assert finding is not None
    assert finding.cause == "interrupted"


@pytest.mark.positive("secret_missing")
@pytest.mark.lookalike("run_control")
def test_what_the_call_says_comes_before_an_old_damage(tmp_path: Path) -> None:
    root = DONE.write(tmp_path / "dev-run")
    (root / "events.jsonl").write_text("{broken\n")
    finding = run_finding(open_run(root, envelope("No value found for: JUDGE_API_KEY.", "INTERACTIVE_REQUIRED")))
    assert finding is not None
    assert finding.cause == "secret_missing"


@pytest.mark.positive("interrupted", "server_died")
@pytest.mark.parametrize(
    ("cause", "line"),
    [
        ("interrupted", "WARNING [cancel] supervisor cancellation requested"),
        (
            "server_died",
            'ERROR [dispatch] halting dispatch {"reason":"the rollout server exited with code 137","returncode":137}',
        ),
    ],
)
def test_a_row_left_behind_is_pending_for_the_reason_of_its_run(cause: str, line: str, tmp_path: Path) -> None:
    run = opened(Tree(TWO_OF_FOUR, rows=4, after=(line,)), tmp_path)
    left, done = judge(trial(run, 3), run), judge(trial(run, 1), run)
    assert left.finding is not None
    assert (left.outcome, left.finding.cause, left.finding.evidence[0].quote) == (Outcome.PENDING, cause, line)
    assert (done.outcome, done.finding) == (Outcome.GRADED_PASS, None)


@pytest.mark.positive("server_died")
@pytest.mark.lookalike("interrupted")
@pytest.mark.parametrize(
    "reason", ["the rollout server exited with code 137; see logs.txt", "the cloudflared tunnel exited with code 1; sandboxes"]
)
def test_a_server_that_vanishes_halts_the_run(tmp_path: Path, reason: str) -> None:
    halt = f'ERROR [dispatch] halting dispatch {{"reason":"{reason}","returncode":137}}'
    run = opened(Tree([*TWO_OF_FOUR, Rollout(2, finishes=False)], rows=4, after=(halt,)), tmp_path)
    finding = run_finding(run)
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence[0].quote) == ("server_died", Phase.DISPATCH, halt)
    assert "2 work items are pending" in finding.likely_cause
    assert [t.recorded.value for t in run.read_trials()] == ["finished", "finished", "pending", "pending"]


def test_a_halt_of_no_known_kind_is_undetermined(tmp_path: Path) -> None:
    halt = 'ERROR [dispatch] halting dispatch {"reason":"a worker failed: RuntimeError: boom"}'
    finding = of_run(Tree(TWO_OF_FOUR, rows=4, after=(halt,)), tmp_path)
    assert finding is not None
    assert (finding.cause, finding.phase) == ("undetermined", Phase.DISPATCH)


@pytest.mark.lookalike("server_died", "interrupted")
def test_only_the_last_call_of_a_resumed_run_counts(tmp_path: Path) -> None:
    """The first call was cancelled after row 1; the second finished the rest."""
    first = Tree(TWO_OF_FOUR, rows=4, after=("WARNING [cancel] supervisor cancellation requested",)).write(tmp_path / "first")
    whole = Tree([Rollout(row) for row in range(4)]).write(tmp_path / "dev-run")
    (whole / "logs.txt").write_text((first / "logs.txt").read_text() + (whole / "logs.txt").read_text())
    report = locate_failed_phase(open_run(whole))
    assert (report.phase, report.cause, report.counts.passed) == (Phase.NONE, None, 4)


@pytest.mark.positive("run_control")
def test_a_damaged_line_of_the_journal_stops_every_later_call(tmp_path: Path) -> None:
    root = Tree([Rollout(row) for row in range(3)]).write(tmp_path / "dev-run")
    lines = (root / "events.jsonl").read_text().splitlines(keepends=True)
    (root / "events.jsonl").write_text(lines[0] + lines[1][:40] + "\n" + lines[2])
    run = open_run(root)
    finding = run_finding(run)
    assert finding is not None
    assert (finding.cause, finding.evidence[0].path, finding.evidence[0].line) == ("run_control", "events.jsonl", 2)
    assert [(t.row, t.recorded.value) for t in run.read_trials()] == [(0, "finished"), (1, "pending"), (2, "finished")]


@pytest.mark.lookalike("run_control")
def test_a_write_cut_short_by_a_kill_is_an_interruption(tmp_path: Path) -> None:
    root = Tree([Rollout(row) for row in range(3)], rows=4, status="running").write(tmp_path / "dev-run")
    text = (root / "events.jsonl").read_text()
    (root / "events.jsonl").write_text(text[:-1])
    run = open_run(root)
    finding = run_finding(run)
    assert finding is not None
    assert finding.cause == "interrupted"
    assert [t.recorded.value for t in run.read_trials()] == ["finished", "finished", "pending", "pending"]


BOOT = frame("/usr/lib/python3.12/site-packages/osmosis_ai/eval/local/_server_bootstrap.py", 82, "<module>", "main()")
STARTED = 'INFO [server] starting rollout server (main.py) {"attempt":1,"port":40000}'


def crash(*frames: str, error: str) -> tuple[str, ...]:
    """A server that printed this traceback and was gone."""
    text = f"Traceback (most recent call last):\n{BOOT}{''.join(frames)}{error}"
    return (*until("deps"), STARTED, *(f"INFO [rollout-server] {line}" for line in text.split("\n")))


@pytest.mark.positive("import_failure", "dependency_failure", "server_start_failure")
@pytest.mark.lookalike("import_failure", "dependency_failure", "server_start_failure")
@pytest.mark.parametrize(
    ("cause", "lines"),
    [
        ("import_failure", crash(user(12, "<module>", "from osmosis_ai import Nope"), error="ImportError: cannot import name 'Nope'")),
        ("import_failure", crash('  File "/home/user/ws/rollouts/arith/main.py", line 91\n    def main() -> None\n', error="SyntaxError: expected ':'")),
        ("import_failure", crash(user(9, "<module>", "LIMIT = int(TABLE)"), error="ValueError: invalid literal for int()")),
        ("dependency_failure", crash(user(12, "<module>", "import numpy"), error="ModuleNotFoundError: No module named 'numpy'")),
        ("server_start_failure", crash(user(99, "<module>", "main()"), user(91, "main", 'os.environ["T"]'), error="KeyError: 'T'")),
        (
            "dependency_failure",
            (*until("preflight"), "INFO [deps] syncing rollout dependencies (arith)", "INFO [deps]   × No solution found when resolving dependencies:"),
        ),
    ],
)  # fmt: skip
def test_the_servers_own_output_tells_where_stderr_is_lost(tmp_path: Path, cause: str, lines: tuple[str, ...]) -> None:
    finding = of_run(Tree([], rows=4, status="running", before=lines), tmp_path)
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence_level) == (cause, Phase.STARTUP, Level.LOG)
    assert finding.evidence[0].path == "logs.txt"


# ---- what a look at the workspace tells

BROKEN = [
    ("config_invalid", Phase.LAYOUT, {"configs/eval/arith.toml": CONFIG.replace("[secrets]", "[secret]")}, "configs/eval/arith.toml"),
    ("config_invalid", Phase.LAYOUT, {"configs/eval/arith.toml": CONFIG + "[oops\n"}, "configs/eval/arith.toml"),
    ("config_invalid", Phase.LAYOUT, {"configs/eval/arith.toml": CONFIG.replace("agent_workflow_timeout_s", "timeout_s")}, "configs/eval/arith.toml"),
    ("config_invalid", Phase.LAYOUT, {"configs/eval/arith.toml": CONFIG.replace("main.py", "server.py")}, "configs/eval/arith.toml"),
    ("dependency_failure", Phase.STARTUP, {"rollouts/arith/pyproject.toml": "[project\n"}, "rollouts/arith/pyproject.toml"),
    ("import_failure", Phase.STARTUP, {"rollouts/arith/main.py": "def main() -> None\n    pass\n"}, "rollouts/arith/main.py"),
    ("dataset_invalid", Phase.DATA, {"data/dev.jsonl": '{"user_prompt": "a", "ground_truth": "b"}\n{"user_prompt": \n'}, "data/dev.jsonl"),
    ("dataset_invalid", Phase.DATA, {"data/dev.jsonl": '{"question": "a", "ground_truth": "b"}\n'}, "data/dev.jsonl"),
    ("dataset_invalid", Phase.DATA, {"data/dev.jsonl": '{"user_prompt": "a", "metadata": "{bad"}\n'}, "data/dev.jsonl"),
    ("label_missing", Phase.DATA, {"data/dev.jsonl": '{"user_prompt": "a", "ground_truth": ""}\n'}, "data/dev.jsonl"),
]  # fmt: skip


@pytest.mark.positive("config_invalid", "dependency_failure", "import_failure", "dataset_invalid", "label_missing")
@pytest.mark.parametrize(("cause", "phase", "files", "where"), BROKEN, ids=lambda value: str(value)[:60])
def test_a_workspace_that_would_be_refused(tmp_path: Path, cause: str, phase: Phase, files: dict[str, str], where: str) -> None:
    finding = run_finding(open_run(workspace(tmp_path / "ws", files)))
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence[0].path) == (cause, phase, where)


@pytest.mark.positive("config_invalid")
def test_a_scaffold_folder_that_is_missing(tmp_path: Path) -> None:
    finding = run_finding(open_run(workspace(tmp_path / "ws", without=("configs/training",))))
    assert finding is not None
    assert (finding.cause, finding.evidence[0].path) == ("config_invalid", "configs/training")


SOUND = [
    {},
    {"data/meta.jsonl": '{"metadata": {"n": 1}}\n'},
    {"data/alias.jsonl": '{"user_prompt": "a", "label": "b"}\n\n{"user_prompt": "c", "label": 1}\n'},
    {"data/table.csv": "user_prompt,ground_truth\na,b\n"},
    {"data/notes.txt": "not a dataset {"},
    {"rollouts/other/main.py": "def broken(\n"},
]


@pytest.mark.lookalike("config_invalid", "dataset_invalid", "label_missing", "import_failure", "dependency_failure")
@pytest.mark.parametrize("files", SOUND, ids=lambda value: next(iter(value), "as it is"))
def test_a_sound_workspace_has_no_fault(tmp_path: Path, files: dict[str, str]) -> None:
    report = locate_failed_phase(open_run(workspace(tmp_path / "ws", files)))
    assert (report.phase, report.cause) == (Phase.NONE, None)


def test_the_code_of_a_workspace_is_never_executed(tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    code = f"open({str(mark)!r}, 'w').write('x')\n"
    assert run_finding(open_run(workspace(tmp_path / "ws", {"rollouts/arith/main.py": code}))) is None
    assert not mark.exists()


def test_the_dataset_that_the_newest_run_has_read_is_not_held_against_it(tmp_path: Path) -> None:
    """Only the selected rows had to be sound; the digest shows that it is the same file."""
    rows = '{"user_prompt": "a", "ground_truth": "84"}\n{"user_prompt": "b"}\n'
    root = workspace(tmp_path / "ws", {"data/dev.jsonl": rows})
    run = Tree([Rollout(0)]).write(root / ".osmosis/evals/dev-run")
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["inputs"]["dataset"]["sha256"] = hashlib.sha256(rows.encode()).hexdigest()
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert run_finding(open_run(root)) is None


@pytest.mark.positive("dependency_failure")
def test_a_later_call_that_never_got_to_its_rows(tmp_path: Path) -> None:
    """Row 0 was recorded by the first call; the second ended in `uv sync`."""
    failed = (
        *until("preflight"),
        "INFO [deps] syncing rollout dependencies (arith)",
        "INFO [deps] error: Failed to parse: pyproject.toml",
    )
    second = Tree([], rows=2, status="running", before=failed).write(tmp_path / "second")
    root = Tree([Rollout(0)], rows=2, status="running").write(tmp_path / "dev-run")
    (root / "logs.txt").write_text((root / "logs.txt").read_text() + (second / "logs.txt").read_text())
    finding = run_finding(open_run(root))
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence[0].quote) == (
        "dependency_failure",
        Phase.STARTUP,
        "INFO [deps] error: Failed to parse: pyproject.toml",
    )


@pytest.mark.positive("config_invalid")
def test_a_sentence_that_the_terminal_wrapped(tmp_path: Path) -> None:
    text = "\x1b[31mError: rollout entrypoint /home/user/ws/rollouts/arith/server.py does not\nexist; check experiment.rollout and\nexperiment.entrypoint\x1b[0m\n"
    finding = of_run(DONE, tmp_path, text)
    assert finding is not None
    assert finding.cause == "config_invalid"


NO_RESULT = (
    'ERROR [dispatch] halting dispatch {"reason":"RolloutProtocolError: GET /rollout/00000003/result returned 500","row_index":2}'
)


@pytest.mark.positive("server_died")
@pytest.mark.parametrize(("printed", "cause"), [("SystemExit: 3", "server_died"), ("ValueError: SystemExit: 3", "undetermined")])
def test_a_server_on_its_way_out_answers_for_no_row(tmp_path: Path, printed: str, cause: str) -> None:
    tree = Tree([*TWO_OF_FOUR, Rollout(2, finishes=False, told=(printed,))], rows=4, after=(NO_RESULT,))
    finding = of_run(tree, tmp_path)
    assert finding is not None
    assert (finding.cause, finding.evidence[0].quote) == (cause, NO_RESULT)


@pytest.mark.lookalike("server_died")
def test_a_server_that_leaves_because_the_run_was_cancelled(tmp_path: Path) -> None:
    cancelled = "WARNING [cancel] supervisor cancellation requested"
    left = Rollout(2, finishes=False, told=("KeyboardInterrupt",))
    finding = of_run(Tree([*TWO_OF_FOUR, left], rows=4, after=(cancelled, NO_RESULT)), tmp_path)
    assert finding is None or finding.cause != "server_died"


# ---- the provider's words on stderr, where the log has a status only

BODY = 'LLM bridge error: {{"error": {{"message": "{}", "type": "x", "code": "{}"}}}}\n'


@pytest.mark.positive("quota_exhausted", "context_length")
@pytest.mark.parametrize(
    ("status", "stderr", "cause"),
    [
        (403, BODY.format("Key limit exceeded (total limit).", 403), "quota_exhausted"),
        (400, BODY.format("This model's maximum context length is 4096 tokens.", "context_length_exceeded"), "context_length"),
        (403, BODY.format("Key limit exceeded.", 403) + BODY.format("Your key is not allowed here.", 403), "agent_auth"),
        (403, BODY.format("Rate limit reached.", 429), "agent_auth"),
        (403, "", "agent_auth"),
    ],
    ids=["money", "window", "two kinds of 403", "words of another status", "nothing"],
)
def test_the_words_of_the_same_status_tell_more_than_the_status(tmp_path: Path, status: int, stderr: str, cause: str) -> None:
    root = Tree([Rollout(0, error="agent_error", calls=(status,), trajectory=False), Rollout(1)]).write(tmp_path / "dev-run")
    run = open_run(root, stderr or None)
    finding = judge(trial(run, 0), run).finding
    assert finding is not None
    assert (finding.cause, finding.evidence[0].path) == (
        cause,
        "error" if cause in ("quota_exhausted", "context_length") else "logs.txt",
    )
