"""Native phases with their times."""

from __future__ import annotations

from typing import Any

from whyzero.model import Span
from whyzero.readers.files import parse_time

NAMES = {
    "environment_setup": "environment_setup",
    "agent_setup": "agent_setup",
    "agent_execution": "agent",
    "verifier": "verifier",
}
"""Harbor's key -> our span name, in run order."""


def read_spans(record: dict[str, Any]) -> tuple[Span, ...]:
    """A null phase never began and is left out; a phase without an end was never closed."""
    spans = []
    for key, name in NAMES.items():
        timing = record.get(key)
        if isinstance(timing, dict):
            spans.append(Span(name, parse_time(timing.get("started_at")), parse_time(timing.get("finished_at"))))
    return tuple(spans)
