"""Rollouts broken, mended and run again by the real `osmosis`: authorised runs verify, others start nothing."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from lab.osmosis.runner import RUN, Laboratory, Made
from lab.osmosis.scenarios import Scenario, named
from lab.osmosis.stub_model import Behaviour, StubModel
from lab.osmosis.workspace import HEALTHY, Workspace
from lab.processes import let_children_be_interrupted
from lab.tool_environment import Unavailable
from whyzero.analyses.verify_fix import FixVerification, verify_fix
from whyzero.errors import UsageError
from whyzero.osmosis_cli import eval_run
from whyzero.osmosis_cli.eval_run import plan_run, read_request, run_plan
from whyzero.osmosis_cli.find import find_cli
from whyzero.readers import open_run
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.liveness import is_live
from whyzero.reproduce import reproduce

pytestmark = pytest.mark.live
Broken = Callable[[str], Path]

TOLERANT = """                    try:
                        arguments = json.loads(call["function"]["arguments"])
                    except json.JSONDecodeError:
                        a, op, b = re.findall(r"-?\\d+|[*+-]", messages[0]["content"])[:3]
                        arguments = {"a": int(a), "op": op, "b": int(b)}
"""
STRICT = '                    arguments = json.loads(call["function"]["arguments"])\n'


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    try:
        return Laboratory(tmp_path_factory.mktemp("home"))
    except Unavailable as reason:
        if os.environ.get("CI") == "true" and os.environ.get("WHYZERO_ALLOW_SKIP") != "1":
            pytest.fail(f"no live runs on this machine: {reason}", pytrace=False)
        pytest.skip(f"no live runs on this machine: {reason}")


@pytest.fixture
def model(lab: Laboratory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StubModel]:
    """The healthy model, and the environment in which a user would call whyzero."""
    with StubModel(Behaviour("right", {"slow": "hang"})) as stub:
        for name, value in lab._environment(tmp_path, stub, uuid.uuid4().hex).items():
            monkeypatch.setenv(name, value)
        yield stub


SLOW = Workspace(rows=({"user_prompt": "slow: what is 2 + 2?", "ground_truth": "4"},), agent_timeout=60)
BROKEN: dict[str, Scenario] = {
    name: named(name)
    for name in (
        "workflow-raises",
        "grader-raises",
        "grader-never-sets-the-reward",
        "workflow-blocks-the-loop",
        "malformed-tool-call",
        "dataset-row-nobody-can-grade",
    )
} | {"slow": replace(named("workflow-raises"), workspace=replace(SLOW, edits=named("workflow-raises").workspace.edits))}


@pytest.fixture(scope="module")
def failed_runs(lab: Laboratory, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Made]]]:
    """Every broken rollout after its failing run, made once, two at a time."""
    let_children_be_interrupted()
    folder = tmp_path_factory.mktemp("failed")
    with ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(lab.make, scenario, folder / name) for name, scenario in BROKEN.items()}


@pytest.fixture
def broken(failed_runs: dict[str, Future[Made]], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a workspace after its failing run; the rollout's environment is made anew."""

    def copied(name: str) -> Path:
        made = failed_runs[name].result()
        return Path(
            shutil.copytree(made.workspace, tmp_path / "workspace", ignore=shutil.ignore_patterns(".venv"), symlinks=True)
        )

    return copied


def request(rows: list[int], **changes: object) -> dict[str, object]:
    asked = {"config": "configs/eval/arith.toml", "rows": rows, "attempts": 1, "model": "openai/policy", "timeout_s": 120}
    return asked | {"authorized": True} | changes


def mend(workspace: Path, source: str = HEALTHY) -> None:
    (workspace / "rollouts/arith/main.py").write_text(source)


def again(lab: Laboratory, workspace: Path, asked: dict[str, object]) -> FixVerification:
    return reproduce(open_run(workspace / RUN), read_request(asked), program=lab.bin / "osmosis")


@pytest.mark.parametrize(
    ("name", "rows_", "cause", "mended"),
    [
        ("grader-raises", [0, 1], "grader_error", HEALTHY),
        ("grader-never-sets-the-reward", [1], "reward_missing", HEALTHY),
        ("workflow-blocks-the-loop", [0], "event_loop_blocked", HEALTHY),
        ("malformed-tool-call", [3], "malformed_output", HEALTHY.replace(STRICT, TOLERANT)),
        ("workflow-raises", [0, 1], "workflow_error", HEALTHY),
    ],
)
def test_a_true_fix_is_verified_on_the_affected_rows(
    name: str, rows_: list[int], cause: str, mended: str, lab: Laboratory, model: StubModel, broken: Broken
) -> None:
    workspace = broken(name)
    mend(workspace, mended)
    if name == "malformed-tool-call":
        model.behaviour = Behaviour("tool", {"15 * 15": "malformed_tool"})
    report = again(lab, workspace, request(rows_))
    assert report.verdict == "verified", (report.why, report.cost_note)
    pairs = {p.row: p for p in report.pairs if p.affected}
    assert sorted(pairs) == rows_
    assert {p.before.cause for p in pairs.values()} == {cause}
    assert {p.after.outcome for p in pairs.values()} == {"graded_pass"}
    assert report.inputs is not None
    assert report.inputs.dataset == report.inputs.row == "same"


def test_a_row_that_gets_its_label_is_another_question(lab: Laboratory, model: StubModel, broken: Broken) -> None:
    """The fault was the dataset's, and the mend changes the row: nothing is verified on the same input."""
    workspace = broken("dataset-row-nobody-can-grade")
    data = workspace / "data/dev.jsonl"
    lines = [json.loads(line) for line in data.read_text().splitlines()]
    lines[1]["ground_truth"] = "42"
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = again(lab, workspace, request([1]))
    assert (report.verdict, report.inputs and report.inputs.dataset) == ("not_comparable", "changed")
    assert {p.row: p.after.outcome for p in report.pairs if p.affected} == {1: "graded_pass"}


def test_an_unchanged_rollout_fails_again_and_is_advised_against(lab: Laboratory, model: StubModel, broken: Broken) -> None:
    workspace = broken("workflow-raises")
    asked = request([0])
    before = list(model.played)
    advised = again(lab, workspace, asked | {"authorized": False})
    assert "unchanged re-run" in advised.cost_note
    assert model.played == before
    report = again(lab, workspace, asked)
    assert report.verdict == "refuted"
    assert report.why == "An affected input failed again, with the same cause."


def test_without_authorisation_nothing_is_started(lab: Laboratory, model: StubModel, broken: Broken) -> None:
    workspace = broken("workflow-raises")
    mend(workspace)
    for authorized in (None, False, "true", 1, "yes", {}):
        nothing_is_started(lab, model, workspace, request([0], authorized=authorized))


def nothing_is_started(lab: Laboratory, model: StubModel, workspace: Path, asked: dict[str, object]) -> None:
    files = sorted(str(p) for p in workspace.rglob("*"))
    report = again(lab, workspace, asked)
    assert report.verdict == "inconclusive"
    assert report.command.startswith(
        "osmosis eval run configs/eval/arith.toml --rows 0 --dataset-file data/dev.jsonl --name whyzero-0-"
    )
    assert model.played == []
    assert sorted(str(p) for p in workspace.rglob("*")) == files
    with pytest.raises(UsageError, match="not authorised"):
        run_plan(plan_run(open_run(workspace / RUN), read_request(asked)), find_cli(workspace, lab.bin / "osmosis"))


def test_what_the_config_says_must_be_what_was_authorised(lab: Laboratory, model: StubModel, broken: Broken) -> None:
    workspace = broken("workflow-raises")
    for changes in ({"attempts": 3}, {"model": "openai/dearer"}):
        with pytest.raises(UsageError, match="Make them agree"):
            again(lab, workspace, request([0], **changes))
    assert model.played == []


@pytest.mark.parametrize("how", ["cancelled", "deadline"])
def test_a_run_that_is_ended_leaves_no_process_and_no_lock(
    how: str, lab: Laboratory, model: StubModel, broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eval_run, "NOTICE", 10.0 if how == "cancelled" else 3.0)
    workspace = broken("slow")
    mend(workspace)
    model.behaviour = Behaviour("right", {"slow": "hang"}, hang_seconds=60)
    plan = plan_run(open_run(workspace / RUN), read_request(request([0], timeout_s=120 if how == "cancelled" else 18)))
    cancelled = threading.Event()

    def stop_when_asked(_: float) -> None:
        if how == "cancelled" and "hang" in model.played:
            cancelled.set()

    started = time.monotonic()
    ran = run_plan(plan, find_cli(workspace, lab.bin / "osmosis"), progress=stop_when_asked, cancelled=cancelled)
    assert ran.answer.stopped == how
    assert ran.left == ()
    assert time.monotonic() - started < 100
    assert working_in(workspace) == []
    assert not is_live(Folder(workspace / ".osmosis/evals"), plan.name)
    after = open_run(ran.path)
    assert verify_fix(open_run(workspace / RUN), after, rows=[0]).verdict == "inconclusive"


def working_in(folder: Path) -> list[str]:
    """Processes whose working directory lies in the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            at = Path(os.readlink(process / "cwd"))
        except OSError:
            continue
        if folder in (at, *at.parents):
            found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found
