"""A report of any class, filled by its types: every list so long, every text the same."""

from __future__ import annotations

import types
import typing
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TypeVar

from whyzero.evidence import Output

R = TypeVar("R", bound=Output)

STEPS, PROBLEMS, WITHIN, NAMED = 6, 20, 6, 8
"""Most that an analysis gives of each; members of a list within an entry, entries of a table by name."""
WORDS = {"tool": "classify_zero", "cause": "rate_limited", "what": "clock", "whose": "model", "format": "harbor"}


def any_report(cls: type[R], members: int, text: str, depth: int = 0) -> R:
    """Lists of the report itself have `members`; those within entries at most six."""
    made = {name: _value(field.annotation, name, members, text, depth) for name, field in cls.model_fields.items()}
    return cls(**made | ({"omitted": {}} if "omitted" in made else {}))


def _value(kind: Any, name: str, members: int, text: str, depth: int) -> Any:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return _value(parts[0], name, members, text, depth)
    if origin in (typing.Union, types.UnionType):
        return _value(next(part for part in parts if part is not type(None)), name, members, text, depth)
    if origin is tuple and parts[-1] is not Ellipsis:
        return tuple(_value(part, name, members, text, depth) for part in parts)
    if origin in (tuple, list):
        most = {"next_steps": STEPS, "problems": PROBLEMS}.get(name, members if depth == 0 else WITHIN)
        return tuple(_value(parts[0], name, members, text, depth + 1) for _ in range(min(members, most)))
    if origin is dict:
        return {f"{n}{text[:60]}": _value(parts[1], name, members, text, depth + 1) for n in range(min(members, NAMED))}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, type) and issubclass(kind, Output):
        return any_report(kind, members, text, depth)
    plain = {str: WORDS.get(name, text), bool: True, int: 3, float: 0.125, datetime: datetime(2026, 3, 1, tzinfo=UTC)}
    return plain.get(kind, text[:100])
