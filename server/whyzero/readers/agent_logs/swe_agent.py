"""SWE-agent: its `.traj` document. `info.exit_status` is one word for many ends; the reason stands in the last entry's
thought (`Exit due to unknown error: …`), which the program itself writes where no answer of the model came."""

from __future__ import annotations

from typing import Any

from whyzero.model import AgentLog, End, Speaker
from whyzero.readers.agent_logs.atif import words_of
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Source, objects, word

NAME = "swe-agent"
DONE = "submitted"
OWN_WORDS = ("Exit due to ", "Exited due to ", "Exiting due to ")
OWN_LIMITS = frozenset(
    {"exit_cost", "exit_total_execution_time", "exit_command_timeout", "exit_forfeit", "exit_environment_error"}
)
"""Ends that no provider brought about."""
FORMAT_ENDS = frozenset({"exit_format"})


def read(source: Source) -> AgentLog | None:
    for path in source.candidates:
        if path.endswith((".traj", ".trajectory.json")):
            document = source.document(path)
            if document and isinstance(document.get("trajectory"), list) and isinstance(document.get("info"), dict):
                return _read(Collector(NAME, path, endpoint=source.endpoint), document)
    return None


def _read(log: Collector, document: dict[str, Any]) -> AgentLog:
    history = objects(document.get("history"))
    asked = next((i for i, message in enumerate(history) if message.get("role") == "user"), None)
    if asked is not None:
        words = words_of(history[asked].get("content"))
        log.brief = log.say(Speaker.INSTRUCTION, words, None, kind="user", pointer=f"/history/{asked}/content")
    reason = None
    for index, entry in enumerate(document["trajectory"]):
        if isinstance(entry, dict):
            reason = _entry(log, index, entry) or reason
    status = word(document["info"], "exit_status")
    if status:
        _ended(log, status, reason)
    else:
        log.end = End.CUT
    return log.close()


def _entry(log: Collector, index: int, entry: dict[str, Any]) -> tuple[str, str] | None:
    """One turn; or, where the program ended the attempt, its reason and the place of it."""
    pointer = f"/trajectory/{index}"
    thought, answer = word(entry, "thought"), word(entry, "response")
    if not answer and thought.startswith(OWN_WORDS):
        return thought, f"{pointer}/thought"
    spoken = log.say(
        Speaker.MODEL, answer or thought or word(entry, "action"), None, kind="response", pointer=f"{pointer}/response"
    )
    log.turn(spoken)
    log.steps += 1
    if answer:
        log.message(spoken)
    if word(entry, "action"):
        log.call()
        result = log.say(Speaker.TOOL, word(entry, "observation"), None, kind="tool_result", pointer=f"{pointer}/observation")
        log.result(result)
        log.last_event = result
    return None


def _ended(log: Collector, status: str, reason: tuple[str, str] | None) -> None:
    code = status.removeprefix(f"{DONE} (").removesuffix(")")
    said, pointer = reason or (status, "/info/exit_status")
    log.end_event = log.last_event = log.say(Speaker.AGENT_RESULT, said, None, kind="exit_status", code=code, pointer=pointer)
    if status == DONE:
        log.end, log.stop_reason = End.COMPLETED, "end_turn"
        return
    log.end = End.FAILED
    if code not in OWN_LIMITS | FORMAT_ENDS:
        log.error(log.end_event)


GRAMMAR = Grammar(NAME, read)
