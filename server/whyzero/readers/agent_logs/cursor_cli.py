"""cursor-cli: `--output-format stream-json`. Its frame is claude-code's, its calls are events of their own (`tool_call`).

What it has to say of its provider is no event: the stream stops without a `result`, and a line of its stderr has a status
word of the Connect protocol in brackets (`ConnectError: [resource_exhausted] Error`).
"""

from __future__ import annotations

import re
from typing import Any

from whyzero.model import AgentLog, End, Speaker
from whyzero.readers.agent_logs.atif import words_of
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Head, Source, word
from whyzero.readers.escapes import uncoloured
from whyzero.readers.files import parse_json

NAME = "cursor-cli"
HEAD = 400
LINES_KEPT = 40
_FAILED = re.compile(r"^(?:[A-Z]\w*: )?\[(?P<code>[a-z]+(?:_[a-z]+)*)\]|^(?P<type>[A-Z]\w*Error): ")


def recognises(head: Head) -> bool:
    return any(word(event, "type") == "tool_call" and isinstance(event.get("tool_call"), dict) for event in head.objects())


def read(source: Source) -> AgentLog | None:
    path = source.first(recognises)
    if path is None:
        return None
    reader = _Reader(Collector(NAME, path, endpoint=source.endpoint))
    for line, text in source.folder.lines(path):
        reader.line(line, uncoloured(text).strip())
    return reader.close()


class _Reader:
    def __init__(self, log: Collector) -> None:
        self.log = log
        self.begun: set[str] = set()

    def line(self, line: int, text: str) -> None:
        event = parse_json(text) if text.startswith("{") else None
        if not isinstance(event, dict):
            if text and not text.startswith("{"):
                self.plain(line, text)
            return
        match event.get("type"):
            case "assistant" | "user":
                message = event.get("message")
                words = words_of(message.get("content")) if isinstance(message, dict) else ""
                self.said(line, words) if event["type"] == "assistant" else self.asked(line, words)
            case "tool_call":
                self.called(line, event)
            case "result":
                self.result(line, text, event)

    def asked(self, line: int, words: str) -> None:
        if self.log.brief is None and words:
            self.log.brief = self.log.say(Speaker.INSTRUCTION, words, line, kind="user")

    def said(self, line: int, words: str) -> None:
        spoken = self.log.say(Speaker.MODEL, words, line, kind="assistant")
        self.log.turn(spoken)
        self.log.steps += 1
        self.log.last_event = spoken
        if words:
            self.log.message(spoken)

    def called(self, line: int, event: dict[str, Any]) -> None:
        """One call is two events: `started`, and `completed` with its result."""
        call, call_id = event["tool_call"], word(event, "call_id")
        name, held = next(((k, v) for k, v in call.items() if isinstance(v, dict)), ("tool", {}))
        args = held.get("args")
        command = args.get("command") or args.get("path") if isinstance(args, dict) else None
        if call_id not in self.begun:
            self.begun.add(call_id)
            spoken = self.log.say(Speaker.MODEL, str(command or name), line, kind="tool_call")
            self.log.turn(spoken)
            self.log.call()
            self.log.last_event = spoken
        if word(event, "subtype") == "completed":
            result = self.log.say(Speaker.TOOL, str(held.get("result") or "")[:HEAD], line, kind="tool_result")
            self.log.result(result)
            self.log.last_event = result

    def result(self, line: int, text: str, event: dict[str, Any]) -> None:
        failed = bool(event.get("is_error"))
        said = word(event, "result") if failed else text.split('"result":', 1)[0][:HEAD]
        spoken = self.log.say(Speaker.AGENT_RESULT, said or text[:HEAD], line, kind="result")
        self.log.last_event = self.log.end_event = spoken
        self.log.end = End.FAILED if failed else End.COMPLETED
        self.log.stop_reason = None if failed else "end_turn"
        if failed:
            self.log.error(spoken)
        self.log.turn_ended()

    def plain(self, line: int, text: str) -> None:
        found = _FAILED.match(text)
        if found is None:
            spoken = self.log.say(Speaker.UNKNOWN, text, line, kind="text")
            self.log.lines = [*self.log.lines, spoken][-LINES_KEPT:]
        else:
            code = (found.group("code") or "").upper() or found.group("type")
            spoken = self.log.say(Speaker.PROVIDER, text, line, kind="stderr", code=code)
            self.log.error(spoken)
            self.log.end, self.log.end_event = End.FAILED, spoken
        self.log.last_event = spoken

    def close(self) -> AgentLog:
        if self.log.end is End.UNKNOWN:
            self.log.end = End.CUT
        return self.log.close()


GRAMMAR = Grammar(NAME, read)
