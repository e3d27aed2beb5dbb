"""Agents that save each model answer in a folder of its own: `episodes/episode-N/{response,tool-results}.json` in the
provider's message format, or `episode-N/{prompt.txt,response.txt,debug.json}` as terminus wrote it before ATIF.

Answers and results are in there; a call that failed left no file. How the attempt ended stands elsewhere.
"""

from __future__ import annotations

import re
from typing import Any

from whyzero.model import AgentLog, Speaker
from whyzero.readers.agent_logs.atif import words_of
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Source
from whyzero.readers.files import parse_json

NAME = "episodes"
EPISODES = 5000
_NUMBER = re.compile(r"^episode-(\d{1,6})$")


def read(source: Source) -> AgentLog | None:
    for root in (source.at("episodes"), source.base):
        folders = _episodes(source, root)
        if folders:
            log = Collector(NAME, folders[0], endpoint=source.endpoint)
            for folder in folders:
                _read_episode(source, folder, log)
            return log.close() if log.steps else None
    return None


def _episodes(source: Source, root: str) -> list[str]:
    if not source.folder.is_dir(root):
        return []
    numbered = [(int(m.group(1)), n) for n in source.folder.names(root) if (m := _NUMBER.match(n))]
    prefix = "" if root in (".", "") else f"{root}/"
    return [f"{prefix}{name}" for _, name in sorted(numbered)[:EPISODES]]


def _read_episode(source: Source, folder: str, log: Collector) -> None:
    answer = f"{folder}/response.json"
    if source.folder.is_file(answer):
        message = source.folder.json_object(answer, limit=8 * 2**20)
        if message is not None:
            _message(log, answer, message)
        results = f"{folder}/tool-results.json"
        if source.folder.is_file(results):
            _results(log, results, source.folder.json(results, limit=8 * 2**20))
        return
    answer = f"{folder}/response.txt"
    text = source.folder.text(answer) if source.folder.is_file(answer) else None
    if text is not None:
        _text(log, answer, text)


def _message(log: Collector, path: str, message: dict[str, Any]) -> None:
    """An Anthropic message, or an OpenAI chat completion."""
    choices = message.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        inner = choices[0].get("message")
        inner = inner if isinstance(inner, dict) else {}
        words, calls = words_of(inner.get("content")), _list(inner.get("tool_calls"))
        stop = choices[0].get("finish_reason")
    else:
        content = message.get("content")
        words = words_of(content)
        calls = [b for b in _list(content) if b.get("type") == "tool_use"]
        stop = message.get("stop_reason")
    spoken = log.say(Speaker.MODEL, words or "tool call", None, kind="response", path=path)
    log.turn(spoken)
    log.last_event = spoken
    log.steps += 1
    log.stop_reason = str(stop) if isinstance(stop, str) else log.stop_reason
    usage = message.get("usage")
    if isinstance(usage, dict):
        log.count_tokens(
            usage.get("input_tokens", usage.get("prompt_tokens")), usage.get("output_tokens", usage.get("completion_tokens"))
        )
    if words:
        log.message(spoken)
    log.open_calls = [log.say(Speaker.MODEL, _command(c), None, kind="tool_call", path=path) for c in calls]
    for _ in calls:
        log.call()
    if not calls:
        log.turn_ended()


def _command(call: dict[str, Any]) -> str:
    """The command of a call, or its name and arguments."""
    arguments = call.get("input")
    if arguments is None and isinstance(call.get("function"), dict):
        arguments = parse_json(str(call["function"].get("arguments"))) or call["function"].get("arguments")
    command = arguments.get("command", arguments.get("cmd")) if isinstance(arguments, dict) else None
    return command if isinstance(command, str) else f"{call.get('name', 'call')} {arguments}"


def _list(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _results(log: Collector, path: str, results: object) -> None:
    for index, result in enumerate(results if isinstance(results, list) else []):
        if isinstance(result, dict):
            words = words_of(result.get("content"))
            spoken = log.say(Speaker.TOOL, words, None, kind="tool_result", path=path, pointer=f"/{index}/content")
            log.result(spoken)
            log.last_event = spoken
            del log.open_calls[:1]


def _text(log: Collector, path: str, text: str) -> None:
    """terminus: one JSON object with `commands`."""
    start, end = text.find("{"), text.rfind("}")
    value = parse_json(text[start : end + 1]) if 0 <= start < end else None
    spoken = log.say(Speaker.MODEL, text, None, kind="response", path=path)
    log.turn(spoken)
    log.message(spoken)
    log.last_event = spoken
    log.steps += 1
    commands = value.get("commands") if isinstance(value, dict) else None
    for _ in commands if isinstance(commands, list) else []:
        log.call()


GRAMMAR = Grammar(NAME, read)
