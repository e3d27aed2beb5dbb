"""Records of a rollout that logs JSON, one object a line, as the lines a plain log would have."""

from __future__ import annotations

from collections.abc import Sequence

from whyzero.readers.files import parse_json

MESSAGE = ("event", "message", "msg")
LEVEL = ("level", "levelname", "severity", "log_level")
TRACEBACK = ("exc_info", "exception", "exc_text", "traceback", "stack_trace", "error.stack_trace")
SIZE_LIMIT = 65_536


def lines_of_record(line: str) -> Sequence[str]:
    """The record's message, its level before it, then its traceback; a line that is no record as it stands."""
    text = line.strip()
    if not text.startswith("{") or not text.endswith("}") or len(text) > SIZE_LIMIT:
        return (line,)
    record = parse_json(text)
    if not isinstance(record, dict):
        return (line,)
    message = _first(record, MESSAGE)
    if message is None:
        return (line,)
    level = (_first(record, LEVEL) or "INFO").upper()
    first, *rest = message.rstrip("\n").split("\n")
    raised = (_first(record, TRACEBACK) or "").rstrip("\n")
    return (f"{level}: {first}", *rest, *(raised.split("\n") if raised else ()))


def _first(record: dict[str, object], names: Sequence[str]) -> str | None:
    return next((value for name in names if isinstance(value := record.get(name), str) and value), None)
