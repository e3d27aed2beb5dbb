"""Every labelled Harbor and Terminal-Bench trial beside the project: phase, cause, and quotes that stand where they are said to."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from lab.quotes import stands
from whyzero.causes.engine import judge
from whyzero.readers import open_run

ROOT = Path(__file__).parent.parent
CASES = ROOT.parent / "shared" / "cases"
SETS = ("harbor-lab", "real-harbor")
OF_RECORDS = frozenset(
    {"interrupted", "environment_failure", "agent_setup_failure", "harness_crash", "grader_timeout", "grader_error"}
    | {"reward_missing", "reward_invalid", "tests_never_ran", "stale_reward", "no_agent", "oracle_failed", "clock", "early_stop"}
    | {"wrong_answer", "skipped"}
)
"""Causes decided by records and verifier output; those of the provider have tests of their own."""


@cache
def scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_lab", ROOT / "benchmarks" / "score_lab.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["score_lab"] = module
    spec.loader.exec_module(module)
    return module


def cases(name: str) -> Path:
    folder = CASES / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there: the labelled runs are kept beside the project")
    return folder


@pytest.mark.parametrize("name", SETS)
def test_every_trial_of_certain_label_is_named_right(name: str) -> None:
    cases(name)
    rows = [row for row in scorer().SETS[name](CASES) if row.scored]
    assert len(rows) > 90
    assert [str(row) for row in rows if not (row.cause_right and row.phase_right and row.got_reward == row.reward)] == []
    assert not any(row.excused or row.blamed for row in rows)


@pytest.mark.parametrize("name", SETS)
def test_what_is_quoted_stands_where_it_is_said_to(name: str) -> None:
    folder = cases(name)
    paths = sorted(folder.glob("*/job-*")) if name == "harbor-lab" else [p for p in sorted(folder.glob("*/*")) if p.is_dir()]
    wrong = []
    for path in paths:
        run = open_run(path)
        for trial in run.read_trials():
            found = judge(trial, run).finding
            quoted = found.evidence if found and found.cause in OF_RECORDS else ()
            wrong += [f"{path.name}: {e.path}:{e.line or e.pointer} {e.quote[:80]}" for e in quoted if not stands(e, run.root)]
    assert wrong == []
