"""Asked about one trial, the answer is about that trial; one job that was stopped does not speak for a folder of jobs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import harbor_trees as harbor
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.readers import open_run


def job(root: Path, name: str, *, finished: bool) -> Path:
    """A job of one wrong answer and, where it was stopped, one trial without a record."""
    trials = {f"{name}-done__abc1234": harbor.result(f"{name}-done__abc1234", reward=0.0)}
    for trial, record in trials.items():
        harbor.write(root / name / trial, {"result.json": record, "config.json": record["config"], "verifier/reward.txt": "0\n"})
    if not finished:
        config = {"trial_name": f"{name}-cut__abc1234", "task": {"path": "tasks/orders"}, "agent": {"name": "terminus-2"}}
        harbor.write(root / name / f"{name}-cut__abc1234", {"config.json": config})
    end = "2026-03-01T11:00:00" if finished else None
    harbor.write(
        root / name,
        {"result.json": {"id": name, "started_at": "2026-03-01T10:00:00", "finished_at": end, "n_total_trials": 2, "stats": {}}},
    )
    return root / name


def test_a_stopped_job_is_the_runs_own_fault(tmp_path: Path) -> None:
    report = locate_failed_phase(open_run(job(tmp_path, "a", finished=False)))
    assert (report.phase, report.cause) == ("dispatch", "interrupted")


@pytest.mark.lookalike("interrupted")
@pytest.mark.parametrize("how", ["trial", "path"])
def test_a_trial_with_a_record_in_a_stopped_job_is_judged_by_its_record(how: str, tmp_path: Path) -> None:
    path = job(tmp_path, "a", finished=False)
    whole = how == "trial"
    report = locate_failed_phase(
        open_run(path if whole else path / "a-done__abc1234"), trial="a-done__abc1234" if whole else None
    )
    assert report.cause != "interrupted"
    assert [t.id for t in report.trials] == ["a-done__abc1234"]


def test_a_trial_without_a_record_in_a_stopped_job_was_interrupted(tmp_path: Path) -> None:
    report = locate_failed_phase(open_run(job(tmp_path, "a", finished=False)), trial="a-cut__abc1234")
    assert (report.phase, report.cause) == ("dispatch", "interrupted")


@pytest.mark.lookalike("interrupted")
def test_one_stopped_job_of_two_is_a_trials_fault_and_not_the_folders(tmp_path: Path) -> None:
    job(tmp_path, "a", finished=True)
    job(tmp_path, "b", finished=False)
    report = locate_failed_phase(open_run(tmp_path))
    assert report.counts.by_cause["interrupted"] == 1
    assert [(e.path, e.line) for e in report.evidence] != []
    assert "b-cut__abc1234" in json.dumps([t.id for t in report.trials])
