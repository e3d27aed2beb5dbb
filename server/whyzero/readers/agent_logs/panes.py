"""Old Terminal-Bench runs: what stood on the agent's terminal (`panes/post-agent.txt`) and what the harness typed
(`commands.txt`).

The pane mixes the harness's own commands, the agent program's output and that of its tools. Where the program's grammar
is known its closing words count; everything else is shown and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from whyzero.model import AgentLog, End, Speaker
from whyzero.readers.agent_logs import claude_code, codex, last_words, mini_swe_agent, openhands
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Head
from whyzero.readers.escapes import uncoloured
from whyzero.readers.files import Folder, parse_json

PANE, SESSION, COMMANDS = "panes/post-agent.txt", "sessions/agent.log", "commands.txt"
KEPT_LINES = 200_000
TAIL = 40
WRAPPED = 400
"""Lines of the terminal over which one event may run."""
SETUP_WORDS = ("asciinema", "clear", "tmux wait", "source ")
_LAUNCHES = {
    "mini-swe-agent": re.compile(r"(?:^|[\s'\"])mini(?:-swe-agent)?\s+-"),
    "openhands": re.compile(r"openhands\.core\.main|(?:^|[\s'\"])openhands\s"),
    "claude-code": re.compile(r"(?:^|[\s'\"])claude\s+(?:-p|--print|--)"),
    "codex": re.compile(r"(?:^|[\s'\"])codex\s+exec\b"),
}


_EVENTS = {"claude-code": claude_code.read_lines, "codex": codex.read_lines}
_CODEX_ERROR = re.compile(r"^(?:\[[\dT:.Z-]+\] )?ERROR: (?P<text>.+)$")
_AFTER_THE_END = re.compile(r"^\S*[@:]\S*[#$%>]$|^[#$%>]$|^(?:\[[\dT:.Z-]+\] )?tokens used:?(?: [\d,]+)?$|^[\d,]+$")


def read_pane_logs(folder: Folder, base: str) -> tuple[AgentLog, ...]:
    """The agent's log of one Terminal-Bench trial folder; () where no pane was kept."""
    prefix = "" if base in (".", "") else f"{base}/"
    path = next((prefix + n for n in (PANE, SESSION) if folder.size(prefix + n)), None)
    if path is None:
        return ()
    typed = _typed(folder, prefix + COMMANDS)
    program = next((name for name, launch in _LAUNCHES.items() if any(launch.search(c) for c in typed)), None)
    lines: list[tuple[int, str]] = []
    for item in folder.lines(path):
        lines.append(item)
        if len(lines) > KEPT_LINES:
            del lines[: KEPT_LINES // 2]
    head = Head(path, tuple(text for _, text in lines[:2000]))
    if program == "openhands" or (program is None and openhands.recognises(head)):
        return (openhands.read_lines(path, lines),)
    if program == "mini-swe-agent":
        return (_mini(path, lines),)
    log = Collector(program or "unknown", path)
    _show(log, lines)
    if program == "codex":
        _codex_gave_up(log, lines)
    elif program is None:
        _gave_up(log, lines[-TAIL:])
    shown = log.without_counts()
    events = _EVENTS[program](path, _unwrapped(lines)) if program in _EVENTS and log.end is End.UNKNOWN else None
    if events is None or events.end not in (End.FAILED, End.COMPLETED):
        return (shown,)
    # The terminal keeps its last lines only: what is not on it was not counted.
    return (replace(shown, end=events.end, end_event=events.end_event, errors=events.errors, last_message=events.last_message),)


def _unwrapped(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Events that the terminal broke at its width, each at the line on which it begins."""
    begun, held, parts = 0, "", 0
    for number, coloured in lines:
        text = uncoloured(coloured)
        if text.startswith('{"') or not held:
            begun, held, parts = number, text, 1
        else:
            held, parts = held + text, parts + 1
        if not held.startswith('{"'):
            held = ""
        elif held.rstrip().endswith("}") and parse_json(held.strip()) is not None:
            yield begun, held.strip()
            held = ""
        elif parts > WRAPPED:
            held = ""


def _codex_gave_up(log: Collector, lines: list[tuple[int, str]]) -> None:
    """Without `--json`, codex closes with a line of its own; nothing but its count of tokens and the prompt may follow it."""
    for number, coloured in reversed(lines):
        text = uncoloured(coloured).strip()
        if not text or _AFTER_THE_END.match(text):
            continue
        if found := _CODEX_ERROR.match(text):
            status = codex.status_in(text)
            spoken = log.say(Speaker.AGENT_RESULT, found.group("text"), number, kind="last_words", status=status)
            log.end, log.end_event = End.FAILED, spoken
            log.error(spoken)
        return


def _gave_up(log: Collector, lines: list[tuple[int, str]]) -> None:
    """A program without an event log that closes with its phrase about its provider."""
    told = last_words.provider_error([(number, uncoloured(text)) for number, text in lines])
    if told is None:
        return
    phrase, line, found = told
    code = found.groupdict().get("code")
    spoken = log.say(Speaker.AGENT_RESULT, found.group("text"), line, kind="last_words", code=code)
    log.agent, log.end, log.end_event = phrase.program, End.FAILED, spoken
    log.error(spoken)


def _typed(folder: Folder, path: str) -> list[str]:
    """Commands the harness typed, without those that prepare the terminal."""
    if not folder.is_file(path):
        return []
    commands = [text for _, text in folder.lines(path)]
    return [c for c in commands if not c.lstrip("['\"(").startswith(SETUP_WORDS)]


def _mini(path: str, lines: list[tuple[int, str]]) -> AgentLog:
    """Steps by their headers, the retries between them, and an exception at the very end."""
    reader = mini_swe_agent.screen_reader(path, lines)
    log = reader.log
    _show(log, lines)
    return log.close() if log.steps else log.without_counts()


def _show(log: Collector, lines: list[tuple[int, str]]) -> None:
    log.lines = [log.say(Speaker.UNKNOWN, text, line, kind="pane") for line, text in lines if text.strip()][-TAIL:]
    log.last_event = log.last_event or (log.lines[-1] if log.lines else None)
