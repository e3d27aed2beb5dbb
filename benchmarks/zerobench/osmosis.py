"""Osmosis run folders as `osmosis eval run` writes them: manifest, journal, projections, log, trajectories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.zerobench.places import write_json, write_text

START = datetime(2026, 9, 3, 7, 15, 20, 411000, tzinfo=UTC)
VENV = "/home/user/ws/rollouts/sums/.venv/lib/python3.12/site-packages/"
BRIDGE = "http://127.0.0.1:46633/v1/rollouts/{id}/chat/completions"
PORT = 46607


@dataclass
class Row:
    """One work item; as it stands, a row that passed."""

    row: int = 0
    attempt: int = 0
    status: str = "success"
    error: str | None = None
    reward: float | None = 1.0
    seconds: float = 0.8
    traceback: str = ""
    block: str = ""
    """`workflow` or `grader`: what failed, by the story; decides whether a trajectory was written."""
    statuses: tuple[int, ...] = (200,)
    """Of its model calls."""
    question: str = "What is 12 * 7?"
    answer: str = "The answer is 84."
    label: str | None = "84"
    metadata: dict[str, Any] | None = None
    trajectory: bool | None = None
    left: float | None = None
    """A reward that was set and not booked."""
    calls: tuple[dict[str, Any], ...] = ()
    printed: tuple[str, ...] = ()
    """Lines of the rollout's own."""
    recorded: bool = True
    folder: bool = True
    quiet: bool = False
    """The rollout has replaced the logging."""

    @property
    def id(self) -> str:
        return f"{0x5A3C1000 + self.row * 16 + self.attempt:08x}" + "b7" * 12

    @property
    def final(self) -> str:
        return "failed" if self.error else self.status

    @property
    def finished(self) -> bool:
        """The workflow came to its end."""
        return (
            self.trajectory
            if self.trajectory is not None
            else self.block != "workflow" and self.error != "rollout_protocol_error"
        )


@dataclass
class Eval:
    """A run to write."""

    rows: Sequence[Row] = ()
    planned: int | None = None
    """Selected rows."""
    attempts: int = 1
    limits: tuple[float | None, float | None] = (20.0, 10.0)
    threshold: float = 1.0
    status: str | None = None
    model: str = "openai/policy"
    start: Sequence[tuple[str, str, str]] | None = None
    """(level, step, message) before the first row; None = a healthy start."""
    after: Sequence[tuple[str, str, str]] = ()
    flight: int = 4
    server_json: bool = False
    journal: str | None = None
    """events.jsonl, where it is damaged; `{lines}` stands for its sound text."""
    name: str = "dev-run"
    sdk: str = "0.3.8"
    changes: dict[str, Any] = field(default_factory=dict)


def healthy_start(items: int, model: str = "openai/policy", upto: str = "schedule") -> list[tuple[str, str, str]]:
    """The log of a call up to and with a step."""
    lines = [
        ("INFO", "run", f"dev-run: {items} of {items} work items pending"),
        ("INFO", "preflight", f"checking model {model}"),
        ("INFO", "preflight", "model preflight passed"),
        ("INFO", "deps", "syncing rollout dependencies (sums)"),
        ("INFO", "deps", "Resolved 54 packages in 897ms"),
        ("INFO", "deps", " + httpx==0.28.1"),
        ("INFO", "deps", " + osmosis-ai==0.3.8"),
        ("INFO", "server", f'starting rollout server (main.py) {{"attempt":1,"port":{PORT}}}'),
        ("INFO", "rollout-server", "INFO:     Started server process [23054]"),
        ("INFO", "rollout-server", "INFO:     Application startup complete."),
        ("INFO", "rollout-server", f"INFO:     Uvicorn running on http://127.0.0.1:{PORT} (Press CTRL+C to quit)"),
        ("INFO", "server", f'rollout server healthy on port {PORT} {{"port":{PORT}}}'),
        ("INFO", "listener", "LLM bridge started"),
        ("INFO", "schedule", f"running {items} work items, up to 4 in flight"),
    ]
    last = max(n for n, (_, step, _) in enumerate(lines) if step == upto)
    return lines[: last + 1]


class _Log:
    def __init__(self) -> None:
        self.at = START
        self.lines: list[str] = []

    def add(self, level: str, step: str, message: str) -> None:
        self.at += timedelta(milliseconds=3)
        self.lines.append(f"{self.at.strftime('%Y-%m-%dT%H:%M:%S.%f')}Z {level} [{step}] {message}")

    def server(self, level: str, logger: str, message: str) -> None:
        """A record of the rollout server's logging; further lines stand bare."""
        first, *rest = message.split("\n")
        stamp = self.at.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
        self.add("INFO", "rollout-server", f"{stamp} {level} {logger}: {first}")
        for line in rest:
            self.add("INFO", "rollout-server", line)


def write_eval(folder: Path, run: Eval) -> Path:
    """`folder` becomes the run folder."""
    planned = run.planned if run.planned is not None else len({r.row for r in run.rows})
    done = [r for r in run.rows if r.recorded]
    status = run.status or ("finished" if len(done) >= planned * run.attempts else "incomplete")
    write_json(folder / "manifest.json", _manifest(run, planned))
    write_json(
        folder / "progress.json", {"total_runs": planned * run.attempts, "sampled_rows": planned, "total_dataset_rows": planned}
    )
    write_json(folder / "metrics.json", _metrics(run, done, status))
    events = "".join(json.dumps(_event(r), sort_keys=True, separators=(",", ":")) + "\n" for r in done)
    write_text(folder / "events.jsonl", events if run.journal is None else run.journal.replace("{lines}", events))
    index = "".join(json.dumps(_projection(r)) + "\n" for r in sorted(done, key=lambda r: (r.row, r.attempt)))
    write_text(folder / "index.jsonl", index)
    write_text(folder / "summary.jsonl", index)
    write_text(folder / "logs.txt", "\n".join(_log(run, planned * run.attempts)) + "\n")
    if run.server_json:
        left = {
            "pid": 4194300,
            "pgid": 4194300,
            "start_token": "1",
            "instance_id": "i",
            "port": PORT,
            "created_at": START.isoformat(),
        }
        write_json(folder / "server.json", left)
    for row in run.rows:
        if row.folder:
            write_text(folder / "rollout_trials" / row.id / ".osmosis-health-check", "")
        if row.folder and row.finished:
            write_json(folder / "rollout_trials" / row.id / "trajectory.json", _trajectory(row, run.sdk))
    return folder


def _manifest(run: Eval, planned: int) -> dict[str, Any]:
    inputs = {
        "model_path": run.model,
        "dataset": {"sha256": "9f" * 32, "selected_source_rows": f"0-{max(planned - 1, 0)}"},
        "n": run.attempts,
        "rollout": {"name": "sums", "entrypoint": "main.py", "source_digest": "3c" * 32},
        "env": {},
        "secret_names": ["OPENAI_API_KEY"],
        "timeouts": {"agent_timeout_sec": run.limits[0], "grader_timeout_sec": run.limits[1]},
        "versions": {"rollout_protocol": "0.4", "dataset_normalization": 1, "state_schema": 1},
    }
    provenance = {"sdk_version": "0.3.8", "config_path": "configs/eval/sums.toml", "git_dirty": False}
    common = {"schema_version": 1, "local_run_id": "7d" * 16, "run_name": run.name, "created_at": START.isoformat()}
    return {**common, "inputs": inputs, "provenance": provenance, **run.changes}


def _metrics(run: Eval, done: list[Row], status: str) -> dict[str, Any]:
    rewards = [r.reward for r in done if r.final == "success" and r.reward is not None]
    skipped, failed = sum(r.final == "skipped" for r in done), sum(r.final == "failed" for r in done)
    passed = sum(v >= run.threshold for v in rewards)
    counted = len(done) - skipped
    summary: dict[str, Any] = {
        "total_samples": len(done),
        "completed_samples": counted,
        "graded": len(rewards),
        "passed": passed,
        "failed": failed,
        "skipped": skipped,
        "pass_rate": passed / counted if counted else 0.0,
        "pass_threshold": run.threshold,
        "tokens_used": 28 * len(done),
    }
    if rewards:
        summary["reward_stats"] = {"mean": sum(rewards) / len(rewards), "min": min(rewards), "max": max(rewards)}
    about = {"id": "7d" * 16, "name": run.name, "dataset_name": "sums-dev", "model_name": run.model, "rollout_name": "sums"}
    return {"eval_run": {**about, "status": status, "started_at": START.isoformat(), "duration_ms": 7833.2}, "summary": summary}


def _event(row: Row) -> dict[str, Any]:
    values = {
        "row_index": row.row,
        "source_row_index": row.row,
        "run_index": row.attempt,
        "rollout_id": row.id,
        "status": row.final,
        "reward": row.reward if row.final == "success" else None,
        "tokens": 28 if 200 in row.statuses else None,
        "duration_ms": row.seconds * 1000,
        "error_type": row.error,
    }
    return {key: value for key, value in values.items() if value is not None}


def _projection(row: Row) -> dict[str, Any]:
    event = _event(row)
    event.pop("source_row_index")
    return event | ({"trajectory_filename": "trajectory.json"} if row.finished else {})


def _log(run: Eval, items: int) -> list[str]:
    log = _Log()
    for line in healthy_start(items, run.model) if run.start is None else run.start:
        log.add(*line)
    for number in range(0, len(run.rows), run.flight):
        batch = run.rows[number : number + run.flight]
        began = log.at
        for row in batch:
            if row.error == "rollout_protocol_error":
                continue
            numbers = json.dumps({"rollout_id": row.id, "row_index": row.row, "run_index": row.attempt}, separators=(",", ":"))
            log.add("INFO", "dispatch", f"dispatching rollout {numbers}")
            log.add("INFO", "rollout-server", 'INFO:     127.0.0.1:41472 - "POST /rollout HTTP/1.1" 202 Accepted')
        for row in sorted(batch, key=lambda r: r.seconds):
            _served(log, row, began)
        for row in batch:
            _result(log, row)
    for line in run.after:
        log.add(*line)
    return log.lines


def _served(log: _Log, row: Row, began: datetime) -> None:
    """What the rollout server printed about one item."""
    if row.error == "rollout_protocol_error":
        return
    words = {
        200: "200 OK",
        401: "401 Unauthorized",
        404: "404 Not Found",
        429: "429 Too Many Requests",
        500: "500 Internal Server Error",
        502: "502 Bad Gateway",
        400: "400 Bad Request",
        503: "503 Service Unavailable",
    }
    for status in () if row.quiet else row.statuses:
        log.server("INFO", "httpx", f'HTTP Request: POST {BRIDGE.format(id=row.id)} "HTTP/1.1 {words[status]}"')
    for line in row.printed:
        log.add("INFO", "rollout-server", line)
    log.at = max(log.at, began + timedelta(seconds=row.seconds))
    if not row.recorded:
        return
    if row.traceback and not row.quiet:
        log.server("ERROR", "osmosis_ai.rollout.backend.local.backend", row.traceback)
    if not row.quiet:
        word = "failure" if row.error else "success"
        log.server("INFO", "osmosis_ai.rollout.server.app", f"Rollout {row.id} finished with status {word}")
    log.add("INFO", "rollout-server", f'INFO:     127.0.0.1:41472 - "GET /rollout/{row.id}/result HTTP/1.1" 200 OK')


def _result(log: _Log, row: Row) -> None:
    if not row.recorded:
        return
    if row.error == "rollout_protocol_error":
        numbers = {
            "error": "RolloutProtocolError: POST /rollout returned 422; the rollout server rejected the request",
            "rollout_id": row.id,
            "row_index": row.row,
            "run_index": row.attempt,
        }
        log.add("ERROR", "result", f"work item failed before a terminal result {json.dumps(numbers, separators=(',', ':'))}")
    numbers = {
        "reward": row.reward if row.final == "success" else None,
        "rollout_id": row.id,
        "row_index": row.row,
        "run_index": row.attempt,
        "status": row.final,
    }
    log.add("INFO", "result", f"work item finished {json.dumps(numbers, separators=(',', ':'))}")


def _trajectory(row: Row, sdk: str) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [
        {"step_id": 1, "source": "system", "message": "You are careful with numbers."},
        {"step_id": 2, "source": "user", "message": row.question},
    ]
    if row.calls:
        steps.append({"step_id": 3, "source": "agent", "message": "", "tool_calls": list(row.calls), "llm_call_count": 1})
    metrics = {"prompt_tokens": 20, "completion_tokens": 8}
    steps.append({"step_id": len(steps) + 1, "source": "agent", "message": row.answer, "metrics": metrics, "llm_call_count": 1})
    reward = row.left if row.error else (row.reward if row.final == "success" else None)
    known = {"rollout_id": row.id, "label": row.label, "reward": reward, "request_metadata": row.metadata}
    known["request_extra_fields"] = {"row_index": row.row, "run_index": row.attempt}
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": row.id,
        "trajectory_id": row.id,
        "agent": {"name": "osmosis-rollout-sdk", "version": sdk},
        "steps": steps,
        "final_metrics": {"total_steps": len(steps)},
        "extra": {"osmosis": {key: value for key, value in known.items() if value is not None}},
    }
