"""Every case of ../shared/cases/rows, through the command line; skipped where it is not checked out beside the project."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CASES = ROOT.parent / "shared" / "cases"
NAMES = sorted(path.parent.name for path in (CASES / "rows").glob("*/case.json"))

pytestmark = pytest.mark.skipif(not NAMES, reason="../shared/cases/rows is not there")


@pytest.fixture(scope="module")
def casekit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("casekit", CASES / "casekit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES or ["none"])
def test_the_case_holds(name: str, casekit: ModuleType, tmp_path: Path) -> None:
    into = tmp_path / "case"
    spec = casekit.prepare(CASES / "rows" / name, into)
    before = casekit.snapshot(into)
    command = [sys.executable, "-m", "whyzero", spec["command"], *spec["args"], "--json"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "server")}
    done = subprocess.run(command, cwd=into, capture_output=True, text=True, env=environment, timeout=60)
    call: dict[str, Any] = {"exit": done.returncode, "stdout": done.stdout, "stderr": done.stderr}
    call["files_unchanged"] = casekit.snapshot(into) == before
    result = json.loads(done.stdout) if done.stdout else None
    assert casekit.judge(spec["expect"], result, call) == []
    assert call["files_unchanged"]
