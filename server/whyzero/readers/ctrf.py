"""CTRF test reports (`ctrf.json`), as pytest-json-ctrf and others write them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from whyzero.model import Spot, TestOutcome
from whyzero.readers.files import Folder, moment
from whyzero.readers.judgement import with_absence
from whyzero.readers.pytest_log import FRAME, clipped
from whyzero.readers.shapes import obj

TEST_LIMIT = 2000


@dataclass(frozen=True, slots=True)
class Report:
    """One test report; counts are what ran, skipped tests left out."""

    tests: tuple[TestOutcome, ...]
    collected: int | None
    passed: int | None
    spot: Spot
    started_at: datetime | None


def read_ctrf(folder: Folder, path: str, names: tuple[str, ...]) -> Report | None:
    """The report at `path`, or None where there is none or it does not have the shape."""
    data = folder.json_object(path)
    results = data.get("results") if data else None
    if not isinstance(results, dict):
        return None
    summary = obj(results.get("summary"))
    listed = results.get("tests")
    listed = listed if isinstance(listed, list) else []
    tests = tuple(_test(item, index, path, names) for index, item in enumerate(listed[:TEST_LIMIT]) if isinstance(item, dict))
    run = tuple(t for t in tests if t is not None)
    total, skipped = _count(summary, "tests"), _count(summary, "skipped") or 0
    return Report(
        tests=run,
        collected=len(run) if total is None else max(total - skipped, 0),
        passed=sum(t.passed for t in run) if _count(summary, "passed") is None else _count(summary, "passed"),
        spot=Spot(path, pointer="/results/summary"),
        started_at=_moment(summary.get("start")),
    )


def _test(item: dict[str, Any], index: int, path: str, names: tuple[str, ...]) -> TestOutcome | None:
    status = item.get("status")
    if status not in ("passed", "failed", "other"):
        return None
    at = f"/results/tests/{index}"
    test = TestOutcome(str(item.get("name", ""))[:300], status == "passed", spot=Spot(path, pointer=f"{at}/status"))
    if test.passed:
        return test
    trace, message = str(item.get("trace") or "")[:60_000], str(item.get("message") or "")[:4000]
    explained = [clipped(line[1:].strip()) for line in trace.splitlines() if line.startswith("E ")]
    files = tuple(dict.fromkeys(m["path"] for line in trace.splitlines() if (m := FRAME.match(line.strip()))))[:20]
    told = with_absence(
        replace(test, files=files), [*explained, *(clipped(line.strip()) for line in message.splitlines())], names
    )
    if not told.message:
        return told if status == "failed" else replace(told, spot=Spot(path, pointer=f"{at}/name"))
    return replace(told, spot=Spot(path, pointer=f"{at}/{'trace' if told.message in explained else 'message'}"))


def _count(summary: dict[str, Any], key: str) -> int | None:
    value = summary.get(key)
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _moment(value: Any) -> datetime | None:
    """Milliseconds since 1970; some writers use seconds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        return None
    return moment(value, 1000 if value > 1e11 else 1)
