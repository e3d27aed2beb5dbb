"""Effective deadlines of a trial, in seconds: the harness's own message first, else config and task times their multipliers."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from whyzero.model import ExceptionRecord, Limits, Spot
from whyzero.readers.files import Folder
from whyzero.readers.shapes import join, number, obj, text

_AFTER = re.compile(r"timed out after (\d+(?:\.\d+)?) seconds")
_BY_TYPE = {
    "AgentTimeoutError": "agent",
    "VerifierTimeoutError": "grader",
    "AgentSetupTimeoutError": "setup",
    "EnvironmentStartTimeoutError": "environment",
}


def read_limits(folder: Folder, config: dict[str, Any], path: str, exceptions: tuple[ExceptionRecord, ...]) -> Limits:
    """`path` is the file `config` was read from."""
    task = _task_limits(folder, config)
    found: dict[str, float | None] = {
        "agent": _effective(
            config, "agent", "agent_timeout_multiplier", task.get("agent"), "override_timeout_sec", "max_timeout_sec"
        ),
        "grader": _effective(
            config, "verifier", "verifier_timeout_multiplier", task.get("verifier"), "override_timeout_sec", "max_timeout_sec"
        ),
        "setup": _effective(config, "agent", "agent_setup_timeout_multiplier", None, "override_setup_timeout_sec", ""),
        "environment": _effective(config, "environment", "environment_build_timeout_multiplier", task.get("environment"), "", ""),
    }
    spot = Spot(path, pointer="/config") if any(found.values()) else None
    for exception in exceptions:
        kind = _BY_TYPE.get(exception.type.rsplit(".", 1)[-1])
        if kind and (after := _AFTER.search(exception.message)):
            found[kind] = float(after.group(1))
            spot = exception.spot
    return Limits(found["agent"], found["grader"], found["setup"], found["environment"], spot)


def _effective(config: dict[str, Any], part: str, multiplier: str, task: float | None, override: str, cap: str) -> float | None:
    settings = obj(config.get(part))
    base = number(settings.get(override)) if override else None
    base = task if base is None else base
    if base is None:
        return None
    ceiling = number(settings.get(cap)) if cap else None
    base = base if ceiling is None else min(base, ceiling)
    factor = number(config.get(multiplier))
    factor = number(config.get("timeout_multiplier")) if factor is None else factor
    return base * (1.0 if factor is None else factor)


def _task_limits(folder: Folder, config: dict[str, Any]) -> dict[str, float | None]:
    """Limits of the task's own task.toml, where the task folder lies inside what we may read."""
    where = text(obj(config.get("task")).get("path"))
    if where is None or where.startswith(("/", "~")) or ".." in where.split("/"):
        return {}
    path = join(where, "task.toml")
    content = folder.text(path) if folder.is_file(path) else None
    if content is None:
        return {}
    try:
        data = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError):
        folder.note(path, "does not parse as TOML")
        return {}
    return {
        "agent": number(obj(data.get("agent")).get("timeout_sec")),
        "verifier": number(obj(data.get("verifier")).get("timeout_sec")),
        "environment": number(obj(data.get("environment")).get("build_timeout_sec")),
    }
