"""When two values are the same: equal texts, or both numbers and equal. Nothing is folded, trimmed or rounded."""

from __future__ import annotations

import json
import math
import re
from typing import Any

Plain = str | int | float | None
"""What `plain` makes of a value: hashable, comparable with `==`."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_LONGEST_NUMBER = 300


def key_text(value: Any) -> str | None:
    """The text of a key: 7 and "7" are one, "07" and "A1 " are others. None where there is no value."""
    if value is None or isinstance(value, str):
        return value
    return _text(value)


def plain(value: Any) -> Plain:
    """A value in the one form in which equal values are equal: 384, 384.0 and "384" are the number 384.

    True and false are texts, not 1 and 0; lists and objects are their JSON text.
    """
    if isinstance(value, bool):
        return _text(value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _whole(value) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return number(value, value)
    return None if value is None else _text(value)


def number(text: str, otherwise: str | None = None) -> Plain:
    """The number a text is the usual spelling of (`384`, `-1.50`, `1e3`; not `0384`, `1,000`, `nan`)."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return otherwise
    if text.lstrip("-").isdigit():
        return int(text)
    value = float(text)
    return _whole(value) if math.isfinite(value) else otherwise


def same(one: Any, other: Any) -> bool:
    """Equal by the rule above; null equals an empty text, because a CSV has no null."""
    a, b = plain(one), plain(other)
    return a == b or (a in (None, "") and b in (None, ""))


def _whole(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
