"""opencode: `run --format json` events, and its own log file, which alone shows the calls it retries.

`step_finish` carries the reason a model turn ended; an `error` event ends the session. In the log file, `small=true` is
the side request for a title and `mode=subagent` a child session: neither is the main agent.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

from whyzero.model import AgentLog, End, Speaker, Utterance
from whyzero.readers.agent_logs import nested
from whyzero.readers.agent_logs.collector import Collector, Handoff
from whyzero.readers.agent_logs.source import Grammar, Head, Source, word
from whyzero.readers.files import moment, parse_json, parse_time

NAME = "opencode"
EVENTS = frozenset({"step_start", "step_finish", "tool_use", "text", "error", "reasoning"})
STOP_REASONS = {"stop": "end_turn", "tool-calls": "tool_use", "content-filter": "content_filter"}
LOG_FOLDERS = ("opencode/xdg-data/opencode/log", "xdg-data/opencode/log", "opencode/log", "log")

_FAILED_CALL = re.compile(r'^timestamp=(?P<at>\S+) level=ERROR .*?\bmessage="stream error" (?P<rest>.*)$')
_SAID = re.compile(r'\berror\.error=(?:"(?P<text>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s"]+))')
_OLD_FAILED_CALL = re.compile(r"^ERROR\s+(?P<at>\S+) \+\d+ms service=llm (?P<rest>.*?)\berror=(?P<error>\{.*)$")
_SESSION = re.compile(r"\bsession(?:\.id|ID)=(\S+)")
_CLASS = re.compile(r"^([A-Z]\w*(?:_\w+)*Error)\b")
_PARTS_TEXT = 8 * 2**10


def recognises(head: Head) -> bool:
    return any(word(o, "type") in EVENTS and "sessionID" in o for o in head.objects())


def log_files(source: Source) -> list[str]:
    found: list[str] = []
    for folder in LOG_FOLDERS:
        at = source.at(folder)
        if source.folder.is_dir(at):
            found += [f"{at}/{n}" for n in source.folder.names(at) if n.endswith(".log")]
    return found[:20]


def read(source: Source) -> AgentLog | None:
    path, logs = source.first(recognises), log_files(source)
    if path is None and not logs:
        return None
    reader = _Reader(Collector(NAME, path or logs[0], endpoint=source.endpoint))
    for line, text in source.folder.lines(path) if path is not None else ():
        reader.line(line, text)
    for log in logs:
        for line, text in source.folder.lines(log):
            reader.log_line(log, line, text)
    return reader.close()


class _Reader:
    def __init__(self, log: Collector) -> None:
        self.log = log
        self.session: object = None
        self.errored = False
        self.reason: str | None = None
        self.finish: Utterance | None = None

    # ---- events

    def line(self, line: int, text: str) -> None:
        stripped = text.strip()
        event = parse_json(stripped) if stripped.startswith("{") else None
        if not isinstance(event, dict) or word(event, "type") not in EVENTS:
            if stripped and not stripped.startswith("{"):
                self.log.last_event = self.log.say(Speaker.UNKNOWN, stripped, line, kind="text")
                if len(self.log.lines) < 40:
                    self.log.lines.append(self.log.last_event)
            return
        self.session = self.session or event.get("sessionID")
        at = _millis(event.get("timestamp"))
        part = event.get("part")
        part = part if isinstance(part, dict) else {}
        match event["type"]:
            case "text" if part.get("synthetic"):
                # The program speaks to the model, not the model.
                self.log.last_event = self.log.say(Speaker.HARNESS, str(part.get("text") or ""), line, kind="synthetic", at=at)
            case "text":
                self.text(line, str(part.get("text") or ""), at)
            case "reasoning":
                self.log.turn(self.log.say(Speaker.MODEL, str(part.get("text") or ""), line, kind="reasoning", at=at))
            case "tool_use":
                self.tool(line, part, at)
            case "step_finish":
                self.step_finish(line, stripped, part, at)
            case "error":
                self.error(line, event.get("error"), at)

    def text(self, line: int, words: str, at: datetime | None) -> None:
        self.errored = False
        spoken = self.log.say(Speaker.MODEL, words, line, kind="text", at=at)
        self.log.turn(spoken)
        self.log.message(spoken)
        self.log.last_event = spoken

    def tool(self, line: int, part: dict[str, Any], at: datetime | None) -> None:
        self.errored = False
        state = part.get("state")
        state = state if isinstance(state, dict) else {}
        given = state.get("input")
        given = given if isinstance(given, dict) else {}
        name = str(part.get("tool"))
        what = str(given.get("command") or given.get("description") or name)
        spoken = self.log.say(Speaker.MODEL, f"{name}: {what}"[:2000], line, kind="tool_use", at=at)
        self.log.turn(spoken)
        self.log.call()
        failed = state.get("status") == "error"
        output = str(state.get("error") if failed else state.get("output") or "")
        if name == "invalid":
            self.log.malformed(self.log.say(Speaker.HARNESS, str(given.get("error") or output), line, kind="invalid", at=at))
            return
        result = self.log.say(Speaker.TOOL, output, line, kind="tool_result", at=at)
        self.log.result(result)
        self.log.last_event = result
        launch = nested.launched(what) if name == "bash" else None
        if name == "task" or launch is not None:
            handoff = self.log.hand_off(Handoff(str(part.get("callID")), "agent", spoken.spot, text=spoken.text, started_at=at))
            if handoff is None:
                return
            handoff.collected, handoff.finished, handoff.ended_at = True, True, at
            handoff.status, handoff.last = str(state.get("status")), result
            if launch is not None:
                handoff.credential, handoff.endpoint = launch.credential, launch.endpoint
                nested.judge_output(handoff, output, self.log, result)

    def step_finish(self, line: int, text: str, part: dict[str, Any], at: datetime | None) -> None:
        reason = str(part.get("reason") or "")
        tokens = part.get("tokens")
        if isinstance(tokens, dict):
            self.log.count_tokens(tokens.get("input"), tokens.get("output"))
        if reason == "unknown" and isinstance(tokens, dict) and not tokens.get("output"):
            # The provider's answer held nothing, not even a reason to stop.
            empty = self.log.say(Speaker.PROVIDER, reason, line, kind="step_finish", at=at, code="empty_answer")
            self.log.error(empty)
            self.log.last_event = self.finish = empty
            self.reason = reason
            return
        spoken = self.log.say(Speaker.AGENT_RESULT, text[:_PARTS_TEXT], line, kind="step_finish", at=at, code=reason or None)
        self.log.last_event = self.finish = spoken
        self.log.steps += 1
        self.reason, self.log.stop_reason = reason, STOP_REASONS.get(reason, reason)
        if reason in ("stop", "length", "tool-calls"):
            self.log.turn(replace(spoken, speaker=Speaker.MODEL))
        if reason == "stop":
            self.log.turn_ended()

    def error(self, line: int, error: object, at: datetime | None) -> None:
        error = error if isinstance(error, dict) else {}
        data = error.get("data")
        data = data if isinstance(data, dict) else {}
        status = data.get("statusCode")
        body = data.get("responseBody")
        words = str(data.get("message") or "")
        said = f"{words} {body}".strip() if body and str(body) not in words else words or str(error)
        spoken = self.log.say(
            Speaker.PROVIDER,
            said,
            line,
            kind="error",
            at=at,
            status=status if isinstance(status, int) else None,
            code=str(error["name"]) if error.get("name") else None,
        )
        metadata = data.get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("url"), str):
            self.log.endpoint = self.log.endpoint or nested.host_of(metadata["url"])
        self.log.error(spoken)
        self.log.last_event = self.log.end_event = spoken
        self.errored = True

    # ---- the program's own log file

    def log_line(self, path: str, line: int, text: str) -> None:
        new = _FAILED_CALL.match(text)
        old = None if new else _OLD_FAILED_CALL.match(text)
        match = new or old
        if match is None:
            return
        rest = match.group("rest")
        said, status, code = _new_words(rest) if new else _old_words(match.group("error"))
        if said is None:
            return
        session = _SESSION.search(rest)
        actor = "main"
        if "small=true" in rest or "agent=title" in rest:
            actor = "title"
        elif "mode=subagent" in rest:
            actor = session.group(1) if session else "subagent"
        at = parse_time(match.group("at"))
        work = self.log.last_work
        error = self.log.say(
            Speaker.PROVIDER,
            said,
            line,
            kind="stream error",
            at=at,
            status=status,
            code=code,
            actor=actor,
            retried=True,
            path=path,
        )
        overcome = actor == "main" and at is not None and work is not None and work.at is not None and at < work.at
        self.log.error(replace(error, overcome=overcome))

    def close(self) -> AgentLog:
        log = self.log
        if self.errored:
            log.end = End.FAILED
        elif self.reason in ("stop", "length", "content-filter"):
            log.end, log.end_event = End.COMPLETED, self.finish
        else:
            log.end = End.CUT
        return log.close()


def _new_words(rest: str) -> tuple[str | None, int | None, str | None]:
    said = _SAID.search(rest)
    if said is None:
        return None, None, None
    text = said.group("bare") or said.group("text").replace('\\"', '"')
    code = _CLASS.match(text)
    return text, None, code.group(1) if code else None


def _old_words(error: str) -> tuple[str | None, int | None, str | None]:
    value = parse_json(error)
    value = value.get("error", value) if isinstance(value, dict) else None
    if not isinstance(value, dict):
        return error, None, None
    status = value.get("statusCode")
    said = " ".join(str(p) for p in (value.get("message"), value.get("responseBody")) if p)
    return said or error, status if isinstance(status, int) else None, str(value["name"]) if value.get("name") else None


def _millis(value: object) -> datetime | None:
    return moment(value, 1000)


GRAMMAR = Grammar(NAME, read)
