"""claude-code: `--output-format stream-json` (one event a line) and its session files, which hold the same events.

Who speaks is a matter of the event: `api_retry`, an assistant event of the model `<synthetic>` and the `result` are the
program's own; assistant text is the model's; the content of a `tool_result` is the tool's, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from whyzero.model import AgentLog, End, Speaker, Utterance
from whyzero.readers.agent_logs.claude_subagents import add_subagents, first_request, session_files
from whyzero.readers.agent_logs.claude_tasks import STILL_AT_WORK, Tasks
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Head, Source, word
from whyzero.readers.files import parse_json, parse_time

NAME = "claude-code"
HEAD = 400
"""Of a result without an error: its typed fields, which stand before the model's text."""
HUGE = 64 * 2**10
"""A tool result's line longer than this is not parsed: its id stands at the front."""

_KIND = re.compile(r'"type"\s*:\s*"(user|assistant)"')
_RESULT_ID = re.compile(r'"tool_use_id"\s*:\s*"([^"]{1,80})"')
_PARENT = re.compile(r'"parent_tool_use_id"\s*:\s*"([^"]{1,80})"')
_TOOL_ERROR = re.compile(r"^\s*(?:<tool_use_error>|Error: No such tool available|InputValidationError)")
_STILL_RUNNING = re.compile(r"^Background tasks still running after \S+; terminating")
_NOTIFICATION = re.compile(r"<task-id>([^<]{1,80})</task-id>")
_NOTE_STATUS = re.compile(r"<status>([^<]{1,40})</status>")
_API_ERROR = re.compile(
    r"^(?:API Error\b|Failed to authenticate\b|Not logged in\b|Prompt is too long\b|Credit balance is too low\b)"
)


def recognises(head: Head) -> bool:
    """Stream or session events of claude-code."""
    for event in head.objects():
        kind = event.get("type")
        if kind == "system" and event.get("subtype") in ("init", "api_retry"):
            return "session_id" in event or "model" in event
        tree = "parent_tool_use_id" in event or "parentUuid" in event or "isSidechain" in event
        if kind in ("assistant", "user") and tree and isinstance(event.get("message"), dict):
            return True
        if kind == "result" and "is_error" in event and "subtype" in event:
            return True
    return False


def read(source: Source) -> AgentLog | None:
    path = source.first(recognises)
    sessions = session_files(source)
    if path is None:
        if not sessions:
            return None
        path = sessions[0]
    reader = _Reader(Collector(NAME, path, endpoint=source.endpoint))
    for line, text in source.folder.lines(path):
        reader.line(line, text)
    if reader.log.brief is None and sessions and path not in sessions:
        reader.log.brief = first_request(source, sessions[0])
    add_subagents(source, reader.log)
    return reader.close()


def read_lines(path: str, lines: Iterable[tuple[int, str]]) -> AgentLog:
    """Events that stand among other things, as on a terminal."""
    reader = _Reader(Collector(NAME, path))
    for line, text in lines:
        reader.line(line, text)
    return reader.close()


class _Reader:
    def __init__(self, log: Collector) -> None:
        self.log = log
        self.calls: dict[str, str] = {}
        """Open calls: tool_use id -> tool name."""
        self.tasks = Tasks(log)
        self.message_id: object = None
        self.code: str | None = None
        self.answered = False
        """The main agent's last turn was an answer, with no call in it."""
        self.after_result = False

    # ---- lines

    def line(self, line: int, text: str) -> None:
        stripped = text.lstrip()
        if not stripped:
            return
        begins = _KIND.search(stripped[:2000]) if stripped.startswith("{") else None
        kind = begins.group(1) if begins else ""
        event = None if len(text) > HUGE and kind == "user" else parse_json(stripped)
        if isinstance(event, dict) and isinstance(event.get("type"), str):
            self.event(line, stripped, event)
        elif kind == "user" and len(text) > HUGE:
            self.huge_result(line, stripped)
        elif kind == "assistant" and len(text) > HUGE:
            actor = _PARENT.search(stripped[-4000:])
            self.log.turn(self.say(Speaker.MODEL, stripped[:200], line, {}, actor=actor.group(1) if actor else "main"))
        elif not stripped.startswith("{"):
            self.plain(line, stripped)

    def plain(self, line: int, text: str) -> None:
        """A line that is no event: stderr of the program or of anything it started."""
        spoken = self.log.say(Speaker.UNKNOWN, text, line, kind="text")
        if _STILL_RUNNING.match(text):
            spoken = self.log.say(Speaker.HARNESS, text, line, kind="background_ceiling")
            self.tasks.terminated(spoken)
        elif len(self.log.lines) < 40:
            self.log.lines.append(spoken)
        self.log.last_event = spoken

    def huge_result(self, line: int, text: str) -> None:
        found = _RESULT_ID.search(text[:2000])
        parent = _PARENT.search(text[-4000:])
        spoken = self.say(Speaker.TOOL, text[:400], line, {}, kind="tool_result", actor=parent.group(1) if parent else "main")
        self.log.last_event = spoken
        self.result_of(found.group(1) if found else "", spoken, {}, "")

    def say(self, speaker: Speaker, text: str, line: int, event: dict[str, Any], **more: Any) -> Utterance:
        more.setdefault("actor", _actor(event))
        more.setdefault("at", parse_time(event.get("timestamp")))
        return self.log.say(speaker, text, line, **more)

    # ---- events

    def event(self, line: int, text: str, event: dict[str, Any]) -> None:
        match event["type"]:
            case "assistant":
                self.assistant(line, event)
            case "user":
                self.user(line, event)
            case "result":
                self.result(line, text, event)
            case "system":
                self.system(line, text, event)

    def assistant(self, line: int, event: dict[str, Any]) -> None:
        message = _dict(event.get("message"))
        blocks = _blocks(message.get("content"))
        words = "\n".join(b["text"] for b in blocks if b.get("type") == "text" and isinstance(b.get("text"), str))
        flagged = event.get("isApiErrorMessage") or event.get("is_api_error_message")
        code = event.get("error") if isinstance(event.get("error"), str) else None
        if flagged or (message.get("model") == "<synthetic>" and (code or _API_ERROR.match(words))):
            self.api_error(line, event, words, code, message)
            return
        if message.get("model") == "<synthetic>":
            return
        calls = [b for b in blocks if b.get("type") == "tool_use"]
        spoken = self.say(Speaker.MODEL, words or " ".join(_call_text(c) for c in calls), line, event, kind="assistant")
        self.log.turn(spoken)
        self.log.last_event = spoken
        main = spoken.actor == "main"
        if main:
            self.after_result = False
            self.count(message)
            if isinstance(message.get("stop_reason"), str):
                self.log.stop_reason = message["stop_reason"]
            self.tasks.main_agent_spoke()
            self.answered = bool(words) and not calls
            self.log.end, self.log.end_event = End.UNKNOWN, None
        elif spoken.actor in self.log.handoffs:
            self.log.handoffs[spoken.actor].last = spoken
        if words:
            self.log.message(self.say(Speaker.MODEL, words, line, event, kind="text"))
        for call in calls:
            self.call(line, event, call)

    def count(self, message: dict[str, Any]) -> None:
        """Events of one model turn share a message id."""
        if message.get("id") is None or message.get("id") != self.message_id:
            self.log.steps += 1
            usage = _dict(message.get("usage"))
            self.log.count_tokens(usage.get("input_tokens"), usage.get("output_tokens"))
        self.message_id = message.get("id")

    def call(self, line: int, event: dict[str, Any], call: dict[str, Any]) -> None:
        name, call_id, given = str(call.get("name")), str(call.get("id")), _dict(call.get("input"))
        actor = _actor(event)
        self.log.call(actor)
        self.calls[call_id] = name
        if actor != "main":
            return
        spoken = self.say(Speaker.MODEL, _call_text(call), line, event, kind="tool_use")
        self.tasks.called(name, call_id, given, spoken)

    def api_error(self, line: int, event: dict[str, Any], words: str, code: str | None, message: dict[str, Any]) -> None:
        status = event.get("apiErrorStatus", event.get("api_error_status"))
        spoken = self.say(
            Speaker.PROVIDER,
            words or f"error: {code}",
            line,
            event,
            kind="api_error",
            status=status if isinstance(status, int) else None,
            code=code,
        )
        self.log.error(spoken)
        self.log.last_event = spoken
        if spoken.actor == "main":
            self.answered, self.code = False, code
            if message.get("stop_reason") == "refusal":
                self.log.stop_reason = "refusal"
            self.log.end, self.log.end_event = End.FAILED, spoken
        elif spoken.actor in self.log.handoffs:
            self.log.handoffs[spoken.actor].last = spoken

    def user(self, line: int, event: dict[str, Any]) -> None:
        content = _dict(event.get("message")).get("content")
        if isinstance(content, str):
            self.user_text(line, event, content)
            return
        for block in _blocks(content):
            if block.get("type") == "text" and isinstance(block.get("text"), str):
                self.user_text(line, event, block["text"])
            elif block.get("type") == "tool_result":
                words = _result_text(block.get("content"))
                spoken = self.say(Speaker.TOOL, words, line, event, kind="tool_result")
                self.log.last_event = spoken
                extra = event.get("tool_use_result", event.get("toolUseResult"))
                unread = bool(block.get("is_error")) and _TOOL_ERROR.match(words) is not None
                self.result_of(str(block.get("tool_use_id")), spoken, _dict(extra), words, executed=not unread)
                if unread:
                    self.log.malformed(self.say(Speaker.HARNESS, words, line, event, kind="tool_use_error"))

    def user_text(self, line: int, event: dict[str, Any], text: str) -> None:
        found = _NOTIFICATION.search(text) if text.lstrip().startswith("<task-notification>") else None
        if found:
            status = _NOTE_STATUS.search(text)
            self.task_ended(found.group(1), status.group(1) if status else None, event, line, text, told=True)
        elif _actor(event) == "main" and self.log.brief is None and not event.get("isMeta"):
            self.log.brief = self.say(Speaker.INSTRUCTION, text, line, event, kind="user")

    def result_of(self, call_id: str, spoken: Utterance, extra: dict[str, Any], words: str, executed: bool = True) -> None:
        name = self.calls.pop(call_id, None)
        if executed:
            self.log.result(spoken)
        self.answered = False if spoken.actor == "main" else self.answered
        self.tasks.answered(call_id, name, spoken, extra, words)

    def result(self, line: int, text: str, event: dict[str, Any]) -> None:
        said = str(event.get("result") or "")
        errors = event.get("errors")
        if not said and isinstance(errors, list):
            said = "; ".join(str(e) for e in errors[:5])
        # qwen-code writes the same stream with an error object.
        said = said or str(_dict(event.get("error")).get("message") or "")
        status = event.get("api_error_status")
        subtype = str(event.get("subtype") or "")
        failed = bool(event.get("is_error")) or subtype.startswith("error")
        reason = word(event, "terminal_reason")
        code = reason if reason not in ("", "completed", "api_error") else None
        spoken = self.say(
            Speaker.AGENT_RESULT,
            (said if failed else "") or text.split('"result"', 1)[0][:HEAD],
            line,
            event,
            kind="result",
            status=status if isinstance(status, int) else None,
            code=(self.code if failed else None) or code or (subtype if subtype != "success" else None),
        )
        self.log.last_event = spoken
        usage = _dict(event.get("usage"))
        if isinstance(usage.get("output_tokens"), int):
            self.log.input_tokens, self.log.output_tokens = usage.get("input_tokens"), usage["output_tokens"]
        if isinstance(event.get("stop_reason"), str):
            self.log.stop_reason = event["stop_reason"]
        if subtype == "error_during_execution" and self.answered and not status:
            # The answer stood before: a late notification found the turn already over.
            failed, spoken = False, self.log.end_event or spoken
        cut = not failed and event.get("stop_reason") == "tool_use" and not said.strip()
        self.log.end = End.FAILED if failed else End.CUT if cut else End.COMPLETED
        self.log.end_event = spoken
        if failed and subtype != "error_max_turns":
            self.log.error(spoken)
        self.log.turn_ended()
        self.after_result, self.code = True, None

    def system(self, line: int, text: str, event: dict[str, Any]) -> None:
        subtype = event.get("subtype")
        if subtype == "api_retry":
            status = event.get("error_status")
            spoken = self.say(
                Speaker.PROVIDER,
                text,
                line,
                event,
                kind="api_retry",
                status=status if isinstance(status, int) else None,
                code=str(event["error"]) if event.get("error") else None,
                retried=True,
            )
            self.log.error(spoken)
            self.log.last_event = spoken
        elif subtype == "task_started":
            self.tasks.started(event)
        elif subtype in ("task_updated", "task_notification"):
            status = event.get("status") or _dict(event.get("patch")).get("status")
            self.task_ended(str(event.get("task_id")), status, event, line, text, told=subtype == "task_notification")
        elif subtype == "model_refusal_no_fallback":
            self.log.stop_reason = "refusal"

    def task_ended(self, task: str, status: object, event: dict[str, Any], line: int, text: str, *, told: bool) -> None:
        handoff = self.tasks.of(task, event)
        if handoff is None or not isinstance(status, str) or status in STILL_AT_WORK:
            return
        spoken = self.say(Speaker.HARNESS, text, line, event, kind="task_notification", actor=handoff.id)
        tokens = _dict(event.get("usage")).get("total_tokens")
        self.tasks.ended(handoff, status, spoken, tokens, told=told and not self.after_result)

    def close(self) -> AgentLog:
        if self.log.end is End.UNKNOWN:
            # No result event after the last turn: a session file has none, a stream was cut.
            finished = self.answered and self.log.stop_reason == "end_turn" and "/projects/" in self.log.path
            self.log.end = End.COMPLETED if finished else End.CUT
        return self.log.close()


def _actor(event: dict[str, Any]) -> str:
    if event.get("parent_tool_use_id"):
        return str(event["parent_tool_use_id"])
    if event.get("isSidechain"):
        return str(event.get("agentId") or "sidechain")
    return "main"


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _blocks(content: object) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _result_text(content: object) -> str:
    return "\n".join(_texts(content))


def _texts(content: object) -> Iterator[str]:
    for block in _blocks(content):
        if isinstance(block.get("text"), str):
            yield block["text"]


def _call_text(call: dict[str, Any]) -> str:
    given = _dict(call.get("input"))
    what = given.get("command") or given.get("description") or given.get("file_path") or ""
    return str(what or call.get("name"))[:2000]


GRAMMAR = Grammar(NAME, read)
