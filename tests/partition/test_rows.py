"""The partition of a deliverable's rows: who found what, who answered at all, what the verdict says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from partition.jobs import Bench, changed, permits, without
from whyzero.analyses.partition.report import Partition, RowClass, Verdict
from whyzero.analyses.partition_disputed_rows import partition_disputed_rows
from whyzero.errors import UnknownFormatError, UsageError
from whyzero.evidence import dump
from whyzero.render import markdown

ROWS = permits(20)
MODELS = ("borealis/kestrel", "acme/tern-2", "acme/wren-1")

ELSEWHERE = ("verifier/submitted-notes.json", "agent/permits.json", "agent/submitted-permits.json")
"""Places where a file is no submission."""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def classes(report: Partition) -> dict[object, str]:
    return {row.key: row.class_.value for row in report.rows}


def test_rows_by_class_with_who_found_them(bench: Bench) -> None:
    bench.trial("m/a-1", without(ROWS, "P-004", "P-009"))
    bench.trial("m/a-1", without(ROWS, "P-004", "P-012"))
    bench.trial("m/b-2", changed(without(ROWS, "P-004"), P_009={"area": 1}))
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert classes(report) == {"P-004": "declined_by_all", "P-009": "declined_by_some", "P-012": "declined_by_some"}
    four, nine, twelve = report.rows
    assert (four.declined_by, four.left_out_by, four.trials, four.found_by_models) == (3, 3, 3, ())
    assert (nine.declined_by, nine.left_out_by, nine.found_by_models) == (2, 1, ("a-1",))
    assert (twelve.declined_by, twelve.found_by_models) == (1, ("a-1", "b-2"))
    assert [(v.field, v.expected, v.submitted, v.models) for v in nine.submitted_values] == [
        ("area", ROWS[8]["area"], 1, ("b-2",))
    ]
    assert four.expected_by_chance == pytest.approx(20 * 0.1**3)
    assert (nine.expected_by_chance, nine.p_value) == (None, None)
    assert report.counts == {
        "declined_by_all": 1,
        "declined_by_some": 2,
        "found_by_all": 17,
        "invented_by_all": 0,
        "invented_by_some": 0,
    }
    assert [(m.model, m.family, m.trials, m.missed_by_all_its_trials) for m in report.models] == [
        ("a-1", "a", 2, 1),
        ("b-2", "b", 1, 2),
    ]
    assert report.pairwise.pairs == 3
    assert report.pairwise.max == pytest.approx(1.0)
    assert report.pairwise.median == pytest.approx(1 / 3)


def test_the_json_says_class(bench: Bench) -> None:
    bench.trial("m/a-1", ROWS[1:])
    bench.trial("m/b-1", ROWS[1:])
    said = dump(partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"]))
    assert said["rows"][0]["class"] == "declined_by_all"
    assert said["tasks"][0]["class"] == "wrong_the_same_way"
    assert "class_" not in json.dumps(said)


def test_trials_that_did_not_answer_are_listed_and_miss_nothing(bench: Bench) -> None:
    bench.trial("m/a-1", without(ROWS, "P-004"))
    bench.trial("m/b-1", without(ROWS, "P-005"))
    silent = bench.trial("m/c-1", None, reward=0.0)
    scratch = bench.trial("m/c-1", None, reward=0.0, others=dict.fromkeys(ELSEWHERE, ROWS))
    ungraded = bench.trial("m/c-1", ROWS, reward=None)
    broken = bench.trial("m/c-1", "no json at all", reward=0.0)
    keyless = bench.trial("m/c-1", [{"area": 1}], reward=0.0)
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert report.answered == 2
    reasons = {one.id: one.reason for one in report.not_answered}
    assert set(reasons) == {silent, scratch, ungraded, broken, keyless}
    assert reasons[silent] == "no permits.json in its submission"
    assert "notes.json" in reasons[scratch]
    assert "never graded" in reasons[ungraded]
    assert "no rows that can be read" in reasons[broken]
    assert "key field id" in reasons[keyless]
    assert {row.trials for row in report.rows} == {2}
    assert any(one.path.endswith("submitted-permits.json") for one in report.problems)


def test_an_empty_list_is_an_answer(bench: Bench) -> None:
    bench.trial("m/a-1", [], reward=0.0)
    bench.trial("m/b-1", without(ROWS, "P-005"))
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert report.answered == 2
    assert classes(report)["P-005"] == "declined_by_all"


def test_one_answer_cannot_be_compared_with_itself(bench: Bench) -> None:
    bench.trial("m/a-1", without(ROWS, "P-005"))
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert (report.verdict, report.answered, report.rows) == (Verdict.CANNOT_TELL, 1, ())
    assert report.omitted == {"rows of a single answered trial": 1}


def test_where_nothing_is_disputed_nothing_is_said_of_the_key(bench: Bench) -> None:
    for model in MODELS:
        bench.trial(model, ROWS, reward=1.0)
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert (report.verdict, report.rows) == (Verdict.CANNOT_TELL, ())
    assert "Nothing is disputed" in report.why
    (task,) = report.tasks
    assert task.class_ == "solved_always"
    assert any("oracle" in gap for gap in task.never_audited)
    assert any("not audited" in gap for gap in task.never_audited)


def test_all_miss_everything_by_leaving_all_out_cannot_tell(bench: Bench) -> None:
    for model in MODELS:
        bench.trial(model, [], reward=0.0)
    assert partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"]).verdict is Verdict.CANNOT_TELL


def test_as_many_as_chance_gives_is_the_models_error(bench: Bench) -> None:
    for model, found in zip(MODELS, (ROWS[:8], ROWS[4:12], ROWS[8:16]), strict=True):
        bench.trial(model, found)
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert report.counts["declined_by_all"] == 4
    assert report.chance[0].expected == pytest.approx(20 * 0.6**3)
    assert report.verdict is Verdict.MODEL_ERROR


def test_rows_that_the_key_lacks(bench: Bench) -> None:
    extra = {"id": "P-900", "site": "Weir", "issued": "2026-01-01", "area": 5}
    for number, model in enumerate(MODELS):
        bench.trial(model, [*ROWS, extra, {**extra, "id": "P-901", "area": number}])
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert [(one.key, one.class_, one.alike) for one in report.invented] == [
        ("P-900", RowClass.INVENTED_BY_ALL, True),
        ("P-901", RowClass.INVENTED_BY_SOME, False),
    ]
    assert report.verdict is Verdict.SUSPECT_KEY


def test_rows_made_up_by_some_are_the_models_error(bench: Bench) -> None:
    bench.trial("m/a-1", [*ROWS, {"id": "P-900"}])
    bench.trial("m/b-1", ROWS)
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert (report.verdict, report.counts["invented_by_some"]) == (Verdict.MODEL_ERROR, 1)


def test_the_reference_solution_is_no_model(bench: Bench) -> None:
    bench.trial("oracle", ROWS, reward=0.9, agent="oracle")
    for model in MODELS:
        bench.trial(model, without(ROWS, "P-004"))
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert report.answered == 3
    assert classes(report) == {"P-004": "declined_by_all"}
    assert report.omitted == {"oracle and nop trials": 1}
    assert report.references[0].startswith("The reference solution of permit-register got reward 0.9")


def test_trials_of_another_task_stand_aside(bench: Bench) -> None:
    for model in MODELS:
        bench.trial(model, without(ROWS, "P-004"))
        bench.trial(model, {"total": 3}, name="totals.json", task="other-task")
        bench.trial(model, [{"id": "Z-1", "area": 2}], task="same-file-other-key")
        bench.trial(model, None, task="other-task", reward=0.0)
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"], deliverable="permits.json")
    assert (report.answered, report.not_answered) == (3, ())
    assert report.omitted == {"trials of other tasks": 9}


def test_an_artifact_is_a_submission_and_the_verifiers_copy_goes_before_it(bench: Bench) -> None:
    bench.trial("m/a-1", None, others={"artifacts/app/permits.json": without(ROWS, "P-004")})
    bench.trial("m/b-1", without(ROWS, "P-004"), others={"artifacts/app/permits.json": []})
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert (report.answered, [row.declined_by for row in report.rows]) == (2, [2])


def test_keys_in_other_formats(bench: Bench) -> None:
    by_name = {row["id"]: {k: v for k, v in row.items() if k != "id"} for row in ROWS}
    bench.trial("m/a-1", by_name)
    bench.trial("m/b-1", {name: row for name, row in by_name.items() if name != "P-004"})
    lines = "\n".join(json.dumps(row) for row in ROWS)
    table = "id,site,issued,area\n" + "\n".join(",".join(map(str, row.values())) for row in ROWS)
    for oracle, key in (
        (bench.key(by_name, "object.json"), []),
        (bench.key(by_name, "object.json"), ["id"]),
        (bench.key(lines, "lines.jsonl"), ["id"]),
        (bench.key(table, "table.csv"), ["id"]),
    ):
        report = partition_disputed_rows(bench.jobs, oracle, key)
        assert classes(report) == {"P-004": "declined_by_some"}
        assert report.counts["found_by_all"] == 19


def test_fields_that_were_asked_for_are_compared_alone(bench: Bench) -> None:
    for model in MODELS:
        bench.trial(model, [{"id": row["id"], "site": row["site"], "area": 0} for row in ROWS])
    oracle = bench.key(ROWS)
    assert partition_disputed_rows(bench.jobs, oracle, ["id"], fields=["site"]).counts["found_by_all"] == 20
    by_default = partition_disputed_rows(bench.jobs, oracle, ["id"])
    assert (by_default.compared, by_default.counts["declined_by_all"]) == (("site", "area"), 20)


def test_a_field_of_one_trial_only_is_not_compared(bench: Bench) -> None:
    oracle = bench.key([{**row, "note": "x"} for row in ROWS])
    bench.trial("m/a-1", [{**row, "note": "mine"} for row in ROWS])
    bench.trial("m/b-1", ROWS)
    bench.trial("m/c-1", ROWS)
    report = partition_disputed_rows(bench.jobs, oracle, ["id"])
    assert (report.compared, report.counts["found_by_all"]) == (("site", "issued", "area"), 20)


def test_which_file_is_the_submission_has_to_be_clear(bench: Bench) -> None:
    bench.brief = "Write /app/a.json and /app/b.json.\n"
    bench.trial("m/a-1", ROWS, name="a.json", others={"verifier/submitted-b.json": ROWS})
    with pytest.raises(UsageError, match=r"a\.json, b\.json.*--deliverable"):
        partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])


def test_long_lists_are_cut_and_counted(bench: Bench) -> None:
    rows = permits(260)
    for model in MODELS:
        bench.trial(model, rows[130:])
    bench.trial("m/d-1", [])
    report = partition_disputed_rows(bench.jobs, bench.key(rows), ["id"])
    assert len(report.rows) == 200
    assert report.counts["declined_by_all"] == report.counts["declined_by_some"] == 130
    assert report.omitted == {"rows declined by all": 30, "rows declined by some": 30}
    assert len(partition_disputed_rows(bench.jobs, bench.key(rows), ["id"], response_format="detailed").rows) == 260
    assert len(partition_disputed_rows(bench.jobs, bench.key(rows), ["id"], limit=3).rows) == 6


def test_a_long_submission_in_one_line_is_read_whole_and_no_problem(bench: Bench) -> None:
    rows = permits(20_000)
    for model in MODELS[:2]:
        bench.trial(model, json.dumps(rows))
    report = partition_disputed_rows(bench.jobs, bench.key(rows), ["id"])
    assert (report.counts["found_by_all"], report.problems) == (20_000, ())


def test_one_trial_may_be_named_twice_and_counts_once(bench: Bench) -> None:
    trial = bench.trial("m/a-1", without(ROWS, "P-004"))
    bench.trial("m/b-1", ROWS)
    report = partition_disputed_rows([bench.jobs, bench.jobs / "a-1" / trial], bench.key(ROWS), ["id"])
    assert report.answered == 2


def test_a_place_without_runs_is_refused(bench: Bench) -> None:
    (bench.root / "empty").mkdir()
    with pytest.raises(UnknownFormatError):
        partition_disputed_rows(bench.root / "empty", bench.key(ROWS), ["id"])


def test_what_accuses_the_key_is_said_first(bench: Bench) -> None:
    """No row is missed by all, but all trials made up the same one; the summary says so, and one row is one row."""
    more = [*ROWS, {**ROWS[0], "id": "P-077"}]
    for model in MODELS:
        bench.trial(model, without(more, "P-009") if model == MODELS[0] else more)
    report = partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"])
    assert report.verdict is Verdict.SUSPECT_KEY
    assert "1 by some. All of them sent 1 row alike that the key lacks." in report.summary
    assert "All trials sent 1 row alike that the key lacks." in report.why
    assert "## Declined by some: 1 row, most missed first" in markdown(report)
