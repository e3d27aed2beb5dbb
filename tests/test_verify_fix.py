"""The rules of verify-fix, each on a small tree of its own; what would be wrongly verified stands beside what is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harbor_trees import RIGHT, WRONG, exception, graded, result, spans, trial
from osmosis_trees import Rollout, Tree, in_grader, in_workflow, user, workspace
from whyzero.analyses.verify_fix import Expectation, FixVerdict, FixVerification, verify_fix
from whyzero.errors import UsageError
from whyzero.readers import digests, open_run
from whyzero.readers.files import Folder

BROKEN = in_workflow(user(40, "run", "sign = SIGNS[word]"), error="KeyError: 'times'")
GRADER_BROKEN = in_grader(user(60, "grade", "tolerance = ctx.metadata['tolerance']"), error="KeyError: 'tolerance'")
OTHER = in_grader(user(61, "grade", "expected = int(ctx.label)"), error="ValueError: invalid literal for int()")
DATA = "".join(json.dumps({"user_prompt": f"What is {n} + 1?", "ground_truth": str(n + 1)}) + "\n" for n in range(8))
GRADER = """\
class Number(Grader):
    async def grade(self, ctx):
        ctx.set_reward(1.0 if close(ctx) else 0.0)
"""
MAIN = (
    """\
from osmosis_ai.rollout import AgentWorkflow, Grader, LocalBackend

SIGNS = {"plus": "+"}


def close(ctx):
    return ctx.sample.messages[-1]["content"] == ctx.label


class Ask(AgentWorkflow):
    async def run(self, ctx):
        return SIGNS[ctx.prompt]


"""
    + GRADER
    + """\

if __name__ == "__main__":
    serve(LocalBackend(workflow=Ask, grader=Number))
"""
)
MENDED = MAIN.replace('{"plus": "+"}', '{"plus": "+", "times": "*"}')


def row(number: int, reward: float | None = 1.0, broken: str = "", attempt: int = 0, **more: Any) -> Rollout:
    """A row with that reward, or that failed with that traceback."""
    return Rollout(number, attempt, reward=reward, error="agent_error" if broken else None, traceback=broken, **more)


def made(
    root: Path,
    rollouts: list[Rollout],
    *,
    after: bool = False,
    source: str = MAIN,
    data: str = DATA,
    run_id: str | None = None,
    elsewhere: bool = False,
    model: str = "openai/policy",
    **tree: Any,
) -> Path:
    """A run in a workspace of its own, its manifest with the digests of that workspace; `elsewhere` = edited since."""
    workspace(root, {"rollouts/arith/main.py": source, "data/dev.jsonl": data})
    call = 1 if after else 0
    path = Tree([replace(r, call=call) for r in rollouts], model=model, **tree).write(root / ".osmosis/evals/dev-run")
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["local_run_id"] = run_id or ("b" if after else "a") * 32
    manifest["inputs"]["dataset"]["sha256"] = digests.file_digest(Folder(root), "data/dev.jsonl")
    manifest["inputs"]["rollout"]["source_digest"] = digests.source_digest(Folder(root), "rollouts/arith")
    (path / "manifest.json").write_text(json.dumps(manifest))
    if elsewhere:
        (root / "rollouts/arith/main.py").write_text(source + "# edited after the run\n")
        (root / "data/dev.jsonl").write_text(data + "\n\n")
    return path


def compared(
    tmp_path: Path, before: list[Rollout], after: list[Rollout], rows: tuple[int, ...] = (), **of_after: Any
) -> FixVerification:
    old = made(tmp_path / "before", before, **of_after.pop("of_before", {}))
    new = made(tmp_path / "after", after, after=True, **{"source": MENDED, **of_after})
    return verify_fix(open_run(old), open_run(new), rows=rows)


FAILED_ON_1 = [row(0), row(1, broken=BROKEN), row(2, 0.0)]
FIXED = [row(0), row(1), row(2, 0.0)]


# ---- verified, and what comes close


def test_a_fault_that_is_gone_on_the_same_row_is_verified(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, FIXED)
    assert report.verdict is FixVerdict.VERIFIED
    pair = next(p for p in report.pairs if p.affected)
    assert (pair.row, pair.before.outcome, pair.before.cause, pair.after.outcome) == (
        1,
        "not_graded",
        "workflow_error",
        "graded_pass",
    )
    assert [p.row for p in report.pairs] == [1, 0, 2]
    assert report.inputs is not None
    assert report.inputs.model_dump(mode="json") == dict.fromkeys(("dataset", "row", "grader", "key", "model", "n"), "same")
    assert report.regressions == ()


def test_one_pair_is_enough_where_a_fault_kept_it_from_being_graded(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, FIXED)
    assert report.test is not None
    assert (report.test.fixed, report.test.broken, report.test.p_value) == (1, 0, 1.0)
    assert report.verdict is FixVerdict.VERIFIED


def test_from_no_grade_to_zero_the_fault_is_gone_and_the_answer_is_not(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, [row(0), row(1, 0.0), row(2, 0.0)])
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert "The fault is gone, the answer is not" in report.why


def test_the_same_cause_again_is_refuted(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, FAILED_ON_1)
    assert report.verdict is FixVerdict.REFUTED
    assert [step.tool for step in report.next_steps] == ["locate_failed_phase"]


def test_another_fault_in_the_way_is_neither_the_old_one_nor_a_success(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, [row(0), row(1, broken=OTHER), row(2, 0.0)])
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert "another fault stands in the way" in report.why


@pytest.mark.parametrize("then", [row(0, 0.0), row(0, 0.5), row(0, broken=BROKEN)], ids=["zero", "partly", "not graded"])
def test_a_pass_that_became_anything_less_refutes(then: Rollout, tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, [then, row(1), row(2, 0.0)])
    assert report.verdict is FixVerdict.REFUTED
    assert [p.row for p in report.regressions] == [0]


def test_a_pass_that_has_no_record_yet_is_no_regression(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, [row(1), row(2, 0.0)])
    assert report.verdict is FixVerdict.VERIFIED
    assert report.regressions == ()
    assert next(p for p in report.pairs if p.row == 0).after.outcome == "pending"


def test_an_affected_row_without_a_record_decides_nothing(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, [row(0), row(2, 0.0)])
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert "no record" in report.why


def test_nothing_failed_nothing_is_fixed(tmp_path: Path) -> None:
    report = compared(tmp_path, [row(0), row(1)], [row(0), row(1)])
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert report.why == "Nothing failed before: there is nothing to fix."


# ---- which rows are meant


def test_ungraded_rows_are_the_affected_ones_and_zeros_only_where_all_were_graded(tmp_path: Path) -> None:
    mixed = compared(tmp_path / "mixed", FAILED_ON_1, FIXED)
    graded_all = compared(tmp_path / "all", [row(0), row(1, 0.0)], [row(0), row(1, 0.0)])
    assert [p.row for p in mixed.pairs if p.affected] == [1]
    assert [p.row for p in graded_all.pairs if p.affected] == [1]


def test_named_rows_are_the_affected_ones(tmp_path: Path) -> None:
    two = [row(0, broken=BROKEN), row(1, broken=BROKEN)]
    half = [row(0, broken=BROKEN), row(1)]
    assert compared(tmp_path / "a", two, half).verdict is FixVerdict.REFUTED
    assert compared(tmp_path / "b", two, half, rows=(1,)).verdict is FixVerdict.VERIFIED
    with pytest.raises(UsageError, match="no row 7"):
        compared(tmp_path / "c", two, half, rows=(7,))


def test_rows_are_paired_by_their_place_in_the_dataset_file(tmp_path: Path) -> None:
    """The after-run selected row 5 alone: it is the first of its selection."""
    report = compared(tmp_path, [row(0, broken=BROKEN, source_row=5)], [row(0, source_row=5)])
    assert [p.row for p in report.pairs] == [5]
    other = compared(tmp_path / "other", [row(0, broken=BROKEN, source_row=5)], [row(0, source_row=6)])
    assert other.verdict is FixVerdict.NOT_COMPARABLE
    assert "no pair" in other.why


# ---- the same question?


def test_one_run_twice_tests_nothing(tmp_path: Path) -> None:
    old = open_run(made(tmp_path / "a", FAILED_ON_1))
    assert (
        verify_fix(old, open_run(made(tmp_path / "b", FIXED, after=True, run_id="a" * 32))).verdict is FixVerdict.NOT_COMPARABLE
    )
    assert verify_fix(old, open_run(made(tmp_path / "c", FAILED_ON_1, run_id="c" * 32))).verdict is FixVerdict.NOT_COMPARABLE


def test_a_row_that_was_rewritten_is_another_question(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, FIXED, data=DATA.replace("What is 1 + 1?", "What is 1 + 0?"))
    assert report.verdict is FixVerdict.NOT_COMPARABLE
    assert report.inputs is not None
    assert (report.inputs.dataset, report.inputs.row) == ("changed", "changed")


def test_a_row_added_behind_the_paired_ones_leaves_them_the_same(tmp_path: Path) -> None:
    more = DATA + json.dumps({"user_prompt": "What is 9 + 1?", "ground_truth": "10"}) + "\n"
    report = compared(tmp_path, FAILED_ON_1, FIXED, data=more)
    assert report.verdict is FixVerdict.VERIFIED
    assert report.inputs is not None
    assert (report.inputs.dataset, report.inputs.row, report.inputs.key) == ("changed", "same", "same")


def test_a_changed_dataset_whose_rows_cannot_be_seen_is_not_compared(tmp_path: Path) -> None:
    more = DATA + json.dumps({"user_prompt": "What is 9 + 1?", "ground_truth": "10"}) + "\n"
    report = compared(tmp_path, FAILED_ON_1, FIXED, data=more, elsewhere=True)
    assert report.verdict is FixVerdict.NOT_COMPARABLE
    assert report.inputs is not None
    assert (report.inputs.dataset, report.inputs.row) == ("changed", "unknown")


def test_a_model_changed_along_with_the_fix_leaves_open_which_helped(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, FIXED, model="openai/dearer")
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert report.inputs is not None
    assert report.inputs.model == "changed"


# ---- the grader

KINDER = MENDED.replace("== ctx.label", "in (ctx.label, None)")


def test_a_grader_changed_beside_a_fault_of_the_workflow_is_not_comparable(tmp_path: Path) -> None:
    report = compared(tmp_path, FAILED_ON_1, FIXED, source=KINDER)
    assert report.verdict is FixVerdict.NOT_COMPARABLE
    assert report.why == "The grader changed, and the fault was not the grader's: the rewards cannot be compared."


def test_a_mended_grader_is_held_against_the_rows_graded_before(tmp_path: Path) -> None:
    before = [row(0), row(1, broken=GRADER_BROKEN), row(2, 0.0)]
    kept = compared(tmp_path / "kept", before, FIXED, source=KINDER)
    assert kept.verdict is FixVerdict.VERIFIED
    assert kept.inputs is not None
    assert kept.inputs.grader == "changed"
    moved = compared(tmp_path / "moved", before, [row(0), row(1), row(2, 1.0)], source=KINDER)
    assert moved.verdict is FixVerdict.NOT_COMPARABLE
    assert "1 rows graded before got another reward" in moved.why


def test_a_grader_nobody_can_compare_forbids_nothing_while_the_control_keeps_its_rewards(tmp_path: Path) -> None:
    kept = compared(tmp_path / "kept", FAILED_ON_1, FIXED, elsewhere=True)
    assert kept.inputs is not None
    assert kept.inputs.grader == "unknown"
    assert kept.verdict is FixVerdict.VERIFIED
    moved = compared(tmp_path / "moved", FAILED_ON_1, [row(0), row(1), row(2, 1.0)], elsewhere=True)
    assert moved.verdict is FixVerdict.INCONCLUSIVE
    assert "Whether the grader changed is unknown" in moved.why


def test_zeros_that_became_passes_are_the_fix_and_no_control(tmp_path: Path) -> None:
    report = compared(tmp_path, [row(n, 0.0) for n in range(6)], [row(n) for n in range(6)], elsewhere=True)
    assert report.inputs is not None
    assert report.inputs.grader == "unknown"
    assert report.verdict is FixVerdict.VERIFIED


# ---- chance


def test_graded_answers_need_a_test_that_could_decide(tmp_path: Path) -> None:
    """Two-sided, all fixed: 2 * 0.5 ** 5 = 0.0625 and 2 * 0.5 ** 6 = 0.03125."""
    for count, p, verdict in ((5, 0.0625, FixVerdict.INCONCLUSIVE), (6, 0.03125, FixVerdict.VERIFIED)):
        report = compared(tmp_path / str(count), [row(n, 0.0) for n in range(count)], [row(n) for n in range(count)])
        assert report.test is not None
        assert (report.test.fixed, report.test.p_value, report.test.smallest_n_that_could_decide) == (count, pytest.approx(p), 6)
        assert report.verdict is verdict


def test_zeros_that_stay_zeros_are_no_fix(tmp_path: Path) -> None:
    report = compared(tmp_path, [row(n, 0.0) for n in range(6)], [row(n, 0.0) for n in range(6)])
    assert report.verdict is FixVerdict.REFUTED
    assert report.why == "No affected input got a better grade."


def test_six_of_seven_are_not_all(tmp_path: Path) -> None:
    report = compared(tmp_path, [row(n, 0.0) for n in range(7)], [row(n, float(n != 3)) for n in range(7)])
    assert report.verdict is FixVerdict.INCONCLUSIVE
    assert report.why == "Some affected inputs got no better grade."


# ---- a number on record


def test_a_number_on_record_is_reproduced_within_its_tolerance(tmp_path: Path) -> None:
    """(1 + 1 + 0.5) / 3 = 0.8333; the row without a grade is no zero."""
    run = open_run(made(tmp_path / "a", [row(0), row(1), row(2, 0.5), row(3, broken=BROKEN)]))
    for value, tolerance, verdict in ((0.833, 0.001, "verified"), (0.833, 0.0, "refuted"), (0.625, 0.001, "refuted")):
        report = verify_fix(run, expect=Expectation(value, tolerance, "table 2"))
        assert (report.verdict, report.expected) == (verdict, value)
        assert report.measured == pytest.approx(2.5 / 3)
        assert "(table 2)" in report.why


def test_a_zero_that_is_no_score_is_no_part_of_the_number(tmp_path: Path) -> None:
    """The agent program never started; Harbor booked a zero for it."""
    job(tmp_path / "a", 1.0, TASK, name="orders__aaaaaaa")
    info = exception("AgentSetupTimeoutError", "Agent setup timed out after 360.0 seconds")
    late = result("orders__bbbbbbb", reward=0.0, exception_info=info, **spans("agent_setup"))
    trial(tmp_path / "a/job/orders__bbbbbbb", late)
    report = verify_fix(open_run(tmp_path / "a/job"), expect=Expectation(1.0))
    assert (report.verdict, report.measured) == (FixVerdict.VERIFIED, 1.0)


def test_without_a_grade_there_is_no_number(tmp_path: Path) -> None:
    run = open_run(made(tmp_path / "a", [row(0, broken=BROKEN)]))
    assert verify_fix(run, expect=Expectation(0.0)).verdict is FixVerdict.INCONCLUSIVE


def test_with_two_runs_the_second_is_the_measured_one(tmp_path: Path) -> None:
    old, new = made(tmp_path / "a", [row(0, 0.0)]), made(tmp_path / "b", [row(0)], after=True)
    assert verify_fix(open_run(old), open_run(new), expect=Expectation(1.0)).verdict is FixVerdict.VERIFIED


def test_one_run_without_a_number_proves_nothing(tmp_path: Path) -> None:
    assert verify_fix(open_run(made(tmp_path / "a", FIXED))).verdict is FixVerdict.INCONCLUSIVE


# ---- Harbor

TASK = {
    "instruction.md": "Write /app/report.json.",
    "task.toml": "[task]\n",
    "environment/Dockerfile": "FROM scratch\n",
    "environment/orders.csv": "region,amount\nsouth,330\n",
    "tests/test.sh": "pytest\n",
    "tests/expected.json": '{"south": 330.0}',
    "solution/solve.sh": "true\n",
}


def job(root: Path, reward: float, task: dict[str, str], *, name: str, model: str = "gpt-5-mini", kept: bool = True) -> Path:
    """A folder with one trial and, where kept, its task beside it."""
    for path, text in task.items():
        file = root / "tasks/orders" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    checksum = digests.checksum(digests.tree_files(Folder(root / "tasks/orders")))
    if not kept:
        (root / "tasks/orders/task.toml").write_text("# edited since\n")
    info = {"name": "terminus-2", "version": "2.0.0", "model_info": {"name": model, "provider": "openai"}}
    record = result(name, task_checksum=checksum, id=name, agent_info=info, reward=reward)
    record["config"]["agent"]["model_name"] = f"openai/{model}"
    graded(root / "job" / name, RIGHT if reward else WRONG, reward=reward, record=record)
    return root / "job"


@pytest.mark.parametrize(
    ("changed", "inputs"),
    [
        ({}, {"row": "same", "grader": "same", "key": "same"}),
        ({"environment/Dockerfile": "FROM python\n"}, {"row": "same", "grader": "same", "key": "same"}),
        ({"solution/solve.sh": "false\n"}, {"row": "same", "grader": "same", "key": "same"}),
        ({"tests/test.sh": "pytest -q\n"}, {"row": "same", "grader": "changed", "key": "same"}),
        ({"tests/expected.json": '{"south": 331.0}'}, {"row": "same", "grader": "same", "key": "changed"}),
        ({"instruction.md": "Write /app/total.json."}, {"row": "changed", "grader": "same", "key": "same"}),
        ({"environment/orders.csv": "region,amount\nsouth,331\n"}, {"row": "changed", "grader": "same", "key": "same"}),
    ],
)
def test_the_parts_of_a_harbor_task_are_compared_one_by_one(
    changed: dict[str, str], inputs: dict[str, str], tmp_path: Path
) -> None:
    old = job(tmp_path / "a", 0.0, TASK, name="orders__aaaaaaa")
    new = job(tmp_path / "b", 1.0, {**TASK, **changed}, name="orders__bbbbbbb")
    report = verify_fix(open_run(old), open_run(new))
    assert report.inputs is not None
    assert {name: getattr(report.inputs, name) for name in inputs} == inputs
    same = set(inputs.values()) == {"same"}
    assert (report.verdict is FixVerdict.NOT_COMPARABLE) is not same


def test_a_harbor_task_that_is_gone_is_told_by_its_checksum_alone(tmp_path: Path) -> None:
    old = job(tmp_path / "a", 0.0, TASK, name="orders__aaaaaaa", kept=False)
    new = job(tmp_path / "b", 1.0, TASK, name="orders__bbbbbbb", kept=False)
    other = job(tmp_path / "c", 1.0, {**TASK, "environment/Dockerfile": "FROM python\n"}, name="orders__ccccccc", kept=False)
    same, changed = verify_fix(open_run(old), open_run(new)), verify_fix(open_run(old), open_run(other))
    assert same.inputs is not None
    assert changed.inputs is not None
    assert (same.inputs.row, same.inputs.grader, same.inputs.key) == ("same", "same", "same")
    assert (changed.inputs.row, changed.inputs.grader, changed.inputs.key) == ("changed", "unknown", "unknown")
    assert changed.verdict is FixVerdict.NOT_COMPARABLE


def test_a_job_of_two_models_is_paired_model_by_model(tmp_path: Path) -> None:
    for root, rewards in (("a", {"gpt-5-mini": 1.0, "gpt-5": 0.0}), ("b", {"gpt-5-mini": 0.0, "gpt-5": 1.0})):
        for model, reward in rewards.items():
            job(tmp_path / root, reward, TASK, name=f"orders__{root}{model.replace('-', '')}", model=model)
    report = verify_fix(open_run(tmp_path / "a/job"), open_run(tmp_path / "b/job"))
    assert sorted((p.before.reward, p.after.reward) for p in report.pairs) == [(0.0, 1.0), (1.0, 0.0)]
    assert report.verdict is FixVerdict.REFUTED


def test_the_model_of_a_harbor_run_is_that_of_its_trials(tmp_path: Path) -> None:
    old = job(tmp_path / "a", 0.0, TASK, name="orders__aaaaaaa")
    new = job(tmp_path / "b", 1.0, TASK, name="orders__bbbbbbb", model="gpt-5")
    report = verify_fix(open_run(old), open_run(new))
    assert report.inputs is not None
    assert report.inputs.model == "changed"
    assert len(report.pairs) == 1
