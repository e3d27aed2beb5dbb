"""Small benches to measure on: tasks, keys and Harbor jobs written by a few words, then judged as a caller would judge them."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from whyzero.analyses.check_staleness import Staleness, StaleTrial, check_staleness
from whyzero.readers import digests, runs_below
from whyzero.readers.files import Folder
from whyzero.readers.today import Today

BRIEF = (
    "The folder /app/corpus holds 1,204 notices published from March 1, 2026 through March 31, 2026, a window of 31 days.\n\n"
    "List every permit in it. Write the list to /app/permits.json as JSON, with `id`, `site` and `area` for each permit.\n"
)
KEY = [{"id": "P-001", "site": "North quay", "area": 120}]
GRADED = datetime(2026, 10, 2, 9, 4, 26, tzinfo=UTC)
"""End of the verifier phase of a trial, unless the test says otherwise."""
LONG_BEFORE = datetime(2026, 9, 10, tzinfo=UTC)
HARNESS_NOTE = "<environment_context>\n  <cwd>/app</cwd>\n  <current_date>2026-11-30</current_date>\n</environment_context>"


def user(text: str) -> dict[str, Any]:
    return {"source": "user", "message": text}


def agent(text: str, result: str | None = None) -> dict[str, Any]:
    step: dict[str, Any] = {"source": "agent", "message": text}
    if result is not None:
        step["tool_calls"] = [{"tool_call_id": "1", "function_name": "bash", "arguments": {"command": "cat notes.txt"}}]
        step["observation"] = {"results": [{"source_call_id": "1", "content": result}]}
    return step


def write(path: Path, value: object, at: datetime = LONG_BEFORE) -> Path:
    """A file with text, or with JSON where the value is none, and a modification time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    os.utime(path, (at.timestamp(), at.timestamp()))
    return path


def task(root: Path, brief: str = BRIEF, key: object = KEY, files: dict[str, str] | None = None) -> Path:
    """A Harbor task folder; its key is tests/expected.json."""
    write(root / "task.toml", 'version = "1.0"\n')
    write(root / "instruction.md", brief)
    write(root / "environment" / "Dockerfile", "FROM python:3.12-slim\n")
    write(root / "tests" / "test.sh", "python3 /tests/grade.py\n")
    write(root / "tests" / "expected.json", key)
    for name, text in (files or {}).items():
        write(root / name, text)
    return root


def checksum(root: Path) -> str:
    folder = Folder(root)
    return digests.checksum(digests.kept_by_harbor(folder, digests.tree_files(folder)))


def trial(
    job: Path,
    name: str = "permits__aaaaaaa",
    *,
    steps: list[dict[str, Any]] | None = None,
    checksum: str | None = "0" * 64,
    graded: datetime | str | None = GRADED,
    finished: datetime | str | None = None,
    submitted: bool = True,
    reward: float | None = 1.0,
    task_name: str = "permits",
    model: str = "tern-2",
    agent_name: str = "claude-code",
) -> Path:
    """One trial of a job, as Harbor writes it; `steps` are those of its trajectory, None = no trajectory on disk."""
    root = job / name
    ended = finished if finished is not None else _later(graded, 1)
    result = {
        "id": name,
        "task_name": task_name,
        "trial_name": name,
        "trial_uri": f"file:///jobs/{name}",
        "task_id": {"path": f"/tasks/{task_name}"},
        "task_checksum": checksum,
        "config": {
            "task": {"path": f"/tasks/{task_name}"},
            "trial_name": name,
            "agent": {"name": agent_name, "model_name": model},
        },
        "agent_info": {"name": agent_name, "version": "2.1.0", "model_info": {"name": model, "provider": "acme"}},
        "agent_result": {"n_input_tokens": 10, "n_output_tokens": 5},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": None,
        "started_at": _iso(_later(graded, -260)),
        "finished_at": _iso(ended),
        "environment_setup": {"started_at": _iso(_later(graded, -260)), "finished_at": _iso(_later(graded, -250))},
        "agent_setup": {"started_at": _iso(_later(graded, -250)), "finished_at": _iso(_later(graded, -240))},
        "agent_execution": {"started_at": _iso(_later(graded, -240)), "finished_at": _iso(_later(graded, -6))},
        "verifier": {"started_at": _iso(_later(graded, -6)), "finished_at": _iso(graded)} if graded else None,
    }
    write(root / "result.json", result)
    write(root / "config.json", result["config"])
    if steps is not None:
        document = {"schema_version": "ATIF-v1.6", "session_id": "s", "agent": {"name": agent_name, "version": "2.1.0"}}
        write(root / "agent" / "trajectory.json", document | {"steps": [{"step_id": n, **s} for n, s in enumerate(steps, 1)]})
    if reward is not None:
        write(root / "verifier" / "reward.json", {"reward": reward})
        write(root / "verifier" / "test-stdout.txt", "1 of 1 permits found\n")
    if submitted:
        write(root / "verifier" / "submitted-permits.json", KEY)
    return root


def job(root: Path, name: str = "sweep-1", **record: Any) -> Path:
    write(root / name / "config.json", {"job_name": name, "n_attempts": 1})
    write(root / name / "result.json", {"id": name, "n_total_trials": 1, "stats": {"n_completed_trials": 1}, **record})
    return root / name


def _later(at: datetime | str | None, seconds: int) -> datetime | str | None:
    return at + timedelta(seconds=seconds) if isinstance(at, datetime) else at


def _iso(at: datetime | str | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if isinstance(at, datetime) else at


def ask(
    path: Path,
    *,
    task: Path | None = None,
    oracle: tuple[Path, ...] = (),
    against: str | None = None,
    deliverable: str | None = None,
    fields: tuple[str, ...] = (),
) -> Staleness:
    """The whole question, as the command line asks it."""
    today = Today()
    runs = runs_below(path)
    now = today.task(task) if task else today.workspace_of(runs[0])
    before = today.against(against, now) if against else None
    return check_staleness(runs, now, today.keys(oracle, now), deliverable, fields, before, response_format="detailed")


def only(report: Staleness) -> StaleTrial:
    assert len(report.trials) == 1
    return report.trials[0]


def git(root: Path, *arguments: str, at: datetime | None = None) -> str:
    """What git says on a repository of the test's own; `at` is author's and committer's time."""
    env = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    if at is not None:
        env |= {"GIT_AUTHOR_DATE": at.isoformat(), "GIT_COMMITTER_DATE": at.isoformat()}
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=root, env=env, check=True, capture_output=True, text=True).stdout


def commit(root: Path, at: datetime, *paths: str) -> None:
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    git(root, "add", "--", *(paths or (".",)))
    git(root, "commit", "-q", "-m", "change", at=at)
