"""A rollout that ran in a Harbor sandbox: `diagnostics.json`, Harbor's own result, and what the verifier printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from whyzero.evidence import Evidence
from whyzero.model import AgentLog, ExceptionRecord, Grading, Reward, Spot
from whyzero.readers.agent_logs import read_agent_logs
from whyzero.readers.files import Folder, parse_json, parse_time
from whyzero.readers.harbor.verifier import read_verifier

NOTHING_TO_GRADE = "No messages from the agent phase, skipping grading"
"""Printed by the SDK's in-container grader before it writes 0.0."""


@dataclass(frozen=True, slots=True)
class HarborSide:
    """What the sandbox left; empty for the local backend."""

    phase: str | None = None
    """Harbor's own: setup, environment_setup, agent_setup, agent, verifier, grading."""
    exceptions: tuple[ExceptionRecord, ...] = ()
    grading: Grading = field(default_factory=Grading)
    nothing_to_grade: tuple[Evidence, ...] = ()
    logs: tuple[AgentLog, ...] = ()
    """What a native agent program wrote in the sandbox."""
    reward: Reward | None = None
    """What the verifier wrote where the backend could not use it; never a value."""


def read_harbor_side(folder: Folder, home: str) -> HarborSide:
    """`home` is the rollout's folder in the run."""
    path = f"{home}/diagnostics.json"
    if not folder.is_file(path):
        return HarborSide()
    diagnostics = folder.json_object(path) or {}
    phase = diagnostics.get("phase") if isinstance(diagnostics.get("phase"), str) else None
    failed = diagnostics.get("category") is not None or diagnostics.get("harbor_exception_type") is not None
    exceptions = _exceptions(folder, home, path, diagnostics, phase) if failed else ()
    judged = read_verifier(folder, f"{home}/logs/verifier", (), None)
    silent = tuple(line.evidence() for line in judged.grading.output if NOTHING_TO_GRADE in line.text)
    return HarborSide(
        phase="agent" if any(e.during == "agent" for e in exceptions) else phase if failed else None,
        exceptions=exceptions,
        grading=judged.grading,
        nothing_to_grade=silent,
        logs=tuple(log for log in read_agent_logs(folder, f"{home}/logs/agent", None) if log.steps or log.errors),
        reward=_written(folder, f"{home}/logs/verifier") if failed and phase == "grading" else None,
    )


def _written(folder: Folder, base: str) -> Reward | None:
    """The reward file as text; only a `reward` that is a finite number would have been booked."""
    for name in ("reward.json", "reward.txt"):
        text = folder.text(f"{base}/{name}", 65_536)
        if text is None:
            continue
        value = parse_json(text) if name.endswith(".json") else text.strip()
        channel = value.get("reward") if isinstance(value, dict) else value
        reason = "empty file" if not text.strip() else None if channel is None else "not a finite number"
        return Reward(spot=Spot(f"{base}/{name}"), text=text.strip()[:400], invalid=reason)
    return None


def _exceptions(
    folder: Folder, home: str, path: str, diagnostics: dict[str, Any], phase: str | None
) -> tuple[ExceptionRecord, ...]:
    result = f"{home}/harbor/result.json"
    info = (folder.json_object(result) or {}).get("exception_info") if folder.is_file(result) else None
    if isinstance(info, dict) and info.get("exception_type"):
        return (
            ExceptionRecord(
                type=str(info["exception_type"]),
                message=str(info.get("exception_message") or "")[:2000],
                spot=Spot(result, pointer="/exception_info"),
                at=parse_time(info.get("occurred_at")),
                during=phase,
                traceback=str(info.get("exception_traceback") or "")[-8192:],
            ),
        )
    kind = diagnostics.get("harbor_exception_type")
    if not isinstance(kind, str):
        return _inside(folder, f"{home}/logs/agent/container_result.json")
    text = folder.text(f"{home}/logs/exception.txt", 65_536) or ""
    spot = Spot(path, pointer="/harbor_exception_type")
    return (ExceptionRecord(type=kind, message="", spot=spot, during=phase, traceback=text[-8192:]),)


def _inside(folder: Folder, path: str) -> tuple[ExceptionRecord, ...]:
    """The failure that the workflow's program in the container recorded of itself: the message of what run() raised, without its class.

    Harbor goes on to the verifier, which then has nothing to grade.
    """
    recorded = folder.json_object(path) if folder.is_file(path) else None
    if not recorded or recorded.get("status") != "failure":
        return ()
    said = recorded.get("err_message")
    message = said.strip()[:2000] if isinstance(said, str) else ""
    return (
        ExceptionRecord(
            type="" if message else "failure",
            message=message,
            spot=Spot(path, pointer="/err_message" if message else "/status"),
            during="agent",
        ),
    )
