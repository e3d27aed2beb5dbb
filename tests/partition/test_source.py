"""The net wider than the rule: what the source says decides between the key and the models."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from partition.jobs import Bench, Row, permits, without
from whyzero.analyses.partition.report import Partition, Verdict
from whyzero.analyses.partition.sentences import stands_in
from whyzero.analyses.partition_disputed_rows import partition_disputed_rows
from whyzero.errors import UsageError

ROWS = permits(24)
DECLINED = ("P-002", "P-005", "P-009", "P-011")
SCATTERED = ("P-001", "P-007", "P-013", "P-006", "P-016", "P-022")
RULE, WIDE = r"permit covers \d+ square", "(?i)permit"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def corpus_text(unsound: Collection[str]) -> str:
    """One line a row; an unsound row's line speaks of a permit and grants none."""
    lines = [
        f"[{row['id']}] {row['site']}: "
        + ("No permit before the survey." if row["id"] in unsound else f"The permit covers {row['area']} square metres.")
        for row in ROWS
    ]
    return "# transcript\n" + "\n".join(lines) + "\n"


def asked(bench: Bench, unsound: Collection[str], rows: list[Row] = ROWS, **more: Any) -> Partition:
    """Six trials that all miss DECLINED and one row of their own; a corpus without sentences for `unsound`."""
    oracle = bench.key(rows)
    for number in range(6):
        bench.trial(("m/a-1", "m/b-1", "m/c-1")[number % 3], without(rows, *DECLINED, SCATTERED[number]))
    arguments: dict[str, Any] = {"corpus": bench.corpus({"part-01.txt": corpus_text(unsound)}), "rule": RULE, "wide": WIDE}
    return partition_disputed_rows(bench.jobs, oracle, ["id"], **(arguments | more))


def test_rows_without_a_sentence_are_the_same_rows(bench: Bench) -> None:
    report = asked(bench, DECLINED)
    assert report.superset_check is not None
    assert (report.superset_check.held, report.superset_check.lines, report.superset_check.counterexample) == (True, 25, None)
    assert report.second_partition is not None
    assert (report.second_partition.rows, report.second_partition.agrees) == (DECLINED, True)
    assert report.verdict is Verdict.SUSPECT_KEY
    (sentence,) = report.rows[0].sentences
    assert (sentence.path, sentence.line, sentence.quote) == ("part-01.txt", 3, "[P-002] Hill top: No permit before the survey.")


def test_the_source_clears_some_of_the_suspected_rows(bench: Bench) -> None:
    report = asked(bench, ("P-002", "P-005"))
    assert report.verdict is Verdict.MIXED
    assert report.second_partition is not None
    assert (report.second_partition.agrees, report.second_partition.only_declined) == (False, ("P-009", "P-011"))
    assert "supports 2" in report.why


def test_the_source_clears_all_of_them(bench: Bench) -> None:
    report = asked(bench, ())
    assert report.verdict is Verdict.MODEL_ERROR
    assert "missed what is there" in report.why


def test_rows_that_some_model_found_may_lack_a_sentence_too(bench: Bench) -> None:
    report = asked(bench, (*DECLINED, "P-020"))
    assert report.second_partition is not None
    assert (report.second_partition.agrees, report.second_partition.only_here) == (False, ("P-020",))
    assert report.verdict is Verdict.SUSPECT_KEY


def test_a_wide_net_that_misses_what_the_rule_matches_is_refused(bench: Bench) -> None:
    report = asked(bench, DECLINED, wide="Permit")
    assert report.superset_check is not None
    assert not report.superset_check.held
    assert report.superset_check.counterexample is not None
    assert report.superset_check.counterexample.line == 2
    assert report.superset_check.counterexample.quote.startswith("[P-001] Old forge: The permit covers")
    assert report.second_partition is None
    assert "refused" in report.why


def test_a_rule_that_matches_nothing_decides_nothing(bench: Bench) -> None:
    report = asked(bench, DECLINED, rule="permit covers nothing", wide="")
    assert report.second_partition is not None
    assert report.second_partition.total == 24
    assert report.verdict is Verdict.SUSPECT_KEY
    assert "20 of the 20 rows that trials found have no sentence by the rule either" in report.why


def test_a_rule_that_matches_only_some_sound_rows_confirms_no_suspicion_by_accident(bench: Bench) -> None:
    """Half of all rows, found or declined, have no sentence by the rule: no difference, no verdict from the source."""
    every_other = [row["id"] for row in ROWS if int(row["id"][2:]) % 2]
    report = asked(bench, every_other)
    assert "9 of the 20 rows" in report.why
    assert "Of the rows missed by all" not in report.why


def test_without_a_rule_the_sentences_are_shown_and_decide_nothing(bench: Bench) -> None:
    report = asked(bench, DECLINED, rule=None)
    assert (report.superset_check, report.second_partition) == (None, None)
    assert report.rows[0].sentences[0].line == 3


def test_candidate_rules_are_judged_in_both_directions(bench: Bench) -> None:
    report = asked(bench, DECLINED, rules={"any permit": "(?i)permit", "short": r"covers \d\d square", "none": "xyz"})
    judged = {one.name: (one.defects_removed, one.sound_rows_kept, len(one.sound_rows_lost)) for one in report.rule_candidates}
    found_by_all = [row for row in ROWS if row["id"] not in (*DECLINED, *SCATTERED)]
    two_digits = sum(row["area"] < 100 for row in found_by_all)
    assert judged == {
        "any permit": (0, 14, 0),
        "short": (4, two_digits, 14 - two_digits),
        "none": (4, 0, 14),
    }
    assert report.rule_candidates[0].defects_left == DECLINED


def test_a_pattern_that_is_none_is_refused_by_its_flag(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"--rule is no regular expression"):
        asked(bench, (), rule="(")
    with pytest.raises(UsageError, match=r"--rules broken is no regular expression"):
        asked(bench, (), rules={"broken": "["})


def test_several_sentences_of_a_row_are_counted_beyond_those_shown(bench: Bench) -> None:
    more = "".join(f"Again P-002, permit note {n}.\n" for n in range(7))
    report = asked(bench, DECLINED, corpus=bench.corpus({"part-01.txt": corpus_text(DECLINED), "part-02.txt": more}))
    assert [s.path for s in report.rows[0].sentences] == ["part-01.txt", *["part-02.txt"] * 4]
    assert report.omitted["sentences"] == 3


def test_hostile_sentences_are_quoted_clean_and_bounded(bench: Bench) -> None:
    corpus = bench.corpus({"part-02.txt": "P-002 permit \x1b[31mred\x1b[0m \u202e" + "x" * 5000 + "\n"})
    quote = asked(bench, DECLINED, corpus=corpus).rows[0].sentences[1].quote
    assert quote.startswith("P-002 permit red")
    assert len(quote) <= 400
    assert "\x1b" not in quote


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("P-1", "see P-1."),
        ("P-1", "(P-1)"),
        ("P-1", "P-12 and P-1"),
        ("P-001", "P-001,107,Mill"),
        ("7", "row 7, a"),
        ("7", "7"),
        ("Mill lane", "at Mill lane, 3"),
        ("C++", "in C++ and C"),
        ("日本", "は 日本 の"),
    ],
)
def test_a_key_stands_in_a_line(part: str, text: str) -> None:
    assert stands_in(part, text)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("P-1", "P-12"),
        ("P-1", "AP-1"),
        ("P-1", "P-1-2"),
        ("1", "P-1"),
        ("7", "17"),
        ("7", "7.5"),
        ("7", "3.7"),
        ("P-1", "p-1"),
        ("a", ""),
    ],
)
def test_a_part_of_a_longer_word_is_no_key(part: str, text: str) -> None:
    assert not stands_in(part, text)


def test_all_parts_of_a_key_of_several_fields_have_to_stand_in_the_line(bench: Bench) -> None:
    rows = [{"who": who, "on": f"2026-05-0{day}", "text": f"{who}{day}"} for who in ("Ada", "Bo") for day in range(1, 7)]
    oracle = bench.key(rows)
    for number in range(4):
        bench.trial(f"m/m-{number}", [row for row in rows if (row["who"], row["on"]) != ("Bo", "2026-05-03")])
    corpus = bench.corpus({"a.txt": "2026-05-03 Ada: one\n2026-05-03 Bo: two\n2026-05-04 Bo: three\n"})
    report = partition_disputed_rows(bench.jobs, oracle, ["who", "on"], corpus=corpus, wide=".")
    (row,) = report.rows
    assert row.key == ["Bo", "2026-05-03"]
    assert [(s.line, s.quote) for s in row.sentences] == [(2, "2026-05-03 Bo: two")]
