"""Grading time against the time the key last changed: which clock counts, and when none does."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from staleness.bench import BRIEF, GRADED, KEY, LONG_BEFORE, ask, checksum, commit, git, job, only, task, trial, user, write
from whyzero.analyses.check_staleness import StaleTrial
from whyzero.readers.files import BOUNDS
from whyzero.readers.git_history import COMMIT, MTIME, GitHistory

HOUR = timedelta(hours=1)
BEFORE, AFTER = GRADED - HOUR, GRADED + HOUR


def judged(tmp_path: Path, oracle: Path, **options: object) -> StaleTrial:
    """One trial against a key outside the task folder, which time alone judges."""
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)], **options)  # type: ignore[arg-type]
    return only(ask(tmp_path / "jobs" / "sweep-1", task=write(tmp_path / "brief.md", BRIEF), oracle=(oracle,)))


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A repository of keys: expected.json committed an hour before the grading, all file times from after it."""
    root = tmp_path / "keys"
    write(root / "expected.json", KEY, at=AFTER)
    write(root / "other.json", KEY, at=AFTER)
    commit(root, BEFORE)
    return root


# ---- file times, where there is no repository


@pytest.mark.parametrize(
    ("changed", "verdict", "advice"), [(BEFORE, "fresh", "reuse"), (AFTER, "stale", "regrade"), (GRADED, "fresh", "reuse")]
)
def test_without_a_repository_the_file_time_counts_and_is_named(
    tmp_path: Path, changed: object, verdict: str, advice: str
) -> None:
    found = judged(tmp_path, write(tmp_path / "expected.json", KEY, at=changed))  # type: ignore[arg-type]
    assert (found.oracle, found.advice) == (verdict, advice)
    assert "file modification time (mtime; not in a git repository)" in found.how.oracle
    assert found.submissions == (() if advice == "reuse" else ("permits__aaaaaaa/verifier/submitted-permits.json",))


def test_both_sides_and_both_clocks_are_quoted(tmp_path: Path) -> None:
    found = judged(tmp_path, write(tmp_path / "expected.json", KEY, at=AFTER))
    (moved,) = found.moved
    assert moved.what == f"answer key {tmp_path}/expected.json"
    assert moved.recorded == "graded 2026-10-02T09:04:26Z (recorded end of the verifier phase)"
    assert moved.current == "changed 2026-10-02T10:04:26Z (file modification time (mtime; not in a git repository))"


# ---- git


def test_the_commit_time_counts_before_the_file_time(tmp_path: Path, keys: Path) -> None:
    found = judged(tmp_path, keys / "expected.json")
    assert found.oracle == "fresh"
    assert "git commit time, commit " in found.how.oracle


def test_a_commit_after_the_grading_is_stale(tmp_path: Path, keys: Path) -> None:
    write(keys / "expected.json", [{**KEY[0], "area": 121}], at=BEFORE)
    commit(keys, AFTER)
    assert judged(tmp_path, keys / "expected.json").oracle == "stale"


def test_only_commits_of_that_file_count(tmp_path: Path, keys: Path) -> None:
    write(keys / "other.json", [], at=AFTER)
    commit(keys, AFTER)
    assert judged(tmp_path, keys / "expected.json").oracle == "fresh"


def test_a_renamed_key_has_not_changed(tmp_path: Path, keys: Path) -> None:
    git(keys, "mv", "expected.json", "answers.json")
    commit(keys, AFTER)
    assert judged(tmp_path, keys / "answers.json").oracle == "fresh"


def test_a_key_changed_while_it_was_renamed_has_changed(tmp_path: Path, keys: Path) -> None:
    rows = [{"id": f"P-{n}", "site": "North quay", "area": n} for n in range(40)]
    write(keys / "expected.json", rows)
    commit(keys, BEFORE)
    git(keys, "mv", "expected.json", "answers.json")
    write(keys / "answers.json", [*rows[:-1], {**rows[-1], "area": 0}])
    commit(keys, AFTER)
    assert judged(tmp_path, keys / "answers.json").oracle == "stale"


def test_new_permissions_are_no_change(tmp_path: Path, keys: Path) -> None:
    (keys / "expected.json").chmod(0o755)
    commit(keys, AFTER)
    assert judged(tmp_path, keys / "expected.json").oracle == "fresh"


def test_a_key_that_differs_from_its_commit_has_only_its_file_time(tmp_path: Path, keys: Path) -> None:
    write(keys / "expected.json", [{**KEY[0], "area": 121}], at=AFTER)
    found = judged(tmp_path, keys / "expected.json")
    assert found.oracle == "stale"
    assert "mtime; the file differs from its last commit" in found.how.oracle


def test_a_staged_key_differs_from_its_commit_too(tmp_path: Path, keys: Path) -> None:
    write(keys / "expected.json", [{**KEY[0], "area": 121}], at=AFTER)
    git(keys, "add", "expected.json")
    assert "mtime; the file differs from its last commit" in judged(tmp_path, keys / "expected.json").how.oracle


def test_a_key_git_does_not_know_has_only_its_file_time(tmp_path: Path, keys: Path) -> None:
    found = judged(tmp_path, write(keys / "new.json", KEY, at=AFTER))
    assert found.oracle == "stale"
    assert "mtime; git does not know this file" in found.how.oracle


def test_a_repository_without_a_commit_knows_no_file(tmp_path: Path) -> None:
    root = tmp_path / "keys"
    root.mkdir()
    git(root, "init", "-q")
    assert "mtime; git does not know this file" in judged(tmp_path, write(root / "expected.json", KEY, at=BEFORE)).how.oracle


def test_line_ends_of_a_checkout_are_no_difference(keys: Path) -> None:
    file = write(keys / "rows.csv", "id,site\nP-1,North quay\n")
    commit(keys, BEFORE)
    file.write_bytes(b"id,site\r\nP-1,North quay\r\n")
    assert GitHistory().change(file).clock == COMMIT


def test_a_shallow_clone_tells_only_that_the_change_was_not_later(tmp_path: Path, keys: Path) -> None:
    write(keys / "other.json", [], at=AFTER)
    commit(keys, AFTER)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{keys}", str(clone))
    late = judged(tmp_path / "a", clone / "expected.json")
    assert late.oracle == "cannot_tell"
    assert "shallow clone" in late.how.oracle
    assert judged(tmp_path / "b", clone / "expected.json", graded=AFTER + HOUR).oracle == "fresh"


def test_where_git_is_there_and_does_not_answer_no_clock_is_trusted(
    tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = judged(tmp_path, keys / "expected.json")
    assert found.oracle == "cannot_tell"
    assert "git could not be started" in found.how.oracle


def program(tmp_path: Path) -> tuple[Path, Path]:
    """A program that leaves a mark where it is run."""
    mark = tmp_path / "mark"
    script = write(tmp_path / "run.sh", f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    return script, mark


def test_git_runs_no_program_that_a_repository_sets(tmp_path: Path, keys: Path) -> None:
    """A signed commit would be shown to the repository's own signature program."""
    script, mark = program(tmp_path)
    commit = git(keys, "cat-file", "commit", "HEAD")
    head, _, message = commit.partition("\n\n")
    signed = write(
        tmp_path / "commit", f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}"
    )
    git(keys, "update-ref", "HEAD", git(keys, "hash-object", "-t", "commit", "-w", str(signed)).strip())
    for name in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "gpg.program",
        "diff.external",
        "diff.json.textconv",
        "filter.json.clean",
    ):
        git(keys, "config", name, str(script))
    git(keys, "config", "log.showSignature", "true")
    write(keys / ".git" / "info" / "attributes", "*.json diff=json filter=json\n")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(script, keys / ".git" / "hooks" / hook)
    mark.unlink(missing_ok=True)
    before = {p: p.stat().st_mtime_ns for p in (keys / ".git").rglob("*")}
    assert GitHistory().change(keys / "expected.json").clock == COMMIT
    assert not mark.exists()
    assert {p: p.stat().st_mtime_ns for p in (keys / ".git").rglob("*")} == before


def test_git_fetches_nothing(tmp_path: Path, keys: Path) -> None:
    """In a partial clone git would ask the repository's remote for what is missing."""
    script, mark = program(tmp_path)
    blob = git(keys, "rev-parse", "HEAD:expected.json").strip()
    settings = {"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true"}
    for name, value in {**settings, "remote.origin.url": "ssh://host.invalid/keys", "core.sshCommand": str(script)}.items():
        git(keys, "config", name, value)
    (keys / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    write(keys / "expected.json", "[]")
    history = GitHistory()
    head = history.resolve(keys, "HEAD")
    assert head
    assert history.files(keys, head) is None
    assert not mark.exists()


def test_a_repository_that_begins_outside_the_allowed_folders_is_not_asked(tmp_path: Path, keys: Path) -> None:
    write(keys / "deep" / "expected.json", KEY, at=AFTER)
    commit(keys, BEFORE)
    for allowed, clock in ((keys / "deep", ""), (keys, COMMIT)):
        token = BOUNDS.set((allowed.resolve(),))
        try:
            assert GitHistory().change(keys / "deep" / "expected.json").clock == clock
        finally:
            BOUNDS.reset(token)


def test_a_file_name_is_no_pattern(keys: Path) -> None:
    file = write(keys / "ex*.json", "[]")
    commit(keys, BEFORE)
    write(keys / "expected.json", [], at=AFTER)
    commit(keys, AFTER)
    assert GitHistory().change(file).at == BEFORE


def test_git_is_asked_once_for_each_path(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    real = subprocess.Popen

    def counting(program: list[str], **options: object) -> object:
        asked.append(tuple(program))
        return real(program, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", counting)
    history = GitHistory()
    first = history.change(keys / "expected.json")
    count = len(asked)
    assert [history.change(keys / "expected.json") for _ in range(50)] == [first] * 50
    assert (count > 0, len(asked)) == (True, count)


# ---- grading times


def test_grading_ends_with_the_verifier_phase_not_with_the_trial(tmp_path: Path) -> None:
    """The key changed between the two."""
    oracle = write(tmp_path / "expected.json", KEY, at=GRADED + timedelta(minutes=5))
    assert judged(tmp_path, oracle, finished=GRADED + HOUR).oracle == "stale"


def test_a_key_changed_while_the_agent_worked_was_used(tmp_path: Path) -> None:
    oracle = write(tmp_path / "expected.json", KEY, at=GRADED - timedelta(minutes=2))
    assert judged(tmp_path, oracle).oracle == "fresh"


def test_times_are_compared_in_utc(tmp_path: Path) -> None:
    """09:04 with +05:00 is 04:04 UTC: before a change at 05:00 UTC."""
    oracle = write(tmp_path / "expected.json", KEY, at=GRADED - 4 * HOUR)
    assert judged(tmp_path, oracle, graded="2026-10-02T09:04:26+05:00").oracle == "stale"


def test_a_local_time_without_a_zone_is_never_compared(tmp_path: Path) -> None:
    oracle = write(tmp_path / "expected.json", KEY, at=AFTER)
    found = judged(tmp_path, oracle, graded="2026-10-02T09:04:26")
    assert (found.oracle, found.advice) == ("cannot_tell", "reuse")
    assert "without a zone" in found.how.oracle


def test_a_trial_that_was_never_graded_used_no_key(tmp_path: Path) -> None:
    oracle = write(tmp_path / "expected.json", KEY, at=AFTER)
    found = judged(tmp_path, oracle, reward=None, graded=None, finished=GRADED)
    assert (found.oracle, found.reward) == ("cannot_tell", None)


# ---- what follows


def test_without_a_submission_only_a_new_run_helps(tmp_path: Path) -> None:
    oracle = write(tmp_path / "expected.json", KEY, at=AFTER)
    found = judged(tmp_path, oracle, submitted=False)
    assert (found.oracle, found.advice, found.submissions) == ("stale", "rerun", ())


def test_rerun_wins_over_regrade(tmp_path: Path) -> None:
    oracle = write(tmp_path / "expected.json", KEY, at=AFTER)
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)])
    brief = write(tmp_path / "brief.md", BRIEF.replace("31 days", "90 days"))
    found = only(ask(tmp_path / "jobs", task=brief, oracle=(oracle,)))
    assert (found.window, found.oracle, found.advice) == ("stale", "stale", "rerun")


def test_a_key_inside_a_task_whose_digest_is_unchanged_is_the_key_that_was_used(tmp_path: Path) -> None:
    """A checkout gave it a new time; the digest says that its bytes are the same."""
    root = task(tmp_path / "permits")
    os.utime(root / "tests" / "expected.json", (AFTER.timestamp(), AFTER.timestamp()))
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)], checksum=checksum(root))
    inside = only(ask(tmp_path / "jobs", task=root))
    assert (inside.oracle, inside.advice) == ("fresh", "reuse")
    outside = write(tmp_path / "keys" / "expected.json", KEY, at=AFTER)
    assert only(ask(tmp_path / "jobs", task=root, oracle=(outside,))).oracle == "stale"


def test_a_clone_of_the_task_with_new_file_times_is_judged_by_its_history(tmp_path: Path) -> None:
    root = task(tmp_path / "tasks" / "permits")
    commit(tmp_path / "tasks", LONG_BEFORE)
    for file in root.rglob("*.json"):
        os.utime(file, (AFTER.timestamp(), AFTER.timestamp()))
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)])
    found = only(ask(tmp_path / "jobs", task=root))
    assert (found.inputs, found.oracle) == ("stale", "fresh")


def test_the_names_of_the_clocks_are_public() -> None:
    assert (COMMIT, MTIME) == ("git commit time", "file modification time (mtime)")
