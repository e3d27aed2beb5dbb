"""A client that knows nothing but a skill's text, over real stdio: ten failures, each ending in a complete report."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from mcp_server.conftest import connected
from skills.procedure import Answer, Ask, follow, reported, skill

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
OSMOSIS, HARBOR = "tests/data/osmosis", "tests/data/harbor"
EVALS = "workspace/.osmosis/evals/dev-run"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def client() -> AsyncIterator[Client]:
    async with connected(ROOT) as client:
        yield client


def asking(client: Client, asked: list[str]) -> Ask:
    """Calls go over the wire; a refusal fails the test."""

    async def ask(tool: str, arguments: dict[str, Any]) -> Answer:
        asked.append(tool)
        answer = await client.call_tool(tool, arguments)
        assert not answer.is_error, answer.content
        assert answer.structured_content is not None
        return answer.structured_content

    return ask


CASES: dict[str, tuple[dict[str, Any], str, str, list[str]]] = {
    "a limit ends the work": (
        {"PATH": "examples/harbor-job", "TRIAL": "weekly-sales__Ym8X5Fk"},
        "trajectory",
        "rate_limited",
        ["locate_failed_phase", "classify_zero"],
    ),
    "every row is zero": (
        {"PATH": "examples/osmosis-workspace", "ROW": 0},
        "grading",
        "grader_error",
        ["locate_failed_phase", "classify_zero"],
    ),
    "it never started": (
        {"PATH": f"{OSMOSIS}/entrypoint-import-error/{EVALS}"},
        "startup",
        "import_failure",
        ["locate_failed_phase"],
    ),
    "killed in the middle": (
        {"PATH": f"{OSMOSIS}/killed/{EVALS}"},
        "dispatch",
        "interrupted",
        ["locate_failed_phase", "classify_zero"],
    ),
    "mended, and run again": (
        {"PATH": "examples/fix/before", "ROW": 2, "AFTER": "examples/fix/after"},
        "trajectory",
        "workflow_error",
        ["locate_failed_phase", "classify_zero", "verify_fix"],
    ),
    "the label can never match": (
        {"PATH": f"{OSMOSIS}/label-format-mismatch/{EVALS}", "ROW": 1},
        "data",
        "label_format",
        ["locate_failed_phase", "classify_zero"],
    ),
    "one row of many causes, to be reproduced": (
        {"PATH": f"{OSMOSIS}/many-causes-in-one-run/{EVALS}", "ROW": 0, "CONFIG": "configs/eval/arith.toml"},
        "trajectory",
        "workflow_error",
        ["locate_failed_phase", "classify_zero", "verify_fix"],
    ),
    "graded, and wrong more than once": (
        {"PATH": f"{OSMOSIS}/multi-attempt-mixed/{EVALS}"},
        "none",
        "wrong_answer",
        ["locate_failed_phase", "classify_zero", "partition_disputed_rows"],
    ),
    "the grader's clock ran out": (
        {"PATH": f"{HARBOR}/masked-verifier-timeout"},
        "grading",
        "grader_timeout",
        ["locate_failed_phase", "classify_zero"],
    ),
    "no test was collected": (
        {"PATH": f"{HARBOR}/no-test-collected"},
        "grading",
        "tests_never_ran",
        ["locate_failed_phase", "classify_zero"],
    ),
}


def test_there_are_ten() -> None:
    assert len(CASES) == 10


@pytest.mark.parametrize("case", CASES)
async def test_the_procedure_ends_in_a_complete_report(case: str, client: Client) -> None:
    known, phase, cause, tools = CASES[case]
    asked: list[str] = []
    debug = skill("debug-rollouts")
    answers = await follow(debug, known, asking(client, asked))
    assert asked == tools
    report = reported(debug, answers)
    assert report["Failing phase"]["phase"] == phase
    assert report["Likely cause"]["cause"] == cause
    assert report["Likely cause"]["likely_cause"].endswith(".")
    assert report["Run"]["run"]["command"] or report["Run"]["run"]["name"]
    assert report["How sure"]["evidence_level"] in ("record", "log", "inference")
    assert report["Check that could disprove it"]["disproving_check"]
    for piece in report["Evidence"]["evidence"]:
        place = _place_of(piece["path"], known["PATH"])
        assert place.exists(), piece
        if "line" in piece:
            assert place.is_file()
    assert report["Evidence"]["evidence"]
    if "ROW" in known:
        assert report["Affected input"]["affected"]["row"] == known["ROW"]
    if "TRIAL" in known:
        assert report["Affected input"]["affected"]["trial"] == known["TRIAL"]
    if "classify_zero" in asked:
        assert report["Is the zero a score"]["counts_as_score"], "no trial was classified"
    assert bool(report["Before and after"]) == ("AFTER" in known)


async def test_a_fix_is_reported_with_both_sides(client: Client) -> None:
    debug = skill("debug-rollouts")
    answers = await follow(debug, CASES["mended, and run again"][0], asking(client, []))
    both = reported(debug, answers)["Before and after"]
    assert both["verdict"] == "verified"
    affected = both["pairs"][0]
    assert (affected["row"], affected["before"]["outcome"], affected["after"]["outcome"]) == (2, "not_graded", "graded_pass")


async def test_a_reproduction_is_planned_and_nothing_is_started(client: Client) -> None:
    known = CASES["one row of many causes, to be reproduced"][0]
    before = sorted(path.name for path in (ROOT / known["PATH"]).parent.iterdir())
    answers = await follow(skill("debug-rollouts"), known, asking(client, []))
    plan = answers[6]
    assert "osmosis eval run configs/eval/arith.toml --rows 0 " in plan["command"]
    assert plan["cost_note"]
    assert sorted(path.name for path in (ROOT / known["PATH"]).parent.iterdir()) == before


async def test_nothing_failed_is_an_answer_too(client: Client) -> None:
    asked: list[str] = []
    answers = await follow(skill("debug-rollouts"), {"PATH": f"{OSMOSIS}/killed-then-resumed/{EVALS}"}, asking(client, asked))
    assert asked == ["locate_failed_phase"]
    assert answers[1]["cause"] is None


async def test_an_error_without_a_run_is_enough(tmp_path: Path) -> None:
    """A refused start leaves a workspace and a line on the screen, nothing else."""
    shutil.copytree(ROOT / "examples" / "osmosis-workspace", tmp_path / "ws", ignore=shutil.ignore_patterns("evals"))
    known = {"PATH": "ws", "ERROR": "Not logged in. Run 'osmosis auth login' first."}
    async with connected(tmp_path) as alone:
        answers = await follow(skill("debug-rollouts"), known, asking(alone, []))
    assert (answers[1]["phase"], answers[1]["cause"]) == ("publish", "not_logged_in")


async def test_before_recording_a_score(client: Client) -> None:
    """Two sweeps of a task whose key gained a field: scores, and yet not to be used."""
    known = {
        "PATH": "examples/staleness/jobs",
        "TASK": "examples/staleness/tasks/permit-register",
        "ORACLE": "examples/staleness/keys/corrected.json",
        "KEY": ["id"],
    }
    asked: list[str] = []
    recording = skill("analyzing-rollout-failures")
    answers = await follow(recording, known, asking(client, asked))
    assert asked == ["classify_zero", "check_staleness", "partition_disputed_rows"]
    record = reported(recording, answers)
    assert record["Causes of all that is no full pass"]["counts"] == {"wrong_answer": 2, "passed": 1}
    assert record["Answered and completion"]["scores"]
    assert record["Still today's question"]["counts"]["advice"]["rerun"] >= 2
    assert set(record["Key or models"]) == {"verdict", "why"}
    assert not record["Reproduces a known number"]


async def test_a_known_number_calibrates(client: Client) -> None:
    known = {"PATH": "examples/staleness/jobs/mid-rev-k1", "VALUE": 1.0, "TOLERANCE": 0.0, "SOURCE": "the first report"}
    recording = skill("analyzing-rollout-failures")
    answers = await follow(recording, known, asking(client, []))
    assert reported(recording, answers)["Reproduces a known number"] == {"verdict": "verified"}


def _place_of(path: str, asked: str) -> Path:
    """A path of evidence counts from the run, or from the workspace around it."""
    start = ROOT / asked
    candidates = [start, *start.parents[:4], *(parent for parent in start.rglob("dev-run") if parent.is_dir())]
    return next((one / path for one in candidates if (one / path).exists()), start / path)


# ---- without the skill


ORDER = ["locate_failed_phase", "classify_zero", "check_staleness", "partition_disputed_rows", "verify_fix"]
"""First calls in the order in which the two skills make them."""


@pytest.mark.parametrize("case", CASES)
async def test_next_steps_lead_an_assistant_without_the_skill_the_same_way(case: str, client: Client) -> None:
    """Whoever takes each step that is offered, as it stands, meets the tools in the order of the skills."""
    known, _, cause, tools = CASES[case]
    ask = asking(client, [])
    waiting: list[tuple[str, dict[str, Any]]] = [("locate_failed_phase", {"path": known["PATH"]})]
    met: list[str] = []
    done: set[str] = set()
    while waiting:
        tool, arguments = waiting.pop(0)
        if json.dumps([tool, arguments]) in done or len(done) > 12:
            continue
        done.add(json.dumps([tool, arguments]))
        met.append(tool)
        steps = (await ask(tool, arguments))["next_steps"]
        assert all(step["why"].endswith(".") for step in steps)
        own = [(step["tool"], step["arguments"]) for step in steps]
        waiting = sorted([*waiting, *own], key=lambda step: ORDER.index(step[0]))
    first_met = list(dict.fromkeys(met))
    assert first_met == sorted(first_met, key=ORDER.index)
    assert [tool for tool in tools if tool != "verify_fix"] == [t for t in first_met if t in tools and t != "verify_fix"]
    assert ("verify_fix" in first_met) == (cause != "wrong_answer")
