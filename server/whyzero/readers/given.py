"""Everything a trial was given: the user messages of its ATIF trajectory (schema 1.0 to 1.8), whole."""

from __future__ import annotations

from typing import Any

from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.files import parse_time
from whyzero.readers.shapes import obj

LIMIT = 256 * 2**10
"""Characters kept of one message."""


def given_in(listed: Any, path: str) -> tuple[Utterance, ...]:
    """Every user message of the main agent in order, from a trajectory's `steps`; copies in a continuation are left out."""
    said = []
    for index, item in enumerate(listed if isinstance(listed, list) else []):
        if not isinstance(item, dict) or item.get("source") != "user" or item.get("is_copied_context") is True:
            continue
        text = words(item.get("message"))
        if text.strip() and obj(item.get("extra")).get("is_sidechain") is not True:
            spot = Spot(path, pointer=f"/steps/{index}/message")
            at = parse_time(item.get("timestamp"))
            said.append(Utterance(Speaker.INSTRUCTION, text[:LIMIT], spot, at, kind="user", cut=len(text) > LIMIT))
    return tuple(said)


def words(message: Any) -> str:
    """A message as text: a string, or since 1.6 a list of parts of which those with text count."""
    if isinstance(message, str):
        return message
    parts = message if isinstance(message, list) else [message]
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
