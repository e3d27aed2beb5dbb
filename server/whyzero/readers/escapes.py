"""What a terminal would not show: colours and other escape sequences in kept output."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")


def uncoloured(text: str) -> str:
    """The text without escape sequences."""
    return _ESCAPE.sub("", text) if "\x1b" in text else text
