"""The real `osmosis`, in the environment that the lab locks."""

from __future__ import annotations

from pathlib import Path

from lab import tool_environment
from lab.osmosis.workspace import LOCK
from live.conftest import not_here


def installed() -> Path:
    """The program; the test is skipped, and says why, where it cannot be had."""
    try:
        return tool_environment.install("osmosis-venv", LOCK) / "osmosis"
    except tool_environment.Unavailable as reason:
        not_here(reason)
