"""A case: a tree to write, and its cause, which the story fixed before anybody looked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.zerobench.places import Place

PASS = ""
"""The truth where nothing is wrong."""


@dataclass(frozen=True)
class Case:
    """One question with one answer."""

    name: str
    truth: str
    """The cause's word, or PASS."""
    kind: str
    """`fault`, `decoy` (something in it looks like another cause) or `control` (healthy)."""
    format: str
    """`harbor`, `terminal-bench` or `osmosis`."""
    agent: str
    write: Callable[[Path], Place]
