"""codex: `exec --json` (one event a line), the older `{"id", "msg"}` events, and the rollout files of its sessions.

`turn.completed` and `turn.failed` close a turn. A bare `error` event does not: `Reconnecting... k/5` also precedes success.
Items of type `error` are notices of the program (no model metadata, a transport fallback), not the provider's word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from whyzero.model import AgentLog, End, Speaker, Utterance
from whyzero.readers.agent_logs import nested
from whyzero.readers.agent_logs.codex_rollouts import add_rollouts, is_rollout, read_rollout, rollout_files
from whyzero.readers.agent_logs.collector import Collector, Handoff
from whyzero.readers.agent_logs.source import Grammar, Head, Source, word
from whyzero.readers.files import parse_json

NAME = "codex"
EVENTS = frozenset({"thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.completed"})
OLD_EVENTS = frozenset({"task_started", "task_complete", "agent_message", "exec_command_begin", "token_count", "stream_error"})
CALL_ITEMS = frozenset({"command_execution", "mcp_tool_call", "file_change", "web_search", "collab_tool_call"})
HUGE = 256 * 2**10

_RETRIED = re.compile(r"^(?:Reconnecting\.\.\.|stream error: .*retrying|.*\bretrying \d+/\d+)", re.S)
_STATUS = re.compile(r"\b(?:unexpected status|last status:?|HTTP status) (\d{3})\b")
_ITEM = re.compile(r'\{\s*"type"\s*:\s*"item\.completed"')
_ITEM_ID = re.compile(r'"id"\s*:\s*"([^"]{1,80})"')
_WEBSOCKET = re.compile(r"\burl: wss?://")


def recognises(head: Head) -> bool:
    for event in head.objects():
        if word(event, "type") in EVENTS:
            return True
        msg = event.get("msg")
        if isinstance(msg, dict) and word(msg, "type") in OLD_EVENTS:
            return True
    return False


def read(source: Source) -> AgentLog | None:
    path = source.first(recognises)
    rollouts = rollout_files(source)
    if path is None:
        path = source.first(is_rollout) or (rollouts[0] if rollouts else None)
        return None if path is None else read_rollout(source, path)
    reader = _Reader(Collector(NAME, path, endpoint=source.endpoint))
    for line, text in source.folder.lines(path):
        reader.line(line, text)
    add_rollouts(source, rollouts, reader.log)
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
        self.begun: set[str] = set()
        """Items announced and not completed."""

    def line(self, line: int, text: str) -> None:
        stripped = text.strip()
        if not stripped:
            return
        event = parse_json(stripped) if stripped.startswith("{") else None
        if isinstance(event, dict) and isinstance(event.get("msg"), dict):
            self.old_event(line, stripped, event["msg"])
        elif isinstance(event, dict) and isinstance(event.get("type"), str):
            self.event(line, stripped, event)
        elif len(stripped) > HUGE and _ITEM.match(stripped):
            # Too long to be parsed whole: the output of a command.
            found = _ITEM_ID.search(stripped[:400])
            self.item(
                line, stripped[:400], "item.completed", {"id": found.group(1) if found else "", "type": "command_execution"}
            )
        elif not stripped.startswith("{"):
            self.log.last_event = self.log.say(Speaker.UNKNOWN, stripped, line, kind="text")
            if len(self.log.lines) < 40:
                self.log.lines.append(self.log.last_event)

    def event(self, line: int, text: str, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind.startswith("item.") and isinstance(event.get("item"), dict):
            self.item(line, text, kind, event["item"])
        elif kind == "error":
            self.error(line, str(event.get("message") or text), kind)
        elif kind == "turn.failed":
            error = event.get("error")
            self.failed(line, str(error.get("message") if isinstance(error, dict) else error), kind)
        elif kind == "turn.completed":
            usage = event.get("usage")
            usage = usage if isinstance(usage, dict) else {}
            self.completed(line, text, kind, usage)
        elif kind == "turn.started":
            self.log.end = End.UNKNOWN

    def error(self, line: int, message: str, kind: str) -> None:
        spoken = self.log.say(
            Speaker.PROVIDER, message, line, kind=kind, status=status_in(message), retried=bool(_RETRIED.match(message))
        )
        self.log.error(spoken)
        self.log.last_event = spoken

    def failed(self, line: int, message: str, kind: str) -> None:
        spoken = self.log.say(Speaker.AGENT_RESULT, message, line, kind=kind, status=status_in(message))
        self.log.error(spoken)
        self.log.last_event = self.log.end_event = spoken
        self.log.end = End.FAILED
        self.log.turn_ended()

    def completed(self, line: int, text: str, kind: str, usage: dict[str, Any]) -> None:
        self.log.count_tokens(usage.get("input_tokens"), usage.get("output_tokens"))
        spoken = self.log.say(Speaker.AGENT_RESULT, text, line, kind=kind)
        self.log.last_event = self.log.end_event = spoken
        self.log.end, self.log.stop_reason = End.COMPLETED, "end_turn"
        self.log.turn_ended()

    # ---- items

    def item(self, line: int, text: str, kind: str, item: dict[str, Any]) -> None:
        name, item_id = str(item.get("type") or item.get("item_type")), str(item.get("id"))
        if name in ("agent_message", "assistant_message") and kind == "item.completed":
            spoken = self.log.say(Speaker.MODEL, str(item.get("text") or ""), line, kind=name)
            self.model_spoke(spoken)
            self.log.message(spoken)
        elif name == "reasoning" and kind == "item.completed":
            self.model_spoke(self.log.say(Speaker.MODEL, str(item.get("text") or ""), line, kind=name))
        elif name == "error":
            message = str(item.get("message") or "")
            self.log.last_event = self.log.say(Speaker.HARNESS, message, line, kind="notice")
            if message.startswith("Falling back from WebSockets") or _WEBSOCKET.search(message):
                self.log.overcome()
        elif name in CALL_ITEMS:
            self.called(line, kind, name, item_id, item)

    def model_spoke(self, spoken: Utterance) -> None:
        self.log.turn(spoken)
        self.log.steps += 1
        self.log.last_event = spoken

    def called(self, line: int, kind: str, name: str, item_id: str, item: dict[str, Any]) -> None:
        what = str(item.get("command") or item.get("tool") or item.get("query") or name)
        if item_id not in self.begun:
            spoken = self.log.say(Speaker.MODEL, what, line, kind=name)
            self.model_spoke(spoken)
            self.log.call()
            self.begun.add(item_id)
            self.hand_off(item_id, name, what, spoken)
        if kind != "item.completed":
            return
        self.begun.discard(item_id)
        output = str(item.get("aggregated_output") or "")
        if output.startswith("unsupported call") or str(item.get("error") or "").startswith("unsupported call"):
            self.log.malformed(self.log.say(Speaker.HARNESS, output or str(item["error"]), line, kind="unsupported_call"))
            return
        spoken = self.log.say(Speaker.TOOL, output, line, kind="tool_result")
        self.log.result(spoken)
        self.log.last_event = spoken
        handoff = self.log.handoffs.get(item_id)
        if handoff is not None:
            handoff.collected, handoff.finished, handoff.last = True, True, spoken
            if name == "command_execution":
                nested.judge_output(handoff, output, self.log, spoken)
            else:
                handoff.status = str(item.get("status") or "") or None

    def hand_off(self, item_id: str, name: str, what: str, spoken: Utterance) -> None:
        if name == "collab_tool_call":
            self.log.hand_off(Handoff(item_id, "agent", spoken.spot, text=what))
            return
        launch = nested.launched(what) if name == "command_execution" else None
        if launch is not None:
            handoff = self.log.hand_off(Handoff(item_id, "agent", spoken.spot, text=what, status=launch.program))
            if handoff is not None:
                handoff.credential, handoff.endpoint = launch.credential, launch.endpoint

    # ---- the older events

    def old_event(self, line: int, text: str, msg: dict[str, Any]) -> None:
        kind, message = str(msg.get("type")), str(msg.get("message") or "")
        match kind:
            case "agent_message":
                spoken = self.log.say(Speaker.MODEL, message, line, kind=kind)
                self.model_spoke(spoken)
                self.log.message(spoken)
            case "agent_reasoning":
                self.model_spoke(self.log.say(Speaker.MODEL, str(msg.get("text") or ""), line, kind=kind))
            case "exec_command_begin" | "mcp_tool_call_begin" | "patch_apply_begin":
                command = msg.get("command")
                what = " ".join(map(str, command)) if isinstance(command, list) else str(command or kind)
                self.called(line, "item.started", "command_execution", str(msg.get("call_id")), {"command": what})
            case "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end":
                output = str(msg.get("aggregated_output") or msg.get("stdout") or "")
                done = {"command": kind, "aggregated_output": output}
                self.called(line, "item.completed", "command_execution", str(msg.get("call_id")), done)
            case "stream_error":
                self.log.error(self.log.say(Speaker.PROVIDER, message, line, kind=kind, status=status_in(message), retried=True))
            case "error":
                self.failed(line, message or text, kind)
            case "task_complete":
                self.completed(line, text, kind, {})
            case "token_count":
                total = msg.get("info") if isinstance(msg.get("info"), dict) else msg
                usage = total.get("total_token_usage", total) if isinstance(total, dict) else {}
                if isinstance(usage, dict) and isinstance(usage.get("output_tokens"), int):
                    self.log.input_tokens, self.log.output_tokens = usage.get("input_tokens"), usage["output_tokens"]

    def close(self) -> AgentLog:
        log = self.log
        if log.end is End.UNKNOWN:
            log.end = End.CUT
        return log.close()


def status_in(message: str) -> int | None:
    """The HTTP status in codex's own named slots, or None."""
    found = _STATUS.search(message)
    return int(found.group(1)) if found else None


GRAMMAR = Grammar(NAME, read)
