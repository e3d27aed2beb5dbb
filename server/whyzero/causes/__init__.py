"""The causes, most specific first. The order is the precedence: the first with evidence wins.

To add one: a module named like the cause, with its page as docstring and a `CAUSE`; its name in the tuple below.
"""

from __future__ import annotations

from importlib import import_module

from whyzero.causes.cause import Cause

ORDER: tuple[str, ...] = (
    "interrupted",
    "environment_failure",
    "agent_setup_failure",
    "harness_crash",
    "grader_timeout",
    "reward_invalid",
    "reward_missing",
    "grader_error",
    "tests_never_ran",
    "stale_reward",
    "no_agent",
    "oracle_failed",
    "clock",
    "early_stop",
    "below_pass_threshold",
    "wrong_answer",
    "skipped",
)

CAUSES: tuple[Cause, ...] = tuple(import_module(f"whyzero.causes.{name}").CAUSE for name in ORDER)
"""Registered causes in order of precedence."""

__all__ = ["CAUSES", "ORDER"]
