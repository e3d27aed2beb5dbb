"""Pairs that look like a fix and are none: what is missing, negative, measured otherwise, or chance beside a true fault."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from scipy.stats import binomtest

from harbor_trees import RIGHT, WRONG, exception, graded, result, trial
from osmosis_trees import Rollout
from test_verify_fix import BROKEN, FAILED_ON_1, FIXED, MENDED, compared, made, row
from whyzero.analyses.paired_test import mcnemar_exact, smallest_deciding_n
from whyzero.analyses.verify_fix import Expectation, FixVerdict, FixVerification, verify_fix
from whyzero.cli.app import main
from whyzero.errors import UsageError
from whyzero.readers import open_run


def job(root: Path, name: str, trials: dict[str, float | None], checksum: str | None = "c0ffee") -> Path:
    """A Harbor job with these trials; None = the agent's container broke."""
    for one, reward in trials.items():
        broken = None if reward is not None else exception("RuntimeError", "Docker compose command failed for environment x")
        record = result(
            one, task_name=one.partition("__")[0], id=f"{name}{one}", task_checksum=checksum, reward=reward, exception_info=broken
        )
        if reward is None:
            trial(root / name / one, record)
        else:
            graded(root / name / one, RIGHT if reward else WRONG, reward=reward, record=record)
    return root / name


def of_jobs(tmp_path: Path, before: dict[str, float | None], after: dict[str, float | None]) -> FixVerification:
    return verify_fix(open_run(job(tmp_path, "a", before)), open_run(job(tmp_path, "b", after)))


# ---- not run again


def test_a_task_that_failed_and_was_not_run_again_decides_nothing(tmp_path: Path) -> None:
    report = of_jobs(tmp_path, {"t1__aaaaaaa": None, "t2__bbbbbbb": None}, {"t1__ccccccc": 1.0})
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert [(p.task, p.after.outcome) for p in report.pairs if p.affected] == [("t1", "graded_pass"), ("t2", "pending")]


def test_a_task_that_passed_need_not_be_run_again_and_that_is_said(tmp_path: Path) -> None:
    report = of_jobs(tmp_path, {"t1__aaaaaaa": None, "t2__bbbbbbb": 1.0}, {"t1__ccccccc": 1.0})
    assert report.verdict is FixVerdict.VERIFIED
    assert "1 input that passed before was not run again" in report.why


def test_a_pass_that_was_not_run_again_is_said(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, [row(1)])
    assert report.verdict is FixVerdict.VERIFIED
    assert "1 input that passed before was not run again" in report.why
    assert "nothing else got worse" in compared(tmp_path / "all", FAILED_ON_1, FIXED).why


def test_one_more_attempt_that_fails_as_before_refutes(tmp_path: Path) -> None:
    report = of_jobs(tmp_path, {"t1__aaaaaaa": None}, {"t1__bbbbbbb": 1.0, "t1__ccccccc": None})
    assert report.verdict is FixVerdict.REFUTED
    assert "same cause" in report.why


def test_one_more_attempt_that_passes_too_does_not(tmp_path: Path) -> None:
    assert of_jobs(tmp_path, {"t1__aaaaaaa": None}, {"t1__bbbbbbb": 1.0, "t1__ccccccc": 1.0}).verdict is FixVerdict.VERIFIED


@pytest.mark.parametrize(("after", "verdict"), [([row(1)], FixVerdict.INCONCLUSIVE), (FIXED, FixVerdict.VERIFIED)])
def test_a_run_that_is_under_way_may_still_break_what_passed(after: list[Rollout], verdict: FixVerdict, tmp_path: Path) -> None:
    old = made(tmp_path / "before", FAILED_ON_1)
    new = replace(open_run(made(tmp_path / "after", after, after=True, source=MENDED)), live=True)
    report = verify_fix(open_run(old), new)
    assert report.verdict is verdict
    assert ("still under way" in report.why) is (verdict is FixVerdict.INCONCLUSIVE)


def test_a_job_and_a_local_eval_share_no_input(tmp_path: Path) -> None:
    local, harbor = made(tmp_path / "a", FAILED_ON_1), job(tmp_path, "b", {"t1__aaaaaaa": 1.0})
    for before, after in ((local, harbor), (harbor, local)):
        report = verify_fix(open_run(before), open_run(after), command="osmosis eval run x", cost_note="costs")
        assert (report.verdict, report.pairs) == (FixVerdict.NOT_COMPARABLE, ())
        assert (report.command, report.cost_note) == ("osmosis eval run x", "costs")


# ---- what a reward is worth


def test_a_reward_below_zero_is_no_better_than_zero(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, [row(0), row(1, -0.5), row(2, 0.0)])
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert "The fault is gone, the answer is not" in report.why


@pytest.mark.parametrize(("old", "new", "fixed"), [(0.5, 0.51, 0), (0.5, 1.0, 8)])
def test_a_lower_threshold_fixes_nothing(old: float, new: float, fixed: int, tmp_path: Path) -> None:
    before = made(tmp_path / "a", [row(n, old) for n in range(8)], threshold=1.0)
    after = made(tmp_path / "b", [row(n, new) for n in range(8)], after=True, source=MENDED, threshold=0.4)
    report = verify_fix(open_run(before), open_run(after))
    assert report.test is not None
    assert report.test.fixed == fixed
    assert report.verdict is (FixVerdict.VERIFIED if fixed else FixVerdict.INCONCLUSIVE)
    assert "threshold" in report.why


def test_a_higher_threshold_breaks_nothing(tmp_path: Path) -> None:
    before = made(tmp_path / "a", [row(0, 0.5), row(1, broken=BROKEN)], threshold=0.4)
    after = made(tmp_path / "b", [row(0, 0.5), row(1, 0.5)], after=True, source=MENDED, threshold=0.9)
    report = verify_fix(open_run(before), open_run(after))
    assert (report.verdict, report.regressions) == (FixVerdict.VERIFIED, ())


# ---- chance beside a fault


def test_rows_that_a_fault_kept_from_a_grade_are_no_sample_of_chance(tmp_path: Path) -> None:
    """Six rows were mended for good; the one named was graded before, and one better answer proves nothing."""
    before = [row(0, 0.0), *(row(n, broken=BROKEN) for n in range(1, 7))]
    report = compared(tmp_path, before, [row(n) for n in range(7)], rows=(0,))
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert "p = 1" in report.why


def test_beside_graded_rows_that_got_better_one_that_only_got_a_zero_is_not_mended(tmp_path: Path) -> None:
    before = [*(row(n, 0.0) for n in range(6)), row(6, broken=BROKEN)]
    report = compared(tmp_path, before, [*(row(n) for n in range(6)), row(6, 0.0)], rows=tuple(range(7)))
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert "The fault is gone, the answer is not" in report.why


# ---- nobody can tell


def test_without_any_digest_it_may_be_another_question(tmp_path: Path) -> None:
    old, new = made(tmp_path / "a", FAILED_ON_1), made(tmp_path / "b", FIXED, after=True)
    for path in (old, new):
        manifest = json.loads((path / "manifest.json").read_text())
        manifest["inputs"] = {}
        (path / "manifest.json").write_text(json.dumps(manifest))
    report = verify_fix(open_run(old), open_run(new))
    assert report.inputs is not None
    assert report.inputs.row == "unknown"
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert "same input" in report.why


def test_a_harbor_job_without_checksums_neither(tmp_path: Path) -> None:
    old, new = job(tmp_path, "a", {"t1__aaaaaaa": None}, None), job(tmp_path, "b", {"t1__bbbbbbb": 1.0}, None)
    assert verify_fix(open_run(old), open_run(new)).verdict is FixVerdict.INCONCLUSIVE


# ---- what is named


def test_a_row_that_is_not_there_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no row 99"):
        compared(tmp_path, FAILED_ON_1, FIXED, rows=(1, 99))


@pytest.mark.parametrize("named", [(0, 1), (1,)])
def test_a_row_that_passed_may_be_named_beside_one_that_failed(named: tuple[int, ...], tmp_path: Path) -> None:
    assert compared(tmp_path, FAILED_ON_1, FIXED, rows=named).verdict is FixVerdict.VERIFIED


def test_a_number_is_measured_on_the_named_rows(tmp_path: Path) -> None:
    run = open_run(made(tmp_path / "a", [row(0), row(1, 0.0)]))
    assert verify_fix(run, expect=Expectation(1.0), rows=(0,)).measured == 1.0
    assert verify_fix(run, expect=Expectation(1.0)).measured == 0.5


NO_NUMBERS = [(math.nan, 0.0), (math.inf, 0.0), (1.0, math.inf), (1.0, math.nan), (1.0, -0.1)]


@pytest.mark.parametrize(("value", "tolerance"), NO_NUMBERS)
def test_what_any_number_would_meet_or_none_is_no_expectation(
    value: float, tolerance: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made(tmp_path / "a", [row(0)])
    with pytest.raises(UsageError, match="number"):
        verify_fix(open_run(run), expect=Expectation(value, tolerance))
    with pytest.raises(SystemExit) as ended:
        main(["verify-fix", str(run), f"--expect={value}", f"--tolerance={tolerance}", "--json"])
    assert (ended.value.code, capsys.readouterr().out) == (2, "")


# ---- the test itself


def test_the_p_value_is_that_of_scipy() -> None:
    for fixed in range(40):
        for broken in range(40):
            known = binomtest(fixed, fixed + broken).pvalue if fixed + broken else 1.0
            assert mcnemar_exact(fixed, broken) == pytest.approx(known, rel=1e-9)
    assert mcnemar_exact(0, 1500) == pytest.approx(binomtest(0, 1500).pvalue)
    assert [smallest_deciding_n(level) for level in (0.5, 0.05, 0.01, 0.001)] == [2, 6, 8, 11]


def test_three_hundred_pairs(tmp_path: Path) -> None:
    data = "".join(json.dumps({"user_prompt": str(n), "ground_truth": str(n)}) + "\n" for n in range(300))
    before = [Rollout(n, reward=0.0) for n in range(300)]
    after = [Rollout(n, reward=float(n != 299)) for n in range(300)]
    report = compared(tmp_path, before, after, of_before={"data": data}, data=data)
    assert report.test is not None
    assert (report.test.fixed, len(report.pairs), report.verdict) == (299, 300, FixVerdict.INCONCLUSIVE)
    assert report.why == "Some affected inputs got no better grade."
