"""Trials told by the text of a log, a traceback or an edited file, where no story has the shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import Case, in_harbor, task
from benchmarks.zerobench.harbor_verifier import Tests, nothing
from benchmarks.zerobench.places import Place
from benchmarks.zerobench.story import Refusal, looked, untouched

ADAPTER = "/home/op/agents/loop.py"


RUNNER = "/opt/harbor/site-packages/harbor/trial/trial.py"


def logged(
    name: str,
    truth: str,
    agent: str,
    file: str,
    text: str,
    number: int = 0,
    tests: Tests | None = None,
    leaves: bool = True,
    kind: str = "fault",
    release: str = "0.24.0",
) -> Case:
    """An agent whose whole log is `text`; it `leaves` by exit code 1."""
    said = f"Command failed (exit 1): run {agent}\nstdout: {text[-500:]}\nstderr: None"
    trial = harbor.Trial(
        untouched(task(number)),
        agent,
        release,
        tests or nothing(task(number)),
        exception=("NonZeroAgentExitCodeError", said, "agent_execution") if leaves else None,
        no_agent_files=True,
        extra_files={f"agent/{file}": text},
    )
    return in_harbor(f"foreign-{name}", truth, trial, kind)


def codex_log(said: str) -> str:
    events: tuple[dict[str, object], ...] = (
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        {"type": "error", "message": said},
        {"type": "turn.failed", "error": {"message": said}},
    )
    return "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in events)


def claude_log(said: str, status: int | None) -> str:
    result = {"type": "result", "subtype": "success", "is_error": True, "api_error_status": status, "num_turns": 1}
    return json.dumps(result | {"result": said, "stop_reason": "stop_sequence", "session_id": "s"}, ensure_ascii=False) + "\n"


def opencode_log(name: str, said: str) -> str:
    error = {"name": name, "data": {"message": said}}
    return json.dumps({"type": "error", "timestamp": 1778491817000, "sessionID": "s", "error": error}) + "\n"


def raised(
    name: str, truth: str, exception: tuple[str, str], inside: str, seconds: float = 66.0, kind: str = "fault", steps: int = 3
) -> Case:
    """An agent of the operator's own; `inside` is the whole traceback, or what stands before the runner's."""
    story = looked(task(len(name)), steps) if steps else untouched(task(len(name)))
    trial = harbor.Trial(
        story,
        "terminus-2",
        "0.24.0",
        exception=(*exception, "agent_execution"),
        frames=(f"{ADAPTER}:88 run",),
        seconds={"agent_execution": seconds},
        no_agent_files=not steps,
    )
    runner = f'Traceback (most recent call last):\n  File "{RUNNER}", line 654, in run\n'
    trial.trace = (
        inside if "Group" in exception[0] else f"{inside}{'' if seconds < 1 else runner}{exception[0]}: {exception[1]}\n"
    )
    return in_harbor(f"foreign-{name}", truth, trial, kind)


def edited(name: str, truth: str, trial: harbor.Trial, file: str, edit: Callable[[str], str], kind: str = "decoy") -> Case:
    """The same tree with one file of the trial changed afterwards."""
    case = in_harbor(f"foreign-{name}", truth, trial, kind)

    def write(root: Path) -> Place:
        place = case.write(root)
        path = place.path / str(place.trial) / file
        before = path.read_text(encoding="utf-8")
        path.write_text(edit(before), encoding="utf-8", newline="")
        if path.read_bytes() == before.encode():
            raise ValueError(f"{name}: nothing was changed")
        return place

    return replace(case, write=write)


def limit() -> Refusal:
    return Refusal(
        "rate_limited", 429, "rate_limit_error", "This request would exceed your organization's rate limit.", "anthropic"
    )
