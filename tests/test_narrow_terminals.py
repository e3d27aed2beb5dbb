"""Tables on a terminal: no word of the vocabulary breaks, however narrow it is."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from whyzero.render.blocks import Document, Table
from whyzero.render.terminal import Rendered

TABLE = Table(
    ("trial", "outcome", "reward", "cause", "phase"),
    (
        ("weekly-sales__Ym8X5Fk", "graded_zero", "0", "rate_limited", "trajectory"),
        ("sales-memo__BtyaPho", "not_graded", "-", "grader_error", "grading"),
    ),
    "All 2 trials.",
)


SAID = "AssertionError: the decompressed file differs from the original in its first block, which the brief says must stay"
SENTENCES = Table(
    ("test", "missed by", "found by", "said"), (("test_outputs.py::test_decompression", "1 of 2", "claude-opus", SAID),)
)


def shown(width: int, table: Table = TABLE) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(Rendered(Document("t", (table,))))
    return [line.rstrip() for line in out.getvalue().splitlines()][2:]


def test_a_wide_terminal_shows_a_table() -> None:
    assert shown(100) == [
        "trial                   outcome       reward   cause          phase",
        "────────────────────────────────────────────────────────────────────────",
        "weekly-sales__Ym8X5Fk   graded_zero   0        rate_limited   trajectory",
        "sales-memo__BtyaPho     not_graded    -        grader_error   grading",
        "All 2 trials.",
    ]


def test_a_narrower_one_breaks_the_names_only() -> None:
    assert shown(65) == [
        "trial            outcome       reward   cause          phase",
        "─────────────────────────────────────────────────────────────────",
        "weekly-sales__   graded_zero   0        rate_limited   trajectory",
        "Ym8X5Fk",
        "sales-memo__Bt   not_graded    -        grader_error   grading",
        "yaPho",
        "All 2 trials.",
    ]


def test_where_words_would_break_each_row_is_told_by_itself_without_what_is_absent() -> None:
    assert shown(60) == [
        "trial weekly-sales__Ym8X5Fk",
        "  outcome graded_zero · reward 0 · cause rate_limited ·",
        "  phase trajectory",
        "trial sales-memo__BtyaPho",
        "  outcome not_graded · cause grader_error · phase grading",
        "All 2 trials.",
    ]


@pytest.mark.parametrize("width", range(20, 120))
def test_the_words_of_the_vocabulary_are_whole_at_every_width(width: int) -> None:
    text = "\n".join(shown(width))
    for word in ("graded_zero", "rate_limited", "trajectory", "grader_error", "not_graded"):
        assert word in text
    assert max(map(len, shown(width))) <= width


def test_a_sentence_is_no_column_of_single_words() -> None:
    """Six lines high in 25 cells, it is read by itself; where it takes two lines, the row stays a row."""
    assert shown(80, SENTENCES) == [
        "test test_outputs.py::test_decompression",
        "  missed by 1 of 2 · found by claude-opus · said AssertionError: the",
        "  decompressed file differs from the original in its first block, which the",
        "  brief says must stay",
    ]
    wide = shown(140, SENTENCES)
    assert wide[0].split() == ["test", "missed", "by", "found", "by", "said"]
    assert len(wide) == 4
