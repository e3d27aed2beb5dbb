"""The terminal of a trial: which command started the agent, and what the installer and the shell said around it."""

from __future__ import annotations

import ast
import re

from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.files import Folder
from whyzero.readers.shapes import join

PANE_TAIL = 30
"""Lines at the end of the agent's pane."""
_HARNESS_KEYS = re.compile(r"^(?:asciinema |clear$|source /installed-agent/|bash ?$|/tests/|C-[a-z]$|Enter$|exit$|tmux )")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=\S*$")
_PROMPT = re.compile(r"^\S*[#$]\s*$|^root@\S+:\S*#\s*$")


def launch(folder: Folder, base: str) -> Utterance | None:
    """The command that started an installed agent; its program stands in `code`. None where an agent types by itself."""
    path = join(base, "commands.txt")
    installed = False
    for number, line in folder.lines(path):
        keys = _keys(line)
        installed |= any("/installed-agent/" in key for key in keys)
        command = next((key for key in keys if not _HARNESS_KEYS.match(key.strip()) and key.strip()), None)
        if installed and command:
            return Utterance(Speaker.HARNESS, command[:2000], Spot(path, number), kind="launch", code=_program(command))
        if any("/logs/tests" in key for key in keys):
            return None
    return None


def installer_lines(folder: Folder, base: str) -> tuple[Utterance, ...]:
    """Last lines of the agent's pane, where an installer ran in it: said by the shell, the installer or the agent program."""
    path = join(base, "panes/post-agent.txt")
    if not _installed(folder, base):
        return ()
    lines, _ = folder.head_and_tail(path, head=0, tail=400)
    kept = [(n, line) for n, line in lines if line.strip() and not _PROMPT.match(line.strip())][-PANE_TAIL:]
    return tuple(Utterance(Speaker.HARNESS, line[:1000], Spot(path, number), kind="pane") for number, line in kept)


def _installed(folder: Folder, base: str) -> bool:
    return any("/installed-agent/" in line for _, line in folder.lines(join(base, "commands.txt")))


def _keys(line: str) -> list[str]:
    """One line of commands.txt: a Python list of key strokes."""
    try:
        value = ast.literal_eval(line.strip()) if len(line) < 200_000 else None
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return [key for key in value if isinstance(key, str)] if isinstance(value, list) else []


def _program(command: str) -> str | None:
    words = command.split()
    while words and (_ASSIGNMENT.match(words[0]) or words[0] in ("env", "exec", "sudo", "timeout", "nohup")):
        words.pop(0)
    return words[0] if words else None
