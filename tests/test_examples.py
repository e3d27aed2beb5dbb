"""The bundled examples, asked through the real program: what examples/README.md says happened is what is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import whyzero

ROOT = Path(__file__).parent.parent


def asked(*arguments: str) -> tuple[int, Any]:
    """Exit code and parsed object of `whyzero ... --json`."""
    done = subprocess.run(
        [sys.executable, "-m", "whyzero", *arguments, "--json"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(Path(whyzero.__file__).parent.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


def test_five_trials_of_one_job_tell_five_stories() -> None:
    code, answer = asked("classify-zero", "examples/harbor-job", "--include", "all")
    assert code == 1
    found = {t["task"]: (t["outcome"], t["reward"], t["cause"], t["counts_as_score"]) for t in answer["trials"]}
    assert found == {
        "paid-totals": ("graded_pass", 1.0, None, True),
        "region-totals": ("graded_zero", 0.0, "wrong_answer", True),
        "weekly-sales": ("graded_zero", 0.0, "rate_limited", False),
        "sales-digest": ("graded_zero", 0.0, "subagent_auth", False),
        "sales-memo": ("graded_zero", 0.0, "grader_error", False),
    }


def test_the_honest_total_of_the_job_is_not_the_booked_one() -> None:
    _, answer = asked("classify-zero", "examples/harbor-job")
    (score,) = answer["scores"]
    assert (score["trials"], score["answered"]) == (5, 2)
    assert score["harness_mean"] == 0.25
    assert score["mean_answered"] == 0.5
    assert score["bounds"] == [0.2, 0.8]


@pytest.mark.parametrize(
    ("trial", "cause", "phase", "path", "line"),
    [
        ("weekly-sales__Ym8X5Fk", "rate_limited", "trajectory", "agent/claude-code.txt", None),
        ("sales-memo__BtyaPho", "grader_error", "grading", "verifier/test-stdout.txt", 2),
    ],
)
def test_one_trial_is_located_with_the_decisive_line(trial: str, cause: str, phase: str, path: str, line: int | None) -> None:
    code, answer = asked("locate-failed-phase", "examples/harbor-job", "--trial", trial)
    assert (code, answer["cause"], answer["phase"]) == (1, cause, phase)
    first = answer["evidence"][0]
    assert first["path"] == f"{trial}/{path}"
    assert line is None or first["line"] == line


def test_a_trial_that_is_not_there_is_bad_usage() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "whyzero", "diagnose", "examples/harbor-job", "--trial", "nobody"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(Path(whyzero.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "nobody" in done.stderr


@pytest.mark.parametrize("path", ["", "/.osmosis/evals/dev-run", "/.osmosis/evals/dev-run/events.jsonl"])
def test_the_osmosis_rows_fail_in_the_grader_whatever_the_category_says(path: str) -> None:
    code, answer = asked("diagnose", f"examples/osmosis-workspace{path}")
    assert (code, answer["cause"], answer["phase"]) == (1, "grader_error", "grading")
    assert answer["counts"]["by_cause"] == {"grader_error": 4}
    assert any("KeyError" in e["quote"] for e in answer["evidence"])
    assert {t["cause"] for t in answer["classification"]["trials"]} == {"grader_error"}
