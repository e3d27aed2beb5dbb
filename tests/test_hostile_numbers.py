"""Numbers and times that no run has: refused where they are read, and never the end of an answer."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harbor_trees import RIGHT, WRONG, graded, result, verdict, write
from whyzero.analyses.classify_zero import classify_zero
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.evidence import dump
from whyzero.readers import open_run
from whyzero.readers.files import Folder, moment, parse_time

NUMBERS: list[Any] = [float("nan"), float("inf"), -1e308, 1e308, 10**400, -1, 0, "7", [], {}, None, True]


@pytest.mark.parametrize("value", NUMBERS, ids=repr)
@pytest.mark.parametrize("key", ["n_total_trials", "n_attempts", "n_concurrent_trials", "reward", "timeout_multiplier", "start"])
def test_an_answer_comes_whatever_number_stands_there(key: str, value: Any, tmp_path: Path) -> None:
    record = result(reward=value if key == "reward" else 0.0)
    record["config"] |= {"timeout_multiplier": value if key == "timeout_multiplier" else 1.0}
    record["config"]["agent"] |= {"override_timeout_sec": 100.0}
    path = graded(tmp_path / "orders__abc1234", RIGHT, WRONG, record=record)
    if key == "start":
        report = json.loads((path / "verifier/ctrf.json").read_text())
        report["results"]["summary"]["start"] = value
        write(path, {"verifier/ctrf.json": report})
    job: dict[str, Any] = {"id": "x", "started_at": "2026-03-01T10:00:00", "n_total_trials": 1, "stats": {}}
    settings: dict[str, Any] = {"job_name": "j", "agents": [], "n_attempts": 1, "n_concurrent_trials": 4}
    write(tmp_path, {"result.json": job | ({key: value} if key in job else {}), "config.json": settings | {key: value}})
    for analysis in (classify_zero, locate_failed_phase):
        json.dumps(dump(analysis(open_run(tmp_path))), allow_nan=False)  # type: ignore[operator]


@pytest.mark.lookalike("wrong_answer")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e308, 10**400])
def test_a_reward_without_bounds_is_no_reward(value: Any, tmp_path: Path) -> None:
    found = verdict(graded(tmp_path, RIGHT, WRONG, record=result(reward=value)))
    assert found.finding is not None
    assert (found.finding.cause, found.outcome.value) == ("reward_invalid", "not_graded")


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "2026-13-99", "", None, 7])
def test_a_year_in_which_nothing_ran_is_no_time(text: Any) -> None:
    assert parse_time(text) is None


@pytest.mark.parametrize("value", [1e300, -1e12, float("nan"), float("inf"), 10**400, True, "5"])
def test_a_count_of_seconds_far_away_is_no_time(value: Any) -> None:
    assert moment(value) is None
    assert moment(1_772_359_200_000, 1000) == datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


def test_a_file_of_another_age_has_no_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    os.utime(tmp_path / "a", (0, 2**34 * 3))
    found = Folder(tmp_path).mtime("a")
    assert found is None or found.year < 3000


@pytest.mark.parametrize("value", [7.5, "x", {"a": 1}, None])
def test_lists_of_an_osmosis_trajectory_that_are_none(value: Any, tmp_path: Path) -> None:
    from whyzero.readers.osmosis.trajectory import read_trajectory

    step = {"source": "agent", "message": "x", "tool_calls": value, "observation": {"results": value}}
    write(tmp_path, {"a.json": {"steps": value}, "b.json": {"steps": [step]}})
    for name in ("a.json", "b.json"):
        read_trajectory(Folder(tmp_path), name, "r")
