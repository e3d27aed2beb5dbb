"""The statistics: small cases by hand, the rest against scipy."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from partition.grids import grid_of
from whyzero.analyses.partition.chance import (
    any_of,
    binomial_tail,
    poisson_binomial_pmf,
    poisson_binomial_tail,
    poisson_binomial_tails,
)
from whyzero.analyses.partition.difficulty import difficulty
from whyzero.analyses.partition.unanimity import row_tails, unanimity


def test_two_coins_by_hand() -> None:
    assert poisson_binomial_pmf([0.5, 0.25]) == [0.375, 0.5, 0.125]
    assert poisson_binomial_tails([0.5, 0.25]) == [1.0, 0.625, 0.125]
    assert binomial_tail(2, 0.5, 2) == 0.25
    assert any_of(0.5, 2) == 0.75


@pytest.mark.parametrize(
    ("n", "p", "k"),
    [(30, 1e-7, 4), (40, 0.99, 40), (10, 0.5, 3), (1000, 0.2, 260), (100_000, 0.3, 30_500), (100_000, 1e-12, 5), (5, 0.9, 1)],
)
def test_a_binomial_tail_agrees_with_scipy(n: int, p: float, k: int) -> None:
    assert binomial_tail(n, p, k) == pytest.approx(float(stats.binom.sf(k - 1, n, p)), rel=1e-9)


@pytest.mark.parametrize(("n", "p", "k", "tail"), [(3, 0.0, 1, 0.0), (3, 1.0, 3, 1.0), (3, 0.5, 0, 1.0), (3, 0.5, 4, 0.0)])
def test_a_binomial_tail_at_its_ends(n: int, p: float, k: int, tail: float) -> None:
    assert binomial_tail(n, p, k) == tail


@pytest.mark.parametrize("seed", range(12))
def test_a_poisson_binomial_agrees_with_scipy(seed: int) -> None:
    dice = random.Random(seed)
    rates = [dice.random() for _ in range(dice.randint(2, 40))]
    theirs = stats.poisson_binom(rates)
    for k in range(len(rates) + 1):
        ours = poisson_binomial_tail(rates, k)
        assert ours == pytest.approx(float(theirs.sf(k - 1)), rel=1e-6, abs=1e-13)
        assert ours == pytest.approx(poisson_binomial_tails(rates)[k], rel=1e-12)


def test_a_tail_far_out_keeps_its_digits() -> None:
    rates = [0.001 * (1 + i % 3) for i in range(60)]
    assert poisson_binomial_tail(rates, 60) == pytest.approx(math.prod(rates), rel=1e-9)


def test_a_very_long_list_takes_an_upper_bound_that_holds() -> None:
    rates = [0.01 + 0.02 * (i % 2) for i in range(30_000)]
    exact = float(stats.norm.sf((700 - 0.5 - 600) / math.sqrt(sum(p * (1 - p) for p in rates))))
    assert exact / 2 < poisson_binomial_tail(rates, 700) < exact * 4


def test_rows_missed_by_all_by_hand() -> None:
    """Two trials of ten rows miss five each; the three that both miss stand against 10 * 1/4."""
    grid = grid_of(["xxxxx.....", "xxx..xx..."])
    weighed = unanimity(grid)
    assert (weighed.seen, weighed.rows, weighed.expected) == (3, 10, 2.5)
    assert weighed.p_value == pytest.approx(float(stats.binom.sf(2, 10, 0.25)))


def test_a_trial_without_a_miss_stays_in() -> None:
    weighed = unanimity(grid_of(["xxx.......", "xxx.......", ".........."]))
    assert (weighed.seen, weighed.expected, weighed.p_value) == (0, 0.0, 1.0)


def test_a_row_that_not_all_were_asked_weighs_by_those_that_were() -> None:
    """Of four rows the third trial was asked two (`-` was not asked): rates 1/2, 1/2, 1/2."""
    weighed = unanimity(grid_of(["xx..", "x.x.", "x.--"]))
    assert weighed.seen == 1
    assert weighed.expected == pytest.approx(2 * 0.125 + 2 * 0.25)


def test_the_tail_of_one_row_is_corrected_for_the_number_of_rows() -> None:
    grid = grid_of(["xx........", "x.x......."])
    assert row_tails(grid)[2] == pytest.approx(1 - (1 - 0.04) ** 10)


def test_chance_cannot_decide_where_the_trials_miss_almost_everything() -> None:
    assert not unanimity(grid_of(["xxxx", "xxxx"])).could_decide
    assert not unanimity(grid_of(["x...", "x..."])).could_decide
    assert unanimity(grid_of(["xx........", "xx........", "xx........"])).could_decide


def _answers(spread: float, defects: int, seed: int, trials: int = 9, rows: int = 60) -> list[str]:
    dice = random.Random(seed)
    hard = [dice.gauss(0, spread) for _ in range(rows)]
    level = [dice.gauss(-1.5, 0.4) for _ in range(trials)]
    return [
        "".join("x" if r < defects or dice.random() < 1 / (1 + math.exp(-(a + b))) else "." for r, b in enumerate(hard))
        for a in level
    ]


def test_hard_rows_do_not_stand_out_once_difficulty_is_counted_in() -> None:
    alarms = {"independent": 0, "with difficulty": 0}
    for seed in range(12):
        grid = grid_of(_answers(spread=2.0, defects=0, seed=seed))
        second = difficulty(grid)
        assert second is not None
        alarms["independent"] += unanimity(grid).beyond_chance
        alarms["with difficulty"] += second.p_value <= 0.05 and unanimity(grid).seen > 0
    assert alarms["independent"] >= 6
    assert alarms["with difficulty"] <= 2


def test_planted_defects_still_stand_out_once_difficulty_is_counted_in() -> None:
    seen = 0
    for seed in range(12):
        second = difficulty(grid_of(_answers(spread=1.0, defects=5, seed=seed)))
        seen += second is not None and second.p_value <= 0.05
    assert seen >= 11
