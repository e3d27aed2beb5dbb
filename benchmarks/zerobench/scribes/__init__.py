"""The same story in the logs of six agent programs. Shapes follow what the programs wrote in real runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from benchmarks.zerobench.scribes.claude_code import claude_code
from benchmarks.zerobench.scribes.codex import codex
from benchmarks.zerobench.scribes.gemini_cli import gemini_cli
from benchmarks.zerobench.scribes.mini_swe_agent import mini_swe_agent
from benchmarks.zerobench.scribes.opencode import opencode
from benchmarks.zerobench.scribes.terminus_2 import terminus_2
from benchmarks.zerobench.scribes.written import Written
from benchmarks.zerobench.story import Story


class Program(NamedTuple):
    """An agent program."""

    scribe: Callable[[Story, datetime], Written]
    model: str
    vendors: tuple[str, ...]
    """Who answers its requests."""
    waits: bool
    """It retries throttled and failing requests until the deadline; the others give up."""


PROGRAMS = {
    "claude-code": Program(claude_code, "anthropic/claude-sonnet-4-5", ("anthropic", "gateway"), False),
    "codex": Program(codex, "openai/gpt-5-codex", ("openai",), False),
    "opencode": Program(opencode, "anthropic/claude-sonnet-4-5", ("anthropic", "gateway"), True),
    "mini-swe-agent": Program(mini_swe_agent, "openai/gpt-5-mini", ("openai", "gateway"), True),
    "terminus-2": Program(terminus_2, "openai/gpt-5-mini", ("openai", "gateway"), False),
    "gemini-cli": Program(gemini_cli, "google/gemini-2.5-pro", ("google",), True),
}

__all__ = ["PROGRAMS", "Program", "Written"]
