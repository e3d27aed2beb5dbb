"""The first line says what was compared: a number that was put beside nothing is not called fresh, nor fit for reuse."""

from __future__ import annotations

import re
from pathlib import Path

from staleness.bench import BRIEF, ask, checksum, job, task, trial, user
from whyzero.analyses.check_staleness import Staleness
from whyzero.render import document, plain
from whyzero.render.blocks import Heading, Headline, Tone


def headline(report: Staleness) -> tuple[str, Tone]:
    first = document(report).blocks[0]
    assert isinstance(first, Headline)
    return first.text, first.tone


def test_without_a_task_of_today_nothing_was_compared(tmp_path: Path) -> None:
    run = job(tmp_path / "jobs")
    trial(run, name="permits__abc1234", steps=[user(BRIEF)])
    report = ask(run)
    assert headline(report) == ("Nothing was compared: 1 trial unchecked", Tone.UNSURE)
    assert report.summary == (
        "1 trial, and nothing was compared: no number is known to be stale, and none to be fresh. "
        "Not to be told for any trial: key, window, oracle, inputs. "
        "No task of today was given, so there is nothing to compare with: give it as task."
    )
    assert report.counts["advice"] == {"reuse": 1}
    assert [b.text for b in document(report).blocks if isinstance(b, Heading) and ":" in b.text] == [
        "permits__abc1234: unchecked"
    ]
    assert [step.tool for step in report.next_steps] == ["check_staleness", "classify_zero"]
    assert "may be kept" not in report.next_steps[1].why


def test_what_is_fresh_in_every_check_has_not_moved(tmp_path: Path) -> None:
    root = task(tmp_path / "permits")
    run = job(tmp_path / "jobs")
    trial(run, steps=[user(BRIEF)], checksum=checksum(root))
    report = ask(run, task=root)
    assert headline(report) == ("Nothing moved: 1 reuse", Tone.GOOD)
    assert report.summary == "1 trial: 1 to reuse."


def test_of_trials_with_and_without_something_to_compare_both_are_told(tmp_path: Path) -> None:
    root = task(tmp_path / "permits")
    run = job(tmp_path / "jobs")
    trial(run, name="permits__abc1234", steps=[user(BRIEF)], checksum=checksum(root))
    trial(run, name="other__abc1234", task_name="other")
    report = ask(run, task=root)
    assert headline(report) == ("Nothing moved of what could be compared: 2 reuse", Tone.GOOD)
    assert report.summary.startswith("2 trials: 2 to reuse, 1 of these with nothing to compare.")


def test_what_is_the_same_for_all_trials_is_said_once(tmp_path: Path) -> None:
    """And a number that was put beside nothing is not called fit for reuse in the table either."""
    for name in ("one", "two"):
        run = job(tmp_path / "jobs", name)
        trial(run, name=f"permits__{name}123", steps=[user(BRIEF)])
    report = ask(tmp_path / "jobs")
    shown = plain(report)
    assert shown.count("No answer key is known") == 1
    assert "## All 2 trials: unchecked" in shown
    assert shown.count("| unchecked |") == 2
    assert "| reuse |" not in shown
    assert report.next_steps[0].arguments == {"path": str(tmp_path / "jobs")}


def test_trials_of_which_something_else_is_to_be_said_stand_apart(tmp_path: Path) -> None:
    root = task(tmp_path / "permits")
    run = job(tmp_path / "jobs")
    trial(run, name="permits__abc1234", steps=[user(BRIEF)], checksum=checksum(root))
    for name in ("other__abc1234", "other__abc5678"):
        trial(run, name=name, task_name="other")
    shown = plain(ask(run, task=root))
    assert "## 2 trials: unchecked\n\nother__abc1234, other__abc5678\n" in shown
    assert "permits__abc1234: " not in shown


def test_a_sweep_ends_at_a_second(tmp_path: Path) -> None:
    run = job(tmp_path / "jobs")
    trial(run, name="permits__abc1234", steps=[user(BRIEF)])
    [line] = [line for line in plain(ask(run)).splitlines() if "recorded end of its trials" in line]
    assert re.search(r"\| \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \|", line)
