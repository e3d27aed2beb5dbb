"""Totals of small jobs, worked out by hand, and the statistics behind them against scipy."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.stats import binomtest

from whyzero.analyses.ranking import rank
from whyzero.analyses.scores import Scored, groups, score, tries_to_tell_apart, wilson
from whyzero.analyses.training_groups import tainted_groups
from whyzero.model import Booked, Spot

BLANK = Scored(
    id="t",
    task="a",
    dataset=None,
    agent="codex",
    model="m1",
    attempt=0,
    version=0,
    value=None,
    booked=None,
    cause=None,
    whose=None,
    is_score=False,
    seconds=60.0,
)


def graded(value: float, task: str = "a", **more: object) -> Scored:
    cause = None if value == 1.0 else "wrong_answer"
    return replace(BLANK, task=task, value=value, booked=value, cause=cause, whose="model", is_score=True, **more)  # type: ignore[arg-type]


def failed(
    cause: str = "rate_limited", whose: str = "provider", booked: float | None = 0.0, task: str = "a", **more: object
) -> Scored:
    return replace(BLANK, task=task, booked=booked, cause=cause, whose=whose, **more)  # type: ignore[arg-type]


# ---- one group


def test_three_graded_and_one_rate_limited_zero() -> None:
    """1, 1, 0 graded and a booked 0 that is a 429: 2/3 over the answered, 2/4 with the missing as zero, 2/4 to 3/4."""
    total = score([graded(1.0), graded(1.0), graded(0.0), failed()])
    assert (total.trials, total.answered, total.tasks) == (4, 3, 1)
    assert total.completion_rate == 0.75
    assert total.mean_answered == pytest.approx(2 / 3, abs=1e-6)
    assert total.mean_if_missing_is_zero == 0.5
    assert total.bounds == (0.5, 0.75)


def test_one_answered_trial_has_no_mean() -> None:
    total = score([graded(1.0), failed(booked=None), failed(booked=None)])
    assert total.answered == 1
    assert total.mean_answered is None
    assert total.mean_if_missing_is_zero == pytest.approx(1 / 3, abs=1e-6)
    assert total.bounds == (pytest.approx(1 / 3, abs=1e-6), 1.0)
    assert "single reading" in total.advice


def test_nothing_answered_is_no_score_of_zero() -> None:
    total = score([failed(booked=None), failed("agent_auth", "operator")])
    assert total.mean_answered is None
    assert total.bounds == (0.0, 1.0)
    assert total.completion_rate == 0.0
    assert "there is no score" in total.advice


def test_skips_on_purpose_leave_the_denominator_and_pending_ones_stay_in_it() -> None:
    total = score([graded(1.0), graded(0.0), replace(BLANK, skipped=True), replace(BLANK, pending=True)])
    assert (total.trials, total.answered, total.skipped, total.pending) == (3, 2, 1, 1)
    assert total.mean_answered == 0.5
    assert total.bounds == (pytest.approx(1 / 3, abs=1e-6), pytest.approx(2 / 3, abs=1e-6))


def test_partial_rewards_and_a_reward_above_one() -> None:
    """0.25 and 1.5 graded, one missing: the highest the missing one could have scored is the highest seen."""
    total = score([graded(0.25), graded(1.5), failed(booked=None)])
    assert total.mean_answered == 0.875
    assert total.bounds == (pytest.approx(1.75 / 3, abs=1e-6), pytest.approx(3.25 / 3, abs=1e-6))


def test_versions_of_a_task_are_never_mixed() -> None:
    trials = [graded(1.0), graded(1.0, version=1), graded(0.0, version=1)]
    totals = [score(group) for group in groups(trials).values()]
    assert [(t.version, t.trials, t.mean_if_missing_is_zero) for t in totals] == [(0, 1, 1.0), (1, 2, 0.5)]


def test_groups_are_per_task_set_agent_and_model() -> None:
    trials = [graded(1.0), graded(0.0, model="m2"), graded(1.0, agent="claude-code"), graded(0.0, dataset="tb2"), graded(0.0)]
    assert {key: len(group) for key, group in groups(trials).items()} == {
        (None, "codex", "m1", 0): 2,
        (None, "codex", "m2", 0): 1,
        (None, "claude-code", "m1", 0): 1,
        ("tb2", "codex", "m1", 0): 1,
    }


def test_the_booked_mean_is_told_with_its_rule_and_not_corrected() -> None:
    spot = Spot("result.json")
    old = Booked(0.5, "missing_as_zero", spot, agent="codex", model="m1")
    other = Booked(0.9, "invalid_dropped", spot, agent="codex", model="m2")
    total = score([graded(1.0), failed(booked=None)], [old, other])
    assert total.harness_mean == 0.5
    assert total.harness_rule is not None
    assert "counts as 0" in total.harness_rule


def test_of_several_booked_means_none_is_picked() -> None:
    """Two jobs booked one mean each: neither is the mean of both."""
    spot = Spot("result.json")
    means = [
        Booked(1.0, "invalid_dropped", spot, agent="codex", model="m1"),
        Booked(0.0, "invalid_dropped", spot, agent="codex", model="m1"),
    ]
    assert score([graded(1.0), graded(0.0)], means).harness_mean is None
    assert score([graded(1.0)], means[:1]).harness_mean == 1.0


@pytest.mark.parametrize(
    ("tries", "answered", "enough"),
    [(3, 3, True), (3, 2, False), (8, 7, False), (9, 8, True), (2, 2, False), (1, 1, False)],
)
def test_three_tries_do_not_make_a_completion_rate(tries: int, answered: int, enough: bool) -> None:
    trials = [graded(1.0)] * answered + [failed()] * (tries - answered)
    assert score(trials).enough_samples is enough


def test_the_wall_clock_of_a_sufficient_sweep() -> None:
    """2 tasks x 2 models x 9 tries x 60 s (median of 30, 60, 90), 4 at a time: 540 s."""
    trials = [graded(1.0, "a", seconds=30.0), failed(task="b", seconds=60.0), failed(task="b", seconds=90.0)]
    total = score(trials, concurrency=4, tiers=2)
    assert total.sweep_seconds == 540.0
    assert "9 per task" in total.advice


@pytest.mark.parametrize(("hits", "tries"), [(0, 1), (1, 1), (0, 9), (3, 9), (5, 10), (427, 5280), (10, 10)])
def test_wilson_agrees_with_scipy(hits: int, tries: int) -> None:
    low, high = wilson(hits, tries)
    exact = binomtest(hits, tries).proportion_ci(method="wilson")
    assert low == pytest.approx(exact.low, abs=1e-12)
    assert high == pytest.approx(exact.high, abs=1e-12)


def test_nine_tries_tell_one_in_three_from_one_in_nine() -> None:
    """(2/3)^7 = 0.059 > 0.05 >= (2/3)^8; a rate of 1/9 expects its first hit in 9."""
    assert (2 / 3) ** 7 > 0.05 >= (2 / 3) ** 8
    assert tries_to_tell_apart(1 / 3, 1 / 9) == 9


# ---- several models


def two(first: list[Scored], second: list[Scored]) -> list[Scored]:
    return [replace(t, model="m1") for t in first] + [replace(t, model="m2") for t in second]


def test_an_order_that_no_treatment_moves() -> None:
    ranking = rank(two([graded(1.0), graded(1.0, "b")], [graded(0.0), graded(0.0, "b")]))
    assert ranking is not None
    assert ranking.order == ("codex/m1", "codex/m2")
    assert ranking.survives


def test_an_order_that_the_treatment_of_the_unanswered_decides() -> None:
    """m1: 1, 0, 1, 0 graded = 0.5. m2: 1, 1 graded and two missing: 0.5 as zero (a tie), 1.0 when dropped."""
    ranking = rank(
        two(
            [graded(1.0), graded(0.0), graded(1.0), graded(0.0)],
            [graded(1.0), graded(1.0), failed(booked=None), failed(booked=None)],
        )
    )
    assert ranking is not None
    pair = ranking.pairs[0]
    assert not ranking.survives
    assert pair.missing_as_zero == (0.5, 0.5)
    assert pair.dropped == (0.5, 1.0)
    assert not pair.bounds_apart


def test_a_tie_is_no_order() -> None:
    ranking = rank(two([graded(1.0)], [graded(1.0)]))
    assert ranking is not None
    assert not ranking.survives


def test_graded_timeouts_decide_an_order_when_they_are_dropped() -> None:
    """m1: 0.8 and a timed-out 1.0 = 0.9; m2: 0.85 twice. Without the timeout m1 has 0.8 and falls behind."""
    ranking = rank(two([graded(0.8), graded(1.0, timed_out=True)], [graded(0.85), graded(0.85)]))
    assert ranking is not None
    pair = ranking.pairs[0]
    assert pair.missing_as_zero == (0.9, 0.85)
    assert pair.timeouts_dropped == (0.8, 0.85)
    assert not pair.keeps_order


def test_models_are_compared_on_shared_tasks_only() -> None:
    ranking = rank(two([graded(0.5), graded(1.0, "easy")], [graded(0.4)]))
    assert ranking is not None
    assert ranking.pairs[0].missing_as_zero == (0.5, 0.4)
    assert rank(two([graded(1.0, "x")], [graded(1.0, "y")])) is None


# ---- training groups


def test_a_rate_limited_zero_moves_the_baseline_of_its_group() -> None:
    """1, 0 graded and a 429 booked 0: mean 1/3 -> 1/2, advantages sqrt(2), -1/sqrt(2) -> 1, -1."""
    (group,) = tainted_groups([graded(1.0, id="x"), graded(0.0, id="y"), failed(id="z")])
    assert group.infrastructure_zeros == 1
    assert group.mean_before == pytest.approx(1 / 3, abs=1e-6)
    assert group.mean_after == 0.5
    moves = {s.trial: (s.before, s.after) for s in group.siblings}
    assert moves["x"] == (pytest.approx(math.sqrt(2), abs=1e-6), 1.0)
    assert moves["y"] == (pytest.approx(-1 / math.sqrt(2), abs=1e-6), -1.0)
    assert moves["z"] == (pytest.approx(-1 / math.sqrt(2), abs=1e-6), None)


@pytest.mark.parametrize(
    "sibling",
    [
        failed("early_stop", "model"),
        failed("clock", "budget"),
        failed("undetermined", "operator"),
        replace(failed(), skipped=True),
    ],
)
def test_a_zero_of_the_model_or_of_nobody_known_is_not_masked(sibling: Scored) -> None:
    assert tainted_groups([graded(1.0), sibling]) == ()


def test_a_group_of_one_and_a_group_of_only_infrastructure() -> None:
    assert tainted_groups([failed()]) == ()
    (group,) = tainted_groups([failed(), failed(booked=None)])
    assert group.mean_after is None
