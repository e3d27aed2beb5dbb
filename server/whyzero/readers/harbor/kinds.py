"""What tells a job from a trial: the keys of their records, never a folder name."""

from __future__ import annotations

from typing import Any

from whyzero.readers.files import Folder
from whyzero.readers.shapes import join


def is_job_result(data: dict[str, Any]) -> bool:
    """The job's result.json: it counts trials and has no trial_name (a trial's has)."""
    return "trial_name" not in data and ("n_total_trials" in data or ("stats" in data and "started_at" in data))


def is_job_config(data: dict[str, Any]) -> bool:
    """The job's config.json."""
    return "trial_name" not in data and "job_name" in data and ("agents" in data or "n_attempts" in data)


def is_trial_record(data: dict[str, Any]) -> bool:
    """A trial's result.json or config.json."""
    return isinstance(data.get("trial_name"), str) and any(
        key in data for key in ("task", "task_name", "agent", "agent_info", "config")
    )


def is_job(folder: Folder, base: str) -> bool:
    for name, test in (("result.json", is_job_result), ("config.json", is_job_config)):
        path = join(base, name)
        if folder.is_file(path) and test(folder.json_object(path) or {}):
            return True
    return False


def is_trial(folder: Folder, base: str) -> bool:
    for name in ("result.json", "config.json"):
        path = join(base, name)
        if folder.is_file(path) and is_trial_record(folder.json_object(path) or {}):
            return True
    return False
