"""Values that can be a constant apart: numbers, dates, times of day, points in time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal

from whyzero.values import Plain

DAY = 86400
_DATE = re.compile(r"\d{4}[-/]\d{2}[-/]\d{2}")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value on a scale; only values of one kind have a distance."""

    kind: str
    """`number`, `date` (in days), `time` or `moment` (both in seconds)."""
    amount: Decimal


def quantity(value: Plain) -> Quantity | None:
    """The value as a quantity, None for a text that is none. Dates like 03/02/2026 are ambiguous: none."""
    if isinstance(value, int | float):
        return Quantity("number", Decimal(str(value)))
    if not isinstance(value, str) or len(value) > 40:
        return None
    text = value.strip()
    day = _date(text)
    if day is not None:
        return Quantity("date", Decimal(day.toordinal()))
    if _TIME.fullmatch(text):
        return _time(text)
    if re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", text):
        return _moment(text)
    return None


def distance(one: Quantity, other: Quantity) -> tuple[Decimal, str | None] | None:
    """`one` minus `other` with its unit; days for dates, for times the largest of days, hours, minutes, seconds that is whole."""
    if one.kind != other.kind:
        return None
    apart = one.amount - other.amount
    if one.kind == "number":
        return apart.normalize(), None
    if one.kind == "date":
        return apart, "days"
    if one.kind == "time" and abs(apart) > DAY // 2:
        apart -= DAY if apart > 0 else -DAY
    for size, unit in ((DAY, "days"), (3600, "hours"), (60, "minutes")):
        if apart % size == 0:
            return apart / size, unit
    return apart, "seconds"


def _date(text: str) -> date | None:
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text.replace("/", "-"))
        if match := _DAY_FIRST.fullmatch(text):
            return date(int(match[3]), _MONTHS.index(match[2][:3].lower()) + 1, int(match[1]))
        if match := _MONTH_FIRST.fullmatch(text):
            return date(int(match[3]), _MONTHS.index(match[1][:3].lower()) + 1, int(match[2]))
    except ValueError:
        return None
    return None


def _time(text: str) -> Quantity | None:
    try:
        at = time.fromisoformat(text.rjust(5, "0") if text.count(":") == 1 else text.rjust(8, "0"))
    except ValueError:
        return None
    return Quantity("time", Decimal(at.hour * 3600 + at.minute * 60 + at.second))


def _moment(text: str) -> Quantity | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    zoned = at.tzinfo is not None
    apart = (at if zoned else at.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return Quantity("moment" if zoned else "local moment", Decimal(str(apart.total_seconds())))
