"""Real `harbor run` jobs, one fault each, and what whyzero makes of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab.harbor.runner import MADE_UP_KEY, Made
from lab.harbor.scenarios import SCENARIOS, Scenario
from lab.quotes import stands
from whyzero.analyses.classify_zero import classify_zero
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.readers import open_run

pytestmark = pytest.mark.live
every_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
Jobs = Callable[[str], Made]


@every_scenario
def test_the_tool_records_the_fault_as_expected(scenario: Scenario, harbor_job: Jobs) -> None:
    made = harbor_job(scenario.name)
    assert made.exit_code == 0
    assert made.recorded() == (scenario.reward, scenario.exception)


@every_scenario
def test_the_outcome_and_its_cause_are_named(scenario: Scenario, harbor_job: Jobs) -> None:
    (trial,) = classify_zero(open_run(harbor_job(scenario.name).job), include="all").trials
    assert (trial.outcome, trial.phase, trial.cause, trial.reward) == (
        scenario.outcome,
        scenario.phase,
        scenario.cause,
        scenario.reward,
    )
    assert trial.answered == trial.counts_as_score == (scenario.cause in (None, "wrong_answer"))


@every_scenario
def test_the_phase_is_the_same_asked_the_other_way(scenario: Scenario, harbor_job: Jobs) -> None:
    report = locate_failed_phase(open_run(harbor_job(scenario.name).job))
    blamed = None if scenario.cause == "no_agent" else scenario.cause
    assert (report.phase, report.cause) == (scenario.phase, blamed)


@every_scenario
def test_what_is_quoted_stands_where_it_is_said_to_stand(scenario: Scenario, harbor_job: Jobs) -> None:
    made = harbor_job(scenario.name)
    (trial,) = classify_zero(open_run(made.job), include="all").trials
    assert bool(trial.evidence) == bool(scenario.cause)
    assert [e for e in trial.evidence if not stands(e, made.job)] == []


@every_scenario
def test_the_key_given_to_the_agent_is_in_no_answer(scenario: Scenario, harbor_job: Jobs) -> None:
    answer = classify_zero(open_run(harbor_job(scenario.name).job), include="all", response_format="detailed")
    assert MADE_UP_KEY not in answer.model_dump_json()


@every_scenario
def test_nothing_is_left_running(scenario: Scenario, harbor_job: Jobs) -> None:
    made = harbor_job(scenario.name)
    assert (made.outlived, made.left) == ((), ())
