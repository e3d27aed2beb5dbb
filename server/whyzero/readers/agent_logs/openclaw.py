"""OpenClaw: the closing JSON envelope of its output, and the session file in pi's message format beside it."""

from __future__ import annotations

from typing import Any

from whyzero.model import AgentLog, End, Speaker
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.pi import Messages
from whyzero.readers.agent_logs.source import Grammar, Source, objects
from whyzero.readers.files import parse_json

NAME = "openclaw"
OUTPUT, SESSION = "openclaw.txt", "openclaw.session.jsonl"
ENVELOPE_LIMIT = 4 * 2**20


def read(source: Source) -> AgentLog | None:
    path = source.at(OUTPUT) if source.folder.is_file(source.at(OUTPUT)) else None
    session = source.at(SESSION) if source.folder.is_file(source.at(SESSION)) else None
    envelope, line = _envelope(source, path) if path is not None else (None, 0)
    if session is None and envelope is None:
        return None
    reader = Messages(Collector(NAME, session or path or "", endpoint=source.endpoint))
    if session is not None:
        for number, text in source.folder.lines(session):
            reader.line(number, text)
    if envelope is not None and path is not None:
        _closing(reader, envelope, line, path)
    if session is None:
        return reader.log.close()
    return reader.close()


def _envelope(source: Source, path: str) -> tuple[dict[str, Any] | None, int]:
    """The last top-level JSON object that reaches the end of the output, and its first line."""
    parts: list[str] = []
    start = size = 0
    for line, text in source.folder.lines(path):
        if text.startswith("{"):
            parts, start, size = [], line, 0
        if start:
            size += len(text)
            if size > ENVELOPE_LIMIT:
                parts, start = [], 0
            else:
                parts.append(text)
    value = parse_json("\n".join(parts)) if parts else None
    ours = isinstance(value, dict) and isinstance(value.get("meta"), dict) and "payloads" in value
    return (value, start) if ours else (None, 0)


def _closing(reader: Messages, envelope: dict[str, Any], line: int, path: str) -> None:
    log, meta = reader.log, envelope["meta"]
    error = meta.get("error")
    payloads = objects(envelope.get("payloads"))
    said = " ".join(str(p.get("text") or "") for p in payloads)
    if isinstance(error, dict):
        spoken = log.say(
            Speaker.AGENT_RESULT,
            str(error.get("message") or error),
            line,
            kind="envelope",
            code=str(error["kind"]) if error.get("kind") else None,
            path=path,
            pointer="/meta/error",
        )
    elif failed := [p for p in payloads if p.get("isError")]:
        spoken = log.say(Speaker.AGENT_RESULT, str(failed[-1].get("text") or ""), line, kind="envelope", path=path)
    else:
        log.end_event = log.say(Speaker.AGENT_RESULT, said or "no payload", line, kind="envelope", path=path)
        log.end = End.CUT if meta.get("aborted") else End.COMPLETED
        return
    log.error(spoken)
    log.end, log.end_event = End.FAILED, spoken
    reader.last_stop = "error"


GRAMMAR = Grammar(NAME, read)
