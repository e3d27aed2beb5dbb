"""`diagnose` reads a run once, and says what its two halves say on their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from whyzero.analyses.classify_zero import classify_zero
from whyzero.analyses.diagnose import diagnose
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.errors import TrialNotFoundError
from whyzero.model import Run, Trial
from whyzero.readers import open_run

EXAMPLES = Path(__file__).parent.parent / "examples"
RUNS = ("harbor-job", "osmosis-workspace")


def watched(run: Run, read: list[str]) -> Run:
    """The run, noting the id of each trial that is read."""

    def trials() -> Iterator[Trial]:
        for trial in run.read_trials():
            read.append(trial.id)
            yield trial

    return replace(run, read_trials=trials)


def test_every_trial_is_read_once_and_progress_counts_it_once() -> None:
    read: list[str] = []
    ticks: list[tuple[int, int | None]] = []
    diagnose(watched(open_run(EXAMPLES / "harbor-job"), read), progress=lambda done, total: ticks.append((done, total)))
    assert len(read) == len(set(read)) == 5
    assert ticks == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize("example", RUNS)
@pytest.mark.parametrize("response_format", ["concise", "detailed"])
def test_the_one_pass_says_what_the_two_analyses_say(example: str, response_format: str) -> None:
    path = EXAMPLES / example
    both = diagnose(open_run(path), response_format=response_format)  # type: ignore[arg-type]
    located = locate_failed_phase(open_run(path), response_format=response_format)  # type: ignore[arg-type]
    assert both.classification == classify_zero(open_run(path), response_format=response_format)  # type: ignore[arg-type]
    apart = {"next_steps", "classification"}
    assert both.model_dump(exclude=apart) == located.model_dump(exclude=apart)
    assert both.next_steps == tuple(step for step in located.next_steps if step.tool != "classify_zero")


def test_a_question_about_one_row_has_no_totals() -> None:
    assert diagnose(open_run(EXAMPLES / "osmosis-workspace"), row=0).classification is None


@pytest.mark.parametrize("trial", ["nowhere__abc1234", ""])
def test_a_trial_that_is_not_there_is_said_to_be_missing(trial: str) -> None:
    with pytest.raises(TrialNotFoundError, match=r"The run harbor-job has no trial .* Leave it out to list the trials there are"):
        diagnose(open_run(EXAMPLES / "harbor-job"), trial=trial)
