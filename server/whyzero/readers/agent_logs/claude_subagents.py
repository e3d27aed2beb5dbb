"""claude-code's session files: where sub-agents leave what the stream does not show, their typed errors above all."""

from __future__ import annotations

from typing import Any

from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.agent_logs.collector import Collector, Handoff, bounded
from whyzero.readers.agent_logs.source import Source
from whyzero.readers.files import parse_time

SUBAGENT_FILES = 200


def session_files(source: Source) -> list[str]:
    """Main sessions, the largest first."""
    found: list[str] = []
    for folder in _project_folders(source):
        found += [f"{folder}/{n}" for n in source.folder.names(folder) if n.endswith(".jsonl") and not n.startswith("agent-")]
    return sorted(found, key=lambda p: -(source.folder.size(p) or 0))


def _project_folders(source: Source) -> list[str]:
    found: list[str] = []
    for root in ("sessions/projects", ".claude/projects", "projects"):
        at = source.at(root)
        if source.folder.is_dir(at):
            found += [f"{at}/{n}" for n in source.folder.names(at) if source.folder.is_dir(f"{at}/{n}")]
    return found


def _subagent_files(source: Source) -> list[str]:
    found: list[str] = []
    for project in _project_folders(source):
        for name in source.folder.names(project):
            if name.startswith("agent-") and name.endswith(".jsonl"):
                found.append(f"{project}/{name}")
            below = f"{project}/{name}/subagents"
            if not name.endswith(".jsonl") and source.folder.is_dir(below):
                found += [f"{below}/{n}" for n in source.folder.names(below) if n.endswith(".jsonl")]
    return found[:SUBAGENT_FILES]


def add_subagents(source: Source, log: Collector) -> None:
    """Complete the hand-offs of a log from the transcripts of its sub-agents."""
    for path in _subagent_files(source):
        name = path.rsplit("/", 1)[1]
        agent_id = name.removeprefix("agent-").removesuffix(".jsonl")
        meta = source.folder.json_object(path.removesuffix(".jsonl") + ".meta.json", limit=64 * 2**10) or {}
        call_id = str(meta.get("toolUseId") or agent_id)
        handoff = log.handoffs.get(call_id) or next((h for h in log.handoffs.values() if h.id == agent_id), None)
        if handoff is None:
            handoff = log.hand_off(Handoff(call_id, "agent", Spot(path, 1), text=f"sub-agent {agent_id}", collected=None))
        if handoff is not None:
            _read_subagent(source, path, handoff, log)


def _read_subagent(source: Source, path: str, handoff: Handoff, log: Collector) -> None:
    tokens: int | None = None
    for line, event in source.folder.json_lines(path, keep_open_tail=False):
        at = parse_time(event.get("timestamp"))
        if at is not None:
            handoff.started_at = handoff.started_at or at
            handoff.ended_at = at
        if event.get("type") != "assistant":
            continue
        message = event.get("message")
        message = message if isinstance(message, dict) else {}
        text = _words(message.get("content")) or _calls(message.get("content"))
        if not event.get("isApiErrorMessage"):
            usage = message.get("usage")
            written = usage.get("output_tokens") if isinstance(usage, dict) else None
            tokens = (tokens or 0) + (written if isinstance(written, int) else 0)
            if message.get("model") != "<synthetic>":
                spoken = log.say(Speaker.MODEL, text, line, kind="assistant", at=at, actor=handoff.id, path=path)
                log.turn(spoken)
                handoff.last = spoken
            continue
        status = event.get("apiErrorStatus")
        spoken = log.say(
            Speaker.PROVIDER,
            text or str(event.get("error")),
            line,
            kind="api_error",
            at=at,
            status=status if isinstance(status, int) else None,
            code=str(event["error"]) if event.get("error") else None,
            actor=handoff.id,
            path=path,
        )
        log.error(spoken)
        if handoff.error is None or handoff.error.kind == "subagent_result":
            handoff.error = spoken
        handoff.last = spoken
    if handoff.tokens is None:
        handoff.tokens = tokens


def first_request(source: Source, path: str) -> Utterance | None:
    """What the main agent was asked, from the beginning of a session file."""
    for line, event in source.folder.json_lines(path):
        message = event.get("message")
        if event.get("type") == "user" and isinstance(message, dict) and not event.get("isMeta"):
            return Utterance(Speaker.INSTRUCTION, bounded(_words(message.get("content"))), Spot(path, line), kind="user")
        if line > 60:
            break
    return None


def _calls(content: Any) -> str:
    blocks = content if isinstance(content, list) else []
    return " ".join(str(b.get("name")) for b in blocks if isinstance(b, dict) and b.get("type") == "tool_use")


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str))
