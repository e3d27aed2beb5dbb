"""How programs without an event log tell that their provider failed: a phrase of their own, as the last thing on the screen.

Model and tools write to the same screen, so only the whole phrase counts, and only where nothing follows it but blank lines, the
program's note of where it keeps the session, and the shell's prompt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

WITHIN = 12
"""Lines before the closing one in which the phrase begins."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A line with the error, and the program's remark below it that closes the screen."""

    program: str
    error: re.Pattern[str]
    """`text` is what the provider said, `code` its class."""
    remark: re.Pattern[str]


PHRASES = (
    Phrase(
        "goose",
        re.compile(r"^Ran into this error: (?P<text>.+?)\.?$"),
        re.compile(r"^Please retry if you think this is a transient or recoverable error\."),
    ),
    Phrase(
        "aider",
        re.compile(r"^(?P<code>litellm\.\w+): (?P<text>.+)$"),
        re.compile(
            r"^(?:The API provider(?:'s servers)? |Check your API key|Your network |Retrying in [\d.]+ seconds\.\.\.$|https://aider\.chat/)"
        ),
    ),
)


_AFTER_THE_END = re.compile(r"^Closing session\.|^\S*[@:]\S*[#$%]$|^[#$%]$")


def provider_error(lines: Sequence[tuple[int, str]]) -> tuple[Phrase, int, re.Match[str]] | None:
    """The phrase that closes these lines, the number of its error's line, and the match there."""
    kept = [(number, text.strip()) for number, text in lines if text.strip()]
    while kept and _AFTER_THE_END.match(kept[-1][1]):
        kept.pop()
    for phrase in PHRASES:
        if not kept or not phrase.remark.match(kept[-1][1]):
            continue
        for number, text in reversed(kept[-WITHIN:-1]):
            if found := phrase.error.match(text):
                return phrase, number, found
    return None
