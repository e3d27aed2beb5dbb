"""codex session files (`rollout-*.jsonl`): typed error codes, times, and threads that were spawned as sub-agents."""

from __future__ import annotations

from typing import Any

from whyzero.model import AgentLog, End, Speaker, Spot, Utterance
from whyzero.readers.agent_logs.collector import Collector, Handoff
from whyzero.readers.agent_logs.source import Head, Source
from whyzero.readers.files import parse_time

ROLLOUTS = 100
CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})


def is_rollout(head: Head) -> bool:
    return any(o.get("type") == "session_meta" and isinstance(o.get("payload"), dict) for o in head.objects()[:3])


def rollout_files(source: Source) -> list[str]:
    """Rollouts below `sessions/`, in order of time (their names begin with it)."""
    at = source.at("sessions")
    if not source.folder.is_dir(at):
        return []
    found = [p for p in source.folder.walk(at, limit=2000) if p.rsplit("/", 1)[1].startswith("rollout-") and p.endswith(".jsonl")]
    return sorted(found)[:ROLLOUTS]


def read_rollout(source: Source, path: str) -> AgentLog:
    """A session file as the log itself, where no output of the program was kept."""
    reader = _Rollout(Collector("codex", path, endpoint=source.endpoint), path, "main")
    for line, event in source.folder.json_lines(path, keep_open_tail=False):
        reader.event(line, event)
    if reader.log.end is End.UNKNOWN:
        reader.log.end = End.CUT
    return reader.log.close()


def add_rollouts(source: Source, paths: list[str], log: Collector) -> None:
    """Typed code of the last error, the brief, and one hand-off for each sub-agent thread."""
    for path in paths:
        thread = _meta(source, path)
        parent = _parent(thread)
        if parent is None:
            _complete_main(source, path, log)
            continue
        child_id = str(thread.get("id"))
        handoff = log.hand_off(Handoff(child_id, "agent", Spot(path, 1), text=f"thread {child_id}", collected=None))
        if handoff is None:
            return
        child = _Rollout(log, path, handoff.id)
        for line, event in source.folder.json_lines(path, keep_open_tail=False):
            child.event(line, event)
            at = parse_time(event.get("timestamp"))
            if at is not None:
                handoff.started_at, handoff.ended_at = handoff.started_at or at, at
        handoff.last, handoff.status = child.last, child.status
        handoff.finished = child.status is not None


def _meta(source: Source, path: str) -> dict[str, Any]:
    for _, event in source.folder.json_lines(path):
        payload = event.get("payload")
        return payload if event.get("type") == "session_meta" and isinstance(payload, dict) else {}
    return {}


def _parent(thread: dict[str, Any]) -> str | None:
    origin = thread.get("source")
    spawned = origin.get("subagent") if isinstance(origin, dict) else None
    if isinstance(spawned, dict) and isinstance(spawned.get("thread_spawn"), dict):
        return str(spawned["thread_spawn"].get("parent_thread_id"))
    if spawned is not None:
        return str(spawned)
    return "unknown" if thread.get("thread_source") == "subagent" else None


def _complete_main(source: Source, path: str, log: Collector) -> None:
    reader = _Rollout(Collector("codex", path), path, "main")
    for line, event in source.folder.json_lines(path, keep_open_tail=False):
        reader.event(line, event)
    log.brief = log.brief or reader.log.brief
    typed = reader.log.end_event
    if log.end is End.FAILED and log.end_event is not None and typed is not None and (typed.code or typed.status):
        end = Utterance(
            speaker=log.end_event.speaker,
            text=log.end_event.text,
            spot=log.end_event.spot,
            at=typed.at,
            kind=log.end_event.kind,
            status=log.end_event.status or typed.status,
            code=typed.code,
        )
        log.replace_error(log.end_event, end)
        log.end_event = end


class _Rollout:
    def __init__(self, log: Collector, path: str, actor: str) -> None:
        self.log = log
        self.path = path
        self.actor = actor
        self.last: Utterance | None = None
        self.status: str | None = None

    def say(self, speaker: Speaker, text: str, line: int, event: dict[str, Any], **more: Any) -> Utterance:
        at = parse_time(event.get("timestamp"))
        self.last = self.log.say(speaker, text, line, at=at, actor=self.actor, path=self.path, **more)
        return self.last

    def event(self, line: int, event: dict[str, Any]) -> None:
        payload = event.get("payload")
        if not isinstance(payload, dict):
            return
        kind = str(payload.get("type"))
        if event.get("type") == "response_item":
            self.item(line, event, kind, payload)
        elif event.get("type") == "event_msg":
            self.message(line, event, kind, payload)

    def item(self, line: int, event: dict[str, Any], kind: str, payload: dict[str, Any]) -> None:
        if kind == "message":
            words = _words(payload.get("content"))
            if payload.get("role") == "assistant":
                spoken = self.say(Speaker.MODEL, words, line, event, kind=kind)
                self.log.turn(spoken)
                self.log.message(spoken)
                self.log.steps += self.actor == "main"
            elif payload.get("role") == "user" and self.actor == "main" and not words.startswith("<"):
                self.log.brief = self.log.brief or self.say(Speaker.INSTRUCTION, words, line, event, kind="user")
        elif kind in CALLS:
            what = str(payload.get("arguments") or payload.get("input") or payload.get("action") or "")
            self.log.turn(self.say(Speaker.MODEL, f"{payload.get('name')}: {what}"[:2000], line, event, kind=kind))
            self.log.call(self.actor)
            self.log.steps += self.actor == "main"
        elif kind in OUTPUTS:
            output = payload.get("output")
            words = output if isinstance(output, str) else str(output)
            if words.startswith("unsupported call"):
                self.log.malformed(self.say(Speaker.HARNESS, words, line, event, kind="unsupported_call"))
            else:
                self.log.result(self.say(Speaker.TOOL, words, line, event, kind="tool_result"))

    def message(self, line: int, event: dict[str, Any], kind: str, payload: dict[str, Any]) -> None:
        error = payload.get("error") if kind == "task_complete" else None
        if kind in ("error", "stream_error") or isinstance(error, dict):
            said = error if isinstance(error, dict) else payload
            status, code = _typed(said.get("codex_error_info"))
            spoken = self.say(
                Speaker.PROVIDER,
                str(said.get("message") or ""),
                line,
                event,
                kind=kind,
                status=status,
                code=code,
                retried=kind == "stream_error",
            )
            self.log.error(spoken)
            if kind != "stream_error":
                self.ended(End.FAILED, spoken, "failed")
        elif kind == "task_complete":
            self.ended(End.COMPLETED, self.say(Speaker.AGENT_RESULT, kind, line, event, kind=kind), "completed")
        elif kind == "turn_aborted":
            self.status = "stopped"

    def ended(self, end: End, spoken: Utterance, status: str) -> None:
        self.status = status
        if self.actor == "main":
            self.log.end, self.log.end_event = end, spoken
            self.log.stop_reason = "end_turn" if end is End.COMPLETED else self.log.stop_reason
            self.log.turn_ended()


def _typed(info: object) -> tuple[int | None, str | None]:
    """Status and code from `codex_error_info`: a word, or an object of one word with details."""
    if isinstance(info, str):
        return None, info
    if isinstance(info, dict):
        for code, details in info.items():
            status = details.get("http_status_code") if isinstance(details, dict) else None
            return (status if isinstance(status, int) else None), str(code)
    return None, None


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str))
