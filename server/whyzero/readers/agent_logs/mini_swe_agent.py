"""mini-swe-agent: its trajectory (`info.exit_status`, the messages) and the screen output with the retries in between.

A line of the screen output counts as the program's only where no message of the trajectory contains it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from whyzero.model import AgentLog, End, Speaker
from whyzero.readers.agent_logs.atif import words_of
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.rich_traceback import last_exception
from whyzero.readers.agent_logs.source import Grammar, Head, Source
from whyzero.readers.files import moment

NAME = "mini-swe-agent"
DONE = frozenset({"Submitted"})
LIMITS = frozenset({"LimitsExceeded", "TimeExceeded"})
NORMAL_STOPS = (None, "stop", "tool_calls", "tool_use")
FORMAT_ERRORS = frozenset({"RepeatedFormatError", "FormatError"})

_RETRY = re.compile(r"^(?:\S* ?WARNING:? +)?Retrying \S+ in [\d.]+ seconds as it raised (?P<code>[\w.]+): (?P<text>.*)$")
_HEADER = re.compile(r"^mini-swe-agent \(step \d+, \$[\d.]+\):$")
_BANNER = re.compile(r"^(?:\W+ ?)?This is mini-swe-agent version|^Loading agent config from")
_FORMAT = re.compile(r"^(?:Tool call error:|Format error:|Please always provide EXACTLY ONE action)")


def recognises(head: Head) -> bool:
    return any(_HEADER.match(line) or _BANNER.search(line) for line in head.lines if not line.startswith("{"))


def read(source: Source) -> AgentLog | None:
    document_path, document = _trajectory(source)
    screen = source.first(recognises)
    if document is None and screen is None:
        return None
    reader = _Reader(Collector(NAME, document_path or screen or "", endpoint=source.endpoint))
    if document is not None:
        reader.messages(document)
    if screen is not None:
        reader.screen(screen, source.folder.lines(screen))
    if document is not None:
        reader.exit(document)
    if reader.log.end is End.UNKNOWN:
        reader.log.end = End.CUT
    return reader.log.close()


def screen_reader(path: str, lines: Iterable[tuple[int, str]]) -> _Reader:
    """What the screen alone tells, for a terminal that was recorded without a trajectory."""
    reader = _Reader(Collector(NAME, path))
    reader.screen(path, lines)
    return reader


def _trajectory(source: Source) -> tuple[str | None, dict[str, Any] | None]:
    for path in source.candidates:
        if path.endswith((".trajectory.json", ".traj.json", ".traj")):
            document = source.document(path)
            if document and isinstance(document.get("messages"), list) and isinstance(document.get("info"), dict):
                return path, document
    return None, None


class _Reader:
    def __init__(self, log: Collector) -> None:
        self.log = log
        self.spoken: list[str] = []
        """All that model and tools said, to tell their lines on the screen from the program's."""
        self.finished_at: datetime | None = None

    # ---- the trajectory

    def messages(self, document: dict[str, Any]) -> None:
        for index, message in enumerate(document["messages"]):
            if not isinstance(message, dict):
                continue
            extra = message.get("extra")
            extra = extra if isinstance(extra, dict) else {}
            words = words_of(message.get("content"))
            self.spoken.append(words)
            pointer, at = f"/messages/{index}", moment(extra.get("timestamp"))
            match message.get("role"):
                case "assistant":
                    self.assistant(message, words, pointer, at, extra)
                case "tool" | "user":
                    self.observation(message, words, pointer, at, extra)

    def assistant(self, message: dict[str, Any], words: str, pointer: str, at: datetime | None, extra: dict[str, Any]) -> None:
        calls = message.get("tool_calls")
        count = len(calls) if isinstance(calls, list) else len(_list(extra.get("actions")))
        if not count and "```" in words:
            count = 1
        spoken = self.log.say(Speaker.MODEL, words or "tool call", None, kind="assistant", at=at, pointer=pointer)
        self.log.turn(spoken)
        self.log.last_event = spoken
        self.log.steps += 1
        self.usage(extra)
        if words:
            self.log.message(spoken)
        for _ in range(count):
            self.log.call()

    def observation(self, message: dict[str, Any], words: str, pointer: str, at: datetime | None, extra: dict[str, Any]) -> None:
        if extra.get("interrupt_type") == "FormatError" or (message["role"] == "user" and _FORMAT.match(words)):
            spoken = self.log.say(Speaker.HARNESS, words, None, kind="format_error", at=at, pointer=pointer)
            self.log.malformed(spoken)
            answer = _answer(extra)
            if answer is not None:
                self.spoken.append(answer)
                self.log.steps += 1
                at_answer = pointer + "/extra/response/choices/0/message/content"
                self.log.message(self.log.say(Speaker.MODEL, answer, None, kind="assistant", at=at, pointer=at_answer))
                self.log.turn_ended()
            self.usage(extra)
        elif message["role"] == "tool" or self.log.steps:
            spoken = self.log.say(Speaker.TOOL, words, None, kind="tool_result", at=at, pointer=pointer)
            self.log.result(spoken)
            self.log.last_event = spoken
        elif self.log.brief is None:
            self.log.brief = self.log.say(Speaker.INSTRUCTION, words, None, kind="user", pointer=pointer)

    def usage(self, extra: dict[str, Any]) -> None:
        response = extra.get("response")
        if not isinstance(response, dict):
            return
        usage = response.get("usage")
        if isinstance(usage, dict):
            self.log.count_tokens(usage.get("prompt_tokens"), usage.get("completion_tokens"))
        for choice in _list(response.get("choices"))[:1]:
            if isinstance(choice, dict) and isinstance(choice.get("finish_reason"), str):
                self.log.stop_reason = choice["finish_reason"]

    def exit(self, document: dict[str, Any]) -> None:
        """The program's own word on how it ended."""
        status = str(document["info"].get("exit_status") or "")
        if not status:
            return
        last = document["messages"][-1] if document["messages"] else {}
        said = words_of(last.get("content")) if isinstance(last, dict) and last.get("role") == "exit" else ""
        pointer = f"/messages/{len(document['messages']) - 1}/content" if said and said != status else "/info/exit_status"
        spoken = self.log.say(Speaker.AGENT_RESULT, said or status, None, kind="exit_status", code=status, pointer=pointer)
        self.log.end_event = self.log.last_event = spoken
        if status in DONE:
            self.log.end = End.COMPLETED
            if self.log.stop_reason in NORMAL_STOPS:
                self.log.stop_reason = "end_turn"
            return
        self.log.end = End.FAILED
        if status not in LIMITS | FORMAT_ERRORS:
            self.log.error(spoken)

    # ---- the screen

    def screen(self, path: str, lines: Iterable[tuple[int, str]]) -> None:
        section = "program"
        steps = 0
        tail: list[tuple[int, str]] = []
        known = "\n".join(self.spoken)
        for line, text in lines:
            tail.append((line, text))
            if len(tail) > 800:
                del tail[:400]
            if _HEADER.match(text):
                section, steps = "model", steps + 1
                if not self.spoken:
                    self.turn(line, text, path)
            elif text in ("Tool:", "User:", "System:"):
                if section == "model" and not self.spoken:
                    self.log.call()
                    self.log.result(self.log.say(Speaker.TOOL, text, line, kind="tool_result", path=path))
                section = "tool"
            elif text.startswith("────") or text == "Exit:":
                section = "program"
            elif section == "program" and (match := _RETRY.match(text)) and match.group("text")[:60] not in known:
                self.retry(line, match, path, steps)
        if not self.spoken or not self.log.errors:
            self.crash(tail, path)

    def turn(self, line: int, text: str, path: str) -> None:
        self.log.turn(self.log.say(Speaker.MODEL, text, line, kind="assistant", path=path))
        self.log.steps += 1

    def retry(self, line: int, match: re.Match[str], path: str, steps: int) -> None:
        error = self.log.say(
            Speaker.PROVIDER, match.group("text"), line, kind="retry", code=match.group("code"), retried=True, path=path
        )
        self.log.error(error)
        if self.spoken and steps < self.log.steps:
            self.log.overcome()

    def crash(self, tail: list[tuple[int, str]], path: str) -> None:
        """A traceback at the very end of the screen, where no trajectory tells more."""
        found = last_exception(tail)
        if found is None or self.spoken:
            return
        line, code, text = found
        spoken = self.log.say(Speaker.PROVIDER, text, line, kind="traceback", code=code, path=path)
        self.log.error(spoken)
        self.log.end, self.log.end_event = End.FAILED, spoken


def _answer(extra: dict[str, Any]) -> str | None:
    response = extra.get("response")
    for choice in _list(response.get("choices"))[:1] if isinstance(response, dict) else []:
        message = choice.get("message") if isinstance(choice, dict) else None
        if isinstance(message, dict) and isinstance(message.get("content"), str):
            return str(message["content"])
    return None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


GRAMMAR = Grammar(NAME, read)
