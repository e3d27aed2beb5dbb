"""gemini-cli: the session file (messages, tool calls) and the screen output, which alone holds the provider's errors.

On the screen the model's words stand unmarked between the program's. A line is the program's only where no message of
the session contains it; without a session file, only where a stack trace follows it.
"""

from __future__ import annotations

import re
from typing import Any

from whyzero.model import AgentLog, End, Speaker, Utterance
from whyzero.readers.agent_logs.atif import words_of
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Head, Source, objects
from whyzero.readers.files import parse_time

NAME = "gemini-cli"
_NOTICE = re.compile(
    r"^(?:YOLO mode is enabled|Ripgrep is not available|\[STARTUP\]|Warning: (?:256-color|Skipping extension)"
    r"|Loaded cached credentials|Data collection is disabled|An unexpected critical error occurred)"
)
_RETRIED = re.compile(
    r"^Attempt (?P<k>\d+) failed(?: with status (?P<status>\d{3}))?[.:] ?(?:Retrying with backoff\.\.\. )?(?P<text>.*)$"
)
_FATAL = re.compile(
    r"^(?:Error when talking to Gemini API:|Error generating content|\[API Error: |\[ERROR\] |Error authenticating|Failed to login"
    r"|When using (?:Gemini API|Vertex AI), you must specify|Please set an Auth method|Invalid auth method)"
)
_REPORTED = re.compile(r"Error when talking to Gemini API Full report available at: \S+\.json (?P<text>.*)$")
"""May follow the model's unfinished words on the same line."""
_SLOT = re.compile(r"^\s*(?:status|code): '?(\d{3})'?,?$")
_CLASS = re.compile(r"^((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*Error)\b")
_CRITICAL = "An unexpected critical error occurred:"
MESSAGES_KEPT = 4000


def recognises(head: Head) -> bool:
    return sum(bool(_NOTICE.match(line)) for line in head.lines[:40]) >= 1 and not head.lines[0].startswith("{")


def is_session(head: Head) -> bool:
    first = head.objects()[:1]
    return bool(first) and "sessionId" in first[0] and "projectHash" in first[0]


def read(source: Source) -> AgentLog | None:
    session, screen = source.first(is_session), source.first(recognises)
    if session is None and screen is None:
        return None
    reader = _Reader(source, Collector(NAME, session or screen or "", endpoint=source.endpoint))
    if session is not None:
        reader.session(session)
    if screen is not None:
        reader.screen(screen, alone=session is None)
    return reader.close()


class _Reader:
    def __init__(self, source: Source, log: Collector) -> None:
        self.source = source
        self.log = log
        self.said: list[str] = []
        self.seen: object = None
        self.called: set[str] = set()
        self.answered = False
        """The session ends with words of the model and no call."""
        self.critical = False

    def session(self, path: str) -> None:
        for line, record in self.source.folder.json_lines(path, keep_open_tail=False):
            if isinstance(record.get("messages"), list):
                for message in record["messages"]:
                    if isinstance(message, dict):
                        self.message(line, message)
            else:
                self.message(line, record)

    def message(self, line: int, message: dict[str, Any]) -> None:
        kind, words = message.get("type"), words_of(message.get("content"))
        at = parse_time(message.get("timestamp"))
        if kind == "user":
            if self.log.brief is None and words and not words.startswith("<session_context>"):
                self.log.brief = self.log.say(Speaker.INSTRUCTION, words, line, kind="user", at=at)
            self.answered = False
            return
        if kind != "gemini":
            return
        calls = objects(message.get("toolCalls"))
        spoken = self.log.say(Speaker.MODEL, words or "tool call", line, kind="gemini", at=at)
        self.log.last_event = spoken
        if message.get("id") != self.seen:
            # The same message is written again when its calls return.
            self.seen = message.get("id")
            self.log.turn(spoken)
            self.log.steps += 1
            tokens = message.get("tokens")
            if isinstance(tokens, dict):
                self.log.count_tokens(tokens.get("input"), tokens.get("output"))
            if words:
                self.log.message(spoken)
                self.said = [*self.said[-MESSAGES_KEPT:], words]
        self.answered = bool(words) and not calls
        for call in calls:
            self.call(line, call)

    def call(self, line: int, call: dict[str, Any]) -> None:
        call_id = str(call.get("id"))
        if call_id in self.called:
            return
        self.called.add(call_id)
        self.log.call()
        spoken = self.log.say(Speaker.TOOL, str(call.get("resultDisplay") or ""), line, kind="tool_result")
        if call.get("status") in ("success", "error", "cancelled"):
            self.log.result(spoken)

    def screen(self, path: str, *, alone: bool) -> None:
        known = {line.strip() for words in self.said for line in words.splitlines()}
        held: Utterance | None = None
        """Without a session file: an error whose stack trace has yet to come."""
        open_error: Utterance | None = None
        """The error whose status may stand on a later line."""
        foreign = False
        for line, text in self.source.folder.lines(path):
            if text.startswith("    at ") and held is not None:
                self.log.error(held)
                open_error, held = held, None
            if open_error is not None and open_error.status is None and (slot := _SLOT.match(text)):
                open_error = self.log.with_status(open_error, int(slot.group(1)))
            if text.startswith((" ", "\t", "}")) or not text.strip():
                continue
            held = None
            if text.strip() in known:
                self.log.overcome()
                open_error = None
                continue
            found = self.error(line, text, path)
            if found is not None and alone and foreign:
                held = found
            elif found is not None:
                self.log.error(found)
                open_error = found
            elif text.startswith(_CRITICAL):
                self.critical = True
            elif not _NOTICE.match(text) and alone:
                foreign = True
                self.log.lines.append(self.log.say(Speaker.UNKNOWN, text, line, kind="text", path=path))
                del self.log.lines[:-40]

    def error(self, line: int, text: str, path: str) -> Utterance | None:
        retried, reported = _RETRIED.match(text), _REPORTED.search(text)
        if retried is None and reported is None and not _FATAL.match(text):
            return None
        match = retried or reported
        said = match.group("text") if match is not None else text
        code = _CLASS.match(said)
        status = retried.group("status") if retried else None
        return self.log.say(
            Speaker.PROVIDER,
            said or text,
            line,
            kind="attempt_failed" if retried else "api_error",
            status=int(status) if status else None,
            code=code.group(1) if code else None,
            retried=retried is not None,
            path=path,
        )

    def close(self) -> AgentLog:
        log = self.log
        fatal = next((e for e in reversed(log.errors) if not e.retried and not e.overcome), None)
        if self.critical or fatal is not None:
            log.end, log.end_event = End.FAILED, fatal
        elif self.answered:
            log.end, log.end_event, log.stop_reason = End.COMPLETED, log.last_message, "end_turn"
        else:
            log.end = End.CUT
        if self.answered and not self.critical:
            log.overcome()
        return log.close()


GRAMMAR = Grammar(NAME, read)
