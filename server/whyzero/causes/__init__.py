"""The causes, most specific first. The order is the precedence: the first with evidence wins.

To add one: a module named like the cause, with its page as docstring and a `CAUSE`; its name in the tuple below.
"""

from __future__ import annotations

from importlib import import_module

from whyzero.causes.cause import Cause

ORDER: tuple[str, ...] = (
    "not_logged_in",
    "git_out_of_sync",
    "platform_unreachable",
    "upload_refused",
    "scheduling",
    "run_control",
    "config_invalid",
    "secret_missing",
    "label_missing",
    "dataset_invalid",
    "dependency_failure",
    "import_failure",
    "server_start_failure",
    "version_mismatch",
    "server_died",
    "interrupted",
    "event_loop_blocked",
    "no_sample",
    "malformed_output",
    "environment_failure",
    "agent_setup_failure",
    "quota_exhausted",
    "rate_limited",
    "agent_auth",
    "model_not_found",
    "context_length",
    "output_length",
    "refusal",
    "harness_incompatibility",
    "provider_error",
    "subagent_auth",
    "abandoned_delegation",
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
    "workflow_error",
    "early_stop",
    "label_format",
    "below_pass_threshold",
    "wrong_answer",
    "skipped",
)

CAUSES: tuple[Cause, ...] = tuple(import_module(f"whyzero.causes.{name}").CAUSE for name in ORDER)
"""Registered causes in order of precedence."""

__all__ = ["CAUSES", "ORDER"]
