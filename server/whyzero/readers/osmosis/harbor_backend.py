"""A rollout that ran in a Harbor sandbox: `diagnostics.json`, Harbor's own result, and what the verifier printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from whyzero.evidence import Evidence
from whyzero.model import ExceptionRecord, Grading, Spot
from whyzero.readers.files import Folder, parse_time
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


def read_harbor_side(folder: Folder, home: str) -> HarborSide:
    """`home` is the rollout's folder in the run."""
    path = f"{home}/diagnostics.json"
    if not folder.is_file(path):
        return HarborSide()
    diagnostics = folder.json_object(path) or {}
    phase = diagnostics.get("phase") if isinstance(diagnostics.get("phase"), str) else None
    failed = diagnostics.get("category") is not None or diagnostics.get("harbor_exception_type") is not None
    judged = read_verifier(folder, f"{home}/logs/verifier", (), None)
    silent = tuple(line.evidence() for line in judged.grading.output if NOTHING_TO_GRADE in line.text)
    return HarborSide(
        phase=phase if failed else None,
        exceptions=_exceptions(folder, home, path, diagnostics, phase) if failed else (),
        grading=judged.grading,
        nothing_to_grade=silent,
    )


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
        return ()
    text = folder.text(f"{home}/logs/exception.txt", 65_536) or ""
    last = next((line for line in reversed(text.splitlines()) if line.strip() and not line[0].isspace()), "")
    message = last.partition(": ")[2] if kind in last.partition(": ")[0] else ""
    spot = Spot(path, pointer="/harbor_exception_type")
    return (ExceptionRecord(type=kind, message=message[:2000], spot=spot, during=phase, traceback=text[-8192:]),)
