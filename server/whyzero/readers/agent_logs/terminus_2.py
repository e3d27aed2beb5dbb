"""terminus-2: a loop inside Harbor. Its work is in the trajectory, its provider errors are lines of the trial's trial.log.

The log has no times, but one `Trajectory dumped` line per finished episode and one at the very end: an error with two or
more of them behind it was overcome.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

from whyzero.model import AgentLog, End, Speaker, Utterance
from whyzero.readers.agent_logs import atif
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Source, objects
from whyzero.readers.files import parse_time

NAME = "terminus-2"
DUMPED = "Trajectory dumped to "
_LEVEL = r"^(?:\S+ \S+ (?:DEBUG|INFO|WARNING|ERROR) )?"
_UNKNOWN = re.compile(_LEVEL + r"Unknown Error in LLM interaction: (?P<text>.*)$")
_CONTEXT = re.compile(_LEVEL + r"(?P<text>Context length exceeded\. Using fallback summarization\.)")
_LENGTH = re.compile(_LEVEL + r"(?P<text>Output length exceeded: .*)$")
_FALLBACK = re.compile(_LEVEL + r"(?P<text>Even fallback chat failed: .+)$")
_CLASS = re.compile(r"^((?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout|Exceeded))\b")
_PARSING = ("Previous response had parsing errors", "Your previous response had parsing errors", "Previous response had warnings")
_TASK = re.compile(r"(?s)\bTask Description:\n(.*?)(?:\n\s*\nCurrent terminal state:|\Z)")
MARK_COMPLETE = "mark_task_complete"


def read(source: Source) -> AgentLog | None:
    found = atif.trajectory(source)
    if found is None or not atif.program(found[1]).startswith("terminus"):
        return None
    path, document = found
    log = Collector(NAME, path, endpoint=source.endpoint)
    atif.add_steps(log, document, _PARSING)
    log.brief = _task(log.brief)
    _endings(log, document["steps"])
    log.take_errors(_errors_of(source, log) if _ran_last(source, document) else [])
    if log.end is End.UNKNOWN:
        log.end = End.CUT
    return log.close()


def _ran_last(source: Source, document: dict[str, Any]) -> bool:
    """In a trial of several steps one log serves all: what stands in it is told of the step that ran last."""
    if "/steps/" not in f"/{source.base}":
        return True
    steps, own = source.base.rsplit("/", 2)[0], source.base.rsplit("/", 2)[1]
    at = _began(document)
    for name in source.folder.names(steps):
        path = f"{steps}/{name}/agent/{atif.FILE}"
        other = source.folder.json_object(path) if name != own and source.folder.is_file(path) else None
        began = _began(other) if other is not None else None
        if at is not None and began is not None and began > at:
            return False
    return True


def _began(document: dict[str, Any]) -> datetime | None:
    steps = document.get("steps")
    first = steps[0] if isinstance(steps, list) and steps else None
    return parse_time(first.get("timestamp")) if isinstance(first, dict) else None


def _task(prompt: Utterance | None) -> Utterance | None:
    """The task within terminus's own prompt."""
    if prompt is None:
        return None
    found = _TASK.search(prompt.text)
    return replace(prompt, text=found.group(1).strip()) if found else prompt


def _endings(log: Collector, steps: list[object]) -> None:
    """A confirmed completion."""
    agent = [s for s in steps if isinstance(s, dict) and s.get("source") == "agent"]
    marks = [any(c.get("function_name") == MARK_COMPLETE for c in objects(s.get("tool_calls"))) for s in agent]
    if len(marks) >= 2 and marks[-1] and marks[-2]:
        log.end, log.end_event, log.stop_reason = End.COMPLETED, log.last_message, "end_turn"


def _errors_of(source: Source, log: Collector) -> list[Utterance]:
    """Errors of the trial log, in order, those that later episodes left behind marked as overcome."""
    path = source.trial_log
    if path is None:
        return []
    found: list[tuple[Utterance, int]] = []
    dumps = 0
    for line, text in source.folder.lines(path):
        if DUMPED in text[:200]:
            dumps += 1
            continue
        spoken = _error(log, path, line, text)
        if spoken is not None:
            found.append((spoken, dumps))
            if len(found) > 400:
                del found[200]
    return [replace(error, overcome=dumps - before >= 2) for error, before in found]


def _error(log: Collector, path: str, line: int, text: str) -> Utterance | None:
    if match := _UNKNOWN.match(text):
        said = match.group("text")
        code = _CLASS.match(said)
        return log.say(Speaker.PROVIDER, said, line, kind="llm_error", code=code.group(1) if code else None, path=path)
    if match := _CONTEXT.match(text):
        return log.say(
            Speaker.HARNESS, match.group("text"), line, kind="context", code="ContextLengthExceededError", retried=True, path=path
        )
    if match := _LENGTH.match(text):
        return log.say(
            Speaker.HARNESS, match.group("text"), line, kind="output", code="OutputLengthExceededError", retried=True, path=path
        )
    if match := _FALLBACK.match(text):
        return log.say(Speaker.PROVIDER, match.group("text"), line, kind="llm_error", path=path)
    return None


GRAMMAR = Grammar(NAME, read)
