"""The sentence that could show a diagnosis wrong, its tool calls set apart from what only looks like one.

A cause writes the sentence and the engine fills it in, with names from the run. A call counts as one where the cause wrote it.
"""

from __future__ import annotations

import re
from functools import cache

from whyzero.analyses.report import NextStep
from whyzero.causes import CAUSES
from whyzero.render.blocks import Check

_TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_ADDRESS = r"""'(?P<base_url>BASE_URL|https?://[\w.:\[\]/~%-]+)'"""
_PROBE = (
    rf"probe_tool_roundtrip\(base_url={_ADDRESS}, model=(?P<model>{_TEXT}), "
    r"protocol='(?P<protocol>[a-z-]+)', api_key_env='(?P<api_key_env>[A-Z_]+)'\)"
)
_TOOLS = "locate_failed_phase|classify_zero|check_staleness|partition_disputed_rows|verify_fix"
_PLACE = re.compile(rf"(\{{\w+\}}|`(?:{_TOOLS})`)")
"""What in a cause's sentence is no plain text: a word to be filled in, or the name of a tool."""
_ESCAPED = re.compile(r"\\(['\"\\])")


def check(text: str, cause: str | None) -> Check:
    """The sentence as a block; where the call in it cannot be told for sure, the sentence alone."""
    found = _shape(cause).fullmatch(text) if cause is not None else None
    if found is None:
        return Check(text, (text,))
    parts: list[str | NextStep] = []
    for name, value in found.groupdict().items():
        if name.startswith("tool"):
            parts.append(NextStep(tool=value.strip("`"), why=""))
        elif name == "probe":
            parts.append(NextStep(tool="probe_tool_roundtrip", arguments=_arguments(found), why=""))
        elif name.startswith("said"):
            parts.append(value)
    return Check(text, tuple(parts))


@cache
def _shape(cause: str) -> re.Pattern[str]:
    """The cause's sentence with room for what is filled in; matches nothing for a word that is no cause."""
    sentence = next((one.check for one in CAUSES if one.name == cause), None)
    if sentence is None:
        return re.compile(r"(?!)")
    shape = ""
    for number, part in enumerate(_PLACE.split(sentence)):
        if part == "{probe}":
            shape += f"(?P<probe>{_PROBE})"
        elif part.startswith("{"):
            shape += f"(?P<said{number}>.*?)"
        elif part.startswith("`") and _PLACE.fullmatch(part):
            shape += f"(?P<tool{number}>{re.escape(part)})"
        else:
            shape += f"(?P<said{number}>{re.escape(part)})"
    return re.compile(shape, re.S)


def _arguments(found: re.Match[str]) -> dict[str, object]:
    """The arguments of the probe, by name."""
    model = _ESCAPED.sub(r"\1", found.group("model")[1:-1])
    return {"base_url": found.group("base_url"), "model": model, "protocol": found.group("protocol")} | {
        "api_key_env": found.group("api_key_env")
    }
