"""Old Terminal-Bench runs: what stood on the agent's terminal (`panes/post-agent.txt`) and what the harness typed
(`commands.txt`).

The pane mixes the harness's own commands, the agent program's output and that of its tools. Where the program's grammar
is known its closing words count; everything else is shown and decides nothing.
"""

from __future__ import annotations

import re

from whyzero.model import AgentLog, Speaker
from whyzero.readers.agent_logs import mini_swe_agent, openhands
from whyzero.readers.agent_logs.collector import Collector
from whyzero.readers.agent_logs.source import Head
from whyzero.readers.files import Folder

PANE, SESSION, COMMANDS = "panes/post-agent.txt", "sessions/agent.log", "commands.txt"
KEPT_LINES = 200_000
TAIL = 40
SETUP_WORDS = ("asciinema", "clear", "tmux wait", "source ")
_LAUNCHES = {
    "mini-swe-agent": re.compile(r"(?:^|[\s'\"])mini(?:-swe-agent)?\s+-"),
    "openhands": re.compile(r"openhands\.core\.main|(?:^|[\s'\"])openhands\s"),
    "claude-code": re.compile(r"(?:^|[\s'\"])claude\s+(?:-p|--print|--)"),
    "codex": re.compile(r"(?:^|[\s'\"])codex\s+exec\b"),
}


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
    return (log.without_counts(),)


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
