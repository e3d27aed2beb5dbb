"""A sweep too large to keep every wrong value, or to be read by one process, gets the same answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from partition.jobs import Bench, changed, permits, without
from whyzero.analyses.partition import gather
from whyzero.analyses.partition_disputed_rows import partition_disputed_rows
from whyzero.evidence import dump

ROWS = permits(30)
KEPT_FOR_ALL = (
    "verdict",
    "why",
    "counts",
    "structure",
    "invented",
    "chance",
    "pairwise",
    "models",
    "tasks",
    "answered",
    "problems",
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Six trials; one value wrong alike in all, one differently in each, others missed by some; one file is no table."""
    bench = Bench(tmp_path)
    for number in range(6):
        sent = changed(ROWS, P_012={"area": 777}, P_020={"area": 900 + number}, P_003={"area": 5 if number else ROWS[2]["area"]})
        bench.trial(f"m/m-{number % 3}", [*without(sent, f"P-{20 + number:03d}"), {"id": "X-1", "area": 3}])
    bench.trial("m/m-0", "no table", reward=0.0)
    return bench


def answer(bench: Bench) -> dict[str, Any]:
    said: dict[str, Any] = dump(partition_disputed_rows(bench.jobs, bench.key(ROWS), ["id"]))
    return said


def test_wrong_values_of_rows_that_somebody_found_are_not_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    small = answer(bench)
    monkeypatch.setattr(gather, "CELLS_KEPT", 0)
    large = answer(bench)
    assert {name: large[name] for name in KEPT_FOR_ALL} == {name: small[name] for name in KEPT_FOR_ALL}
    by_all, by_some = ([row for row in large["rows"] if row["class"] == f"declined_by_{who}"] for who in ("all", "some"))
    assert by_all == [row for row in small["rows"] if row["class"] == "declined_by_all"]
    assert [row["key"] for row in by_all] == ["P-012", "P-020"]
    assert all("submitted_values" not in row for row in by_some)


def test_a_row_with_more_variants_than_are_kept_shows_none_of_them(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather, "CELLS_KEPT", 0)
    monkeypatch.setattr(gather, "VARIANTS_KEPT", 3)
    rows = {row["key"]: row for row in answer(bench)["rows"]}
    assert "submitted_values" not in rows["P-020"]
    assert len(rows["P-012"]["submitted_values"]) == 1


@pytest.mark.parametrize("cells", [0, gather.CELLS_KEPT])
def test_several_processes_say_the_same_as_one(cells: int, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather, "CELLS_KEPT", cells)
    alone = answer(bench)
    monkeypatch.setattr(gather, "BYTES_ALONE", 0)
    monkeypatch.setattr(gather.os, "cpu_count", lambda: 2)
    assert answer(bench) == alone


def test_where_no_process_can_be_started_one_does_all(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no semaphores here")

    alone = answer(bench)
    monkeypatch.setattr(gather, "BYTES_ALONE", 0)
    monkeypatch.setattr(gather, "ProcessPoolExecutor", refuse)
    assert answer(bench) == alone
