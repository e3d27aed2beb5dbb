"""Recorded digests and settings against today's: Harbor's `task_checksum`, Osmosis's manifest, folders and revisions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from lab import tool_environment
from staleness.bench import BRIEF, GRADED, KEY, LONG_BEFORE, ask, checksum, commit, job, only, task, trial, user, write
from whyzero.analyses.check_staleness import StaleTrial
from whyzero.errors import UsageError
from whyzero.readers import digests
from whyzero.readers.files import Folder
from whyzero.readers.git_history import GitHistory
from whyzero.readers.task_folder import read_task

ZONED = BRIEF.replace("`site` and `area`", "`site`, `area` and `zone`")


# ---- Harbor


@pytest.mark.parametrize(
    "path",
    ["environment/Dockerfile", "tests/test.sh", "tests/expected.json", "task.toml", "instruction.md", "notes/new.txt", ".hidden"],
)
def test_the_checksum_covers_every_file_of_the_task(tmp_path: Path, path: str) -> None:
    root = task(tmp_path / "permits")
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)], checksum=checksum(root))
    assert only(ask(tmp_path / "jobs", task=root)).inputs == "fresh"
    file = root / path
    write(file, (file.read_text() if file.exists() else "") + "\n")
    found = only(ask(tmp_path / "jobs", task=root))
    assert (found.inputs, found.advice) == ("stale", "rerun")
    assert [(m.what, m.current) for m in found.moved if m.what == "task_checksum"] == [("task_checksum", checksum(root))]


def test_file_times_folders_without_files_and_the_folders_place_do_not_count(tmp_path: Path) -> None:
    root = task(tmp_path / "permits")
    recorded = checksum(root)
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)], checksum=recorded)
    moved = tmp_path / "elsewhere" / "permits"
    shutil.copytree(root, moved)
    (moved / "empty" / "folder").mkdir(parents=True)
    assert only(ask(tmp_path / "jobs", task=moved)).inputs == "fresh"


def test_a_brief_in_a_text_file_has_no_digest(tmp_path: Path) -> None:
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)])
    found = only(ask(tmp_path / "jobs", task=write(tmp_path / "brief.md", BRIEF)))
    assert (found.inputs, found.window, found.advice) == ("cannot_tell", "fresh", "reuse")
    assert found.how.inputs == "A brief in a text file has no digest to compare."


def test_a_link_out_of_the_task_leaves_the_digest_open(tmp_path: Path) -> None:
    root = task(tmp_path / "permits")
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)])
    (root / "shared").symlink_to(write(tmp_path / "shared.txt", "x"))
    found = only(ask(tmp_path / "jobs", task=root))
    assert found.inputs == "cannot_tell"
    assert "leads out of the folder" in found.how.inputs


def test_a_task_of_another_name_stands_only_for_the_only_task_of_a_run(tmp_path: Path) -> None:
    root = task(tmp_path / "renamed")
    run = job(tmp_path / "jobs")
    trial(run, steps=[user(BRIEF)], checksum=checksum(root))
    assert only(ask(run, task=root)).inputs == "fresh"
    trial(run, "mail__bbbbbbb", steps=[user("Sort the mail.")], task_name="mail")
    found = ask(run, task=root)
    assert {t.inputs for t in found.trials} == {"cannot_tell"}
    assert all("another task" in t.why for t in found.trials)


def test_a_folder_of_tasks_gives_each_trial_its_own(tmp_path: Path) -> None:
    permits, mail = (
        task(tmp_path / "tasks" / "permits"),
        task(tmp_path / "tasks" / "city" / "mail", "Write /app/permits.json: `id`.\n"),
    )
    run = job(tmp_path / "jobs")
    trial(run, steps=[user(BRIEF)], checksum=checksum(permits))
    trial(run, "mail__bbbbbbb", steps=[user("Write /app/permits.json: `id`.")], task_name="org/mail", checksum="1" * 64)
    trial(run, "gone__ccccccc", steps=[user("Go.")], task_name="gone")
    found = {t.id: t for t in ask(run, task=tmp_path / "tasks").trials}
    assert found["permits__aaaaaaa"].inputs == "fresh"
    assert (found["mail__bbbbbbb"].inputs, [m.current for m in found["mail__bbbbbbb"].moved][-1]) == ("stale", checksum(mail))
    assert found["gone__ccccccc"].inputs == "cannot_tell"


# ---- against


def test_without_a_recorded_digest_the_folder_it_was_given_is_compared_file_by_file(tmp_path: Path) -> None:
    before, now = task(tmp_path / "before" / "permits"), task(tmp_path / "permits")
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)], checksum=None)
    assert only(ask(tmp_path / "jobs", task=now)).inputs == "cannot_tell"
    assert only(ask(tmp_path / "jobs", task=now, against=str(before))).inputs == "fresh"
    write(now / "environment" / "Dockerfile", "FROM python:3.13-slim\n")
    found = only(ask(tmp_path / "jobs", task=now, against=str(before)))
    assert (found.inputs, found.advice) == ("stale", "rerun")
    assert [m.what for m in found.moved] == ["file environment/Dockerfile"]


def test_what_the_caller_says_was_given_outweighs_no_prompt_on_record(tmp_path: Path) -> None:
    now = task(tmp_path / "permits", ZONED, [{**KEY[0], "zone": "A"}])
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)], checksum=None)
    found = only(ask(tmp_path / "jobs", task=now, against=str(now)))
    assert (found.inputs, found.key) == ("fresh", "stale")


def test_a_grader_that_moved_alone_asks_for_a_new_grading(tmp_path: Path) -> None:
    before = task(tmp_path / "before" / "permits")
    now = task(tmp_path / "permits", files={"tests/test.sh": "python3 /tests/grade.py --strict\n"})
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)], checksum=None)
    found = only(ask(tmp_path / "jobs", task=now, against=str(before)))
    assert (found.inputs, found.oracle, found.advice) == ("stale", "fresh", "regrade")
    assert found.submissions == ("permits__aaaaaaa/verifier/submitted-permits.json",)


def test_a_revision_of_the_tasks_repository_is_what_the_run_was_given(tmp_path: Path) -> None:
    root = task(tmp_path / "tasks" / "permits")
    commit(tmp_path / "tasks", LONG_BEFORE)
    write(root / "instruction.md", ZONED)
    write(root / "tests" / "expected.json", [{**KEY[0], "zone": "A"}])
    commit(tmp_path / "tasks", GRADED + timedelta(days=1))
    trial(job(tmp_path / "jobs"), steps=None)
    assert only(ask(tmp_path / "jobs", task=root)).key == "cannot_tell"
    assert only(ask(tmp_path / "jobs", task=root, against="HEAD~1")).key == "stale"
    assert only(ask(tmp_path / "jobs", task=root, against="main")).key == "fresh"


def test_a_prompt_that_is_not_on_record_is_found_at_the_commit_with_the_recorded_digest(tmp_path: Path) -> None:
    root = task(tmp_path / "tasks" / "permits")
    recorded = checksum(root)
    commit(tmp_path / "tasks", LONG_BEFORE)
    write(root / "instruction.md", ZONED.replace("31 days", "90 days"))
    write(root / "tests" / "expected.json", [{**KEY[0], "zone": "A"}])
    commit(tmp_path / "tasks", GRADED + timedelta(days=1))
    trial(job(tmp_path / "jobs"), steps=None, checksum=recorded)
    found = only(ask(tmp_path / "jobs", task=root))
    assert (found.key, found.window) == ("stale", "stale")
    assert "the task at the recorded digest" in found.how.window.lower()
    trial(job(tmp_path / "other"), steps=None, checksum="1" * 64)
    assert only(ask(tmp_path / "other", task=root)).key == "cannot_tell"


@pytest.mark.parametrize("name", ["no-such-revision", "--output=/tmp/x", "HEAD:"])
def test_what_is_no_folder_and_no_revision_is_named_in_the_error(tmp_path: Path, name: str) -> None:
    root = task(tmp_path / "tasks" / "permits")
    commit(tmp_path / "tasks", LONG_BEFORE)
    trial(job(tmp_path / "jobs"), steps=None)
    with pytest.raises(UsageError, match="against"):
        ask(tmp_path / "jobs", task=root, against=name)


def test_errors_name_what_is_wrong(tmp_path: Path) -> None:
    trial(job(tmp_path / "jobs"), steps=[user(BRIEF)])
    with pytest.raises(UsageError, match=r"no-such\.json"):
        ask(tmp_path / "jobs", oracle=(tmp_path / "no-such.json",))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="empty"):
        ask(tmp_path / "jobs", task=tmp_path / "empty")


# ---- digests, as the tools compute them


def lab_task(root: Path) -> Path:
    """A task with everything that could make two implementations differ."""
    root = task(
        root,
        files={
            "environment/data/ä b.txt": "x",
            ".harborignore": "*\n",
            "environment/.harborignore": "*.txt\n",
            "README.md": "",
            "tests/fixtures/.hidden": "1",
        },
    )
    write(root / "tests" / ".harborignore", "*.pyc\n/scratch/\n!keep.pyc\nfixtures/**/cache\n")
    for name in ("a.pyc", "keep.pyc", "scratch/x.txt", "deep/scratch/y.txt", "fixtures/one/cache/z", "fixtures/one/data"):
        write(root / "tests" / name, name)
    write(root / "solution" / "solve.sh", "#!/bin/sh\n")
    write(root / "environment" / "Dockerfile.pyc", "counts: ignore rules hold below tests and solution only")
    (root / "environment" / "linked").symlink_to(root / "environment" / "data")
    (root / "environment" / "again.txt").symlink_to(root / "README.md")
    (root / "nothing").mkdir()
    return root


REAL_HARBOR = """
import sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
from dirhash import dirhash
from harbor.models.task.task import Task
print(Task(Path(sys.argv[1])).checksum)
print(dirhash(sys.argv[1], "sha256"))
"""


def python_of(tool: str) -> Path:
    """The interpreter beside the real tool, installed on demand; where there can be none the test is skipped, in CI it fails."""
    lock = Path(__file__).parents[1] / "lab" / tool / "requirements.lock"
    try:
        return tool_environment.install(f"{tool}-venv", lock) / "python"
    except tool_environment.Unavailable as reason:
        if os.environ.get("CI") == "true" and os.environ.get("WHYZERO_ALLOW_SKIP") != "1":
            pytest.fail(f"no real {tool} on this machine: {reason}", pytrace=False)
        pytest.skip(f"no real {tool} on this machine: {reason}")


@pytest.mark.live
def test_the_checksum_is_the_one_the_real_harbor_computes(tmp_path: Path) -> None:
    harbor = python_of("harbor")
    for root in (task(tmp_path / "plain"), lab_task(tmp_path / "ignoring")):
        said = subprocess.run(
            [str(harbor), "-c", REAL_HARBOR, str(root)], capture_output=True, text=True, check=True
        ).stdout.split()
        newest, plain = said
        assert checksum(root) == newest
        assert digests.checksum(digests.tree_files(Folder(root))) == plain
        assert {d.value for d in read_task(root, GitHistory()).digests} == {newest, plain}


REAL_OSMOSIS = """
import sys
from pathlib import Path
from osmosis_ai.eval.local.dataset import sha256_of_file
from osmosis_ai.source_scan import source_digest
print(source_digest(Path(sys.argv[1])))
print(sha256_of_file(Path(sys.argv[2])))
"""


@pytest.mark.live
def test_the_source_digest_is_the_one_the_real_runner_computes(tmp_path: Path) -> None:
    osmosis = python_of("osmosis")
    for name in (
        "main.py",
        "b/ä.py",
        "b-c/d.py",
        "B.py",
        "a b.txt",
        ".env",
        "x/build/y",
        "uv.lock",
        "a.egg-info/x",
        "x/venv/z",
        "docs/dist.md",
    ):
        write(tmp_path / "sums" / name, name)
    (tmp_path / "sums" / "link.py").symlink_to(tmp_path / "sums" / "main.py")
    data = write(tmp_path / "dev.jsonl", "{}\n")
    command = [str(osmosis), "-c", REAL_OSMOSIS, str(tmp_path / "sums"), str(data)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    folder = Folder(tmp_path)
    assert [digests.source_digest(folder, "sums"), digests.file_digest(folder, "dev.jsonl")] == said


def test_the_checksum_of_a_task_worked_out_on_paper(tmp_path: Path) -> None:
    """sha256 over `data:<sha256 of the file>`, NUL, `name:<name>`, entries joined by two NULs; a folder's own is its `dirhash`."""

    def sha(text: str) -> str:
        return sha256(text.encode()).hexdigest()

    write(tmp_path / "b.txt", "bee")
    write(tmp_path / "dir" / "a.txt", "")
    inner = sha(f"data:{sha('')}\0name:a.txt")
    entries = sorted([f"data:{sha('bee')}\0name:b.txt", f"dirhash:{inner}\0name:dir"])
    assert digests.checksum(digests.tree_files(Folder(tmp_path))) == sha("\0\0".join(entries))


def test_what_a_build_leaves_behind_is_no_rollout_source(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    write(tmp_path / "sums" / "main.py", "print()\n")
    write(tmp_path / "sums" / "tools" / "grade.py", "")
    before = digests.source_digest(folder, "sums")
    for name in (
        "uv.lock",
        ".venv/lib/x.py",
        "__pycache__/main.pyc",
        "sums.egg-info/PKG-INFO",
        "tools/build/x",
        ".git/HEAD",
        "dist/a",
    ):
        write(tmp_path / "sums" / name, "left behind")
    assert digests.source_digest(folder, "sums") == before
    write(tmp_path / "sums" / "tools" / "grade.py", "# stricter\n")
    assert digests.source_digest(folder, "sums") != before


# ---- Osmosis

INPUTS = {
    "model_path": "openai/policy",
    "dataset": {"sha256": "", "selected_source_rows": "0-1"},
    "n": 1,
    "rollout": {"name": "sums", "entrypoint": "main.py", "source_digest": ""},
    "env": {},
    "secret_names": ["OPENAI_API_KEY"],
    "timeouts": {"agent_timeout_sec": 20.0, "grader_timeout_sec": 10.0},
    "versions": {"rollout_protocol": "0.4"},
}
CONFIG = """[experiment]
rollout = "sums"
entrypoint = "main.py"
model_path = "openai/policy"
dataset = "sums-dev"

[evaluation]
agent_workflow_timeout_s = 20
grader_timeout_s = 10

[secrets]
required = ["OPENAI_API_KEY"]
"""
ROWS = [{"user_prompt": "12 + 7 ?", "ground_truth": "19"}, {"user_prompt": "40 - 5 ?", "ground_truth": "35"}]


def workspace(root: Path) -> Path:
    """A workspace with one run of two rows, its manifest made from what lies there."""
    write(root / "data" / "dev.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS))
    write(root / "configs" / "eval" / "sums.toml", CONFIG)
    write(root / "rollouts" / "sums" / "main.py", "serve()\n")
    write(root / "rollouts" / "sums" / "pyproject.toml", '[project]\nname = "sums"\ndependencies = ["osmosis-ai"]\n')
    folder = Folder(root)
    inputs = json.loads(json.dumps(INPUTS))
    inputs["dataset"]["sha256"] = digests.file_digest(folder, "data/dev.jsonl")
    inputs["rollout"]["source_digest"] = digests.source_digest(folder, "rollouts/sums")
    run = root / ".osmosis" / "evals" / "dev-run"
    manifest = {
        "schema_version": 1,
        "local_run_id": "a" * 32,
        "run_name": "dev-run",
        "created_at": "2026-10-02T09:00:00Z",
        "inputs": inputs,
    }
    write(run / "manifest.json", manifest | {"provenance": {"config_path": "configs/eval/sums.toml"}})
    metrics = {"eval_run": {"status": "finished", "dataset_name": "sums-dev"}, "summary": {"pass_threshold": 1.0, "graded": 2}}
    write(run / "metrics.json", metrics)
    write(run / "progress.json", {"total_runs": 2, "sampled_rows": 2, "total_dataset_rows": 2})
    events = []
    for row, (said, label) in enumerate((("19", "19"), ("0", "35"))):
        rollout = f"{row}" * 32
        events.append(
            {
                "row_index": row,
                "source_row_index": row,
                "run_index": 0,
                "rollout_id": rollout,
                "status": "success",
                "reward": float(said == label),
                "duration_ms": 9.5,
            }
        )
        steps = [
            {"step_id": 1, "source": "user", "message": ROWS[row]["user_prompt"]},
            {"step_id": 2, "source": "agent", "message": said},
        ]
        extra = {"osmosis": {"rollout_id": rollout, "label": label, "request_extra_fields": {"row_index": row, "run_index": 0}}}
        document = {
            "schema_version": "ATIF-v1.7",
            "trajectory_id": rollout,
            "agent": {"name": "osmosis-rollout-sdk", "version": "0.3.8"},
        }
        write(run / "rollout_trials" / rollout / "trajectory.json", document | {"steps": steps, "extra": extra})
    write(run / "events.jsonl", "".join(json.dumps(event) + "\n" for event in events))
    return root


def of_row(root: Path, row: int) -> StaleTrial:
    return next(t for t in ask(root / ".osmosis" / "evals" / "dev-run", task=root).trials if t.row == row)


def test_a_workspace_as_it_was_is_fresh(tmp_path: Path) -> None:
    found = of_row(workspace(tmp_path), 0)
    assert (found.key, found.window, found.oracle, found.inputs, found.advice) == (*["fresh"] * 4, "reuse")


def test_the_workspace_around_a_run_is_its_task_unless_another_is_named(tmp_path: Path) -> None:
    run = workspace(tmp_path) / ".osmosis" / "evals" / "dev-run"
    assert {t.inputs for t in ask(run).trials} == {"fresh"}


def test_the_dataset_is_any_data_file_with_the_recorded_digest(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "data" / "dev.jsonl").rename(root / "data" / "renamed.jsonl")
    write(root / "data" / "another.jsonl", "{}\n")
    assert of_row(root, 0).inputs == "fresh"


def test_a_changed_label_moves_the_dataset_and_the_key_of_its_row(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    rows = [ROWS[0], {**ROWS[1], "ground_truth": "36"}]
    write(root / "data" / "dev.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    kept, moved = of_row(root, 0), of_row(root, 1)
    assert (kept.inputs, kept.oracle, kept.advice) == ("stale", "fresh", "rerun")
    assert (moved.inputs, moved.oracle, moved.advice) == ("stale", "stale", "rerun")
    assert ("label of row 1", "35", "36") in [(m.what, m.recorded, m.current) for m in moved.moved]


@pytest.mark.parametrize(
    ("old", "new", "what", "recorded", "current"),
    [
        ('model_path = "openai/policy"', 'model_path = "openai/other"', "model_path", "openai/policy", "openai/other"),
        ("grader_timeout_s = 10", "grader_timeout_s = 15", "timeouts.grader_timeout_sec", "10", "15"),
        ("agent_workflow_timeout_s = 20\n", "", "timeouts.agent_timeout_sec", "20", "null"),
        ("[evaluation]\n", "[evaluation]\nn = 3\n", "n", "1", "3"),
        ("[evaluation]\n", "[evaluation]\nlimit = 1\n", "dataset.selected_source_rows", "0-1", "0"),
        ("[secrets]", '[env]\nMODE = "strict"\n\n[secrets]', "env", "{}", '{"MODE": "strict"}'),
    ],
)
def test_a_moved_setting_is_named_with_both_values(
    tmp_path: Path, old: str, new: str, what: str, recorded: str, current: str
) -> None:
    root = workspace(tmp_path)
    write(root / "configs" / "eval" / "sums.toml", CONFIG.replace(old, new))
    found = of_row(root, 0)
    assert (found.inputs, found.advice) == ("stale", "rerun")
    assert [(m.what, m.recorded, m.current) for m in found.moved] == [(what, recorded, current)]


def test_another_threshold_asks_for_no_new_run(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    write(root / "configs" / "eval" / "sums.toml", CONFIG.replace("[evaluation]\n", "[evaluation]\npass_threshold = 0.5\n"))
    found = of_row(root, 0)
    assert (found.inputs, found.advice) == ("stale", "regrade")
    assert [(m.what, m.recorded, m.current) for m in found.moved] == [("pass_threshold", "1", "0.5")]


def test_an_edited_rollout_is_stale_and_its_lock_file_is_not(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    write(root / "rollouts" / "sums" / "uv.lock", "version = 1\n")
    write(root / "rollouts" / "sums" / ".venv" / "bin" / "x.py", "")
    assert of_row(root, 0).inputs == "fresh"
    write(root / "rollouts" / "sums" / "main.py", "serve(strict=True)\n")
    found = of_row(root, 0)
    assert (found.inputs, [m.what for m in found.moved]) == ("stale", ["rollout.source_digest"])


def test_a_changed_prompt_without_an_anchor_is_no_evidence_by_content(tmp_path: Path) -> None:
    """Osmosis prompts name no answer file: the dataset's digest tells that it moved, its words do not."""
    root = workspace(tmp_path)
    rows = [{**ROWS[0], "user_prompt": "12 + 7 in 90 days ?"}, ROWS[1]]
    write(root / "data" / "dev.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    found = of_row(root, 0)
    assert (found.window, found.inputs) == ("cannot_tell", "stale")


def test_an_empty_workspace_tells_nothing(tmp_path: Path) -> None:
    run = workspace(tmp_path / "a") / ".osmosis" / "evals" / "dev-run"
    empty = tmp_path / "b"
    (empty / ".osmosis" / "evals").mkdir(parents=True)
    assert {t.inputs for t in ask(run, task=empty).trials} == {"cannot_tell"}
