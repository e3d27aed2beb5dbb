"""Regularities that all trials share, each beside the look-alike that must stay silent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from partition.jobs import Bench, Row, changed, permits, without
from whyzero.analyses.partition.report import Partition, Verdict
from whyzero.analyses.partition_disputed_rows import partition_disputed_rows

MODELS = ("borealis/kestrel", "acme/tern-2", "acme/wren-1")
ROWS = permits(24)
SCATTERED = ("P-001", "P-007", "P-013", "P-005", "P-016", "P-022")
"""One row that each of six trials leaves out on its own."""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def asked(bench: Bench, sent: Callable[[int], list[Row]], rows: list[Row] = ROWS, key: str = "id", **more: Any) -> Partition:
    """Six trials of three models; `sent(number)` is what each sends."""
    oracle = bench.key(rows)
    for number in range(6):
        bench.trial(MODELS[number % 3], sent(number))
    return partition_disputed_rows(bench.jobs, oracle, [key], **more)


def kinds(report: Partition) -> list[tuple[str, str | None, object, int]]:
    return [(one.kind, one.field, one.value, len(one.rows)) for one in report.structure]


def later(row: Row, days: int) -> Row:
    return {**row, "issued": str(date.fromisoformat(row["issued"]) + timedelta(days=days))}


def test_all_trials_one_day_late_everywhere_although_chance_is_empty(bench: Bench) -> None:
    report = asked(bench, lambda n: without([later(row, 1) for row in ROWS], SCATTERED[n]))
    assert kinds(report) == [("constant_offset", "issued", 1, 24)]
    assert report.structure[0].unit == "days"
    assert report.chance[0].p_value == 1.0
    assert report.verdict is Verdict.SUSPECT_KEY


def test_some_rows_three_too_many(bench: Bench) -> None:
    three_more: dict[str, Row] = {f"P_{i:03d}": {"area": ROWS[i - 1]["area"] + 3} for i in (2, 9, 17)}
    report = asked(bench, lambda n: without(changed(ROWS, **three_more), SCATTERED[n]))
    assert kinds(report) == [("constant_offset", "area", 3, 3)]
    assert "too low by 3" in report.structure[0].question


def test_one_family_a_day_late_is_its_own_mistake(bench: Bench) -> None:
    report = asked(bench, lambda n: [later(row, 1) for row in ROWS] if n % 3 == 0 else without(ROWS, SCATTERED[n]))
    assert kinds(report) == []
    assert report.verdict is Verdict.MODEL_ERROR


def test_every_trial_late_by_days_of_its_own_is_no_regularity(bench: Bench) -> None:
    report = asked(bench, lambda n: [later(row, 1 + n) for row in ROWS])
    assert kinds(report) == []
    assert report.verdict is Verdict.MODEL_ERROR
    assert "in different ways" in report.why


def test_a_pattern_of_two_trials_where_the_others_send_nothing_is_not_shared(bench: Bench) -> None:
    report = asked(bench, lambda n: [later(row, 1) for row in ROWS] if n < 2 else [])
    assert report.counts["declined_by_all"] == 24
    assert kinds(report) == []


def test_one_trial_that_is_wrong_in_another_way_breaks_the_pattern(bench: Bench) -> None:
    report = asked(bench, lambda n: [later(row, 1 if n else 2 + i) for i, row in enumerate(ROWS)])
    assert report.counts["declined_by_all"] == 24
    assert kinds(report) == []


def test_an_hour_late_in_a_moment_with_a_zone(bench: Bench) -> None:
    rows = [{"id": f"m{i}", "at": f"2026-05-{i:02d}T10:{i:02d}:00Z"} for i in range(1, 13)]
    report = asked(bench, lambda n: [{**row, "at": row["at"].replace("T10", "T11")} for row in rows], rows)
    assert kinds(report) == [("constant_offset", "at", 1, 12)]
    assert report.structure[0].unit == "hours"


def test_a_category_that_nobody_sends(bench: Bench) -> None:
    report = asked(bench, lambda n: [row for row in without(ROWS, SCATTERED[n]) if row["site"] != "Hill top"])
    assert kinds(report) == [("missing_category", "site", "Hill top", 4)]
    assert report.structure[0].rows == ("P-002", "P-008", "P-014", "P-020")
    assert report.verdict is Verdict.SUSPECT_KEY


def test_a_category_of_which_one_trial_sends_one_row_is_known(bench: Bench) -> None:
    rest = [row for row in ROWS if row["site"] != "Hill top"]
    report = asked(bench, lambda n: [*rest, ROWS[1]] if n == 0 else rest)
    assert kinds(report) == []


def test_categories_are_missing_by_accident_where_half_of_all_rows_is(bench: Bench) -> None:
    report = asked(bench, lambda n: ROWS[::2])
    assert report.counts["declined_by_all"] == 12
    assert kinds(report) == []


def test_a_label_that_nobody_uses(bench: Bench) -> None:
    labels = ("bug", "billing", "howto", "feature", "abuse", "other")
    rows = [{"id": f"T{i:02d}", "label": labels[i % 6]} for i in range(36)]
    instead = ("bug", "billing", "howto", "feature", "abuse")
    report = asked(
        bench, lambda n: [{**r, "label": instead[(i + n) % 5]} if r["label"] == "other" else r for i, r in enumerate(rows)], rows
    )
    assert kinds(report) == [("missing_category", "label", "other", 6)]


def test_the_same_other_value_in_one_row(bench: Bench) -> None:
    report = asked(bench, lambda n: without(changed(ROWS, P_012={"area": 777}), SCATTERED[n]))
    assert kinds(report) == [("shared_wrong_value", "area", 777, 1)]
    row = report.rows[0]
    assert (row.key, row.declined_by, row.left_out_by) == ("P-012", 6, 0)
    assert [(v.field, v.expected, v.submitted, v.trials) for v in row.submitted_values] == [("area", ROWS[11]["area"], 777, 6)]


def test_one_trial_with_another_wrong_value_breaks_the_agreement(bench: Bench) -> None:
    report = asked(bench, lambda n: changed(ROWS, P_012={"area": 777 if n else 778}))
    assert kinds(report) == []


def test_a_common_trap_that_one_trial_avoids_does_not_hide_a_row_that_none_does(bench: Bench) -> None:
    trap: dict[str, Row] = {"P_003": {"area": 555}}
    report = asked(bench, lambda n: changed(ROWS, P_012={"area": 777}, **(trap if n else {})))
    assert kinds(report) == [("shared_wrong_value", "area", 777, 1)]
    assert [row.key for row in report.rows if row.class_ == "declined_by_some"] == ["P-003"]


def test_with_two_labels_agreeing_says_nothing(bench: Bench) -> None:
    rows = [{"id": f"T{i:02d}", "ok": "yes" if i % 3 else "no"} for i in range(30)]

    def sent(n: int) -> list[Row]:
        return [
            {**r, "ok": {"yes": "no", "no": "yes"}[r["ok"]]} if (i * 7 + n * n) % 3 or i < 2 else r for i, r in enumerate(rows)
        ]

    report = asked(bench, sent, rows)
    assert report.counts["declined_by_all"] > 0
    assert kinds(report) == []


def test_with_two_labels_every_one_the_wrong_way_round_says_much(bench: Bench) -> None:
    rows = [{"id": f"T{i:02d}", "ok": "yes" if i % 3 else "no"} for i in range(30)]
    report = asked(bench, lambda n: [{**r, "ok": {"yes": "no", "no": "yes"}[r["ok"]]} for r in rows], rows)
    assert sorted(kinds(report)) == [("shared_wrong_value", "ok", "no", 20), ("shared_wrong_value", "ok", "yes", 10)]
    assert report.verdict is Verdict.SUSPECT_KEY


def test_another_unit(bench: Bench) -> None:
    report = asked(bench, lambda n: [{**row, "area": round(row["area"] * 10.7639, 1)} for row in without(ROWS, SCATTERED[n])])
    (found,) = report.structure
    assert (found.kind, found.field, len(found.rows)) == ("scale_factor", "area", 24)
    assert found.value == pytest.approx(10.7639, rel=1e-3)


def test_a_column_one_row_off(bench: Bench) -> None:
    areas = [row["area"] for row in ROWS]
    shifted = [{**row, "area": areas[min(i + 1, 23)]} for i, row in enumerate(ROWS)]
    report = asked(bench, lambda n: without(shifted, SCATTERED[n]))
    assert kinds(report) == [("shifted_rows", "area", 1, 23)]


def test_dates_spelled_another_way(bench: Bench) -> None:
    def spelled(row: Row) -> Row:
        return {**row, "issued": f"{date.fromisoformat(row['issued']):%B %d, %Y}"}

    report = asked(bench, lambda n: [spelled(row) for row in ROWS])
    assert [(one.kind, one.field, len(one.rows)) for one in report.structure] == [("value_format", "issued", 24)]
    assert "spelled" in report.structure[0].question


def test_keys_spelled_another_way(bench: Bench) -> None:
    report = asked(bench, lambda n: [{**row, "id": row["id"].replace("P-0", "p")} for row in ROWS])
    assert [(one.kind, one.field, len(one.rows)) for one in report.structure] == [("key_format", "id", 24)]
    assert report.counts["invented_by_all"] == 24
    assert report.verdict is Verdict.SUSPECT_KEY


def test_one_trial_with_the_right_answer_silences_every_detector(bench: Bench) -> None:
    report = asked(bench, lambda n: ROWS if n == 5 else [later(row, 1) for row in ROWS if row["site"] != "Hill top"])
    assert kinds(report) == []
    assert report.counts["declined_by_all"] == 0
    assert report.verdict is Verdict.MODEL_ERROR
