"""The harness before Harbor: its record keeps the brief and the time of grading, and no digest."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from staleness.bench import ask, only, write
from terminal_bench_trees import BRIEF, trial
from whyzero.analyses.check_staleness import StaleTrial

TASK_YAML = "instruction: |-\n  {brief}\nauthor_email: nobody@example.invalid\nparser_name: pytest\n"
GRADED = datetime(2026, 3, 1, 10, 5, tzinfo=UTC)


def judged(tmp_path: Path, brief: str, key_at: datetime) -> StaleTrial:
    trial(tmp_path / "runs" / "count-words" / "count-words.1-of-1.run", ("test_count", ""), resolved=True)
    root = tmp_path / "count-words"
    write(root / "task.yaml", TASK_YAML.format(brief=brief))
    write(root / "tests" / "expected.json", [{"number": 42}], at=key_at)
    return only(ask(tmp_path / "runs", task=root))


def test_the_recorded_instruction_is_the_brief(tmp_path: Path) -> None:
    found = judged(tmp_path, BRIEF, datetime(2026, 2, 1, tzinfo=UTC))
    assert (found.task, found.key, found.window, found.oracle, found.inputs, found.advice) == (
        "count-words",
        "fresh",
        "fresh",
        "fresh",
        "cannot_tell",
        "reuse",
    )


def test_a_brief_that_asks_for_another_count_moved(tmp_path: Path) -> None:
    found = judged(
        tmp_path, "Count the words of notes.txt longer than 12 letters and write the number to /app/count.txt.", GRADED
    )
    assert (found.window, [(m.recorded, m.current) for m in found.moved]) == ("stale", [(None, "12 letters")])


def test_a_key_changed_after_the_tests_ran_is_stale(tmp_path: Path) -> None:
    """Nothing of the work is kept, so that only a new run can be graded."""
    found = judged(tmp_path, BRIEF, datetime(2026, 3, 2, tzinfo=UTC))
    assert (found.oracle, found.advice) == ("stale", "rerun")
    assert "graded 2026-03-01T10:05:00Z" in found.how.oracle
