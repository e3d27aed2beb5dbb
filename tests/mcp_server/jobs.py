"""Small Harbor jobs as Harbor 0.26 writes them, with any file replaced by what a test needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5


def write_job(folder: Path, trials: dict[str, dict[str, Any]] | None = None) -> Path:
    """A job directory; `trials` maps a trial's directory name to what differs in its result.json."""
    trials = {"sum-numbers__aaaaaaa": {}} if trials is None else trials
    _json(folder / "config.json", {"job_name": folder.name, "n_attempts": 1, "agents": [{"name": "terminus-2"}], "tasks": []})
    _json(
        folder / "result.json",
        {
            "id": str(uuid5(NAMESPACE_URL, str(folder))),
            "started_at": "2026-03-01T10:00:00",
            "finished_at": "2026-03-01T10:05:00",
            "n_total_trials": len(trials),
            "stats": {"n_completed_trials": len(trials), "n_errored_trials": 0, "evals": {}},
        },
    )
    for name, changes in trials.items():
        _json(folder / name / "config.json", {"trial_name": name, "agent": {"name": "terminus-2", "model_name": "lab/m1"}})
        _json(folder / name / "result.json", _trial(folder, name) | changes)
        verifier = folder / name / "verifier"
        verifier.mkdir(parents=True)
        (verifier / "reward.txt").write_text("0\n")
        (verifier / "test-stdout.txt").write_text("collected 1 item\n\ntest_outputs.py F\n\n1 failed in 0.10s\n")
        _json(verifier / "ctrf.json", CTRF)
    return folder


def _trial(folder: Path, name: str) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "id": str(uuid5(NAMESPACE_URL, str(folder / name))),
        "task_name": name.partition("__")[0],
        "trial_name": name,
        "trial_uri": f"file:///srv/lab/jobs/job/{name}",
        "task_id": {"path": f"/srv/lab/tasks/{name.partition('__')[0]}"},
        "task_checksum": "60b7487618f61e097773a65ee5fa86de839f3dcf05ed5517b782b3d7ebc7a956",
        "config": {"trial_name": name, "agent": {"name": "terminus-2", "model_name": "lab/m1"}},
        "agent_info": {"name": "terminus-2", "version": "2.0.0", "model_info": {"name": "m1", "provider": "lab"}},
        "agent_result": {"n_input_tokens": 900, "n_cache_tokens": 0, "n_output_tokens": 80, "cost_usd": None},
        "verifier_result": {"rewards": {"reward": 0.0}},
        "exception_info": None,
        "started_at": "2026-03-01T10:00:00Z",
        "finished_at": "2026-03-01T10:04:00Z",
        "environment_setup": {"started_at": "2026-03-01T10:00:00Z", "finished_at": "2026-03-01T10:00:30Z"},
        "agent_setup": {"started_at": "2026-03-01T10:00:30Z", "finished_at": "2026-03-01T10:01:00Z"},
        "agent_execution": {"started_at": "2026-03-01T10:01:00Z", "finished_at": "2026-03-01T10:03:00Z"},
        "verifier": {"started_at": "2026-03-01T10:03:00Z", "finished_at": "2026-03-01T10:04:00Z"},
    }


CTRF = {
    "results": {
        "tool": {"name": "pytest"},
        "summary": {"tests": 1, "passed": 0, "failed": 1, "skipped": 0, "pending": 0, "other": 0, "start": 0, "stop": 1},
        "tests": [{"name": "test_outputs.py::test_total", "status": "failed", "message": "assert 41 == 42"}],
    }
}


def failed_with(message: str, kind: str = "RuntimeError", traceback: str = "") -> dict[str, Any]:
    """What a trial's result.json holds after an exception."""
    return {
        "verifier_result": None,
        "exception_info": {
            "exception_type": kind,
            "exception_message": message,
            "exception_traceback": traceback or f"Traceback (most recent call last):\n{kind}: {message}\n",
            "occurred_at": "2026-03-01T10:02:00",
        },
    }


def _json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=4))
