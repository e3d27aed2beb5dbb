"""Counts, percentages and lengths of time in a text, as values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import lru_cache

from whyzero.analyses.staleness.dates import DASH
from whyzero.analyses.staleness.language import Language
from whyzero.analyses.staleness.values import Days, Kind, Length, Literal, Number, Percent, Value

SEPARATORS = ",'’_\u00a0\u202f\u2009 "
"""Between thousands; one and the same within a number."""
LARGE = {"k": 1000, "m": 10**6, "b": 10**9, "bn": 10**9}
YEARS = range(1900, 2100)
"""Four digits in this range may be a year as well as a count."""


_OPENS = frozenset('.!?:;#>|*\n"“([-')
"""After these a capital only tells that a sentence begins."""


@dataclass(frozen=True, slots=True)
class _Grammar:
    number: re.Pattern[str]
    unit: re.Pattern[str]
    percent: re.Pattern[str]
    joined: re.Pattern[str]
    iso: re.Pattern[str]
    single: re.Pattern[str]


@lru_cache(maxsize=8)
def _grammar(words: Language) -> _Grammar:
    def any_of(some: object) -> str:
        return "|".join(sorted(map(re.escape, some), key=len, reverse=True))  # type: ignore[call-overload]

    spelled = any_of([*words.numbers, *words.multipliers])
    grouped = rf"\d{{1,3}}(?P<sep>[{SEPARATORS}])\d{{3}}(?:(?P=sep)\d{{3}})*(?![\d])(?:\.\d+)?"
    large = rf"(?:(?:[kK]|[mM]|[bB]n?)(?![\w-])|\s(?:{any_of(words.multipliers)})\b)"
    return _Grammar(
        number=re.compile(
            rf"(?i)(?<![\w.])(?<!\d:)(?:(?P<digits>{grouped}|\d+(?:\.\d+)?)(?P<large>{large})?"
            rf"|(?P<spelled>(?:{spelled})(?:[\s-]+(?:and\s+)?(?:{spelled}))*)(?!\w))(?!\d)(?![/:]\d)"
        ),
        unit=re.compile(
            rf"(?i)^(?:(?:\s*\(\s*\d+\s*\))?[\s-]*(?:(?P<work>{any_of(words.working)})|{any_of(words.whole)})?[\s-]*\)?[\s-]*"
            rf"(?P<unit>{any_of(words.units)})(?![\w])|\s?(?P<short>{any_of(words.short_units)})(?![\w'’-]))"
        ),
        percent=re.compile(rf"(?i)^\s?(?:%|(?:{any_of(words.percent)})\b)"),
        joined=re.compile(rf"(?i)^\s?(?:{DASH}|\.\.|(?:{any_of(words.to)}|or|{re.escape(words.both_joined)})\b)\s?$"),
        iso=re.compile(r"\bP(?=\d|T\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?(?!\w)"),
        single=re.compile(rf"(?i)(?<![\w-])one[\s-](?P<unit>{any_of(words.units)})(?!\w)"),
    )


def quantities(text: str, words: Language) -> list[Literal]:
    """Numbers with what they count. `text` has names and dates already blanked out."""
    grammar = _grammar(words)
    found = [*_iso_lengths(text, grammar), *_single_lengths(text, grammar, words)]
    taken = [(one.start, one.end) for one in found]
    pending: tuple[Fraction, re.Match[str]] | None = None
    for match in grammar.number.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in taken):
            continue
        amount = _amount(match, words)
        if amount is None:
            continue
        literal = _measured(text, match, amount, grammar, words)
        if literal is not None:
            if pending and grammar.joined.match(text[pending[1].end() : match.start()]):
                found.append(_like(literal, amount, *pending))
            elif pending:
                found += _count(text, *pending, words)
            found.append(literal)
            pending = None
            continue
        if pending is not None:
            found += _count(text, *pending, words)
        pending = (amount, match)
    if pending is not None:
        found += _count(text, *pending, words)
    return sorted(found, key=lambda one: one.start)


def _amount(match: re.Match[str], words: Language) -> Fraction | None:
    if match["spelled"]:
        return _spelled(match["spelled"], words)
    digits = match["digits"]
    for separator in SEPARATORS:
        digits = digits.replace(separator, "")
    amount = Fraction(digits)
    if match["large"]:
        word = match["large"].strip().lower()
        amount *= LARGE.get(word) or words.multipliers[word]
    return amount


def _spelled(text: str, words: Language) -> Fraction | None:
    """`forty-two`, `three hundred and five`, `two dozen`; None for words that make no number (`five six`)."""
    total, current, last = 0, 0, None
    for word in re.split(r"[\s-]+", text.lower()):
        if word in words.numbers:
            value = words.numbers[word]
            if last is not None and not (last >= 20 and value < 10 and last % 10 == 0 and last < 100) and last < 100:
                return None
            current, last = current + value, value
        elif word in words.multipliers:
            size = words.multipliers[word]
            current = max(current, 1) * size
            if size >= 1000:
                total, current = total + current, 0
            last = size
    return Fraction(total + current)


def _measured(text: str, match: re.Match[str], amount: Fraction, grammar: _Grammar, words: Language) -> Literal | None:
    """A length of time or a percentage, where a unit follows."""
    rest = text[match.end() : match.end() + 60]
    if percent := grammar.percent.match(rest):
        return _literal(Kind.PERCENT, (Percent(amount),), text, match.start(), match.end() + percent.end())
    unit = grammar.unit.match(rest)
    if unit is None:
        return None
    if unit["short"]:
        spaced = unit.group()[0].isspace() and unit["short"] in "dwy"
        if match["spelled"] or spaced or unit["short"].isupper() or (unit["short"] == "s" and amount in YEARS):
            return None
        base, size = words.short_units[unit["short"]]
    else:
        base, size = words.units[unit["unit"].lower()]
        if unit["work"] and base == "seconds":
            base = "workdays"
    return _literal(Kind.DURATION, (Length(base, amount * size),), text, match.start(), match.end() + unit.end())


def _like(literal: Literal, own: Fraction, amount: Fraction, match: re.Match[str]) -> Literal:
    """The first number of `30 to 90 days`, which takes its unit from the second."""
    value = literal.readings[0]
    like: Value = Percent(amount)
    if isinstance(value, Length):
        like = Length(value.base, amount * value.amount / own if own else amount)
    return Literal(literal.kind, (like,), match.group(), *match.span())


def _count(text: str, amount: Fraction, match: re.Match[str], words: Language) -> Iterator[Literal]:
    """A bare number, unless it belongs to a name before it or says nothing (0 and 1, the shape of the answer)."""
    digits = match["digits"]
    if (amount <= 1 and amount.denominator == 1) or text[match.end() : match.end() + 1].isalpha():
        return
    ahead = text[max(0, match.start() - 40) : match.start()]
    follows = re.match(r"\s+([^\W\d]+)", text[match.end() : match.end() + 40])
    noun = follows[1].lower() if follows else ""
    if digits is None:
        if noun in words.layout or (not noun and match["spelled"].lower() in words.numbers):
            return
    elif not any(separator in digits for separator in SEPARATORS) and not match["large"] and _after_a_name(ahead, words):
        return
    readings: tuple[Value, ...] = (Number(amount),)
    kind = Kind.COUNT
    if digits and (day := _compact_date(digits)):
        readings = (Number(amount), Days(day, day))
    if digits and re.fullmatch(r"\d{4}", digits) and int(digits) in YEARS and not match["large"]:
        year = Days(date(int(digits), 1, 1), date(int(digits), 12, 31))
        before = re.search(r"([^\W\d]+)[\s-]+$", ahead)
        readings = (Number(amount), year)
        if before and before[1].lower() in words.before_year and not noun.endswith("s"):
            kind = Kind.DATE
    yield _literal(kind, readings, text, *match.span())


def _compact_date(digits: str) -> date | None:
    """`20261001`."""
    try:
        day = date(int(digits[:4]), int(digits[4:6]), int(digits[6:])) if re.fullmatch(r"\d{8}", digits) else None
    except ValueError:
        return None
    return day if day and day.year in YEARS else None


def _after_a_name(ahead: str, words: Language) -> bool:
    """The word before is capitalised in the middle of a sentence (`Python 3`), and no month or function word."""
    before = re.search(r"([^\W\d_]+)[ -]$", ahead)
    if before is None or not before[1][0].isupper() or before[1].lower() in words.plain | set(words.months):
        return False
    opens = ahead[: before.start()].rstrip(" ")
    return bool(opens) and opens[-1] not in _OPENS


def _literal(kind: Kind, readings: tuple[Value, ...], text: str, start: int, end: int) -> Literal:
    return Literal(kind, readings, text[start:end].strip(), start, end)


def _iso_lengths(text: str, grammar: _Grammar) -> Iterator[Literal]:
    for match in grammar.iso.finditer(text):
        years, months, weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        of_seconds = weeks * 604_800 + days * 86_400 + hours * 3600 + minutes * 60 + seconds
        if years or months:
            yield _literal(Kind.DURATION, (Length("months", Fraction(12 * years + months)),), text, *match.span())
        elif of_seconds:
            yield _literal(Kind.DURATION, (Length("seconds", Fraction(of_seconds)),), text, *match.span())


def _single_lengths(text: str, grammar: _Grammar, words: Language) -> Iterator[Literal]:
    """`one week`: the only place where `one` counts."""
    for match in grammar.single.finditer(text):
        base, size = words.units[match["unit"].lower()]
        yield _literal(Kind.DURATION, (Length(base, size),), text, *match.span())
