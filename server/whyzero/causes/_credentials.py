"""What a refused call says about the credential it carried, in our words; a value is never said."""

from __future__ import annotations

import re

from whyzero.model import Utterance

_MISSING = re.compile(
    r"(?i)\bmissing (?:authentication|api|credential|bearer)|\bno (?:\w+ )?(?:api[- ]?key|auth\w*|cookie auth|credentials)|not logged in|/login"
    r"|must be set|not set\b|is unset|was not provided|You didn't provide an API key|locate credentials|must specify|auth method"
    r"|resolve authentication method"
)
_EXPIRED = re.compile(r"(?i)\bexpired\b|refresh token")
_PROXY = re.compile(r"(?i)<html|<!doctype")


def missing_or_rejected(error: Utterance) -> str:
    """`missing`, `expired`, `rejected`, or that a proxy answered."""
    if _MISSING.search(error.text):
        return "missing"
    if _EXPIRED.search(error.text):
        return "expired"
    if _PROXY.search(error.text):
        return "not accepted by a proxy or gateway page, which need not be the provider's own word"
    return "rejected"
