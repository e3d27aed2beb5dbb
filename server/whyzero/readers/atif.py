"""ATIF trajectories (schema 1.0 to 1.8): light steps, sub-agents of either shape, continuation files.

Sub-agents appear as embedded `subagent_trajectories`, as files named by `subagent_trajectory_ref`, or as steps of the
main list marked `extra.is_sidechain`; their absence proves nothing, because forks drop them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.files import Folder, parse_time

TEXT_LIMIT = 8192
FILE_LIMIT = 50
SUBAGENT_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; `result` is what came back for it, None where nothing did."""

    id: str
    name: str
    arguments: str
    """The arguments as text, bounded."""
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an ATIF trajectory."""

    number: int
    source: str
    """`system`, `user` or `agent`."""
    text: str
    spot: Spot
    at: datetime | None = None
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    results: tuple[str, ...] = ()
    """All observation texts of the step, matched to a call or not."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    actor: str = "main"
    """`main`, or the id of the sub-agent the step belongs to."""
    model: str | None = None
    stop_reason: str | None = None
    copied: bool = False
    """Repeated from an earlier trajectory file (`is_copied_context`)."""

    def utterance(self) -> Utterance:
        speaker = {"agent": Speaker.MODEL, "user": Speaker.INSTRUCTION}.get(self.source, Speaker.HARNESS)
        return Utterance(speaker, self.text, self.spot, self.at, kind=self.source, actor=self.actor)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One ATIF document: a trajectory and the calls in it."""

    path: str
    version: str
    agent: str | None
    model: str | None
    session: str | None
    steps: tuple[Step, ...]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_steps: int | None = None
    """`final_metrics.total_steps`; may exceed the steps that were written."""
    subagents: tuple[Trajectory, ...] = ()
    id: str | None = None

    def main_steps(self) -> Iterator[Step]:
        return (step for step in self.steps if step.actor == "main")

    @property
    def brief(self) -> Utterance | None:
        """The first user message of the main agent."""
        return next((s.utterance() for s in self.main_steps() if s.source == "user" and s.text.strip()), None)


@dataclass(slots=True)
class _Reading:
    folder: Folder
    seen: set[str] = field(default_factory=set)


def read_trajectory(folder: Folder, path: str) -> Trajectory | None:
    """The trajectory at `path` with its continuations and sub-agents, or None where there is none of that shape."""
    return _read(_Reading(folder), path, 0)


def _read(reading: _Reading, path: str, depth: int) -> Trajectory | None:
    if path in reading.seen or len(reading.seen) >= FILE_LIMIT or not reading.folder.is_file(path):
        return None
    reading.seen.add(path)
    data = reading.folder.json_object(path)
    return None if data is None else _trajectory(reading, data, path, "", depth)


def _trajectory(reading: _Reading, data: dict[str, Any], path: str, pointer: str, depth: int) -> Trajectory | None:
    listed = data.get("steps")
    if not isinstance(listed, list) or not str(data.get("schema_version", "")).startswith("ATIF"):
        return None
    steps = [_step(item, index, path, pointer) for index, item in enumerate(listed) if isinstance(item, dict)]
    subagents: list[Trajectory] = []
    if depth < SUBAGENT_DEPTH:
        for index, item in enumerate(_list(data.get("subagent_trajectories"))):
            below = (
                _trajectory(reading, item, path, f"{pointer}/subagent_trajectories/{index}", depth + 1)
                if isinstance(item, dict)
                else None
            )
            subagents += [below] if below else []
        subagents += _referenced(reading, listed, path, depth)
    if not pointer:
        follow = _beside(path, data.get("continued_trajectory_ref"))
        later = _read(reading, follow, depth) if follow else None
        if later is not None:
            steps += [step for step in later.steps if not step.copied]
            subagents += later.subagents
    agent, totals = _obj(data.get("agent")), _obj(data.get("final_metrics"))
    return Trajectory(
        path=path,
        version=str(data.get("schema_version")),
        agent=_text(agent.get("name")),
        model=_text(agent.get("model_name")),
        session=_text(data.get("session_id")),
        steps=tuple(steps),
        prompt_tokens=_count(totals.get("total_prompt_tokens")),
        completion_tokens=_count(totals.get("total_completion_tokens")),
        total_steps=_count(totals.get("total_steps")),
        subagents=tuple(subagents),
        id=_text(data.get("trajectory_id")),
    )


def _referenced(reading: _Reading, steps: list[Any], path: str, depth: int) -> list[Trajectory]:
    found = []
    for step in steps:
        for result in _list(_obj(_obj(step).get("observation")).get("results")):
            for reference in _list(_obj(result).get("subagent_trajectory_ref")):
                below = _beside(path, _obj(reference).get("trajectory_path"))
                trajectory = _read(reading, below, depth + 1) if below else None
                found += [trajectory] if trajectory else []
    return found


def _step(item: dict[str, Any], index: int, path: str, pointer: str) -> Step:
    extra, metrics = _obj(item.get("extra")), _obj(item.get("metrics"))
    results = [_obj(r) for r in _list(_obj(item.get("observation")).get("results"))]
    by_call = {str(r["source_call_id"]): flat(r.get("content")) for r in results if r.get("source_call_id") is not None}
    calls = tuple(
        Call(
            id=str(call.get("tool_call_id", "")),
            name=str(call.get("function_name", "")),
            arguments=flat(call.get("arguments")),
            result=by_call.get(str(call.get("tool_call_id", ""))),
        )
        for call in map(_obj, _list(item.get("tool_calls")))
    )
    return Step(
        number=_count(item.get("step_id")) or index + 1,
        source=str(item.get("source", "")),
        text=flat(item.get("message")),
        spot=Spot(path, pointer=f"{pointer}/steps/{index}/message"),
        at=parse_time(item.get("timestamp")),
        reasoning=flat(item.get("reasoning_content")),
        calls=calls,
        results=tuple(flat(r.get("content")) for r in results),
        prompt_tokens=_count(metrics.get("prompt_tokens")),
        completion_tokens=_count(metrics.get("completion_tokens")),
        actor=str(extra.get("agent_id") or "subagent") if extra.get("is_sidechain") is True else "main",
        model=_text(item.get("model_name")),
        stop_reason=_text(extra.get("stop_reason")),
        copied=item.get("is_copied_context") is True,
    )


def flat(value: Any) -> str:
    """Bounded text of a message or content: a string, a list of parts (1.6 and newer), or an object shown as `key: value`."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value[:TEXT_LIMIT]
    if isinstance(value, list):
        return "\n".join(part for item in value[:100] if (part := flat(item)))[:TEXT_LIMIT]
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            return str(value["text"])[:TEXT_LIMIT]
        return "\n".join(f"{k}: {v if isinstance(v, (int, float)) else flat(v)}" for k, v in list(value.items())[:50])[
            :TEXT_LIMIT
        ]
    return str(value)[:200]


def _beside(path: str, name: Any) -> str | None:
    """A reference is a file name, or a path whose last part names a file beside the referring one."""
    if not isinstance(name, str) or not name.strip():
        return None
    parent = PurePosixPath(path).parent
    return str(parent / PurePosixPath(name).name) if str(parent) != "." else PurePosixPath(name).name


def _obj(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
