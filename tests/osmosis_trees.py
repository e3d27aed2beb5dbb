"""Osmosis run folders and workspaces as `osmosis eval run` 0.3.8 writes them, with only what a test is about spelled out.

The shapes of the lines are those of real runs; tests/data/osmosis holds some of these as they are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from whyzero.causes.engine import judge, run_finding
from whyzero.findings import Finding, Verdict
from whyzero.model import Run, Trial
from whyzero.readers import open_run

START = datetime(2026, 3, 1, 10, 0, 0, tzinfo=UTC)
SDK = "/home/user/ws/rollouts/arith/.venv/lib/python3.12/site-packages/"
BRIDGE = "http://127.0.0.1:40001/v1/rollouts/{id}/chat/completions"
NEITHER = "neither"
"""A row without label and metadata."""


def rollout_id(row: int, attempt: int = 0, call: int = 0) -> str:
    """The id under which a work item is dispatched in a call."""
    return f"{row + 1:08x}{attempt:08x}{call:08x}{0:08x}"


# ---- tracebacks, as the rollout server logs them


def frame(file: str, line: int, function: str, source: str = "") -> str:
    text = f'  File "{file}", line {line}, in {function}\n'
    return text + (f"    {source}\n    {'^' * len(source)}\n" if source else "")


def user(line: int, function: str, source: str) -> str:
    """A frame in the rollout's own main.py."""
    return frame("/home/user/ws/rollouts/arith/main.py", line, function, source)


def sdk(path: str, line: int, function: str, source: str = "") -> str:
    return frame(f"{SDK}osmosis_ai/rollout/{path}", line, function, source)


RUN_WORKFLOW = sdk("backend/local/backend.py", 182, "run_workflow", "output = coerce_output(await workflow.run(ctx))")
RUN_GRADER = sdk("backend/local/backend.py", 243, "run_grader", "await grader.grade(grader_ctx)")
CHECKED = sdk("backend/local/backend.py", 244, "run_grader", "validate_sample_has_reward(grader_ctx.sample)") + sdk(
    "utils/rewards.py", 23, "validate_sample_has_reward", 'raise ValueError("Sample has no reward after grading")'
)
HEAD = "Traceback (most recent call last):\n"
CAUSED = "\nThe above exception was the direct cause of the following exception:\n\n"


def in_workflow(*frames: str, error: str) -> str:
    return f"{HEAD}{RUN_WORKFLOW}{''.join(frames)}{error}\n"


def in_grader(*frames: str, error: str) -> str:
    return f"{HEAD}{RUN_GRADER}{''.join(frames)}{error}\n"


def deadline(runner: str, *frames: str) -> str:
    """What the SDK's `async with deadline:` leaves: the cancelled await, and the TimeoutError made of it."""
    opened = {"run_workflow": RUN_WORKFLOW, "run_grader": RUN_GRADER}[runner]
    entered = sdk("backend/local/backend.py", 180, runner, "async with deadline:")
    timeouts = frame("/usr/local/lib/python3.12/asyncio/timeouts.py", 115, "__aexit__", "raise TimeoutError from exc_val")
    return f"{HEAD}{opened}{''.join(frames)}asyncio.exceptions.CancelledError\n{CAUSED}{HEAD}{entered}{timeouts}TimeoutError\n"


# ---- runs


@dataclass
class Rollout:
    """One work item; the defaults are a row that passed."""

    row: int
    attempt: int = 0
    status: str = "success"
    reward: float | None = 1.0
    error: str | None = None
    """`error_type`; with one, the status is failed and there is no reward."""
    seconds: float = 0.4
    traceback: str = ""
    calls: tuple[int, ...] = (200,)
    """HTTP status of each model call, as the server's httpx logs it."""
    answer: str = "The answer is 84."
    label: str | None = "84"
    metadata: bool = False
    trajectory: bool | None = None
    """Written or not; None = where the workflow finished, which a traceback of the workflow denies."""
    left: float | None = None
    """A reward in the trajectory of a row that failed."""
    calls_made: tuple[dict[str, Any], ...] = ()
    """Tool calls of the model's only turn before its answer."""
    told: tuple[str, ...] = ()
    """More lines of the rollout server before the end."""
    finishes: bool = True
    """The server says it is done, and there is a record."""
    silent_log: bool = False
    """The rollout replaced the logging: access lines only."""
    call: int = 0
    source_row: int | None = None

    @property
    def id(self) -> str:
        return rollout_id(self.row, self.attempt, self.call)

    @property
    def failed(self) -> bool:
        return self.error is not None

    @property
    def has_trajectory(self) -> bool:
        if self.trajectory is not None:
            return self.trajectory
        return self.status != "failed" if not self.failed else "in run_grader" in self.traceback


@dataclass
class Tree:
    """A run folder in the making."""

    rollouts: list[Rollout] = field(default_factory=list)
    limits: tuple[float | None, float | None] = (20.0, 10.0)
    attempts: int = 1
    rows: int | None = None
    """Selected rows; None = as many as the rollouts name."""
    threshold: float = 1.0
    status: str | None = None
    """Of metrics.json; None = finished, or incomplete where something is pending."""
    before: tuple[str, ...] = ()
    """Log lines before the rows, instead of a healthy start."""
    after: tuple[str, ...] = ()
    """Log lines after the rows."""
    model: str = "openai/policy"

    def write(self, root: Path) -> Path:
        """`root` becomes the run folder."""
        root.mkdir(parents=True, exist_ok=True)
        recorded = [r for r in self.rollouts if r.finishes]
        rows = self.rows if self.rows is not None else len({r.row for r in self.rollouts})
        status = self.status or ("finished" if len(recorded) >= rows * self.attempts else "incomplete")
        files = {
            "manifest.json": self._manifest(root.name, rows),
            "progress.json": {
                "total_runs": rows * self.attempts,
                "sampled_rows": rows,
                "total_dataset_rows": rows,
            },
            "metrics.json": self._metrics(root.name, status, recorded),
        }
        for name, content in files.items():
            (root / name).write_text(json.dumps(content, indent=2), encoding="utf-8")
        (root / "events.jsonl").write_text(
            "".join(json.dumps(record(r), sort_keys=True) + "\n" for r in recorded), encoding="utf-8"
        )
        (root / "logs.txt").write_text("".join(f"{line}\n" for line in self._log(rows)), encoding="utf-8")
        for one in self.rollouts:
            folder = root / "rollout_trials" / one.id
            if one.error == "rollout_protocol_error":
                continue
            folder.mkdir(parents=True)
            if one.has_trajectory:
                (folder / "trajectory.json").write_text(json.dumps(trajectory(one), indent=2), encoding="utf-8")
        return root

    def _manifest(self, name: str, rows: int) -> dict[str, Any]:
        agent, grader = self.limits
        return {
            "schema_version": 1,
            "local_run_id": "a" * 32,
            "run_name": name,
            "created_at": "2026-03-01T09:59:50Z",
            "inputs": {
                "model_path": self.model,
                "dataset": {"sha256": "0" * 64, "selected_source_rows": f"0-{rows - 1}"},
                "n": self.attempts,
                "rollout": {"name": "arith", "entrypoint": "main.py", "source_digest": "1" * 64},
                "env": {},
                "secret_names": ["OPENAI_API_KEY"],
                "timeouts": {"agent_timeout_sec": agent, "grader_timeout_sec": grader},
                "versions": {"rollout_protocol": "0.4", "dataset_normalization": 1, "state_schema": 1},
            },
            "provenance": {"sdk_version": "0.3.8", "config_path": "configs/eval/arith.toml"},
        }

    def _metrics(self, name: str, status: str, recorded: list[Rollout]) -> dict[str, Any]:
        graded = [r.reward for r in recorded if not r.failed and r.reward is not None]
        return {
            "eval_run": {
                "id": "a" * 32,
                "status": status,
                "name": name,
                "dataset_name": "arith-dev",
                "model_name": self.model,
                "rollout_name": "arith",
                "started_at": "2026-03-01T09:59:50Z",
            },
            "summary": {
                "graded": len(graded),
                "passed": sum(v >= self.threshold for v in graded),
                "pass_threshold": self.threshold,
            },
        }

    def _log(self, rows: int) -> list[str]:
        at = START
        lines: list[str] = []
        for text in self.before or healthy_start(rows * self.attempts):
            lines.append(stamped(at, text))
            at += timedelta(seconds=0.1)
        for one in self.rollouts:
            begun = at
            numbers = f'"rollout_id":"{one.id}","row_index":{one.row},"run_index":{one.attempt}'
            lines.append(stamped(begun, f"INFO [dispatch] dispatching rollout {{{numbers}}}"))
            lines.append(stamped(begun, 'INFO [rollout-server] INFO:     127.0.0.1:5 - "POST /rollout HTTP/1.1" 202 Accepted'))
            for status in one.calls if not one.silent_log else ():
                at += timedelta(seconds=0.01)
                url = BRIDGE.format(id=one.id)
                lines.append(stamped(at, server(at, "INFO", "httpx", f'HTTP Request: POST {url} "HTTP/1.1 {status} Word"')))
            lines += [stamped(at, f"INFO [rollout-server] {text}") for text in one.told]
            at = max(at, begun + timedelta(seconds=one.seconds))
            if not one.finishes:
                continue
            lines += self._end(one, at, numbers)
        lines += [stamped(at, text) for text in self.after]
        return lines

    def _end(self, one: Rollout, at: datetime, numbers: str) -> list[str]:
        lines: list[str] = []
        word = "failure" if one.failed else "success"
        if not one.silent_log:
            if one.traceback:
                first, *rest = one.traceback.split("\n")
                lines.append(stamped(at, server(at, "ERROR", "osmosis_ai.rollout.backend.local.backend", first)))
                lines += [stamped(at, f"INFO [rollout-server] {text}") for text in rest]
            lines.append(
                stamped(at, server(at, "INFO", "osmosis_ai.rollout.server.app", f"Rollout {one.id} finished with status {word}"))
            )
        lines.append(stamped(at, f'INFO [rollout-server] INFO:     127.0.0.1:5 - "GET /rollout/{one.id}/result HTTP/1.1" 200 OK'))
        lines.append(stamped(at, f"INFO [result] work item finished {{{numbers}}}"))
        return lines


def healthy_start(items: int) -> tuple[str, ...]:
    """A call up to its first row."""
    return (
        f"INFO [run] dev-run: {items} of {items} work items pending",
        "INFO [preflight] checking model openai/policy",
        "INFO [preflight] model preflight passed",
        "INFO [deps] syncing rollout dependencies (arith)",
        "INFO [deps]  + osmosis-ai==0.3.8",
        'INFO [server] starting rollout server (main.py) {"attempt":1,"port":40000}',
        "INFO [rollout-server] INFO:     Application startup complete.",
        'INFO [server] rollout server healthy on port 40000 {"port":40000}',
        f"INFO [schedule] running {items} work items, up to 1 in flight",
    )


def until(step: str) -> tuple[str, ...]:
    """A healthy start up to the last line of a step, that included."""
    lines = healthy_start(4)
    last = max(n for n, line in enumerate(lines) if f"[{step}]" in line)
    return lines[: last + 1]


def stamped(at: datetime, text: str) -> str:
    return f"{at.strftime('%Y-%m-%dT%H:%M:%S.%f')}Z {text}"


def server(at: datetime, level: str, logger: str, text: str) -> str:
    return f"INFO [rollout-server] {at.strftime('%Y-%m-%d %H:%M:%S')},{at.microsecond // 1000:03d} {level} {logger}: {text}"


def record(one: Rollout) -> dict[str, Any]:
    """A line of events.jsonl; null keys are dropped."""
    status = "failed" if one.failed else one.status
    values = {
        "row_index": one.row,
        "source_row_index": one.row if one.source_row is None else one.source_row,
        "run_index": one.attempt,
        "rollout_id": one.id,
        "status": status,
        "reward": one.reward if status == "success" else None,
        "duration_ms": one.seconds * 1000,
        "error_type": one.error,
        "tokens": 28 if 200 in one.calls else None,
    }
    return {key: value for key, value in values.items() if value is not None}


def trajectory(one: Rollout) -> dict[str, Any]:
    """ATIF as the SDK converts it."""
    steps: list[dict[str, Any]] = [{"step_id": 1, "source": "user", "message": "What is 12 * 7?"}]
    if one.calls_made:
        steps.append({"step_id": 2, "source": "agent", "message": "", "tool_calls": list(one.calls_made)})
    steps.append({"step_id": len(steps) + 1, "source": "agent", "message": one.answer})
    booked = one.left if one.failed else one.reward
    extra = {
        "rollout_id": one.id,
        "label": one.label,
        "reward": booked if one.status != "skipped" else None,
        "request_metadata": {"n": 1} if one.metadata else None,
        "request_extra_fields": {"row_index": one.row, "run_index": one.attempt},
    }
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": one.id,
        "trajectory_id": one.id,
        "agent": {"name": "osmosis-rollout-sdk", "version": "0.3.8"},
        "steps": steps,
        "final_metrics": {"total_steps": len(steps)},
        "extra": {"osmosis": {key: value for key, value in extra.items() if value is not None}},
    }


# ---- what is said of them


def opened(tree: Tree, root: Path, error: str | None = None) -> Run:
    return open_run(tree.write(root / "dev-run"), error)


def verdict(tree: Tree, root: Path, row: int = 0, attempt: int = 0) -> Verdict:
    """What is said of one work item."""
    run = opened(tree, root)
    return judge(trial(run, row, attempt), run)


def trial(run: Run, row: int = 0, attempt: int = 0) -> Trial:
    return next(t for t in run.read_trials() if (t.row_index, t.attempt) == (row, attempt))


def found(tree: Tree, root: Path, row: int = 0) -> Finding:
    """The finding on one row, which must be there."""
    finding = verdict(tree, root, row).finding
    assert finding is not None
    return finding


def cause(tree: Tree, root: Path, row: int = 0) -> str | None:
    finding = verdict(tree, root, row).finding
    return finding.cause if finding else None


def of_run(tree: Tree, root: Path, error: str | None = None) -> Finding | None:
    return run_finding(opened(tree, root, error))


def envelope(message: str, code: str = "VALIDATION", command: str = "eval run", **details: Any) -> str:
    """A line of the CLI's stderr under --json."""
    error = {"code": code, "message": message, "details": details}
    return json.dumps({"schema_version": 1, "command": command, "cli_version": "0.3.8", "error": error}) + "\n"


# ---- workspaces

CONFIG = """\
[experiment]
rollout = "arith"
entrypoint = "main.py"
model_path = "openai/policy"
dataset = "arith-dev"

[evaluation]
agent_workflow_timeout_s = 20

[secrets]
required = ["OPENAI_API_KEY"]
"""
ROWS = '{"user_prompt": "What is 12 * 7?", "ground_truth": "84"}\n{"user_prompt": "What is 19 + 23?", "ground_truth": "42"}\n'


def workspace(root: Path, files: dict[str, str] | None = None, without: tuple[str, ...] = ()) -> Path:
    """A sound workspace without runs, changed by `files` (path to text) and `without` (folders left out)."""
    every = {
        "configs/eval/arith.toml": CONFIG,
        "configs/training/.gitkeep": "",
        "data/dev.jsonl": ROWS,
        "rollouts/arith/main.py": "print('serves')\n",
        "rollouts/arith/pyproject.toml": '[project]\nname = "arith"\nversion = "0"\ndependencies = ["osmosis-ai[server]"]\n',
        **(files or {}),
    }
    for name, text in every.items():
        if not name.startswith(without) if without else True:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return root
