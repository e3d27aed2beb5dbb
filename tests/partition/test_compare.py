"""When a row is found: the same key by its text, the same values by their texts or as numbers."""

from __future__ import annotations

from typing import Any

import pytest

from whyzero.analyses.partition.compare import Answer, Lookup
from whyzero.analyses.partition.key import answer_key
from whyzero.analyses.partition.masks import columns, counts, everything, mask_of, rows_of
from whyzero.errors import UsageError
from whyzero.readers.tables import Table
from whyzero.values import key_text, plain, same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (384, 384.0),
        (384, "384"),
        ("384.0", 384),
        ("1e3", 1000),
        ("a", "a"),
        (None, ""),
        (True, "true"),
        ([1, "a"], [1, "a"]),
        (-0.0, 0),
    ],
)
def test_equal_values(one: Any, other: Any) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (384, 385),
        ("0384", 384),
        ("A", "a"),
        ("a ", "a"),
        (True, 1),
        (False, 0),
        ("1,000", 1000),
        (None, 0),
        ("nan", "NaN"),
        (0.1, 0.10001),
    ],
)
def test_values_that_differ(one: Any, other: Any) -> None:
    assert not same(one, other)


def test_a_key_is_its_text() -> None:
    assert key_text(7) == key_text("7") == "7"
    assert len({key_text(key) for key in ("07", "7", "A1", "A1 ", "a1")}) == 5
    assert key_text(7.5) == "7.5"
    assert key_text(None) is None


def test_a_large_number_is_not_rounded() -> None:
    assert not same(10**17 + 1, 10**17)
    assert plain("9" * 400) == "9" * 400


def compared(key: list[dict[str, Any]], sent: list[dict[str, Any]], fields: tuple[str, ...] = ("id",)) -> Answer:
    return Lookup(answer_key(Table(key, "json"), fields)).compare(Table(sent, "json"))


KEY = [{"id": 7, "area": 384, "ok": True}, {"id": "8", "area": 10, "ok": False}, {"id": "09", "area": "x", "ok": True}]


def test_found_left_out_and_wrong() -> None:
    answer = compared(KEY, [{"id": "7", "area": "384.0", "ok": True}, {"id": 8, "area": 11, "ok": False}])
    assert list(rows_of(answer.sent)) == [0, 1]
    assert list(rows_of(answer.found(("area", "ok")))) == [0]
    assert list(rows_of(answer.found(("ok",)))) == [0, 1]
    assert answer.wrong == {1: (("area", 11),)}


def test_true_is_not_one() -> None:
    answer = compared([{"id": 1, "n": 1}, {"id": 2, "n": True}], [{"id": 1, "n": True}, {"id": 2, "n": 1}])
    assert answer.found(("n",)) == 0


def test_another_spelling_of_a_key_is_an_invented_row() -> None:
    answer = compared(KEY, [{"id": 9, "area": "x", "ok": True}])
    assert answer.sent == 0
    assert answer.invented == {"9": (("area", "x"), ("ok", "true"))}


def test_a_row_without_a_key_is_counted_and_not_compared() -> None:
    answer = compared(KEY, [{"area": 384}, {"id": None, "area": 384}])
    assert (answer.sent, answer.invented, answer.unidentified) == (0, {}, 2)


def test_a_row_sent_twice_is_found_when_one_copy_is_right() -> None:
    right, wrong = {"id": "8", "area": 10, "ok": False}, {"id": "8", "area": 11, "ok": False}
    for sent in ([right, wrong], [wrong, right]):
        answer = compared(KEY, sent)
        assert list(rows_of(answer.found(("area", "ok")))) == [1]
        assert (answer.repeated, answer.wrong) == (1, {})


def test_a_missing_field_finds_nothing_and_null_is_an_empty_text() -> None:
    answer = compared(
        [{"id": "a", "note": "", "n": 1}, {"id": "b", "note": "x", "n": 2}], [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
    )
    assert answer.found(("n",)) == everything(2)
    assert answer.found(("note",)) == 0


def test_several_key_fields() -> None:
    key = [{"who": "A", "at": 1, "v": 5}, {"who": "A", "at": 2, "v": 6}]
    answer = compared(key, [{"who": "A", "at": "2", "v": 6}, {"who": "B", "at": 1, "v": 5}], ("who", "at"))
    assert list(rows_of(answer.found(("v",)))) == [1]
    assert list(answer.invented) == [("B", "1")]


def test_a_key_that_does_not_identify_a_row_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"--key id .*P-2"):
        answer_key(Table([{"id": "P-1"}, {"id": "P-2"}, {"id": "P-2"}], "json"), ("id",))
    with pytest.raises(UsageError, match="nosuch"):
        answer_key(Table([{"id": "P-1"}], "json"), ("nosuch",))
    with pytest.raises(UsageError, match="row 1 of --oracle has no value"):
        answer_key(Table([{"id": "P-1"}, {"id": None}], "json"), ("id",))
    with pytest.raises(UsageError, match="--field area"):
        answer_key(Table([{"id": "P-1"}], "json"), ("id",), ("area",))
    with pytest.raises(UsageError, match="--key is missing"):
        answer_key(Table([{"id": "P-1"}], "json"), ())


def test_a_number_and_its_text_are_one_key_twice() -> None:
    with pytest.raises(UsageError, match="7"):
        answer_key(Table([{"id": 7}, {"id": "7"}], "json"), ("id",))


def test_counting_over_sets() -> None:
    sets = [mask_of(rows, 70) for rows in ([0, 3, 69], [3], [3, 69], [])]
    assert {row: n for row, n in enumerate(counts(sets, 70)) if n} == {0: 1, 3: 3, 69: 2}
    assert list(rows_of(sets[0])) == [0, 3, 69]


def test_sets_turned_over_are_the_sets_that_hold_each_row() -> None:
    sets = [mask_of(rows, 9000) for rows in ([0, 3, 4095, 4096], [3, 8999], [], [3])]
    assert dict(columns(sets, 9000)) == {0: 0b1, 3: 0b1011, 4095: 0b1, 4096: 0b1, 8999: 0b10}
    assert list(columns([], 10)) == list(columns([0, 0], 10)) == []
