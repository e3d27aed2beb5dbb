"""Any other log: lines of text whose speaker nobody knows. They can be shown, and decide nothing by their words alone.

The exception is a program's own closing phrase about its provider (last_words.py).
"""

from __future__ import annotations

from dataclasses import replace

from whyzero.model import AgentLog, End, Speaker
from whyzero.readers.agent_logs import last_words
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Grammar, Source
from whyzero.readers.escapes import uncoloured

NAME = "plain"
ENDINGS = (".txt", ".log", ".jsonl", ".out", ".err", ".stdout", ".stderr", ".pane")
NOT_LOGS = frozenset({"exit-code.txt", "return-code.txt", "install.sh", "instruction.txt", "instruction.md", "prompt.txt"})
TAIL = 40


def read(source: Source) -> AgentLog | None:
    """The largest text file; None where there is none."""
    path = _screen(source)
    if path is None:
        return None
    log = Collector(path.rsplit("/", 1)[-1].split(".")[0], path, endpoint=source.endpoint)
    lines = _tail(source, path)
    log.lines = [log.say(Speaker.UNKNOWN, text, line, kind="text") for line, text in lines if text.strip()]
    log.last_event = log.lines[-1] if log.lines else None
    _close(log, lines)
    return log.without_counts()


def with_last_words(source: Source, log: AgentLog) -> AgentLog:
    """A trajectory holds no error of the provider; the screen beside it may end with one."""
    path = _screen(source)
    screen = Collector(log.agent, path or log.agent)
    if path is None or not _close(screen, _tail(source, path)):
        return log
    return replace(log, end=screen.end, end_event=screen.end_event, errors=(*log.errors, *screen.errors))


def _screen(source: Source) -> str | None:
    files = [p for p in source.candidates if p.endswith(ENDINGS) and p.rsplit("/", 1)[-1] not in NOT_LOGS]
    files = [p for p in files if source.folder.size(p)]
    return max(files, key=lambda p: source.folder.size(p) or 0) if files else None


def _tail(source: Source, path: str) -> list[tuple[int, str]]:
    lines, _ = source.folder.head_and_tail(path, head=0, tail=TAIL)
    return [(line, uncoloured(text)) for line, text in lines]


def _close(log: Collector, lines: list[tuple[int, str]]) -> bool:
    """Whether the screen ends with the program's phrase about its provider; then the log does."""
    told = last_words.provider_error(lines)
    if told is None:
        return False
    phrase, line, found = told
    spoken = log.say(
        Speaker.AGENT_RESULT, found.group("text"), line, kind="last_words", code=found.groupdict().get("code"), path=log.path
    )
    log.agent, log.end, log.end_event = phrase.program, End.FAILED, spoken
    log.error(spoken)
    return True


GRAMMAR = Grammar(NAME, read)
