"""Small readings of JSON records: a value of the kind that is wanted, or nothing."""

from __future__ import annotations

from typing import Any

LARGEST = 1e100
"""What lies beyond is as good as infinite: sums and squares of it are."""


def join(base: str, name: str) -> str:
    """Path below `base`; `.` is the run itself."""
    return name if base == "." else f"{base}/{name}"


def obj(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str | None:
    """A non-empty string, or None."""
    return value if isinstance(value, str) and value else None


def number(value: Any) -> float | None:
    """A finite number that leaves room to reckon with, booleans left out."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if abs(found) <= LARGEST else None
