"""`trajectory.json` (ATIF): what the model did, the label and a reward that was set but not booked."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from whyzero.model import AgentLog, End, Reward, Speaker, Spot, Utterance
from whyzero.readers.files import Folder, parse_time
from whyzero.readers.given import given_in
from whyzero.readers.osmosis.journal import whole
from whyzero.readers.shapes import items, number, obj

TEXT_LIMIT = 8192
MALFORMED_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One document, reduced."""

    path: str
    log: AgentLog
    brief: Utterance | None = None
    given: tuple[Utterance, ...] = ()
    label: str | None = None
    has_metadata: bool = False
    reward: Reward | None = None
    sdk: str | None = None
    row: int | None = None
    attempt: int | None = None


@dataclass(slots=True)
class _Work:
    turns: int = 0
    calls: int = 0
    results: int = 0
    malformed: list[Utterance] = field(default_factory=list)
    last_message: Utterance | None = None
    last_event: Utterance | None = None
    last_work: Utterance | None = None
    last_turn_called: bool = False


def read_trajectory(folder: Folder, path: str, rollout: str | None) -> Trajectory | None:
    """None where there is none, it does not parse, or it belongs to another rollout."""
    if not folder.is_file(path):
        return None
    document = folder.json_object(path)
    if document is None:
        return None
    extra = obj(obj(document.get("extra")).get("osmosis"))
    identity = extra.get("rollout_id") or document.get("trajectory_id") or document.get("session_id")
    if rollout is not None and identity not in (None, rollout):
        folder.note(path, "belongs to another rollout; not used")
        return None
    steps = [step for step in items(document.get("steps")) if isinstance(step, dict)]
    asked = obj(extra.get("request_extra_fields"))
    label = extra.get("label")
    reward = number(extra.get("reward"))
    agent = obj(document.get("agent"))
    return Trajectory(
        path=path,
        log=_log(path, steps, obj(document.get("final_metrics")), agent),
        brief=_brief(path, steps),
        given=given_in(document.get("steps"), path),
        label=label if isinstance(label, str) else None,
        has_metadata=bool(extra.get("request_metadata")),
        reward=None if reward is None else Reward(reward, spot=Spot(path, pointer="/extra/osmosis/reward"), text=str(reward)),
        sdk=agent.get("version") if isinstance(agent.get("version"), str) else None,
        row=whole(asked.get("row_index")),
        attempt=whole(asked.get("run_index")),
    )


def _log(path: str, steps: list[dict[str, Any]], totals: dict[str, Any], agent: dict[str, Any]) -> AgentLog:
    work = _Work()
    prompt = completion = 0
    for index, step in enumerate(steps):
        metrics = obj(step.get("metrics"))
        prompt += whole(metrics.get("prompt_tokens")) or 0
        completion += whole(metrics.get("completion_tokens")) or 0
        _step(work, path, index, step)
    return AgentLog(
        agent=str(agent.get("name") or "osmosis-rollout-sdk"),
        end=End.COMPLETED,
        malformed=tuple(work.malformed),
        tool_calls=work.calls,
        tool_results=work.results,
        last_message=work.last_message,
        last_event=work.last_event,
        last_work=work.last_work,
        stop_reason="tool_use" if work.last_turn_called and work.turns else None,
        steps=work.turns,
        input_tokens=whole(totals.get("total_prompt_tokens")) or prompt or None,
        output_tokens=whole(totals.get("total_completion_tokens")) or completion or None,
    )


def _step(work: _Work, path: str, index: int, step: dict[str, Any]) -> None:
    spot = Spot(path, pointer=f"/steps/{index}/message")
    speaker = {"agent": Speaker.MODEL, "system": Speaker.INSTRUCTION, "user": Speaker.INSTRUCTION}.get(
        str(step.get("source")), Speaker.UNKNOWN
    )
    message = Utterance(speaker, _text(step.get("message"))[:TEXT_LIMIT], spot, parse_time(step.get("timestamp")), kind="message")
    work.last_event = message
    if speaker is not Speaker.MODEL:
        return
    work.turns += 1
    work.last_message = work.last_work = message
    calls = [call for call in items(step.get("tool_calls")) if isinstance(call, dict)]
    results = items(obj(step.get("observation")).get("results"))
    work.calls += len(calls)
    work.results += len(results)
    work.last_turn_called = bool(calls)
    for at, call in enumerate(calls):
        name, arguments = call.get("function_name"), obj(call.get("arguments"))
        place = Spot(path, pointer=f"/steps/{index}/tool_calls/{at}")
        if len(work.malformed) < MALFORMED_LIMIT and (set(arguments) == {"_raw"} or name == "unknown"):
            raw = arguments.get("_raw")
            text = str(raw) if raw is not None else json.dumps(call)[:TEXT_LIMIT]
            work.malformed.append(replace(message, text=f"{name} {text}"[:TEXT_LIMIT], spot=place, kind="arguments"))
    if results:
        place = Spot(path, pointer=f"/steps/{index}/observation/results/{len(results) - 1}/content")
        said = Utterance(Speaker.TOOL, _text(obj(results[-1]).get("content"))[:TEXT_LIMIT], place, message.at, kind="result")
        work.last_event = work.last_work = said


def _brief(path: str, steps: list[dict[str, Any]]) -> Utterance | None:
    for index, step in enumerate(steps):
        if step.get("source") == "user":
            text = _text(step.get("message"))[:TEXT_LIMIT]
            return Utterance(Speaker.INSTRUCTION, text, Spot(path, pointer=f"/steps/{index}/message"), kind="message")
    return None


def _text(value: object) -> str:
    """A message or tool result as text, whatever shape it has."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(str(part.get("text") or "") if isinstance(part, dict) else str(part) for part in value)
    return json.dumps(value, ensure_ascii=False)
