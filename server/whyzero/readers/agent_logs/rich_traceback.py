"""The exception a Python program printed last: below a rich box (`╰──╯`) or a plain traceback, never inside either.

Source lines and local variables that a traceback shows are text of the code, not of the provider.
"""

from __future__ import annotations

import re

_CLASS = re.compile(r"^((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exceeded|Timeout|Exit|Interrupt))(?::\s*(.*))?$")
_BOX = ("│", "╭", "╰", "┃", "❱")
_PROMPT = re.compile(r"^\S+@\S+:\S*[#$]")
FOLLOWING_LINES = 40


def last_exception(lines: list[tuple[int, str]]) -> tuple[int, str, str] | None:
    """(line, class, text) of the exception that closes the output, or None where other output follows it."""
    start = _start(lines)
    if start is None:
        return None
    line, first = lines[start]
    match = _CLASS.match(first)
    if match is None:
        return None
    said = [first]
    for _, text in lines[start + 1 : start + FOLLOWING_LINES]:
        if _PROMPT.match(text) or not text.strip():
            break
        said.append(text)
    return line, match.group(1), _joined(said)


def _start(lines: list[tuple[int, str]]) -> int | None:
    """Index of the first line below the last box or traceback that names an exception class."""
    box = next((i for i in range(len(lines) - 1, -1, -1) if lines[i][1].lstrip().startswith(_BOX)), None)
    if box is None:
        header = [i for i, (_, text) in enumerate(lines) if text.startswith("Traceback (most recent call last)")]
        if not header:
            return None
        box = header[-1]
    for index in range(box + 1, len(lines)):
        text = lines[index][1]
        if _CLASS.match(text):
            return index
        if text.strip() and not text.startswith((" ", "\t", "Traceback")):
            return None
    return None


def _joined(lines: list[str]) -> str:
    """Wrapped at the screen's width: joined with spaces where words were parted."""
    return " ".join(line.strip() for line in lines)
