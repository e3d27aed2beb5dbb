"""Where a number is part of a name: file names, paths, identifiers, versions, standards, numbered parts of a text."""

from __future__ import annotations

import re
from functools import lru_cache

from whyzero.analyses.staleness.language import Language

Span = tuple[int, int]

_TOKEN = re.compile(r"[^\s`'\"“”‘’()\[\]{}<>|,;=]+")
_TRAILING = ".:!?*_…"
_FILE = re.compile(r"(?:[\w*?-][\w.*?-]+)?\.(?:[a-z][a-z0-9]{0,7}|[A-Z][A-Z0-9]{1,7})")
_KNOWN_FILE = re.compile(
    r"(?i)(?:[\w*?-][\w.*?-]*)?\.(?:jsonl?|csv|tsv|txt|md|rst|pdf|docx?|xlsx?|html?|xml|ya?ml|toml|ini|cfg|conf|log|out|dat|bin|db|sqlite3?"
    r"|parquet|zip|gz|tgz|tar|png|jpe?g|svg|py|ipynb|sh|js|ts|c|h|cc|cpp|rs|go|java|rb|sql|diff|patch|tex|geojson|ndjson)"
)
_LINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"'`)\]]+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+")
_PATH = re.compile(r"^(?:~|\.{1,2})?/\w")
_PER = re.compile(r"^[\d,.]+/[^\W\d]+$")
_DOTTED = re.compile(r"\d+(?:\.\d+){2,}")
_DOTTED_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}|\d{4}\.\d{1,2}\.\d{1,2}")
_GROUPS = re.compile(r"\d+(?:-\d+){2,}")
_DASHED_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}-\d{1,2}-\d{4}")
_NUMBERED = re.compile(r"[#№§]\s?\d[\d.]*")
_STANDARD = re.compile(r"(?<![\w/-])(?P<words>[A-Z]{2,6}(?:[/ -][A-Z]{2,6}){0,2})[ -]?\d[\d.:/-]*(?![\d]*,\d{3})(?!\w)")
_MARKER = re.compile(r"(?m)^[ \t>]*(?:[-*+][ \t]+)?\(?\d{1,2}[.)](?=\s)|[(\[]\d{1,2}[)\]](?=[\s.,;:]|$)|^[ \t]*\d{1,2}\)")
_FRACTION = re.compile(r"(?<![\w/.-])\d+/\d{1,3}(?![\w/.-])")


@lru_cache(maxsize=8)
def _patterns(words: Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    months = "|".join(sorted(map(re.escape, words.months), key=len, reverse=True))
    units = "|".join(sorted(map(re.escape, [*words.units, *words.short_units]), key=len, reverse=True))
    whole = "|".join((*words.whole, *words.working))
    measured = re.compile(
        rf"""(?ix) \d{{1,3}}(?:_\d{{3}})+ | [$€£¥]?\d[\d,.]*(?:[kmb]|bn|%|st|nd|rd|th|x)
        | \d[\d,.]*-?(?:{units})
        | \d[\d,.]*(?:[-–]\d[\d,.]*)?-(?:(?:{whole})-)?(?:{units})(?:-[a-z]+)*
        | \d[\d,.]*-[a-z]+
        | [QH][1-4](?:[-/]?\d{{4}})? | \d{{4}}-?[QH][1-4] | \d{{4}}-?W\d{{2}} | FY-?\d{{2,4}}
        | \d{{1,2}}(?::\d\d)?[ap]\.?m | \d{{4}}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)? | [\d:.]+Z
        | (?:early|mid|late)-\d{{4}}
        | P(?:\d+[YMWD])+(?:T(?:\d+[HMS])+)? | PT(?:\d+[HMS])+
        | \d{{1,2}}[-.]?(?:{months})[-.]?\d{{0,4}} | (?:{months})[-.]?\d{{1,4}}
        """
    )
    labels = "|".join(sorted(map(re.escape, words.labels), key=len, reverse=True))
    number = r"\d[\d.]*(?:-\d+)*[a-z]?(?![\w,]*\d)"
    labelled = re.compile(rf"(?i)\b(?:{labels})\.?\s?#?{number}(?:\s*(?:,|-|–|and|or|to)\s*{number})*")
    return measured, labelled


def names(text: str, words: Language) -> list[Span]:
    """Parts of the text in which a number or a word is no number and no word of the brief, sorted."""
    measured, labelled = _patterns(words)
    found = [span for match in _TOKEN.finditer(text) if (span := _token(match, measured))]
    for pattern in (_LINK, _NUMBERED, labelled, _MARKER, _FRACTION):
        found += [match.span() for match in pattern.finditer(text)]
    for match in _STANDARD.finditer(text):
        shouted = set(re.split(r"[/ -]", match["words"].lower()))
        if not shouted & (words.plain | set(words.months) | words.weekdays | {"fy"}):
            found.append(match.span())
    return sorted(found)


def files(text: str) -> list[Span]:
    """File names, paths and links: parts whose words the brief does not say."""
    found = [match.span() for match in _LINK.finditer(text)]
    for match in _TOKEN.finditer(text):
        token = match.group().rstrip(_TRAILING)
        if token and (_PATH.search(token) or _KNOWN_FILE.fullmatch(token)):
            found.append((match.start(), match.start() + len(token)))
    return sorted(found)


def _token(match: re.Match[str], measured: re.Pattern[str]) -> Span | None:
    token = match.group().rstrip(_TRAILING)
    token = token.lstrip("*_") if token.startswith(("*", "_")) else token
    start = match.start() + match.group().find(token)
    return (start, start + len(token)) if token and _is_name(token, measured) else None


def _is_name(token: str, measured: re.Pattern[str]) -> bool:
    if _PATH.search(token) or _FILE.fullmatch(token):
        return True
    if "/" in token and any(c.isalpha() for c in token) and any(c.isdigit() for c in token):
        return not _PER.match(token)
    if _DOTTED.fullmatch(token):
        return not _DOTTED_DATE.fullmatch(token)
    if _GROUPS.fullmatch(token):
        return not _DASHED_DATE.fullmatch(token)
    has_letter, has_digit = any(c.isalpha() or c == "_" for c in token), any(c.isdigit() for c in token)
    return has_letter and has_digit and not measured.fullmatch(token)


def blanked(text: str, spans: list[Span]) -> str:
    """The text with these parts replaced by spaces, so that places stay where they are."""
    out, at = [], 0
    for start, end in spans:
        if end <= at:
            continue
        start = max(start, at)
        out += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*out, text[at:]])
