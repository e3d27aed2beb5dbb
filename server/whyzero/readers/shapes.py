"""Small readings of JSON records: a value of the kind that is wanted, or nothing."""

from __future__ import annotations

from typing import Any


def join(base: str, name: str) -> str:
    """Path below `base`; `.` is the run itself."""
    return name if base == "." else f"{base}/{name}"


def obj(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text(value: Any) -> str | None:
    """A non-empty string, or None."""
    return value if isinstance(value, str) and value else None


def number(value: Any) -> float | None:
    """A number, booleans left out."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
