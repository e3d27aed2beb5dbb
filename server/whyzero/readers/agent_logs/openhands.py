"""OpenHands: the log of its controller, whose state changes are the program's own word on how things stand.

`AgentState.RATE_LIMITED` is a state it can stay in until the clock. The same lines appear on a Terminal-Bench pane, where
the terminal may have wrapped them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from whyzero.model import AgentLog, End, Speaker, Utterance
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Head, Source
from whyzero.readers.escapes import uncoloured

NAME = "openhands"
_RECORD = re.compile(r"^(?P<at>\d\d:\d\d:\d\d) - openhands:(?P<level>[A-Z]+): (?P<where>\S+) - ?(?P<text>.*)$")
_STATE = re.compile(r"Setting agent\(\S+\) state\s+from AgentState\.(?P<old>\w+)\s+to AgentState\.(?P<new>\w+)")
_CLASS = re.compile(
    r"^(?P<code>(?:litellm\.(?:exceptions\.)?|openai\.|anthropic\.|openhands\.\S*\.)?[A-Z]\w*(?:Error|Exception|Timeout)): (?P<text>.+)$"
)
_REASON = re.compile(r"Error while running the agent[^:]*: (?P<text>.+)$")
STATES = {"FINISHED": End.COMPLETED, "ERROR": End.FAILED, "REJECTED": End.FAILED, "STOPPED": End.UNKNOWN}
LLM_CLASSES = ("litellm.", "openai.", "anthropic.", "openhands.")
SOURCE_LINES = ("raise ", "File ", "except ", "return ")


def recognises(head: Head) -> bool:
    return any(_RECORD.search(uncoloured(line)) for line in head.lines)


def read(source: Source) -> AgentLog | None:
    path = source.first(recognises)
    return None if path is None else read_lines(path, source.folder.lines(path), source.endpoint)


def read_lines(path: str, lines: Iterable[tuple[int, str]], endpoint: str | None = None) -> AgentLog:
    reader = _Reader(Collector(NAME, path, endpoint=endpoint))
    for line, text in lines:
        reader.line(line, uncoloured(text).rstrip())
    reader.flush()
    return reader.close()


class _Reader:
    def __init__(self, log: Collector) -> None:
        self.log = log
        self.open: tuple[int, str] | None = None
        """A record whose text may go on in the next line."""
        self.in_traceback = False
        self.error: Utterance | None = None
        self.state: str | None = None
        self.action = False

    def line(self, line: int, text: str) -> None:
        record = _RECORD.search(text)
        if record is not None:
            self.flush()
            self.open, self.in_traceback = (line, record.group("text")), False
            return
        if (
            self.open is not None
            and self.open[1]
            and "state" in self.open[1]
            and text.startswith(("from AgentState", "to AgentState"))
        ):
            self.open = (self.open[0], f"{self.open[1]} {text}")
            return
        if text.startswith("Traceback (most recent call last)"):
            self.flush()
            self.in_traceback = True
        elif self.in_traceback and text and not text.startswith((" ", "\t")):
            self.traceback_line(line, text)
        elif self.open is not None and not self.open[1] and text:
            self.open = (self.open[0], text)

    def traceback_line(self, line: int, text: str) -> None:
        """The line below the frames: class and message. Source lines of a frame are indented."""
        match = _CLASS.match(text)
        if match is None or text.startswith(SOURCE_LINES) or not match.group("code").startswith(LLM_CLASSES):
            return
        self.error = self.log.say(Speaker.PROVIDER, match.group("text"), line, kind="traceback", code=match.group("code"))
        self.log.error(self.error)
        self.log.last_event = self.error
        self.in_traceback = False

    def flush(self) -> None:
        if self.open is None:
            return
        line, text = self.open
        self.open = None
        state = _STATE.search(text)
        if state is not None:
            self.state_changed(line, text, state.group("new"))
        elif reason := _REASON.search(text):
            self.log.error(self.log.say(Speaker.AGENT_RESULT, reason.group("text"), line, kind="controller"))
        elif text.startswith(("ACTION", "**")) and "ACTION" in text[:20]:
            spoken = self.log.say(Speaker.MODEL, text, line, kind="action")
            self.log.turn(spoken)
            self.log.steps += 1
            self.log.call()
        elif "OBSERVATION" in text[:20]:
            self.log.result(self.log.say(Speaker.TOOL, text, line, kind="observation"))

    def state_changed(self, line: int, text: str, state: str) -> None:
        spoken = self.log.say(Speaker.AGENT_RESULT, text, line, kind="state", code=state)
        self.log.last_event = self.log.end_event = spoken
        self.log.end = STATES.get(state, End.CUT)
        self.state = state
        if state == "RUNNING":
            self.log.overcome()
        elif state in ("RATE_LIMITED", "ERROR"):
            self.log.error(spoken)

    def close(self) -> AgentLog:
        log = self.log
        if log.end is End.UNKNOWN:
            log.end = End.CUT
        if log.end is End.COMPLETED:
            log.stop_reason = "end_turn"
        return log.close() if log.steps else log.without_counts()


GRAMMAR = Grammar(NAME, read)
