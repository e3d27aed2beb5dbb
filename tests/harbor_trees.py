"""Harbor trial and job folders as Harbor writes them, with only what a test is about spelled out."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from whyzero.causes.engine import judge
from whyzero.findings import Verdict
from whyzero.model import Run, Trial
from whyzero.readers import open_run

START = datetime(2026, 3, 1, 10, 0, 0, tzinfo=UTC)
BRIEF = "Read /app/orders.csv and write /app/report.json: the sum of amounts per region."
PHASES = ("environment_setup", "agent_setup", "agent_execution", "verifier")
SECONDS = {"environment_setup": 10.0, "agent_setup": 5.0, "agent_execution": 100.0, "verifier": 20.0}


def write(root: Path, files: dict[str, Any]) -> Path:
    """Files by relative path; anything but text is written as JSON."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return root


def spans(last: str = "verifier", **seconds: float) -> dict[str, Any]:
    """The phases up to `last`, one after the other from START; a phase after it is null."""
    at, found = START, {}
    for name in PHASES:
        if PHASES.index(name) > PHASES.index(last):
            found[name] = None
            continue
        end = at + timedelta(seconds=seconds.get(name, SECONDS[name]))
        found[name] = {"started_at": at.isoformat().replace("+00:00", "Z"), "finished_at": end.isoformat().replace("+00:00", "Z")}
        at = end
    return found


def exception(kind: str, message: str = "", trace: str = "", at: str = "2026-03-01T10:01:55Z") -> dict[str, Any]:
    return {"exception_type": kind, "exception_message": message, "exception_traceback": trace, "occurred_at": at}


def result(name: str = "orders__abc1234", **changes: Any) -> dict[str, Any]:
    """A trial's result.json; rewards, exception_info, phases … by their own keys."""
    reward = changes.pop("reward", 0.0)
    record: dict[str, Any] = {
        "id": "00000000-0000-4000-8000-000000000001",
        "task_name": "orders",
        "trial_name": name,
        "task_id": {"path": "tasks/orders"},
        "source": None,
        "task_checksum": "c0ffee",
        "config": {
            "task": {"path": "tasks/orders"},
            "trial_name": name,
            "agent": {"name": "terminus-2", "model_name": "openai/gpt-5-mini", "override_timeout_sec": None},
            "environment": {"type": "docker"},
            "verifier": {"disable": False},
        },
        "agent_info": {"name": "terminus-2", "version": "2.0.0", "model_info": {"name": "gpt-5-mini", "provider": "openai"}},
        "agent_result": {"n_input_tokens": 100, "n_output_tokens": 10},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": None,
        "started_at": "2026-03-01T10:00:00Z",
        "finished_at": "2026-03-01T10:02:15Z",
        **spans(),
        "step_results": None,
    }
    return {**record, **changes}


def step(source: str, message: str, command: str | None = None, output: str | None = None) -> dict[str, Any]:
    """One step of an ATIF trajectory."""
    found: dict[str, Any] = {"source": source, "message": message}
    if command is not None:
        found["tool_calls"] = [{"tool_call_id": "c1", "function_name": "bash_command", "arguments": {"keystrokes": command}}]
        found["observation"] = {"results": [{"source_call_id": "c1", "content": output or ""}]}
    return found


WROTE = step("agent", "I write the report.", "python3 totals.py > /app/report.json\n")
LOOKED = step("agent", "I look at the data.", "head -5 /app/orders.csv\n", "order_id,region,amount")


def _during_the_agent(number: int) -> str:
    """A step every half minute: the agent is at work until its time is over."""
    return (START + timedelta(seconds=min(20 + 30 * number, 114))).isoformat().replace("+00:00", "Z")


def trajectory(*steps: dict[str, Any], brief: str = BRIEF, agent: str = "terminus-2") -> dict[str, Any]:
    listed = [step("user", brief), *steps]
    return {
        "schema_version": "ATIF-v1.6",
        "session_id": "s1",
        "agent": {"name": agent, "version": "2.0.0", "model_name": "gpt-5-mini"},
        "steps": [{"step_id": n, "timestamp": _during_the_agent(n), **s} for n, s in enumerate(listed, 1)],
        "final_metrics": {"total_steps": len(listed)},
    }


def ctrf(*tests: tuple[str, str, str], start: datetime = START + timedelta(seconds=116)) -> dict[str, Any]:
    """A report; each test is (name, status, the `E` lines of its failure)."""
    return {
        "results": {
            "tool": {"name": "pytest"},
            "summary": {
                "tests": len(tests),
                "passed": sum(status == "passed" for _, status, _ in tests),
                "failed": sum(status == "failed" for _, status, _ in tests),
                "skipped": 0,
                "start": int(start.timestamp() * 1000),
            },
            "tests": [
                {"name": f"test_outputs.py::{name}", "status": status}
                | ({"trace": "".join(f"E       {line}\n" for line in told.splitlines())} if told else {})
                for name, status, told in tests
            ],
        }
    }


ABSENT = ("test_exists", "failed", "AssertionError: File /app/report.json does not exist")
WRONG = ("test_totals", "failed", "AssertionError: ('south', 429.9, 330.0)\nassert 99.9 < 0.01")
RIGHT = ("test_exists", "passed", "")


def trial(root: Path, record: dict[str, Any] | None = None, **files: Any) -> Path:
    """A trial folder; `files` by name with `__` for `/` (`verifier__ctrf_json` is `verifier/ctrf.json`)."""
    record = result() if record is None else record
    named = {_name(key): value for key, value in files.items()}
    return write(root, {"result.json": record, "config.json": record["config"], **named})


def _name(key: str) -> str:
    folder, _, name = key.rpartition("__")
    stem, _, ending = name.rpartition("_")
    return f"{folder.replace('__', '/')}/{stem.replace('_', '-') if ending == 'txt' and stem == 'test_stdout' else stem}.{ending}".lstrip(
        "/"
    )


def graded(
    root: Path, *tests: tuple[str, str, str], reward: float = 0.0, record: dict[str, Any] | None = None, **files: Any
) -> Path:
    """A trial whose verifier ran these tests; the agent wrote the report unless `agent__trajectory_json` says otherwise."""
    files.setdefault("agent__trajectory_json", trajectory(LOOKED, WROTE))
    record = result(reward=reward) if record is None else record
    return trial(root, record, verifier__ctrf_json=ctrf(*tests), verifier__reward_txt=f"{reward:g}\n", **files)


def read(path: Path) -> tuple[Run, list[Trial]]:
    run = open_run(path)
    return run, list(run.read_trials())


def verdict(path: Path) -> Verdict:
    """The verdict of the one trial there."""
    run, trials = read(path)
    assert len(trials) == 1
    return judge(trials[0], run)


def cause_of(path: Path) -> str | None:
    found = verdict(path).finding
    return found.cause if found else None


def first_evidence(path: Path) -> tuple[str, str | int | None]:
    """Path of the decisive evidence and its pointer or line."""
    found = verdict(path).finding
    assert found is not None
    return found.evidence[0].path, found.evidence[0].pointer or found.evidence[0].line
