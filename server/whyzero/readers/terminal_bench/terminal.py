"""The terminal of a trial: what the harness typed, which command started the agent, what installer and shell said."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.files import Folder
from whyzero.readers.shapes import join

PANE_TAIL = 30
"""Lines at the end of the agent's pane."""
_HARNESS_KEYS = re.compile(r"^(?:asciinema |clear$|source /installed-agent/|bash ?$|/tests/|C-[a-z]$|Enter$|exit$|tmux )")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=\S*$")
_PROMPT = re.compile(r"^\S*[#$]\s*$|^\w+@\S+:\S*[#$]\s*$")
_BEFORE_PROGRAM = frozenset({"env", "exec", "sudo", "nohup"})


@dataclass(frozen=True, slots=True)
class Commands:
    """commands.txt, reduced: the harness's key strokes, one list a line."""

    install: Utterance | None = None
    """An installer was run in the agent's terminal."""
    launch: Utterance | None = None
    """What started the installed agent; its program stands in `code`."""
    typed: int | None = None
    """Commands an agent typed by itself, where none was installed."""

    def said(self) -> tuple[Utterance, ...]:
        return tuple(u for u in (self.install, self.launch) if u)


def read_commands(folder: Folder, base: str) -> Commands:
    """What was typed into the agent's terminal, up to the tests."""
    path = join(base, "commands.txt")
    if not folder.is_file(path):
        return Commands()
    install: Utterance | None = None
    launch: Utterance | None = None
    typed = 0
    for number, line in folder.lines(path):
        keys = _keys(line)
        if any("/tests.cast" in key or "/logs/tests" in key for key in keys):
            break
        if any("install-agent" in key for key in keys):
            install = Utterance(Speaker.HARNESS, line[:2000], Spot(path, number), kind="install")
            continue
        command = next((key for key in keys if key.strip() and not _HARNESS_KEYS.match(key.strip())), None)
        if command is None:
            continue
        typed += 1
        if install and launch is None:
            launch = Utterance(Speaker.HARNESS, line[:2000], Spot(path, number), kind="launch", code=_program(command))
    return Commands(install, launch, None if install else typed)


def pane_lines(folder: Folder, base: str) -> tuple[Utterance, ...]:
    """Last lines of the pane an agent was installed and started in: said by installer, shell or agent program."""
    path = join(base, "panes/post-agent.txt")
    lines, _ = folder.head_and_tail(path, head=0, tail=400)
    kept = [(n, line) for n, line in lines if line.strip() and not _PROMPT.match(line.strip())][-PANE_TAIL:]
    return tuple(Utterance(Speaker.HARNESS, line[:1000], Spot(path, number), kind="pane") for number, line in kept)


def _keys(line: str) -> list[str]:
    """One line of commands.txt: a Python list of key strokes."""
    try:
        value = ast.literal_eval(line.strip()) if len(line) < 200_000 else None
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return [key for key in value if isinstance(key, str)] if isinstance(value, list) else []


def _program(command: str) -> str | None:
    words = command.split()
    while words and (_ASSIGNMENT.match(words[0]) or words[0] in _BEFORE_PROGRAM):
        words.pop(0)
    return words[0] if words else None
