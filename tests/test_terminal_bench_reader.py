"""What the Terminal-Bench reader makes of the trees of the harness before Harbor."""

from __future__ import annotations

from pathlib import Path

import pytest

from harbor_trees import read, write
from terminal_bench_trees import IDLE, INSTALL, MISSING, NOT_FOUND, TESTS, TYPED, WRONG, record, trial
from whyzero.errors import UnknownFormatError
from whyzero.model import Recorded
from whyzero.readers import open_run


def test_a_trial_alone_is_a_run(tmp_path: Path) -> None:
    run, trials = read(trial(tmp_path / "count-words.1-of-1.run", *WRONG))
    assert (run.format, run.writer, run.found) == ("terminal-bench", "terminal-bench", 1)
    one = trials[0]
    assert (one.id, one.task, one.reward.value, one.error_type, one.recorded) == (
        "count-words.1-of-1.run",
        "count-words",
        0.0,
        "unset",
        Recorded.FINISHED,
    )


def test_a_file_inside_a_trial_leads_to_its_run(tmp_path: Path) -> None:
    write(tmp_path / "run", {"run_metadata.json": {"agent_name": "mini-swe-agent", "model_name": "some/model"}})
    for n in (1, 2):
        trial(tmp_path / "run" / "count-words" / f"count-words.{n}-of-2.run", *WRONG)
    run, trials = read(tmp_path / "run" / "count-words" / "count-words.2-of-2.run" / "panes" / "post-test.txt")
    assert (run.root.name, [(t.id, t.attempt, t.agent, t.model) for t in trials]) == (
        "run",
        [("count-words.2-of-2.run", 1, "mini-swe-agent", "some/model")],
    )
    assert run.read_all is not None
    assert len(list(run.read_all())) == 2


def test_other_results_are_no_terminal_bench_run(tmp_path: Path) -> None:
    write(tmp_path / "r", {"results.json": {"task_id": "x", "score": 1}})
    with pytest.raises(UnknownFormatError):
        open_run(tmp_path / "r")


@pytest.mark.parametrize(("resolved", "value"), [(True, 1.0), (False, 0.0), (None, None)])
def test_not_graded_is_not_unresolved(tmp_path: Path, resolved: bool | None, value: float | None) -> None:
    assert read(trial(tmp_path / "t", resolved=resolved))[1][0].reward.value == value


def test_tests_are_the_parser_s_joined_with_what_pytest_said(tmp_path: Path) -> None:
    one = read(trial(tmp_path / "t", *WRONG))[1][0]
    assert [(t.name, t.passed, t.absent, t.message) for t in one.grading.tests] == [
        ("test_exists", True, False, ""),
        ("test_count", False, False, "AssertionError: assert '41' == '42'"),
    ]
    assert (one.grading.collected, one.grading.passed) == (2, 1)
    assert one.grading.report is not None
    assert one.grading.report.pointer == "/parser_results"


def test_a_missing_deliverable_is_told_by_the_pane(tmp_path: Path) -> None:
    one = read(trial(tmp_path / "t", *MISSING))[1][0]
    assert one.deliverable.names == ("/app/count.txt",)
    assert [e.quote for e in one.deliverable.missing] == [m for _, m in MISSING]
    assert {e.path for e in one.deliverable.missing} == {"panes/post-test.txt"}


def test_the_command_that_started_an_installed_agent(tmp_path: Path) -> None:
    one = read(trial(tmp_path / "t", pane=NOT_FOUND))[1][0]
    launch = next(u for u in one.harness if u.kind == "launch")
    assert (launch.code, launch.spot.line, one.agent) == ("mini", 5, "mini-swe-agent")
    assert [u.text for u in one.harness if u.kind == "pane"][-1] == "bash: mini: command not found"


@pytest.mark.parametrize(("commands", "typed"), [(TYPED, 2), (IDLE, 0)])
def test_commands_an_agent_typed_by_itself_are_counted(tmp_path: Path, commands: str, typed: int) -> None:
    one = read(trial(tmp_path / "t", *WRONG, commands=commands + TESTS, pane="root@box:/app#\n", total_output_tokens=7))[1][0]
    assert one.log is not None
    assert (one.log.tool_calls, one.log.output_tokens) == (typed, 7)
    assert one.harness == ()


def test_a_killed_trial_has_terminals_and_no_record(tmp_path: Path) -> None:
    one = read(trial(tmp_path / "t", results=None))[1][0]
    assert (one.recorded, one.reward.value, one.spot.path) == (Recorded.PENDING, None, "commands.txt")


def test_commands_that_do_not_parse_are_left_out(tmp_path: Path) -> None:
    hostile = "__import__('os').system('true')\n['" + "x" * 300_000 + "']\n[[[[\n"
    one = read(trial(tmp_path / "t", *WRONG, commands=INSTALL + hostile + TESTS))[1][0]
    assert [u.kind for u in one.harness if u.kind in ("install", "launch")] == ["install"]


def test_times_missing_in_forks_leave_the_phases_out(tmp_path: Path) -> None:
    found = record(*WRONG)
    for key in [k for k in found if k.endswith("_at")]:
        del found[key]
    one = read(trial(tmp_path / "t", *WRONG, results=found))[1][0]
    assert (one.spans, one.started_at) == ((), None)
