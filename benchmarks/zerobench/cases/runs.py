"""What stops a whole Osmosis run or call: by the words of the command line, by the log, by the workspace."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.zerobench.cases.case import Case, in_osmosis
from benchmarks.zerobench.osmosis import VENV, Eval, Row, healthy_start
from benchmarks.zerobench.osmosis_tracebacks import HEAD, frame, user
from benchmarks.zerobench.places import Place, write_text

DONE = Eval([Row(0), Row(1)])
EMPTY = Eval([], planned=4, status="running", start=healthy_start(4, upto="run"))


def envelope(message: str, code: str = "VALIDATION", command: str = "eval run", **details: Any) -> str:
    """stderr under --json."""
    return (
        json.dumps(
            {
                "schema_version": 1,
                "command": command,
                "cli_version": "0.3.8",
                "error": {"code": code, "message": message, "details": details},
            }
        )
        + "\n"
    )


SAID = {
    "config_invalid": (
        envelope("Missing [secrets] section in /home/user/ws/configs/eval/sums.toml"),
        "Error: Invalid eval config:\n  - evaluation.timeout_s: Unrecognized key\n",
        envelope("This workspace directory is missing required Osmosis scaffold paths.\n  - configs/training/\n\nRun `osmosis doctor --fix` in this Git repository to restore the scaffold."),
        "Error: rollout entrypoint /home/user/ws/rollouts/sums/server.py does not exist; check experiment.rollout and experiment.entrypoint\n",
    ),
    "secret_missing": (
        envelope("No value found for: JUDGE_API_KEY. Export them or pass --secrets-file.", "INTERACTIVE_REQUIRED", missing=["JUDGE_API_KEY"]),
        "Error: No value found for: OPENAI_API_KEY, SEARCH_TOKEN. Export them or pass --secrets-file.\n",
        envelope("No value found for: HF_TOKEN. Export them or pass --secrets-file.", "INTERACTIVE_REQUIRED", missing=["HF_TOKEN"], flags=["--secrets-file"]),
        "Checking secrets\nError: No value found for: DB_URL. Export them or pass --secrets-file.\n",
    ),
    "label_missing": (
        envelope("row 2: ground_truth (or label) is required for a dataset with no 'metadata' column"),
        "Error: row 0: ground_truth (or label) is required for a dataset with no 'metadata' column\n",
    ),
    "dataset_invalid": (
        envelope("data/dev.jsonl:3: invalid JSON (Expecting ',' delimiter)"),
        "Error: --rows selects [9] but dev.jsonl has 4 rows (valid indices are 0-3)\n",
        envelope("row 0: user_prompt is required for a dataset with no 'metadata' column"),
        envelope("Validation failed:\n  - Line 3: invalid JSON - Expecting ',' delimiter: line 1 column 58 (char 57)", command="dataset validate"),
    ),
    "dependency_failure": (
        envelope("uv sync failed for rollouts/sums with exit code 1: your project's requirements are unsatisfiable.\nLogs: .osmosis/evals/dev-run/logs.txt"),
        "Error: rollout server exited with code 1 before becoming healthy: ModuleNotFoundError: No module named 'numpy'\n",
    ),
    "import_failure": (
        envelope("rollout server exited with code 1 before becoming healthy: ImportError: cannot import name 'RolloutRunner' from 'osmosis_ai.rollout' (/home/user/x/__init__.py)\nLogs: .osmosis/evals/dev-run/logs.txt"),
        "Error: rollout server exited with code 1 before becoming healthy: SyntaxError: expected ':'\n",
    ),
    "server_start_failure": (
        envelope("rollout server exited with code 1 before becoming healthy: KeyError: 'SUMS_TABLE'\nLogs: .osmosis/evals/dev-run/logs.txt"),
        "Error: rollout server did not become healthy within 90s\nLogs: .osmosis/evals/dev-run/logs.txt\n",
        envelope("another process is already listening on http://127.0.0.1:8000 and its /health reports instance_id=None"),
    ),
    "run_control": (
        envelope("another `osmosis eval run` already holds /home/user/ws/.osmosis/evals/.locks/dev-run.lock. Wait for it to finish, or use a different --name."),
        "Error: run 'dev-run' was created with different resolved inputs, so resuming it would mix versions inside one set of metrics. Changed: rollout, env.\n",
        envelope("/home/user/ws/.osmosis/evals/dev-run/events.jsonl:2: invalid JSON (Unterminated string starting at)"),
    ),
    "version_mismatch": (
        envelope("This version of the Osmosis CLI is no longer supported. Run: osmosis upgrade", "UPGRADE_REQUIRED"),
        envelope("Your CLI 0.2.31 is too old for this platform.", "UPGRADE_REQUIRED", "eval submit"),
    ),
    "agent_auth": (
        envelope("model preflight failed for 'openai/policy': AuthenticationError: litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided."),
        "Error: model preflight failed for 'anthropic/claude': AuthenticationError: litellm.AuthenticationError: AnthropicException - invalid x-api-key\n",
    ),
    "model_not_found": (envelope("model preflight failed for 'openai/policy-9': NotFoundError: litellm.NotFoundError: NotFoundError: OpenAIException - The model `policy-9` does not exist"),),
    "quota_exhausted": (envelope("model preflight failed for 'litellm_proxy/policy': BudgetExceededError: Budget has been exceeded! Current cost: 12.1, Max budget: 10.0"),),
    "not_logged_in": (
        envelope("Not logged in. Run 'osmosis auth login' first.", "AUTH_REQUIRED", "eval upload"),
        "Error: Not logged in. Run 'osmosis auth login' first.\n",
        envelope("The OSMOSIS_TOKEN environment variable is invalid or expired.", "AUTH_REQUIRED", "eval upload", status_code=401),
        envelope("OSMOSIS_TOKEN must be bound to this non-production platform.", "ENV_TOKEN_PLATFORM_REQUIRED", "eval submit"),
    ),
    "git_out_of_sync": (
        envelope("Set `origin` to the Platform-connected repository, or clone the repository from Platform.", command="eval upload"),
        "Error: Set `origin` to the Platform-connected repository, or clone the repository from Platform.\n",
        envelope("Clone the repository created by Platform.", "PLATFORM_ERROR", "eval upload", status_code=403, platform_code="GIT_REPOSITORY_NOT_CONNECTED"),
        envelope("This repository is not linked to a workspace.", "PLATFORM_ERROR", "eval submit", status_code=404, platform_code="GIT_REPOSITORY_NOT_CONNECTED"),
    ),
    "upload_refused": (
        envelope("local evaluation is incomplete: index.jsonl has 2 terminal results but progress.json expects 4", command="eval upload"),
        envelope("rollout_trials/99b4/artifacts/latest.json must not be a symlink", command="eval upload"),
        envelope("the platform refuses POST /api/cli/eval-runs/imports", "PLATFORM_ERROR", "eval upload", status_code=403),
        "Error: local evaluation is incomplete: index.jsonl has 7 terminal results but progress.json expects 12\n",
    ),
    "platform_unreachable": (
        envelope("Could not connect to platform: [Errno 111] Connection refused", "PLATFORM_ERROR", "eval upload"),
        "Error: Could not connect to platform: [Errno -2] Name or service not known\n",
        envelope("The service is in maintenance.", "PLATFORM_ERROR", "eval upload", status_code=503),
        envelope("Local evaluation results are complete at /ws/x, but the upload failed: Could not connect to platform: timed out", "PLATFORM_ERROR"),
    ),
    "scheduling": (
        envelope("Your plan has no eval runs left.", "BILLING_REQUIRED", "eval submit"),
        envelope("An active subscription is required to submit evaluations.", "SUBSCRIPTION_REQUIRED", "eval submit"),
        envelope("Add a payment method to start hosted runs.", "BILLING_REQUIRED", "train submit"),
        envelope("Training needs a Team plan.", "SUBSCRIPTION_REQUIRED", "train submit"),
    ),
}  # fmt: skip


def cases() -> Iterator[Case]:
    for cause, words in SAID.items():
        for number, said in enumerate(words):
            run = DONE if "upload" in said or number % 2 else EMPTY
            yield in_osmosis(f"said-{cause}-{number}", cause, run, None, error=said)
    yield from _logs()
    yield from _dispatch()
    yield from _workspaces()


STARTED = [*healthy_start(4, upto="deps"), ("INFO", "server", 'starting rollout server (main.py) {"attempt":1,"port":46607}')]
BOOT = frame(f"{VENV}osmosis_ai/eval/local/_server_bootstrap.py", 82, "<module>", "main()")


def _crash(frames: str, error: str) -> list[tuple[str, str, str]]:
    """The server's last words: stderr is lost, the log just ends."""
    return STARTED + [("INFO", "rollout-server", line) for line in f"{HEAD}{BOOT}{frames}{error}".split("\n")]


def _deps(*lines: str) -> list[tuple[str, str, str]]:
    start = healthy_start(4, upto="preflight")
    return [*start, ("INFO", "deps", "syncing rollout dependencies (sums)"), *(("INFO", "deps", line) for line in lines)]


def _logs() -> Iterator[Case]:
    """Only the run's own log is at hand."""
    logs: tuple[tuple[str, Sequence[tuple[str, str, str]]], ...] = (
        (
            "dependency_failure",
            _deps(
                "  × No solution found when resolving dependencies:",
                "  ╰─▶ Because there is no version of osmosis-ai[server]==0.9",
            ),
        ),
        ("dependency_failure", _deps("error: Failed to parse: `pyproject.toml`")),
        ("dependency_failure", _crash(user(3, "<module>", "import numpy as np"), "ModuleNotFoundError: No module named 'numpy'")),
        (
            "import_failure",
            _crash(
                user(12, "<module>", "from osmosis_ai.rollout import Runner"),
                "ImportError: cannot import name 'Runner' from 'osmosis_ai.rollout'",
            ),
        ),
        (
            "import_failure",
            _crash(
                '  File "/home/user/ws/rollouts/sums/main.py", line 91\n    def main() -> None\n                      ^\n',
                "SyntaxError: expected ':'",
            ),
        ),
        (
            "server_start_failure",
            _crash(
                user(99, "<module>", "main()") + user(91, "main", 'table = os.environ["SUMS_TABLE"]'), "KeyError: 'SUMS_TABLE'"
            ),
        ),
    )
    for number, (cause, start) in enumerate(logs):
        yield in_osmosis(f"log-{cause}-{number}", cause, Eval([], planned=4, status="running", start=start), None)


def _dispatch() -> Iterator[Case]:
    two = [Row(0), Row(1)]
    asked = ("WARNING", "cancel", "supervisor cancellation requested")
    yield in_osmosis("interrupted", "interrupted", Eval(two, planned=4, after=[asked]), None)
    yield in_osmosis(
        "interrupted-pending-row",
        "interrupted",
        Eval(two, planned=4, after=[asked, ("WARNING", "cancel", "rollout cancelled")]),
        "3.0",
    )
    killed = Eval(two, planned=4, status="running", server_json=True)
    yield in_osmosis("killed", "interrupted", killed, None)
    for number, (code, why) in enumerate(
        (
            (137, "the rollout server exited with code 137; see logs.txt"),
            (1, "the rollout server exited with code 1; see logs.txt"),
            (-11, "the rollout server exited with code -11; see logs.txt"),
        )
    ):
        halt = ("ERROR", "dispatch", f"halting dispatch {json.dumps({'reason': why, 'returncode': code}, separators=(',', ':'))}")
        run = Eval([*two, Row(2, recorded=False, trajectory=False)], planned=5, after=[halt])
        yield in_osmosis(f"server-died-{number}", "server_died", run, None)
        if number == 0:
            yield in_osmosis("server-died-pending-row", "server_died", replace(run, name="night"), "4.0")
    broken = Eval(
        [Row(n) for n in range(3)],
        journal='{lines}{"row_index":1,"sta\n{"row_index":2,"run_index":0,"status":"success","reward":1.0,"rollout_id":"x"}\n',
    )
    yield in_osmosis("journal-damaged", "run_control", broken, None)
    warning = (
        "WARNING",
        "server",
        'ROLLOUT_SDK_VERSION_MISMATCH: the rollout environment has another SDK {"cli_sdk_version":"0.3.8","server_sdk_version":"0.3.0"}',
    )
    refused = [Row(n, error="rollout_protocol_error", statuses=(), folder=False, seconds=0.02) for n in range(3)]
    old = Eval(refused, start=[*healthy_start(3), warning], sdk="0.3.0")
    yield in_osmosis("version-row", "version_mismatch", old, "1.0")
    yield in_osmosis("version-row-first", "version_mismatch", replace(old, name="night"), "0.0")


CONFIG = """\
[experiment]
rollout = "sums"
entrypoint = "main.py"
model_path = "openai/policy"
dataset = "sums-dev"

[evaluation]
agent_workflow_timeout_s = 20

[secrets]
required = ["OPENAI_API_KEY"]
"""
SOUND = {
    "configs/eval/sums.toml": CONFIG,
    "configs/training/.gitkeep": "",
    "data/dev.jsonl": '{"user_prompt": "What is 12 * 7?", "ground_truth": "84"}\n{"user_prompt": "What is 19 + 23?", "ground_truth": "42"}\n',
    "rollouts/sums/main.py": "def main() -> None:\n    print('serves')\n\n\nmain()\n",
    "rollouts/sums/pyproject.toml": '[project]\nname = "sums"\nversion = "0"\ndependencies = ["osmosis-ai[server]"]\n',
}
BROKEN = (
    ("config_invalid", {"configs/eval/sums.toml": CONFIG.replace("[secrets]", "[secret]")}),
    ("config_invalid", {"configs/eval/sums.toml": CONFIG.replace("main.py", "serve.py")}),
    ("dependency_failure", {"rollouts/sums/pyproject.toml": "[project\nname = 'sums'\n"}),
    ("import_failure", {"rollouts/sums/main.py": "def main() -> None\n    pass\n"}),
    ("dataset_invalid", {"data/dev.jsonl": '{"user_prompt": "a", "ground_truth": "b"}\n{"user_prompt": \n'}),
    ("label_missing", {"data/dev.jsonl": '{"user_prompt": "a", "ground_truth": ""}\n'}),
)


def workspace(name: str, truth: str, files: dict[str, str], kind: str = "fault") -> Case:
    """A workspace that was never run."""

    def write(root: Path) -> Place:
        for path, text in {**SOUND, **files}.items():
            write_text(root / "ws" / path, text)
        return Place(root / "ws")

    return Case(f"osmosis-workspace-{name}", truth, kind, "osmosis", "rollout", write)


def _workspaces() -> Iterator[Case]:
    for number, (truth, files) in enumerate(BROKEN):
        yield workspace(f"{truth}-{number}", truth, files)
