"""The first line of a report: how many trials, and what mostly happened to them. Counts are worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import harbor_trees as harbor
from whyzero.analyses.classify_zero import classify_zero
from whyzero.analyses.locate_failed_phase import Affected, FailedPhase, PhaseCounts, locate_failed_phase
from whyzero.analyses.report import RunInfo
from whyzero.model import Phase
from whyzero.readers import open_run, open_runs
from whyzero.render import document
from whyzero.render.blocks import Headline, Paragraph, Tone
from whyzero.render.parts import failed_of


@pytest.mark.parametrize(
    ("wrong", "total", "said"),
    [
        ({"clock": 1}, 1, "1 of 1 trial without full marks: clock"),
        ({"clock": 1}, 5, "1 of 5 trials without full marks: clock"),
        ({"clock": 3}, 5, "3 of 5 trials without full marks, all clock"),
        ({"clock": 1, "refusal": 2}, 3, "3 of 3 trials without full marks: 2 refusal, 1 clock"),
        (
            {"clock": 9, "rate_limited": 6, "refusal": 3, "early_stop": 2, "grader_error": 1, "wrong_answer": 1},
            24,
            "22 of 24 trials without full marks: 9 clock, 6 rate_limited, 3 refusal, 2 early_stop and 2 other causes",
        ),
        (
            {"clock": 9, "rate_limited": 1, "refusal": 1, "early_stop": 1, "grader_error": 1},
            20,
            "13 of 20 trials without full marks, mostly clock (9 of 13)",
        ),
        (
            {"clock": 4, "rate_limited": 1, "refusal": 1, "early_stop": 1, "grader_error": 1},
            20,
            "8 of 20 trials without full marks: 4 clock, 1 rate_limited, 1 refusal, 1 early_stop and 1 other cause",
        ),
    ],
)
def test_how_many_and_what_mostly(wrong: dict[str, int], total: int, said: str) -> None:
    """`mostly` is said of more than half, and only where there are too many causes to name."""
    assert failed_of(wrong, total) == said


def report(cause: str | None, phase: Phase, counts: PhaseCounts, trial: str | None = "t1") -> FailedPhase:
    run = RunInfo(name="job", format="harbor")
    return FailedPhase(
        summary="job.", run=run, phase=phase, affected=Affected(trial=trial), cause=cause, likely_cause="So.", counts=counts
    )


def said(shown: FailedPhase) -> tuple[str, str]:
    """Headline and first sentence."""
    headline, first = document(shown).blocks[:2]
    assert isinstance(headline, Headline)
    assert isinstance(first, Paragraph)
    return headline.text, first.text


def counts(trials: int, pending: int = 0, **by_cause: int) -> PhaseCounts:
    phases = {"clock": "trajectory", "grader_error": "grading", "wrong_answer": "none", "skipped": "none"}
    by_phase: dict[str, int] = {}
    for cause, n in by_cause.items():
        phase = phases.get(cause, "environment")
        by_phase[phase] = by_phase.get(phase, 0) + n
    return PhaseCounts(by_phase=by_phase, by_cause=by_cause, trials=trials, pending=pending)


def test_one_trial_is_told_by_its_cause() -> None:
    assert said(report("clock", Phase.TRAJECTORY, counts(1, clock=1))) == ("clock in phase trajectory", "So.")


def test_trials_alike_are_told_with_their_number_and_phase() -> None:
    assert said(report("clock", Phase.TRAJECTORY, counts(9, clock=3))) == (
        "3 of 9 trials without full marks, all clock in phase trajectory",
        "So.",
    )


def test_of_several_causes_the_first_to_break_is_told_apart_from_the_most_frequent() -> None:
    assert said(report("clock", Phase.TRAJECTORY, counts(9, grader_error=5, clock=1))) == (
        "6 of 9 trials without full marks: 5 grader_error, 1 clock",
        "The first to break, by phase, is clock in phase trajectory. So.",
    )


def test_where_no_phase_broke_none_is_called_the_first() -> None:
    shown = report("below_pass_threshold", Phase.NONE, counts(4, wrong_answer=3, below_pass_threshold=1))
    assert said(shown) == (
        "4 of 4 trials without full marks: 3 wrong_answer, 1 below_pass_threshold",
        "The first of them, below_pass_threshold: So.",
    )


def test_skips_are_no_failures_and_trials_never_recorded_are_no_cause() -> None:
    shown = report("clock", Phase.TRAJECTORY, counts(9, pending=2, clock=3, skipped=4))
    assert said(shown)[0] == "3 of 9 trials without full marks, all clock in phase trajectory; 2 never recorded"


def test_the_runs_own_fault_is_not_counted_in_trials() -> None:
    own = report("interrupted", Phase.DISPATCH, counts(9, clock=3), trial=None)
    assert said(own) == ("interrupted in phase dispatch", "So.")


def test_undecided_trials_alone_make_an_undecided_headline() -> None:
    unsure = document(report("undetermined", Phase.TRAJECTORY, counts(3, undetermined=2))).blocks[0]
    mixed = document(report("undetermined", Phase.ENVIRONMENT, counts(3, undetermined=2, clock=1))).blocks[0]
    assert isinstance(unsure, Headline)
    assert isinstance(mixed, Headline)
    assert (unsure.text, unsure.tone) == ("2 of 3 trials without full marks, all undetermined", Tone.UNSURE)
    assert (mixed.text, mixed.tone) == ("3 of 3 trials without full marks: 2 undetermined, 1 clock", Tone.BAD)


# ---- a folder of jobs


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """Two jobs: one trial whose grading broke, and two whose environment did; one pass."""
    root = tmp_path / "jobs"
    broken = harbor.exception("RewardFileNotFoundError", "No reward file found")
    failed = harbor.exception("EnvironmentStartTimeoutError", "Environment start timed out after 600 seconds")
    for job, name, changes in (
        ("a", "a-one__abc1234", {"reward": None, "exception_info": broken}),
        ("a", "a-two__abc1234", {"reward": 1.0}),
        ("b", "b-one__abc1234", {"reward": None, "exception_info": failed, **harbor.spans("environment_setup")}),
        ("b", "b-two__abc1234", {"reward": None, "exception_info": failed, **harbor.spans("environment_setup")}),
    ):
        harbor.write(root / job, {"result.json": {"id": job, "n_total_trials": 2, "stats": {}}})
        harbor.write(root / job / name, {"result.json": harbor.result(name, **changes)})
    return root


def test_a_folder_of_jobs_is_told_by_its_trials(jobs: Path) -> None:
    located = locate_failed_phase(open_run(jobs))
    assert said(located)[0] == "3 of 4 trials without full marks: 2 environment_failure, 1 reward_missing"
    assert said(located)[1].startswith("The first to break, by phase, is environment_failure in phase environment. ")
    assert located.summary.endswith("Earliest failing phase: environment; first cause: environment_failure.")


def test_of_several_runs_the_number_of_runs_is_told_and_the_next_step_names_the_run_of_its_trial(jobs: Path) -> None:
    classified = classify_zero(open_runs(jobs))
    headline = document(classified).blocks[0]
    assert isinstance(headline, Headline)
    assert headline.text == "3 of 4 trials in 2 runs without full marks: 2 environment_failure, 1 reward_missing"
    first, *more = classified.next_steps
    assert first.arguments == {"path": str(jobs.resolve() / "b"), "trial": "b-one__abc1234"}
    assert {step.arguments.get("path") for step in more} == {str(jobs.resolve())}


def test_runs_at_different_depths_are_asked_for_again_by_the_folder_above_all(jobs: Path) -> None:
    (jobs / "b").rename(jobs.parent / "b")
    (jobs.parent / "deep").mkdir()
    jobs.rename(jobs.parent / "deep" / "jobs")
    classified = classify_zero(open_runs(jobs.parent))
    assert len(classified.runs) == 2
    assert {step.arguments.get("path") for step in classified.next_steps[1:]} == {str(jobs.parent.resolve())}
