"""Harbor jobs of several versions from stories: what the runner, the verifier and the agent would have left."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.zerobench.harbor_verifier import Tests, write_verifier
from benchmarks.zerobench.places import write_json, write_text
from benchmarks.zerobench.scribes import PROGRAMS, Written
from benchmarks.zerobench.story import Cap, Declined, Story

START = datetime(2026, 5, 11, 9, 30, tzinfo=UTC)
PHASES = ("environment_setup", "agent_setup", "agent_execution", "verifier")
RECOGNISED = {
    ("claude-code", "rate_limited"): "ApiRateLimitError",
    ("claude-code", "provider_error"): "UnknownApiError",
    ("claude-code", "agent_auth"): "AgentAuthenticationError",
    ("claude-code", "harness_incompatibility"): "UnknownApiError",
    ("codex", "rate_limited"): "ApiRateLimitError",
    ("codex", "agent_auth"): "AgentAuthenticationError",
    ("mini-swe-agent", "agent_auth"): "AgentAuthenticationError",
    ("gemini-cli", "model_not_found"): "ModelNotFoundError",
}
"""What Harbor >= 0.20 calls an exit it recognises; the rest stays NonZeroAgentExitCodeError."""
NOT_GRADED_0_26 = frozenset(
    {"AgentAuthenticationError", "ModelNotFoundError", "AuthenticationError", "NotFoundError", "CancelledError"}
)


def release(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


@dataclass
class Trial:
    """One trial to write."""

    story: Story
    agent: str
    version: str = "0.26.0"
    tests: Tests | None = None
    exception: tuple[str, str, str] | None = None
    """Class, message, phase in which it was raised; None = whatever follows from the story."""
    frames: tuple[str, ...] = ()
    """`file:line function` of the exception's traceback below the runner's own."""
    trace: str = ""
    """The exception's whole traceback, where it is not that of a plain exception."""
    masked: tuple[str, str] | None = None
    """Class and message of a second exception, which only trial.log and job.log know."""
    seconds: dict[str, float] = field(default_factory=dict)
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
    rewards = []
    for number, trial in enumerate(trials):
        trial.name = trial.name or f"{trial.story.task.name}__{'abcdefgh'[number % 8]}{number:02d}Zk9q"
        rewards.append(_write_trial(root, trial))
    graded = [r for r in rewards if r is not None]
    old_rule = release(version) < (0, 26)
    mean = sum(graded) / len(trials) if old_rule else (sum(graded) / len(graded) if graded else None)
    agent = trials[0].agent
    model = PROGRAMS[agent].model.rpartition("/")[2] if agent in PROGRAMS else ""
    evals = {
        "__".join(part for part in (agent, model, "adhoc") if part): {
            "n_trials": len(graded),
            "n_errors": sum(t.exception is not None for t in trials),
            "metrics": [{"mean": mean}] if mean is not None else [],
            "reward_stats": {},
            "exception_stats": {},
        }
    }
    counts = ("n_completed_trials", "n_errored_trials") if release(version) >= (0, 13) else ("n_trials", "n_errors")
    result: dict[str, Any] = {
        "id": "5f4d8eab-0000-4000-8000-000000000001",
        "started_at": "2026-05-11T09:29:58.100000",
        "finished_at": "2026-05-11T10:01:00.000000" if finished else None,
        "n_total_trials": len(trials),
        "stats": {counts[0]: len(trials) if finished else 0, counts[1]: 0, "evals": evals if finished else {}},
    }
    write_json(root / "result.json", result)
    config = {"job_name": root.name, "jobs_dir": "jobs", "n_attempts": 1, "timeout_multiplier": 1.0}
    write_json(root / "config.json", config | {"n_concurrent_trials": 4})
    if release(version) >= (0, 13):
        write_json(root / "lock.json", {"schema_version": 1, "harbor": {"version": version}})
    log = [f"Trial {t.name} failed: {said[1]}" for t in trials if (said := t.exception)]
    log += [f"Trial {t.name} failed: {t.masked[1]}" for t in trials if t.masked]
    write_text(root / "job.log", "".join(f"{line}\n" for line in log))
    return root


def _write_trial(root: Path, trial: Trial) -> float | None:
    folder = root / trial.name
    program = PROGRAMS.get(trial.agent)
    written = program.scribe(trial.story, START + timedelta(seconds=16)) if program else Written()
    exception = trial.exception or _raised(trial, written)
    tests = trial.tests
    if exception and exception[2] == "agent_execution" and not _grades_after(trial.version, exception[0]):
        tests = None
    if not trial.no_agent_files:
        for name, text in written.files.items():
            write_text(folder / "agent" / name, text)
    spans = _spans(trial, tests is not None, exception)
    if tests is not None:
        write_verifier(folder, trial.story, tests, START + timedelta(seconds=_lengths_before(trial, "verifier") + 1))
    for name, text in trial.extra_files.items():
        write_text(folder / name, text)
    reward = tests.reward if tests else None
    config = _config(trial)
    record = _record(trial, config, spans, reward, exception)
    if record["exception_info"]:
        write_text(folder / "exception.txt", record["exception_info"]["exception_traceback"])
    write_json(folder / "config.json", config)
    log = [*written.trial_log, *trial.extra_log]
    if trial.masked:
        log += [
            f"Trial {trial.name} failed: {trial.masked[1]}",
            "Skipping exception record because trial already has exception_info",
        ]
        log += _traceback(trial, (*trial.masked, "verifier")).splitlines()
    write_text(folder / "trial.log", "".join(f"{line}\n" for line in log))
    if trial.result:
        write_json(folder / "result.json", record)
    return reward


def _config(trial: Trial) -> dict[str, Any]:
    model = PROGRAMS[trial.agent].model if trial.agent in PROGRAMS else None
    return {
        "task": {"path": f"/srv/tasks/{trial.story.task.name}"},
        "trial_name": trial.name,
        "trials_dir": "/srv/jobs/j",
        "timeout_multiplier": 1.0,
        "agent": {"name": trial.agent, "model_name": model, "override_timeout_sec": trial.limit, "kwargs": {}, "env": {}},
        "environment": {"type": "docker"},
        "verifier": {"disable": False},
        **trial.config,
    }


def _record(
    trial: Trial, config: dict[str, Any], spans: dict[str, Any], reward: float | None, exception: tuple[str, str, str] | None
) -> dict[str, Any]:
    """result.json."""
    provider, _, name = (config["agent"]["model_name"] or "").rpartition("/")
    rewards = None if reward is None else {"rewards": {"reward": reward}}
    record: dict[str, Any] = {
        "id": "50718c4e-0000-4000-8000-000000000001",
        "task_name": trial.story.task.name,
        "trial_name": trial.name,
        "trial_uri": f"file:///srv/jobs/j/{trial.name}",
        "task_id": {"path": f"/srv/tasks/{trial.story.task.name}"},
        "source": None,
        "task_checksum": "5a" * 32,
        "config": config,
        "agent_info": {
            "name": trial.agent,
            "version": "1.0",
            "model_info": {"name": name, "provider": provider} if name else None,
        },
        "agent_result": {"n_input_tokens": 4050, "n_output_tokens": 127} if spans.get("agent_execution") else None,
        "verifier_result": rewards,
        "exception_info": None,
        "started_at": _stamp(0),
        "finished_at": _stamp(sum(_lengths(trial).values()) + 4),
        **{phase: spans.get(phase) for phase in PHASES},
    }
    if exception:
        record["exception_info"] = {
            "exception_type": exception[0].rpartition(".")[2],
            "exception_message": exception[1],
            "exception_traceback": _traceback(trial, exception),
            "occurred_at": _stamp(_lengths_before(trial, exception[2]) + _lengths(trial)[exception[2]]),
        }
    if release(trial.version) >= (0, 26):
        record |= {"schema_version": 1, "reward_valid": reward is not None and (exception is None or "Timeout" in exception[0])}
    if release(trial.version) >= (0, 6):
        record["step_results"] = None
    return record


def _traceback(trial: Trial, exception: tuple[str, str, str]) -> str:
    frames = ("/opt/harbor/site-packages/harbor/trial/trial.py:654 run", *trial.frames)
    text = "Traceback (most recent call last):\n"
    for frame in frames:
        file, _, rest = frame.partition(":")
        line, _, function = rest.partition(" ")
        text += f'  File "{file}", line {line}, in {function}\n    ...\n'
    if trial.trace and exception is trial.exception:
        return trial.trace
    return text + (f"{exception[0]}: {exception[1]}\n" if exception[1] else f"{exception[0]}\n")


def _raised(trial: Trial, written: Written) -> tuple[str, str, str] | None:
    """What the runner makes of the agent's end."""
    story = trial.story
    if story.ends == "timeout":
        return "AgentTimeoutError", f"Agent execution timed out after {trial.limit} seconds", "agent_execution"
    if story.ends == "killed":
        return "CancelledError", "", "agent_execution"
    if written.raised:
        return (*written.raised, "agent_execution")
    if not written.exit_code:
        return None
    kind = story.last_refusal.kind if story.last_refusal else ""
    name = RECOGNISED.get((trial.agent, kind), "NonZeroAgentExitCodeError")
    if trial.agent == "claude-code" and isinstance(story.events[-1], Cap):
        name = "OutputTokenExceededError"
    if trial.agent == "claude-code" and isinstance(story.events[-1], Declined):
        name = "AgentSafetyRefusalError"
    if release(trial.version) < (0, 20):
        name = "NonZeroAgentExitCodeError"
    stdout = written.stdout
    if len(stdout) > 1000:
        stdout = stdout[:250] + "\n... [truncated] ...\n" + stdout[-750:] if release(trial.version) >= (0, 20) else stdout[:1000]
    message = f"Command failed (exit {written.exit_code}): set -euo pipefail; run {trial.agent} 2>&1 | tee /logs/agent/log.txt"
    return name, f"{message}\nstdout: {stdout}\nstderr: None", "agent_execution"


def _grades_after(version: str, name: str) -> bool:
    """Whether the verifier still runs: a rule that changed with the versions."""
    short = name.rpartition(".")[2]
    if short == "AgentTimeoutError":
        return True
    if release(version) < (0, 3) or short == "CancelledError":
        return False
    if release(version) >= (0, 26):
        return short not in NOT_GRADED_0_26
    installed = {*RECOGNISED.values(), "NonZeroAgentExitCodeError", "OutputTokenExceededError", "AgentSafetyRefusalError"}
    return short in installed


def _lengths(trial: Trial) -> dict[str, float]:
    normal = {"environment_setup": 9.0, "agent_setup": 5.0, "agent_execution": 42.0, "verifier": 6.0}
    if trial.story.ends == "timeout":
        normal["agent_execution"] = trial.limit + 0.4
    return normal | trial.seconds


def _lengths_before(trial: Trial, phase: str) -> float:
    lengths = _lengths(trial)
    return 1.0 + sum(lengths[p] + 0.2 for p in PHASES[: PHASES.index(phase)])


def _spans(trial: Trial, verified: bool, exception: tuple[str, str, str] | None) -> dict[str, Any]:
    raised = exception[2] if exception else None
    last = "verifier" if verified or raised == "verifier" else (raised or "agent_execution")
    if trial.masked:
        last = "verifier"
    found: dict[str, Any] = {}
    for phase in PHASES[: PHASES.index(last) + 1]:
        at = _lengths_before(trial, phase)
        found[phase] = {"started_at": _stamp(at), "finished_at": _stamp(at + _lengths(trial)[phase])}
    return found


def _stamp(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
