"""Which sweep is current, and which trials belong together."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from staleness.bench import BRIEF, GRADED, ask, checksum, job, task, trial, user, write
from staleness.test_inputs import workspace
from whyzero.analyses.check_staleness import Staleness

DAY = timedelta(days=1)


def sweep(jobs: Path, name: str, ended: datetime | str = GRADED, **options: object) -> Path:
    """A job of one answered trial that ended at this time."""
    run = job(jobs, name, finished_at="2026-12-31T00:00:00Z")
    return trial(run, f"permits__{name}", steps=[user(BRIEF)], graded=ended, **options)  # type: ignore[arg-type]


def order(report: Staleness) -> list[tuple[str, bool]]:
    return [(s.name, s.current) for s in report.sweeps]


def test_the_end_of_the_trials_decides_not_the_name(tmp_path: Path) -> None:
    sweep(tmp_path / "jobs", "mid-rev-k3", GRADED + DAY)
    sweep(tmp_path / "jobs", "mid-rev2-k3", GRADED)
    report = ask(tmp_path / "jobs")
    assert order(report) == [("mid-rev-k3", True), ("mid-rev2-k3", False)]
    assert {s.clock_source for s in report.sweeps} == {"recorded end of its trials"}


def test_neither_a_jobs_own_record_nor_its_file_times_decide(tmp_path: Path) -> None:
    old, new = sweep(tmp_path / "jobs", "a", GRADED), sweep(tmp_path / "jobs", "b", GRADED + DAY)
    write(old.parent / "result.json", {"n_total_trials": 1, "finished_at": "2027-01-01T00:00:00"}, at=GRADED + 9 * DAY)
    write(new.parent / "result.json", {"n_total_trials": 1, "finished_at": "2026-01-01T00:00:00"}, at=GRADED - 9 * DAY)
    assert order(ask(tmp_path / "jobs")) == [("b", True), ("a", False)]


def test_a_sweep_that_answered_nothing_does_not_become_current(tmp_path: Path) -> None:
    sweep(tmp_path / "jobs", "answered", GRADED)
    sweep(tmp_path / "jobs", "no-submission", GRADED + DAY, submitted=False, reward=0.0)
    sweep(tmp_path / "jobs", "not-graded", GRADED + 2 * DAY, reward=None)
    report = ask(tmp_path / "jobs")
    assert order(report) == [("not-graded", False), ("no-submission", False), ("answered", True)]
    assert "replaces no number" in report.sweeps[0].note


def test_where_a_verifier_keeps_no_submission_a_judgement_is_an_answer(tmp_path: Path) -> None:
    sweep(tmp_path / "jobs", "judged", GRADED, submitted=False, reward=1.0)
    sweep(tmp_path / "jobs", "zero", GRADED + DAY, submitted=False, reward=0.0)
    assert order(ask(tmp_path / "jobs")) == [("zero", False), ("judged", True)]
    sweep(tmp_path / "jobs", "kept", GRADED - DAY)
    assert order(ask(tmp_path / "jobs")) == [("zero", False), ("judged", False), ("kept", True)]


def test_where_nothing_is_answered_no_sweep_is_current(tmp_path: Path) -> None:
    sweep(tmp_path / "jobs", "a", submitted=False, reward=0.0)
    sweep(tmp_path / "jobs", "b", GRADED + DAY, reward=None)
    assert [current for _, current in order(ask(tmp_path / "jobs"))] == [False, False]


def test_a_sweep_without_the_task_asked_for_is_listed_and_not_current(tmp_path: Path) -> None:
    sweep(tmp_path / "jobs", "all-tasks", GRADED)
    sweep(tmp_path / "jobs", "mail-only", GRADED + DAY, task_name="mail")
    report = ask(tmp_path / "jobs", task=task(tmp_path / "permits"))
    assert order(report) == [("mail-only", False), ("all-tasks", True)]
    assert report.sweeps[0].note == "It holds no trial of this task."


def test_each_task_and_model_has_a_current_sweep_of_its_own(tmp_path: Path) -> None:
    for name, ended in (("old", GRADED), ("new", GRADED + DAY)):
        run = sweep(tmp_path / "jobs", name, ended).parent
        trial(run, f"permits__{name}-other", steps=[user(BRIEF)], graded=ended, model="wren-1")
    trial(tmp_path / "jobs" / "old", "mail__old", steps=[user(BRIEF)], task_name="mail")
    found = {(s.name, s.task, s.model): s.current for s in ask(tmp_path / "jobs").sweeps}
    assert found == {
        ("old", "permits", "tern-2"): False,
        ("old", "permits", "wren-1"): False,
        ("new", "permits", "tern-2"): True,
        ("new", "permits", "wren-1"): True,
        ("old", "mail", "tern-2"): True,
    }


def test_ties_and_overlaps_are_told_and_one_of_them_is_current(tmp_path: Path) -> None:
    sweep(tmp_path / "jobs", "a")
    sweep(tmp_path / "jobs", "b")
    report = ask(tmp_path / "jobs")
    assert sorted(current for _, current in order(report)) == [False, True]
    current = next(s for s in report.sweeps if s.current)
    assert "A tie" in current.note
    assert "arbitrary" in current.note
    overlapping = tmp_path / "overlapping"
    sweep(overlapping, "a", GRADED)
    sweep(overlapping, "b", GRADED + timedelta(seconds=30))
    assert "It overlaps in time with a." in next(s.note for s in ask(overlapping).sweeps if s.current)


def test_a_sweep_with_local_times_is_not_ordered_among_those_with_a_zone(tmp_path: Path) -> None:
    sweep(tmp_path / "jobs", "zoned", GRADED)
    sweep(tmp_path / "jobs", "local", "2027-01-01T00:00:00", finished="2027-01-01T00:00:00")
    report = ask(tmp_path / "jobs")
    assert order(report) == [("zoned", True), ("local", False)]
    assert "Not in the order, for want of a time with a zone: local." in report.sweeps[0].note
    assert "without a zone" in report.sweeps[1].clock_source


def test_local_times_are_ordered_among_themselves(tmp_path: Path) -> None:
    for name, day in (("a", 2), ("b", 1)):
        sweep(tmp_path / "jobs", name, f"2026-10-0{day}T00:00:00", finished=f"2026-10-0{day}T00:00:00")
    assert order(ask(tmp_path / "jobs")) == [("a", True), ("b", False)]


def test_times_with_different_zones_are_ordered_in_utc(tmp_path: Path) -> None:
    """09:00 in UTC+9 is before 01:00 UTC."""
    sweep(tmp_path / "jobs", "tokyo", "2026-10-02T09:00:00+09:00", finished="2026-10-02T09:00:00+09:00")
    sweep(tmp_path / "jobs", "utc", "2026-10-02T01:00:00Z", finished="2026-10-02T01:00:00Z")
    assert order(ask(tmp_path / "jobs")) == [("utc", True), ("tokyo", False)]


def test_rows_of_a_dataset_are_one_sweep(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    evals = root / ".osmosis" / "evals"
    for name, hour in (("dev-run", 9), ("again", 12)):
        run = evals / name
        run.mkdir(exist_ok=True)
        if name == "again":
            for file in (evals / "dev-run").rglob("*"):
                if file.is_file():
                    text = file.read_text().replace("dev-run", "again").replace("a" * 32, "b" * 32)
                    write(run / file.relative_to(evals / "dev-run"), text)
        lines = [f"2026-10-02T{hour:02}:00:00.000000Z INFO [run] {name}: 2 of 2 work items pending"]
        for row in (0, 1):
            stamp = f"2026-10-02T{hour:02}:00:0{row}.000000Z"
            said = f"osmosis_ai.rollout.server.app: Rollout {str(row) * 32} finished with status success"
            lines.append(f"{stamp} INFO [rollout-server] 2026-10-02 09:00:00,000 INFO {said}")
        write(run / "logs.txt", "\n".join(lines) + "\n")
    report = ask(evals)
    assert [(s.name, s.task, s.tasks, s.trials, s.current) for s in report.sweeps] == [
        ("again", "sums-dev", 2, 2, True),
        ("dev-run", "sums-dev", 2, 2, False),
    ]


def test_many_tasks_that_agree_are_one_entry(tmp_path: Path) -> None:
    for name, ended in (("old", GRADED), ("new", GRADED + DAY)):
        run = job(tmp_path / "jobs", name)
        for n in range(12):
            trial(
                run,
                f"t{n}__{name}",
                steps=[user(BRIEF)],
                graded=ended,
                task_name=f"t{n}",
                submitted=not (name == "new" and n == 0),
            )
    found = [(s.name, s.task, s.tasks, s.current) for s in ask(tmp_path / "jobs").sweeps]
    assert sorted(found, key=str) == [
        ("new", "t0", 1, False),
        ("new", None, 11, True),
        ("old", "t0", 1, True),
        ("old", None, 11, False),
    ]


# ---- versions


def test_trials_of_different_versions_of_a_task_do_not_belong_together(tmp_path: Path) -> None:
    root = task(tmp_path / "permits")
    run = job(tmp_path / "jobs")
    trial(run, "permits__aaaaaaa", steps=[user(BRIEF)], checksum=checksum(root))
    trial(run, "permits__bbbbbbb", steps=[user(BRIEF)], checksum=checksum(root))
    trial(run, "permits__ccccccc", steps=[user(BRIEF.replace("31 days", "90 days"))], checksum="1" * 64)
    report = ask(run, task=root)
    assert [(v.digest, v.is_today, v.count, v.trials) for v in report.versions] == [
        (checksum(root)[:12], True, 2, ("permits__aaaaaaa", "permits__bbbbbbb")),
        ("1" * 12, False, 1, ("permits__ccccccc",)),
    ]
    assert "see versions before averaging" in report.summary


def test_one_digest_with_two_briefs_is_two_versions(tmp_path: Path) -> None:
    run = job(tmp_path / "jobs")
    trial(run, "permits__aaaaaaa", steps=[user(BRIEF)])
    trial(run, "permits__bbbbbbb", steps=[user(BRIEF.replace("1,204", "3,318"))])
    trial(run, "permits__ccccccc", steps=[user(BRIEF.replace("1,204", "1204").replace("List every", "Name every"))])
    found = ask(run, task=write(tmp_path / "brief.md", BRIEF)).versions
    assert [(v.trials, v.is_today) for v in found] == [
        (("permits__aaaaaaa", "permits__ccccccc"), None),
        (("permits__bbbbbbb",), False),
    ]


def test_one_version_is_not_worth_a_list(tmp_path: Path) -> None:
    sweep(tmp_path / "jobs", "a")
    assert ask(tmp_path / "jobs").versions == ()
