"""Dates, ranges of dates and times of day in a text, as values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from whyzero.analyses.staleness.language import Language
from whyzero.analyses.staleness.values import Clock, Days, Kind, Literal, Value, Yearless, months

DASH = r"[-‐‑‒–—―]"


@dataclass(frozen=True, slots=True)
class _Form:
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], Language], tuple[Value, ...]]


def _alternatives(words: object) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))  # type: ignore[call-overload]


@lru_cache(maxsize=8)
def _forms(words: Language) -> tuple[_Form, ...]:
    """Writings of a date, the most specific first: what one has taken the next does not see."""
    name = rf"(?:{_alternatives(words.months)})\b\.?"
    of = rf"(?:(?:{_alternatives(words.of)})\s+)?"
    day = r"(?:st|nd|rd|th)?"
    d1, d2 = rf"(?P<d>\d{{1,2}}){day}", rf"(?:\s?{DASH}\s?(?P<d2>\d{{1,2}}){day})?"
    year = r"(?P<y>[12]\d{3})(?!\d|[,.]\d)"
    nth = rf"(?P<n>{_alternatives(words.ordinals)})"
    edge, end = r"(?<![\w./:-])", r"(?![\w/]|[.:-]\d)"
    month = rf"(?P<m>{name})"

    def form(pattern: str, read: Callable[[re.Match[str], Language], tuple[Value, ...]], flags: int = re.I) -> _Form:
        return _Form(re.compile(pattern, flags), read)

    before = _alternatives(words.before_month)
    return (
        form(
            r"(?<![\w-])(?<!\D/)(?<!\d[.:])(?P<y>[12]\d{3})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?=T\d|(?![\w]|[.:]\d))",
            _numeric,
        ),
        form(rf"{edge}(?P<y>\d{{4}})-?W(?P<w>\d{{2}}){end}", _iso_week),
        form(rf"{edge}(?P<d>\d{{1,2}})(?P<s>[/.-])(?P<m>\d{{1,2}})(?P=s)(?P<y>\d{{4}}){end}", _open_order),
        form(rf"{edge}{month}\s+(?:the\s+)?{d1}{d2}\s*,?\s*(?:of\s+)?{year}", _named),
        form(rf"{edge}{d1}{d2}[\s-]+(?:of\s+)?{month}[\s,-]\s*{year}", _named),
        form(rf"{edge}(?P<d>\d{{1,2}})(?P<m>{_alternatives(words.months)})(?P<y>\d{{4}}){end}", _named),
        form(rf"{edge}{month}\s?{DASH}\s?(?P<m2>{name})\s*,?\s*{year}", _named),
        form(rf"{edge}{month}[\s-]\s*,?\s*{of}{year}", _named),
        form(rf"{edge}[QH](?P<q>[1-4])[\s/-]?{of}{year}", _part),
        form(rf"{edge}(?P<y>[12]\d{{3}})[\s/-]?[QH](?P<q>[1-4]){end}", _part),
        form(rf"{edge}{nth}\s+{re.escape(words.quarter)}\s+{of}(?:the\s+year\s+)?{year}", _part),
        form(rf"{edge}{nth}\s+{re.escape(words.half)}\s+{of}(?:the\s+year\s+)?{year}", _part),
        form(rf"{edge}FY[\s-]?{year}", _whole_year),
        form(rf"{edge}{re.escape(words.week)}\s+(?P<w>\d{{1,2}})\s*,?\s*{of}{year}", _iso_week),
        form(rf"{edge}{month}\s+(?:the\s+)?{d1}{d2}{end}", _capital_named),
        form(rf"{edge}{d1}{d2}\s+(?:of\s+)?{month}(?!\w)", _capital_named),
        form(rf"{edge}Q(?P<q>[1-4]){end}", _part, 0),
        form(rf"{edge}{nth}\s+{re.escape(words.quarter)}\b", _part),
        form(rf"(?<=\s)(?P<m>{name})(?!\w)(?<=\w)", _lone_month(before)),
    )


def _number(word: str, words: Language) -> int:
    return words.months[word.lower().rstrip(".")]


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _days(first: date | None, last: date | None) -> tuple[Value, ...]:
    return (Days(first, last),) if first and last and first <= last else ()


def _numeric(match: re.Match[str], words: Language) -> tuple[Value, ...]:
    day = _day(int(match["y"]), int(match["m"]), int(match["d"]))
    return _days(day, day)


def _open_order(match: re.Match[str], words: Language) -> tuple[Value, ...]:
    """Day first or month first: both, unless the dots say day first or one of them is no date."""
    year, a, b = int(match["y"]), int(match["d"]), int(match["m"])
    day_first, month_first = _day(year, b, a), _day(year, a, b)
    readings = [day_first] if match["s"] == "." else [month_first, day_first]
    return tuple(Days(day, day) for day in dict.fromkeys(readings) if day)


def _named(match: re.Match[str], words: Language) -> tuple[Value, ...]:
    groups = match.groupdict()
    month = _number(groups["m"], words)
    last_month = _number(groups["m2"], words) if groups.get("m2") else month
    first, last = groups.get("d"), groups.get("d2") or groups.get("d")
    if groups.get("y") is None:
        return _yearless(month, first, last)
    year = int(groups["y"])
    if first is None or last is None:
        return (months(year, month, last_month),) if month <= last_month else ()
    return _days(_day(year, month, int(first)), _day(year, month, int(last)))


def _yearless(month: int, first: str | None, last: str | None) -> tuple[Value, ...]:
    """A leap year, so that February 29 is a date."""
    if first is None or last is None:
        whole = months(2023, month, month)
        return (Yearless((month, 1), (month, whole.last.day)),)
    if _day(2024, month, int(first)) and _day(2024, month, int(last)) and int(first) <= int(last):
        return (Yearless((month, int(first)), (month, int(last))),)
    return ()


def _capital_named(match: re.Match[str], words: Language) -> tuple[Value, ...]:
    """Without a year, only a capital tells the month from the word (`may`, `march`)."""
    return _named(match, words) if match["m"][0].isupper() else ()


def _lone_month(before: str) -> Callable[[re.Match[str], Language], tuple[Value, ...]]:
    follows = re.compile(rf"(?i)\b(?:{before})\s+$")

    def read(match: re.Match[str], words: Language) -> tuple[Value, ...]:
        ahead = match.string[max(0, match.start() - 20) : match.start()]
        return _yearless(_number(match["m"], words), None, None) if match["m"][0].isupper() and follows.search(ahead) else ()

    return read


def _part(match: re.Match[str], words: Language) -> tuple[Value, ...]:
    """A quarter or a half of a year."""
    groups = match.groupdict()
    part = int(groups["q"]) if groups.get("q") else words.ordinals[groups["n"].lower()]
    text = match.group().lower()
    size = 6 if "h" + str(part) in text.replace(" ", "") or words.half in text else 3
    first, last = size * (part - 1) + 1, size * part
    if last > 12:
        return ()
    if groups.get("y") is None:
        whole = months(2023, first, last)
        return (Yearless((first, 1), (last, whole.last.day)),)
    return (months(int(groups["y"]), first, last),)


def _whole_year(match: re.Match[str], words: Language) -> tuple[Value, ...]:
    return (months(int(match["y"]), 1, 12),)


def _iso_week(match: re.Match[str], words: Language) -> tuple[Value, ...]:
    try:
        monday = date.fromisocalendar(int(match["y"]), int(match["w"]), 1)
    except ValueError:
        return ()
    return (Days(monday, monday + timedelta(days=6)),)


def dates(text: str, words: Language) -> list[Literal]:
    """Dates in order of the text, the two ends of a range joined into one literal."""
    found: list[Literal] = []
    taken = bytearray(len(text))
    for form in _forms(words):
        for match in form.pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            readings = form.read(match, words)
            if readings:
                taken[start:end] = b"\1" * (end - start)
                found.append(Literal(Kind.DATE, readings, match.group(), start, end))
    return _joined(text, sorted(found, key=lambda one: one.start), words)


@lru_cache(maxsize=8)
def _connectors(words: Language) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    weekday = rf"(?:\s*(?:the\s+)?(?:(?:{_alternatives(words.weekdays)})\b\.?,?\s*)?)"
    time = r"(?:T?[\d:]{4,8}(?:\.\d+)?Z?)?"
    to = rf"(?i)^{time}\s*(?:{DASH}{{1,2}}|\.\.\.?|…|/|(?:and\s+)?(?:{_alternatives(words.to)})\b){weekday}$"
    both = rf"(?i)^{time}\s*{re.escape(words.both_joined)}\b{weekday}$"
    opens = rf"(?i)\b{re.escape(words.both)}\b{weekday}\s*$"
    return re.compile(to), re.compile(both), re.compile(opens)


def _joined(text: str, found: list[Literal], words: Language) -> list[Literal]:
    to, both, opens = _connectors(words)
    out: list[Literal] = []
    for literal in found:
        if out:
            last = out[-1]
            between = text[last.end : literal.start]
            before = text[max(0, last.start - 40) : last.start]
            if len(between) < 60 and (to.match(between) or (both.match(between) and opens.search(before))):
                readings = tuple(_ranges(last, literal))
                if readings:
                    out[-1] = Literal(Kind.DATE, readings, text[last.start : literal.end], last.start, literal.end)
                    continue
        out.append(literal)
    return out


def _ranges(first: Literal, last: Literal) -> Iterator[Value]:
    for a in first.readings:
        for b in last.readings:
            if isinstance(a, Days) and isinstance(b, Days) and a.first <= b.last:
                yield Days(a.first, b.last)
            elif isinstance(a, Yearless) and isinstance(b, Days):
                start = _day(b.last.year, *a.first)
                if start and start > b.last:
                    start = _day(b.last.year - 1, *a.first)
                if start:
                    yield Days(start, b.last)
            elif isinstance(a, Days) and isinstance(b, Yearless):
                end = _day(a.first.year, *b.last)
                if end and end >= a.first:
                    yield Days(a.first, end)
            elif isinstance(a, Yearless) and isinstance(b, Yearless):
                yield Yearless(a.first, b.last)


_CLOCK = re.compile(
    r"(?i)(?<![\w:.])(?:(?<=T)|(?<![A-Za-z0-9:.]))(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d+)?)?(?:\s?(?P<p>[ap])\.?m\b\.?)?(?![:\d])"
)
_HOUR = re.compile(r"(?i)(?<![\w:.])(?P<h>1[0-2]|[1-9])\s?(?P<p>[ap])\.?m\b\.?")
_AFTER_T = re.compile(r"(?<=\dT)(?P<h>[01]\d|2[0-4]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d+)?)?")
EDGES = frozenset({0, 86_340, 86_399, 86_400})
"""Seconds at which a day begins or ends: written behind a date they add nothing to it."""


def clocks(text: str, found: list[Literal]) -> list[Literal]:
    """Times of day; midnight and the last minute behind a date belong to the date."""
    out: list[Literal] = []
    for pattern in (_AFTER_T, _CLOCK, _HOUR):
        for match in pattern.finditer(text):
            if any(match.start() < one.end and one.start < match.end() for one in out):
                continue
            groups = match.groupdict()
            hour, minute, second = (int(groups.get(part) or 0) for part in "hms")
            if groups.get("p"):
                hour = hour % 12 + (12 if groups["p"].lower() == "p" else 0)
            at = hour * 3600 + minute * 60 + second
            if at > 86_400 or (at in EDGES and _behind_date(text, match.start(), found)):
                continue
            out.append(Literal(Kind.TIME, (Clock(at),), match.group(), *match.span()))
    return sorted(out, key=lambda one: one.start)


def _behind_date(text: str, at: int, found: list[Literal]) -> bool:
    return any(one.end <= at and text[one.end : at].strip(" T,") == "" for one in found) or any(
        one.start <= at < one.end for one in found
    )
