"""Small Harbor jobs and Terminal-Bench runs, written by hand in the shape that the programs write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BRIEF = "Read /app/corpus and list what it holds. Write /app/permits.json as JSON: a list of objects.\n"
SITES = ("Mill lane", "Old forge", "Hill top", "River bank", "Dock 4", "East yard")
Row = dict[str, Any]


def permits(n: int) -> list[Row]:
    """Rows P-001 ... with a site that repeats every six, a date that rises and an area that does not rise evenly."""
    return [
        {"id": f"P-{i:03d}", "site": SITES[i % 6], "issued": f"2026-{1 + i % 9:02d}-{1 + i % 28:02d}", "area": 100 + i * i % 97}
        for i in range(1, n + 1)
    ]


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8")
    return path


class Bench:
    """A folder of jobs, one per model, and a folder of keys."""

    def __init__(self, root: Path, task: str = "permit-register", brief: str = BRIEF) -> None:
        self.root = root
        self.task = task
        self.brief = brief
        self.count = 0

    @property
    def jobs(self) -> Path:
        return self.root / "jobs"

    def key(self, rows: object, name: str = "expected.json") -> Path:
        return write(self.root / "keys" / name, rows)

    def corpus(self, files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            write(self.root / "corpus" / name, text)
        return self.root / "corpus"

    def trial(
        self,
        model: str,
        submission: object = None,
        *,
        reward: float | None = 0.5,
        name: str = "permits.json",
        tests: Mapping[str, bool] | None = None,
        messages: Mapping[str, str] | None = None,
        task: str | None = None,
        agent: str = "claude-code",
        others: Mapping[str, object] | None = None,
        exception: str | None = None,
        components: Mapping[str, float] | None = None,
    ) -> str:
        """One graded trial; `submission` None leaves no copy of the deliverable. Returns its id."""
        self.count += 1
        task = task or self.task
        trial = f"{task}__{self.count:07d}"
        job = self.jobs / model.rsplit("/", 1)[-1]
        home = job / trial
        write(job / "config.json", {"job_name": job.name, "n_attempts": 1})
        write(job / "result.json", {"id": job.name, "n_total_trials": 1, "stats": {}, "started_at": "2026-10-02T10:00:00Z"})
        write(home / "result.json", self._result(trial, task, model, agent, reward, exception, components or {}))
        write(home / "config.json", {"task": {"path": task}, "trial_name": trial, "agent": {"name": agent, "model_name": model}})
        write(home / "agent" / "trajectory.json", _trajectory(model, self.brief))
        said = f"graded: reward {reward}" if submission is not None or tests else f"grade.py: /app/{name} does not exist"
        write(home / "verifier" / "test-stdout.txt", said + "\n")
        if reward is not None:
            write(home / "verifier" / "reward.json", {"reward": reward, **(components or {})})
        if submission is not None:
            write(home / "verifier" / f"submitted-{name}", submission)
        for other, content in (others or {}).items():
            write(home / other, content)
        if tests is not None:
            write(home / "verifier" / "ctrf.json", _ctrf(tests, messages or {}))
        return trial

    def _result(
        self,
        trial: str,
        task: str,
        model: str,
        agent: str,
        reward: float | None,
        exception: str | None,
        components: Mapping[str, float],
    ) -> dict[str, Any]:
        provider, _, name = model.rpartition("/")
        spans = (
            ("environment_setup", "00", "08"),
            ("agent_setup", "08", "20"),
            ("agent_execution", "20", "50"),
            ("verifier", "50", "58"),
        )
        times = {
            span: {"started_at": f"2026-10-02T10:00:{start}.000000Z", "finished_at": f"2026-10-02T10:00:{end}.000000Z"}
            for span, start, end in spans
        }
        failed = exception and {"exception_type": exception, "exception_message": "Agent execution timed out after 30.0 seconds"}
        return {
            "id": trial,
            "task_name": task,
            "trial_name": trial,
            "task_id": {"path": task},
            "source": None,
            "task_checksum": "0" * 64,
            "config": {"task": {"path": task}, "agent": {"name": agent, "model_name": model}},
            "agent_info": {"name": agent, "version": "2.1.0", "model_info": {"name": name, "provider": provider or "acme"}},
            "agent_result": {"n_input_tokens": 5210, "n_output_tokens": 640},
            "verifier_result": None if reward is None else {"rewards": {"reward": reward, **components}},
            "exception_info": {**failed, "exception_traceback": "", "occurred_at": "2026-10-02T10:00:50.000000Z"}
            if failed
            else None,
            "started_at": "2026-10-02T10:00:00.000000Z",
            "finished_at": "2026-10-02T10:00:59.000000Z",
            **times,
        }


def _trajectory(model: str, brief: str) -> dict[str, Any]:
    call = {"tool_call_id": "call_1", "function_name": "bash", "arguments": {"command": "ls /app/corpus"}}
    steps = [
        {"step_id": 1, "source": "user", "timestamp": "2026-10-02T10:00:20.000000Z", "message": brief},
        {
            "step_id": 2,
            "source": "agent",
            "timestamp": "2026-10-02T10:00:25.000000Z",
            "message": "I will read the files first.",
            "tool_calls": [call],
            "observation": {"results": [{"source_call_id": "call_1", "content": "part-01.txt\n"}]},
        },
        {"step_id": 3, "source": "agent", "timestamp": "2026-10-02T10:00:45.000000Z", "message": "The file is written."},
    ]
    agent = {"name": "claude-code", "version": "2.1.0", "model_name": model}
    return {"schema_version": "ATIF-v1.6", "session_id": "s", "agent": agent, "steps": steps, "final_metrics": {"total_steps": 3}}


def _ctrf(tests: Mapping[str, bool], messages: Mapping[str, str]) -> dict[str, Any]:
    listed = [
        {
            "name": name,
            "status": "passed" if passed else "failed",
            "duration": 0.01,
            **({"message": messages[name]} if name in messages else {}),
        }
        for name, passed in tests.items()
    ]
    passed = sum(tests.values())
    summary = {"tests": len(tests), "passed": passed, "failed": len(tests) - passed, "skipped": 0, "pending": 0, "other": 0}
    return {"results": {"tool": {"name": "pytest"}, "summary": summary, "tests": listed}}


def terminal_bench_trial(root: Path, task: str, number: int, tests: Mapping[str, bool] | None, mode: str = "unset") -> None:
    """One trial of the harness before Harbor; `tests` None = the parser found nothing."""
    name = f"{task}.{number}-of-9.run"
    resolved = None if tests is None else all(tests.values())
    parsed = None if tests is None else {test: "passed" if passed else "failed" for test, passed in tests.items()}
    write(
        root / task / name / "results.json",
        {
            "trial_name": name,
            "task_id": task,
            "instruction": "Write the totals to /app/totals.csv.",
            "is_resolved": resolved,
            "failure_mode": mode,
            "parser_results": parsed,
            "total_input_tokens": 900,
            "total_output_tokens": 100,
        },
    )


def without(rows: Sequence[Row], *keys: str) -> list[Row]:
    """The rows but those with these ids."""
    return [row for row in rows if row["id"] not in keys]


def changed(rows: Sequence[Row], **by_key: Row) -> list[Row]:
    """The rows, those named (`P_004=`) with other values."""
    return [{**row, **by_key.get(row["id"].replace("-", "_"), {})} for row in rows]
