"""The shared cases of verify-fix: prepared copies, asked through the real program, judged by the matchers that come with them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "cases"
CASES = sorted(path.parent for path in (SHARED / "fixes").glob("*/case.json"))
pytestmark = pytest.mark.skipif(not CASES, reason="the shared cases are not here (../shared/cases/fixes)")


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_every_expectation_holds_and_no_file_changes(case: Path, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("casekit", SHARED / "casekit.py")
    assert spec is not None
    assert spec.loader is not None
    kit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kit)
    prepared = tmp_path / "case"
    asked = kit.prepare(case, prepared)
    before = kit.snapshot(prepared)
    done = subprocess.run(
        [sys.executable, "-m", "whyzero", asked["command"], *asked["args"], "--json"],
        cwd=prepared,
        env={**os.environ, "PYTHONPATH": str(ROOT / "server")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    call = {
        "exit": done.returncode,
        "stdout": done.stdout,
        "stderr": done.stderr,
        "files_unchanged": kit.snapshot(prepared) == before,
    }
    assert kit.judge(asked["expect"], json.loads(done.stdout), call) == []
    assert call["files_unchanged"]
