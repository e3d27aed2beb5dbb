"""Where a case's files lie, and how they get there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    """What a user would hand over: a path, the trial asked about, the error seen."""

    path: Path
    trial: str | None = None
    """Name of the trial folder, or `row.attempt` of an Osmosis run; None = the run itself is asked about."""
    error: str | None = None


def write_json(path: Path, value: object) -> None:
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False))


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
