"""pi: `--mode json` events and session files. It exits 0 whatever happens, so the last message tells how it ended.

An assistant message with `stopReason: "error"` carries the provider's answer in `errorMessage`; what the model had said
until then stands in its content.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from whyzero.model import AgentLog, End, Speaker
from whyzero.readers.agent_logs.atif import words_of
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Head, Source, word
from whyzero.readers.files import moment, parse_json, parse_time

NAME = "pi"
ROLES = frozenset({"user", "assistant", "toolResult"})
STOP_REASONS = {"stop": "end_turn", "toolUse": "tool_use", "length": "length"}
WANTED = ("message_end", "message", "auto_retry_start", "session", "extension_error")
_WANTED = re.compile(r'^\s*\{\s*"type"\s*:\s*"(?:' + "|".join(WANTED) + r')"')
_STATUS = re.compile(r"^(\d{3}) (?=[{<A-Za-z])")


def is_stream(head: Head) -> bool:
    return any(o.get("type") in ("agent_start", "message_end", "turn_start") for o in head.objects()) and _has_session(head)


def is_session(head: Head) -> bool:
    messages = [o.get("message") for o in head.objects() if o.get("type") == "message"]
    return any(isinstance(m, dict) and word(m, "role") in ROLES for m in messages)


def _has_session(head: Head) -> bool:
    return any(o.get("type") in ("session", "agent_start") for o in head.objects()[:5])


def read(source: Source) -> AgentLog | None:
    path = source.first(is_stream)
    if path is None:
        path = next((p for p in _sessions(source) if is_session(source.head(p))), None)
    if path is None:
        return None
    reader = Messages(Collector(NAME, path, endpoint=source.endpoint))
    for line, text in source.folder.lines(path):
        reader.line(line, text)
    return reader.close()


def _sessions(source: Source) -> list[str]:
    found: list[str] = []
    for name in ("pi-sessions", "sessions", "pi/sessions"):
        at = source.at(name)
        if source.folder.is_dir(at):
            found += [p for p in source.folder.walk(at, limit=50, depth=3) if p.endswith(".jsonl")]
    return found


class Messages:
    """Reads pi's message records, in its stream or in a session file."""

    def __init__(self, log: Collector) -> None:
        self.log = log
        self.last_stop: str | None = None
        self.plain = 0

    def line(self, line: int, text: str) -> None:
        if not _WANTED.match(text):
            if text.strip() and not text.lstrip().startswith("{") and len(self.log.lines) < 40:
                self.log.lines.append(self.log.say(Speaker.UNKNOWN, text.strip(), line, kind="text"))
            return
        event = parse_json(text)
        if not isinstance(event, dict):
            return
        if event["type"] == "auto_retry_start":
            self.log.last_error_was_retried()
        message = event.get("message")
        if isinstance(message, dict) and word(message, "role") in ROLES:
            self.message(line, message, _time(event.get("timestamp")) or _time(message.get("timestamp")))

    def message(self, line: int, message: dict[str, Any], at: datetime | None) -> None:
        words = words_of(message.get("content"))
        if message["role"] == "user":
            self.log.brief = self.log.brief or self.log.say(Speaker.INSTRUCTION, words, line, kind="user", at=at)
        elif message["role"] == "toolResult":
            if message.get("isError") and re.match(r"Tool \S+ not found|Validation failed for tool", words):
                self.log.malformed(self.log.say(Speaker.HARNESS, words, line, kind="tool_error", at=at))
                return
            spoken = self.log.say(Speaker.TOOL, words, line, kind="tool_result", at=at)
            self.log.result(spoken)
            self.log.last_event = spoken
        else:
            self.assistant(line, message, words, at)

    def assistant(self, line: int, message: dict[str, Any], words: str, at: datetime | None) -> None:
        stop = str(message.get("stopReason") or "")
        self.last_stop = stop
        if stop == "error":
            said = str(message.get("errorMessage") or "error without a message")
            status = _STATUS.match(said)
            error = self.log.say(
                Speaker.PROVIDER, said, line, kind="error", at=at, status=int(status.group(1)) if status else None
            )
            self.log.error(error)
            self.log.last_event = self.log.end_event = error
            return
        content = message.get("content")
        calls = [b for b in content if isinstance(b, dict) and b.get("type") == "toolCall"] if isinstance(content, list) else []
        spoken = self.log.say(Speaker.MODEL, words or "tool call", line, kind="assistant", at=at)
        self.log.turn(spoken)
        self.log.last_event = spoken
        self.log.steps += 1
        self.log.stop_reason = STOP_REASONS.get(stop, stop or None)
        usage = message.get("usage")
        if isinstance(usage, dict):
            self.log.count_tokens(usage.get("input"), usage.get("output"))
        if words:
            self.log.message(spoken)
        for _ in calls:
            self.log.call()
        if stop == "stop":
            self.log.turn_ended()

    def close(self) -> AgentLog:
        log = self.log
        if self.last_stop == "error":
            log.end = End.FAILED
        elif self.last_stop in ("stop", "length"):
            log.end, log.end_event = End.COMPLETED, log.last_event
        else:
            log.end = End.CUT
        return log.close()


def _time(value: object) -> datetime | None:
    if isinstance(value, int | float):
        return moment(value, 1000)
    return parse_time(value)


GRAMMAR = Grammar(NAME, read)
