"""Rows out of files: every format, and what is no row."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from whyzero.readers.files import Folder
from whyzero.readers.tables import NO_PARQUET, Table, read_table

ROWS = [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
TEXTS = [{"id": "a", "n": "1"}, {"id": "b", "n": "2"}]


def read(tmp_path: Path, name: str, content: str | bytes, key: tuple[str, ...] = ("id",)) -> tuple[Table | None, list[str]]:
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / name).write_bytes(data)
    folder = Folder(tmp_path)
    return read_table(folder, name, key), [problem.reason for problem in folder.problems]


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("a.json", '[{"id": "a", "n": 1}, {"id": "b", "n": 2}]', ROWS),
        ("a.json", '{"count": 2, "permits": [{"id": "a", "n": 1}, {"id": "b", "n": 2}]}', ROWS),
        ("a.json", '{"id": "a", "n": 1}\n{"id": "b", "n": 2}\n', ROWS),
        ("a.jsonl", '{"id": "a", "n": 1}\n\n{"id": "b", "n": 2}', ROWS),
        ("a.csv", "id,n\na,1\nb,2\n", TEXTS),
        ("a.csv", "\ufeffid;n\r\na;1\r\nb;2\r\n", TEXTS),
        ("a.tsv", "id\tn\na\t1\nb\t2\n", TEXTS),
        ("answers", "id,n\na,1\nb,2\n", TEXTS),
        ("answers", '[{"id": "a", "n": 1}, {"id": "b", "n": 2}]', ROWS),
    ],
)
def test_rows_are_read(tmp_path: Path, name: str, content: str, rows: list[dict[str, object]]) -> None:
    table, problems = read(tmp_path, name, content)
    assert table is not None
    assert table.rows == rows
    assert (table.names, table.stray, problems) == (None, 0, [])


def test_the_members_of_an_object_of_rows_are_its_keys(tmp_path: Path) -> None:
    table, _ = read(tmp_path, "a.json", '{"a": {"n": 1}, "b": {"n": 2}}')
    assert table == Table([{"n": 1}, {"n": 2}], "json-object", names=["a", "b"])
    bare, _ = read(tmp_path, "a.json", '{"a": 1, "b": "x"}')
    assert bare == Table([{"value": 1}, {"value": "x"}], "json-object", names=["a", "b"])


def test_an_object_that_holds_the_key_fields_is_one_row(tmp_path: Path) -> None:
    table, _ = read(tmp_path, "a.json", '{"id": "a", "n": 1}')
    assert table == Table([{"id": "a", "n": 1}], "json")


def test_elements_that_are_no_rows_are_counted(tmp_path: Path) -> None:
    table, _ = read(tmp_path, "a.json", '[{"id": "a"}, 7, "x", [1]]')
    assert table == Table([{"id": "a"}], "json", stray=3)
    long, _ = read(tmp_path, "a.csv", "id,n\na,1\nb,2,3\n")
    assert long == Table([{"id": "a", "n": "1"}], "csv", stray=1)


def test_an_empty_list_is_a_table_and_an_empty_file_is_none(tmp_path: Path) -> None:
    assert read(tmp_path, "a.json", "[]")[0] == Table([], "json")
    for name, content in (("a.json", ""), ("a.json", "not json"), ("a.csv", ""), ("a.json", "null"), ("a.json", "7")):
        table, problems = read(tmp_path, name, content)
        assert table is None
        assert len(problems) == 1


def test_a_header_with_one_name_twice_is_no_header(tmp_path: Path) -> None:
    table, problems = read(tmp_path, "a.csv", "id,id\na,1\n")
    assert table is None
    assert "header" in problems[0]


def test_parquet_without_the_extra_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert read(tmp_path, "a.parquet", b"PAR1....PAR1") == (None, [NO_PARQUET])
    assert "whyzero[tables]" in NO_PARQUET


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs the extra `tables`")
def test_parquet(tmp_path: Path) -> None:
    from datetime import date
    from decimal import Decimal

    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(
        {"id": ["a", "b"], "n": [1, 2], "made": [date(2026, 5, 1), None], "sum": [Decimal("1.50"), Decimal("2.00")]}
    )
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    read_back = read_table(Folder(tmp_path), "a.parquet")
    assert read_back == Table(
        [{"id": "a", "n": 1, "made": "2026-05-01", "sum": "1.50"}, {"id": "b", "n": 2, "made": None, "sum": "2.00"}], "parquet"
    )
    assert read(tmp_path, "b.parquet", b"PAR1 and no more") == (None, ["does not parse as Parquet (ArrowInvalid)"])
