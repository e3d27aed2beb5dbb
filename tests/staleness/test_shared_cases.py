"""The shared cases: prepared copies, asked through the real program, judged by the matchers that come with them."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import whyzero
from staleness.bench import ask
from whyzero.readers import digests
from whyzero.readers.files import Folder

SHARED = Path(__file__).parents[3] / "shared" / "cases"
CASES = sorted(path.parent for path in (SHARED / "staleness").glob("*/case.json"))
pytestmark = pytest.mark.skipif(not CASES, reason="the shared cases are not here (../shared/cases/staleness)")


def casekit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("casekit", SHARED / "casekit.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_every_expectation_holds_and_no_file_changes(case: Path, tmp_path: Path) -> None:
    kit = casekit()
    prepared = tmp_path / "case"
    spec = kit.prepare(case, prepared)
    before = kit.snapshot(prepared)
    done = subprocess.run(
        [sys.executable, "-m", "whyzero", spec["command"], *spec["args"], "--json"],
        cwd=prepared,
        env={**os.environ, "PYTHONPATH": str(Path(whyzero.__file__).parent.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    answer = json.loads(done.stdout)
    call = {
        "exit": done.returncode,
        "stdout": done.stdout,
        "stderr": done.stderr,
        "files_unchanged": kit.snapshot(prepared) == before,
    }
    assert kit.judge(spec["expect"], answer, call) == []
    assert call["files_unchanged"]
    stale = any(trial[check] == "stale" for trial in answer["trials"] for check in ("key", "window", "oracle", "inputs"))
    assert done.returncode == (1 if stale else 0)


def test_the_digests_of_real_harbor_jobs_are_those_of_their_tasks() -> None:
    """91 jobs made by the real Harbor, with the tasks they ran."""
    compared, other = 0, []
    for record in sorted((SHARED / "harbor-lab").glob("*/job-*/*/result.json")):
        result = json.loads(record.read_text())
        folder = record.parents[2] / "tasks" / result["task_id"]["path"].rstrip("/").rsplit("/", 1)[-1]
        if folder.is_dir():
            compared += 1
            if digests.checksum(digests.tree_files(Folder(folder))) != result["task_checksum"]:
                other.append(record.parents[2].name)
    assert compared > 80
    assert other == []


def test_the_digests_of_real_osmosis_runs_are_those_of_their_workspaces() -> None:
    """All but the run whose rollout the scenario edits afterwards."""
    compared, other = 0, []
    for record in sorted((SHARED / "osmosis-lab").glob("*/workspace/.osmosis/evals/*/manifest.json")):
        inputs, root = json.loads(record.read_text())["inputs"], record.parents[3]
        folder = Folder(root)
        compared += 1
        datasets = {digests.file_digest(folder, path) for path in folder.walk("data")}
        source = digests.source_digest(folder, f"rollouts/{inputs['rollout']['name']}")
        if inputs["dataset"]["sha256"] not in datasets or source != inputs["rollout"]["source_digest"]:
            other.append(root.parent.name)
    assert compared > 40
    assert other == ["resume-refused-after-edit"]


def test_no_trial_of_six_real_agents_is_stale_against_its_own_brief(tmp_path: Path) -> None:
    """Every task with one more file, so that the digest no longer vouches and the words have to: prompts, notes and all."""
    stale, fresh = [], 0
    for case in sorted((SHARED / "harbor-lab").iterdir()):
        tasks = tmp_path / case.name
        shutil.copytree(case / "tasks", tasks)
        for one in tasks.iterdir():
            (one / "one-more.txt").write_text("")
        for found in ask(next(case.glob("job-*")), task=tasks).trials:
            assert found.inputs == "stale"
            fresh += found.window == "fresh"
            stale += [found.id] if "stale" in (found.key, found.window) else []
    assert stale == []
    assert fresh > 80
