"""A platform on loopback as far as the read-only commands of `osmosis` 0.3.8 go; it refuses every change and counts the tries."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "lab-made-up-token-0001"
"""Not a credential: only this server knows it."""
STAMP = "2026-01-02T03:04:05.000Z"
COMMIT = "0" * 40
Answer = tuple[int, dict[str, Any]]


@dataclass
class EvalRun:
    """An eval run as the platform tells of it; the defaults finished with every row passed."""

    status: str = "finished"
    passed: int = 4
    failed: int = 0
    total: int = 4
    logs: tuple[tuple[str, str, str], ...] = ()
    """(level, step, message)."""
    secrets: dict[str, str | None] = field(default_factory=lambda: {"OPENAI_API_KEY": "workspace"})
    commit: str = COMMIT

    def results(self) -> dict[str, Any]:
        graded = self.total - self.failed
        mean = self.passed / graded if graded else None
        stats = None if mean is None else {"mean": mean, "median": mean, "std": 0.0, "min": mean, "max": mean}
        return {
            "score": mean,
            "pass_rate": self.passed / self.total if self.total else 0.0,
            "graded": graded,
            "passed": self.passed,
            "failed": self.failed,
            "skipped": 0,
            "pass_threshold": 1.0,
            "total_tokens": 112,
            "total_runs": self.total,
            "sampled_rows": self.total,
            "total_dataset_rows": self.total,
            "reward_stats": stats,
        }


@dataclass
class TrainRun:
    """A training run."""

    status: str = "running"
    logs: tuple[tuple[str, str, str], ...] = ()


class Platform:
    """`with Platform() as platform:` serves until the end of the block, on a port of the system's choice."""

    def __init__(self) -> None:
        self.evals: dict[str, EvalRun] = {}
        self.trains: dict[str, TrainRun] = {}
        self.datasets: dict[str, list[dict[str, Any]]] = {}
        self.synced = COMMIT
        self.fails: Answer | None = None
        """Given to every question instead of an answer."""
        self.fails_for: dict[str, Answer] = {}
        """The same for paths that hold a text."""
        self.asked: list[str] = []
        """`METHOD /path` of every request."""
        self.headers: list[dict[str, str]] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.platform = self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def login(self) -> dict[str, str]:
        """The variables of somebody who is logged in."""
        return {"OSMOSIS_PLATFORM_URL": self.url, "OSMOSIS_TOKEN": TOKEN, "OSMOSIS_TOKEN_PLATFORM_URL": self.url}

    @property
    def changes(self) -> list[str]:
        """Requests that were no plain question."""
        return [line for line in self.asked if not line.startswith("GET ")]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, method: str, path: str, limit: int) -> Answer:
        """Status and body of one request by somebody logged in."""
        if self.fails is not None:
            return self.fails
        if refused := next((answer for text, answer in self.fails_for.items() if text in path), None):
            return refused
        if method != "GET":
            return 403, {"error": "READ_ONLY", "message": "this platform refuses every change"}
        match [unquote(part) for part in path.strip("/").split("/")][2:]:
            case ["verify"]:
                user = {"id": "u1", "email": "lab@example.invalid", "name": "Lab"}
                workspace = {"id": "w1", "name": "lab-workspace", "role": "member"}
                return 200, {"user": user, "expires_at": "2099-01-01T00:00:00Z", "token_id": "t1", "workspace": workspace}
            case ["eval-runs"]:
                every = [self._eval(name) | {"results": run.results(), **INPUTS} for name, run in self.evals.items()]
                return 200, {"eval_runs": every[:limit], **_page(len(every))}
            case ["eval-runs", key, *rest] if (name := key.removeprefix("run-")) in self.evals:
                return self._of_eval(name, rest, limit)
            case ["training-runs"]:
                return 200, {"training_runs": [self._train(name) for name in self.trains], **_page(len(self.trains))}
            case ["training-runs", key, *rest] if (name := key.removeprefix("tr-")) in self.trains:
                return self._of_train(name, rest, limit)
            case ["datasets"]:
                return 200, {"datasets": [], "total_count": 0, "has_more": False}
            case ["datasets", name] if name in self.datasets:
                rows = self.datasets[name]
                about = {"id": "d1", "file_name": name, "file_size": 1, "status": "uploaded", "file_format": "jsonl"}
                return 200, {**about, "data_preview": rows, "row_count": len(rows), "created_at": STAMP, "updated_at": STAMP}
            case ["rollouts"]:
                one = {"id": "r1", "name": "arith", "repo_full_name": "lab-example/arith-workspace", "created_at": STAMP}
                return 200, {"rollouts": [one | {"last_synced_commit_sha": self.synced}], "total_count": 1, "has_more": False}
        return 404, {"error": "NOT_FOUND", "message": "there is no such thing"}

    def _eval(self, name: str) -> dict[str, Any]:
        times = dict.fromkeys(("created_at", "started_at", "completed_at"), STAMP)
        who = {"creator_name": "Lab", "creator_email": "lab@example.invalid", "platform_url": f"{self.url}/eval/{name}"}
        return {"id": f"run-{name}", "name": name, "status": self.evals[name].status, **times, **who}

    def _of_eval(self, name: str, rest: list[str], limit: int) -> Answer:
        run = self.evals[name]
        match rest:
            case []:
                results = run.results()
                about = {"config": {"model_path": "openai/policy", "n": 1}, "entrypoint": "main.py", "branch": "main"}
                more = {"commit_sha": run.commit, "env_config": None, "resolved_secret_scopes": run.secrets}
                return 200, {"eval_run": self._eval(name), "results": results if run.total else None, **about, **INPUTS, **more}
            case ["metrics"]:
                results = run.results()
                names = ("graded", "passed", "failed", "skipped", "pass_rate", "pass_threshold")
                overview = {key: results[key] for key in names} | {"total_samples": run.total, "completed_samples": run.total}
                body = {"status": run.status, "overview": {"duration_ms": 12000, "tokens_used": 112, **overview}}
                return 200, {**body, "reward_stats": results["reward_stats"], "pass_at_k": []}
            case ["logs"]:
                return 200, _logs(run.logs, limit)
        return 404, {"error": "NOT_FOUND", "message": "there is no such thing"}

    def _train(self, name: str) -> dict[str, Any]:
        steps = {"current_step": 3, "total_steps": 10}
        return {"id": f"tr-{name}", "name": name, "created_at": STAMP, "status": self.trains[name].status, **steps}

    def _of_train(self, name: str, rest: list[str], limit: int) -> Answer:
        run = self.trains[name]
        match rest:
            case []:
                about = {"config": {"training": {"lr": 1e-5}}, "entrypoint": "main.py", "branch": "main", "commit_sha": COMMIT}
                return 200, {"training_run": self._train(name) | {"started_at": STAMP}, **INPUTS, **about}
            case ["logs"]:
                return 200, _logs(run.logs, limit)
            case ["checkpoints"]:
                return 200, {"training_run_name": name, "checkpoints": []}
            case ["metrics"]:
                overview = {"duration_ms": 1000, "metric_summaries": [], "examples_processed_count": 0}
                return 200, {"status": run.status, "overview": overview, "metrics": []}
        return 404, {"error": "NOT_FOUND", "message": "there is no such thing"}


INPUTS = {
    "model": {"name": "openai/policy"},
    "dataset": {"id": "d1", "name": "arith-dev"},
    "rollout": {"id": "r1", "name": "arith"},
}


def _page(count: int) -> dict[str, Any]:
    return {"total_count": count, "has_more": False, "next_offset": None}


def _logs(lines: tuple[tuple[str, str, str], ...], limit: int) -> dict[str, Any]:
    every = [{"timestamp": STAMP, "level": level, "step": step, "message": text, "details": None} for level, step, text in lines]
    return {"logs": every[-limit:], "next_cursor": "older-page" if len(every) > limit else None}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    platform: Platform


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def _serve(self) -> None:
        url, platform = urlsplit(self.path), self.server.platform
        platform.asked.append(f"{self.command} {url.path}")
        platform.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("authorization") != f"Bearer {TOKEN}":
            status, body = 401, {"code": "TOKEN_INVALID", "error": "TOKEN_INVALID"}
        else:
            status, body = platform.answer(self.command, url.path, int((parse_qs(url.query).get("limit") or ["50"])[0]))
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve

    def log_message(self, *_: Any) -> None:
        """Silent: `Platform.asked` tells."""
