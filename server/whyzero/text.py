"""Text from logs is hostile: made printable, stripped of secrets, and bounded before it is said."""

import json
import re
import unicodedata
from collections.abc import Mapping
from html import escape
from urllib.parse import quote

QUOTE_LIMIT = 400
"""Characters of one quote, after cleaning."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_KEEP = {"\n", "\t"}
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, bidi, zero-width, surrogate, private-use and unassigned characters."""


class _Visible(dict[int, int | None]):
    """What `str.translate` makes of a character: itself, or nothing where it cannot be seen. Filled as they are met."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        kept = code if char in _KEEP or unicodedata.category(char) not in _INVISIBLE else None
        if code < 0x10000:
            self[code] = kept
        return kept


_VISIBLE = _Visible()

REDACTED = "[REDACTED]"

_SECRETS = [
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S),
    re.compile(r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_*-]{8,}"),
    re.compile(r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})"),
    re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}"),
    re.compile(r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{20,}"),
    re.compile(r"(?<![A-Za-z0-9])(?:hf_|xox[abprs]-|glpat-|npm_|pypi-|dop_v1_|lsv2_|r8_)[A-Za-z0-9_-]{12,}"),
    re.compile(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
]
_URL_LOGIN = re.compile(r"(\b[a-z][a-z0-9+.-]{0,30}://)[^\s/@:]*:[^\s/@]+@", re.I)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}")
_NAMED = re.compile(
    r"""(?ix)
    ( (?: api[_-]?key | secret(?:[_-]?(?:access)?[_-]?key)? | passw(?:or)?d | auth[_-]?token | access[_-]?token
      | refresh[_-]?token | private[_-]?key | credential | (?<![a-z]) token ) ["']? \s* [=:] \s* )
    (?: "(?:[^"\\]|\\.){4,}" | '(?:[^'\\]|\\.){4,}' | [^\s"',;}\])]{6,} )
    """
)


_A_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*__[A-Za-z0-9]{7}|(?!sk|pk|rk)[a-z]{2,4}[-_](?:[a-z]+[-_])*[a-z]{2,12}")
"""A trial's folder (`pypi-server__Xa1b2c3`) or plain words (`npm_install_check`): no token is written like that."""


_SECRET_NAME = re.compile(r"(?i)(?:key|token|secret|password|passwd|credentials?|auth)$")
_LEAST, _PIECE, _MOST = 8, 6, 1000
_LINE = 24
"""Least length of a line of a secret that has several: logs are shown line by line, and a shorter line is a word of many."""
_hidden: dict[str, None] = {}
"""Values known to be secret in this process. They are compared with, and never shown."""


def hide(variables: Mapping[str, str], every: bool = False) -> None:
    """From now on, replace the values of variables that are named like secrets (or of `every` one), whatever they look like.

    A value shorter than eight characters or of letters alone (`development`) is no secret that could be told from words.
    """
    for name, value in variables.items():
        if (every or _SECRET_NAME.search(name)) and len(value) >= _LEAST and not value.isalpha() and len(_hidden) < _MOST:
            lines = [
                line for line in map(str.strip, value.splitlines()) if len(line) >= _LINE and not line.isalpha() and line != value
            ]
            _hidden.update(dict.fromkeys(form for one in (value, *lines) for form in _forms(one)))


def _forms(value: str) -> tuple[str, ...]:
    """How a value is written down: as it is, and in a URL, in source, in JSON, in JSON inside JSON, and on a page."""
    once = json.dumps(value)[1:-1]
    as_read = json.dumps(value, ensure_ascii=False)[1:-1]
    source = value.encode("unicode_escape").decode()
    return (
        value,
        quote(value, safe="", errors="replace"),
        source,
        repr(value)[1:-1],
        once,
        as_read,
        json.dumps(once)[1:-1],
        escape(value),
    )


def _without_hidden(text: str) -> str:
    """The text without known values; where it was cut, without what is left of one at its ends."""
    for value in sorted(_hidden, key=len, reverse=True):
        text = text.replace(value, REDACTED)
        if text[-_PIECE:] in value:
            text = text[: len(text) - _overlap(text, value)] + REDACTED * bool(_overlap(text, value))
        if text[:_PIECE] in value:
            cut = _overlap(value, text)
            text = REDACTED * bool(cut) + text[cut:]
    return text


def _overlap(first: str, second: str) -> int:
    """How many characters, six or more, the end of the one and the start of the other share."""
    longest = min(len(first), len(second))
    return next((n for n in range(longest, _PIECE - 1, -1) if first.endswith(second[:n])), 0)


def redact(text: str) -> str:
    """Replace what is known or looks like a secret value; names of variables and of trials stay."""
    text = _without_hidden(text)
    for pattern in _SECRETS:
        text = pattern.sub(lambda match: match.group() if _A_NAME.fullmatch(match.group()) else REDACTED, text)
    text = _URL_LOGIN.sub(r"\1" + REDACTED + "@", text)
    text = _BEARER.sub(r"\1 " + REDACTED, text)
    return _NAMED.sub(_redact_named, text)


def _redact_named(match: re.Match[str]) -> str:
    value = match.group(0)[len(match.group(1)) :].strip("\"'")
    if value in {"null", "None", "true", "false"} or value.startswith(("${", "$", "<", REDACTED[:-1])) or value.isdigit():
        return match.group(0)
    return match.group(1) + REDACTED


def clean(text: str, limit: int = QUOTE_LIMIT) -> str:
    """One printable, redacted string of at most `limit` characters; a cut shows as `…`, head and tail kept."""
    text = text[: max(limit * 50, 20_000)]
    if not (text.isascii() and text.isprintable()):
        text = _ANSI.sub("", text).translate(_VISIBLE)
    text = redact(text).strip()
    if len(text) <= limit:
        return text
    tail = limit // 3
    return text[: limit - tail - 1].rstrip() + "…" + text[-tail:].lstrip()
