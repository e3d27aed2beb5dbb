"""Calls of `osmosis` 0.3.8 as they were recorded: command, login, exit status and both streams."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from whyzero.osmosis_cli.allowed import COMMANDS

RECORDED = [json.loads(line) for line in (Path(__file__).parent / "data/osmosis-cli.jsonl").read_text().splitlines()]


def split(command: str) -> tuple[tuple[str, ...], str | None, dict[str, str]] | None:
    """Command, name and options of a recorded call, or None where it has words the wrapper has no place for."""
    words = shlex.split(command)[1:]
    if not words or words[0] != "--json" or "--plain" in words:
        return None
    words = words[1:]
    known = next((c for c in COMMANDS if tuple(words[: len(c)]) == c), tuple(words[:2]))
    rest, options, names = words[len(known) :], {}, []
    while rest:
        word = rest.pop(0)
        if word.startswith("-"):
            options[word] = rest.pop(0) if rest else ""
        else:
            names.append(word)
    return (known, names[0] if names else None, options) if len(names) < 2 else None


READ_ONLY = [one for one in RECORDED if (asked := split(one["command"])) and asked[0] in COMMANDS and "--nope" not in asked[2]]
OTHERS = [one for one in RECORDED if one not in READ_ONLY]
