"""What a literal means, apart from how it is written."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction


class Kind(StrEnum):
    """What sort of thing a literal says."""

    DATE = "date"
    TIME = "time of day"
    DURATION = "duration"
    COUNT = "count"
    PERCENT = "percentage"


@dataclass(frozen=True, slots=True)
class Days:
    """From one day to another, both included; a single date is one day, a month its first to its last."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Yearless:
    """Days of a year that is not named (`October 1`, `in March`, `Q3`): month and day of both ends."""

    first: tuple[int, int]
    last: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Clock:
    """Second of the day."""

    second: int


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time; seconds, months and workdays have no common measure."""

    base: str
    amount: Fraction


@dataclass(frozen=True, slots=True)
class Number:
    """A bare count."""

    amount: Fraction


@dataclass(frozen=True, slots=True)
class Percent:
    """A share, in percent."""

    amount: Fraction


Value = Days | Yearless | Clock | Length | Number | Percent


@dataclass(frozen=True, slots=True)
class Literal:
    """One date, count or length of time in a text, with every way to read it."""

    kind: Kind
    readings: tuple[Value, ...]
    """More than one where the writing leaves it open (`10/01/2026`, `2019`)."""
    text: str
    start: int
    end: int

    def days(self) -> Days | None:
        """The days it means, where there is one reading."""
        only = self.readings[0]
        return only if len(self.readings) == 1 and isinstance(only, Days) else None


def same(one: Literal, other: Literal) -> bool:
    """They can mean the same value."""
    return any(_equal(a, b) for a in one.readings for b in other.readings)


def _equal(a: Value, b: Value) -> bool:
    if isinstance(a, Days) and isinstance(b, Yearless):
        a, b = b, a
    if isinstance(a, Yearless) and isinstance(b, Days):
        return _fits(a.first, b.first) and _fits(a.last, b.last)
    return a == b


def _fits(end: tuple[int, int], day: date) -> bool:
    return end == (day.month, day.day) or (end == (2, 28) and day == month_end(day.year, 2))


def month_end(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def months(year: int, first: int, last: int) -> Days:
    """Whole months of one year."""
    return Days(date(year, first, 1), month_end(year, last))


def lengths(days: Days) -> set[Length]:
    """What may be said of the length of these days: both ends counted or one, in days, in whole months."""
    count = (days.last - days.first).days
    said = {Length("seconds", Fraction(n * 86_400)) for n in (count, count + 1) if n > 0}
    if days.first.day == 1 and days.last == month_end(days.last.year, days.last.month):
        said.add(Length("months", Fraction(12 * (days.last.year - days.first.year) + days.last.month - days.first.month + 1)))
    elif days.first.day == days.last.day and days.last > days.first:
        said.add(Length("months", Fraction(12 * (days.last.year - days.first.year) + days.last.month - days.first.month)))
    return said
