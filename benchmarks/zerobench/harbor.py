"""Harbor jobs of several versions from stories: what the runner, the verifier and the agent would have left."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.zerobench.scribes import SCRIBES, Written
from benchmarks.zerobench.story import Story

START = datetime(2026, 5, 11, 9, 30, tzinfo=UTC)
PHASES = ("environment_setup", "agent_setup", "agent_execution", "verifier")
CLASSES_0_20 = {
    "rate_limited": "ApiRateLimitError",
    "provider_error": "ApiInternalServerError",
    "agent_auth": "AgentAuthenticationError",
    "model_not_found": "ModelNotFoundError",
    "context_length": "ContextWindowExceededError",
}
"""What Harbor >= 0.20 calls an exit it recognises; the rest stays NonZeroAgentExitCodeError."""
NOT_GRADED_0_26 = frozenset({"AgentAuthenticationError", "ModelNotFoundError"})


def release(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


@dataclass
class Tests:
    """What the verifier made of it. `passed` None = its tests did not run."""

    passed: int | None
    reward: float | None
    output: str = ""
    ctrf: bool = True
    failures: tuple[str, ...] = ()
    reward_text: str | None = None
    """Raw text of reward.txt, where it is not the number."""
    submitted: tuple[str, ...] = ()


def graded_right(story: Story) -> Tests:
    return Tests(len(story.task.tests), 1.0)


def graded_wrong(story: Story, partial: float = 0.0) -> Tests:
    return Tests(len(story.task.tests) - 1, partial, failures=(story.task.wrong,))


def graded_nothing(story: Story) -> Tests:
    gone = f"AssertionError: {story.task.deliverable} does not exist"
    later = f"FileNotFoundError: [Errno 2] No such file or directory: '{story.task.deliverable}'"
    return Tests(0, 0.0, failures=(gone, *[later] * (len(story.task.tests) - 1)))


@dataclass
class Trial:
    """One trial to write."""

    story: Story
    agent: str
    version: str = "0.26.0"
    tests: Tests | None = None
    exception: tuple[str, str, str] | None = None
    """Class, message, phase in which it was raised."""
    seconds: dict[str, float] = field(default_factory=dict)
    last_phase: str = "verifier"
    limit: float = 600.0
    no_agent_files: bool = False
    extra_files: dict[str, str] = field(default_factory=dict)
    extra_log: tuple[str, ...] = ()
    result: bool = True
    config: dict[str, Any] = field(default_factory=dict)
    name: str = ""


def write_job(root: Path, trials: list[Trial], finished: bool = True) -> Path:
    """The job directory with its trials; returns it."""
    version = trials[0].version
    jobs = []
    for number, trial in enumerate(trials):
        trial.name = trial.name or f"{trial.story.task.name}__{'abcdefgh'[number % 8]}{number:02d}Zk9q"
        jobs.append(_write_trial(root, trial))
    valid = [r for r, t in zip(jobs, trials, strict=True) if r is not None and t.exception is None]
    mean = sum(r or 0.0 for r in jobs) / len(jobs) if release(version) < (0, 26) else (sum(valid) / len(valid) if valid else None)
    evals = {
        f"{trials[0].agent}__{SCRIBES.get(trials[0].agent, (None, 'm'))[1].split('/')[-1]}__adhoc": {
            "n_trials": len(valid),
            "n_errors": sum(t.exception is not None for t in trials),
            "metrics": [{"mean": mean}] if mean is not None else [],
            "reward_stats": {},
            "exception_stats": {},
        }
    }
    result: dict[str, Any] = {
        "id": "5f4d8eab-0000-4000-8000-000000000001",
        "started_at": "2026-05-11T09:29:58.100000",
        "finished_at": "2026-05-11T10:01:00.000000" if finished else None,
        "n_total_trials": len(trials),
        "stats": {"n_completed_trials": len(trials), "n_errored_trials": 0, "evals": evals}
        if release(version) >= (0, 13)
        else {"n_trials": len(trials), "n_errors": 0, "evals": evals},
    }
    _json(root / "result.json", result)
    _json(root / "config.json", {"job_name": root.name, "jobs_dir": "jobs", "n_attempts": 1, "n_concurrent_trials": 4, "timeout_multiplier": 1.0})
    if release(version) >= (0, 13):
        _json(root / "lock.json", {"schema_version": 1, "harbor": {"version": version}})
    _text(root / "job.log", "".join(f"Trial {t.name} failed: {t.exception[1]}\n" for t in trials if t.exception))
    return root


def _write_trial(root: Path, trial: Trial) -> float | None:
    folder = root / trial.name
    scribe, model = SCRIBES.get(trial.agent, (None, ""))
    written = scribe(trial.story, START + timedelta(seconds=15)) if scribe else Written()
    exception = trial.exception or _raised(trial, written)
    tests = trial.tests
    if exception and exception[2] == "agent_execution" and not _grades_after(trial.version, exception[0]):
        tests = None
    if not trial.no_agent_files:
        for name, text in written.files.items():
            _text(folder / "agent" / name, text)
    for name, text in trial.extra_files.items():
        _text(folder / name, text)
    reward = tests.reward if tests else None
    if tests is not None:
        _verifier(folder, trial, tests)
    spans = _spans(trial, tests is not None)
    provider, _, name = model.rpartition("/")
    config = {
        "task": {"path": f"/srv/tasks/{trial.story.task.name}"},
        "trial_name": trial.name,
        "trials_dir": "/srv/jobs/j",
        "timeout_multiplier": 1.0,
        "agent": {"name": trial.agent, "model_name": model or None, "override_timeout_sec": trial.limit, "kwargs": {}},
        "environment": {"type": "docker"},
        "verifier": {"disable": False},
    }
    for key, value in trial.config.items():
        config[key] = value
    record: dict[str, Any] = {
        "id": "50718c4e-0000-4000-8000-000000000001",
        "task_name": trial.story.task.name,
        "trial_name": trial.name,
        "trial_uri": f"file:///srv/jobs/j/{trial.name}",
        "task_id": {"path": f"/srv/tasks/{trial.story.task.name}"},
        "source": None,
        "task_checksum": "5a" * 32,
        "config": config,
        "agent_info": {"name": trial.agent, "version": "1.0", "model_info": {"name": name, "provider": provider} if name else None},
        "agent_result": {"n_input_tokens": 4050, "n_output_tokens": 127} if spans.get("agent_execution") else None,
        "verifier_result": {"rewards": {"reward": reward}} if reward is not None else None,
        "exception_info": None,
        "started_at": _stamp(0),
        "finished_at": _stamp(sum(_lengths(trial).values()) + 4),
        **{phase: spans.get(phase) for phase in PHASES},
    }
    if exception:
        record["exception_info"] = {
            "exception_type": exception[0],
            "exception_message": exception[1],
            "exception_traceback": f"Traceback (most recent call last):\n  File \"/opt/harbor/trial/trial.py\", line 300, in run\n{exception[0]}: {exception[1]}",
            "occurred_at": "2026-05-11T11:31:00.000000",
        }
        _text(folder / "exception.txt", record["exception_info"]["exception_traceback"])
    if release(trial.version) >= (0, 26):
        record["schema_version"] = 1
        record["reward_valid"] = reward is not None and exception is None
    if release(trial.version) >= (0, 6):
        record["step_results"] = None
    _json(folder / "config.json", config)
    _text(folder / "trial.log", "".join(f"{line}\n" for line in (*written.trial_log, *trial.extra_log)))
    if trial.result:
        _json(folder / "result.json", record)
    return reward


def _raised(trial: Trial, written: Written) -> tuple[str, str, str] | None:
    story = trial.story
    if story.ends == "timeout":
        return "AgentTimeoutError", f"Agent execution timed out after {trial.limit} seconds", "agent_execution"
    if written.raised:
        return (*written.raised, "agent_execution")
    if written.exit_code:
        kind = next((e.kind for e in reversed(story.events) if getattr(e, "kind", None)), "")
        name = CLASSES_0_20.get(kind, "NonZeroAgentExitCodeError") if release(trial.version) >= (0, 20) else "NonZeroAgentExitCodeError"
        return name, f"Command failed (exit {written.exit_code}): run {trial.agent}\nstdout: {written.stdout_tail[-600:]}\nstderr: None", "agent_execution"
    return None


def _grades_after(version: str, name: str) -> bool:
    if name == "AgentTimeoutError":
        return True
    if release(version) < (0, 3):
        return False
    if release(version) >= (0, 26):
        return name not in NOT_GRADED_0_26
    return name == "NonZeroAgentExitCodeError" or name.startswith("Api") or name in CLASSES_0_20.values()


def _verifier(folder: Path, trial: Trial, tests: Tests) -> None:
    story = trial.story
    if tests.reward_text is not None:
        _text(folder / "verifier/reward.txt", tests.reward_text)
    elif tests.reward is not None:
        _text(folder / "verifier/reward.txt", f"{tests.reward:g}\n")
    output = tests.output
    if tests.passed is not None:
        names = story.task.tests
        results = []
        for index, name in enumerate(names):
            bad = index >= tests.passed if tests.failures else False
            trace = tests.failures[min(index - tests.passed, len(tests.failures) - 1)] if bad else ""
            results.append({"name": f"test_outputs.py::{name}", "status": "failed" if bad else "passed", "duration": 10, "trace": f"E       {trace}" if bad else "", "message": trace})
        failed = sum(r["status"] == "failed" for r in results)
        if tests.ctrf:
            summary = {"tests": len(names), "passed": len(names) - failed, "failed": failed, "skipped": 0, "pending": 0, "other": 0}
            _json(folder / "verifier/ctrf.json", {"results": {"tool": {"name": "pytest"}, "summary": summary, "tests": results}})
        lines = ["============================= test session starts ==============================", f"collected {len(names)} items", ""]
        lines += [f"E       {r['message']}" for r in results if r["message"]]
        lines += ["=========================== short test summary info ============================"]
        lines += [f"FAILED ../tests/{r['name']} - {r['message'][:60]}" for r in results if r["message"]]
        counts = ", ".join(p for p in (f"{failed} failed" if failed else "", f"{len(names) - failed} passed" if failed < len(names) else "") if p)
        output += "\n".join([*lines, f"=========================== {counts} in 0.12s ==========================="]) + "\n"
    _text(folder / "verifier/test-stdout.txt", output)
    for name in tests.submitted:
        _text(folder / "verifier" / name, "{}\n")


def _lengths(trial: Trial) -> dict[str, float]:
    normal = {"environment_setup": 9.0, "agent_setup": 5.0, "agent_execution": 42.0, "verifier": 6.0}
    if trial.story.ends == "timeout":
        normal["agent_execution"] = trial.limit + 0.4
    return normal | trial.seconds


def _spans(trial: Trial, verified: bool) -> dict[str, Any]:
    at, found = 1.0, {}
    last = trial.last_phase if trial.last_phase != "verifier" or verified or trial.exception else "agent_execution"
    for phase, length in _lengths(trial).items():
        if PHASES.index(phase) > PHASES.index(last):
            break
        found[phase] = {"started_at": _stamp(at), "finished_at": _stamp(at + length)}
        at += length + 0.2
    return found


def _stamp(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def _json(path: Path, value: object) -> None:
    _text(path, json.dumps(value, indent=1))


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
