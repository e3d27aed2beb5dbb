"""Tests of a verifier and whole tasks: failing alike, failing differently, not graded, out of time."""

from __future__ import annotations

from pathlib import Path

import pytest

from partition.jobs import Bench, permits, terminal_bench_trial, write
from whyzero.analyses.partition.answers import Agreement, beyond_accident
from whyzero.analyses.partition.records import final_answer
from whyzero.analyses.partition.report import Partition, TaskClass, Verdict
from whyzero.analyses.partition_disputed_rows import partition_disputed_rows
from whyzero.model import AgentLog, Speaker, Spot, Trial, Utterance

ROWS = permits(3)
MODELS = ("borealis/kestrel", "acme/tern-2", "acme/wren-1")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def outcome(*failing: str, of: int = 8) -> dict[str, bool]:
    """Tests test_a, test_b, ... of which these fail."""
    return {f"test_outputs.py::test_{letter}": letter not in failing for letter in "abcdefghijkl"[:of]}


def by_task(report: Partition) -> dict[str, str | None]:
    return {task.task: task.class_.value if task.class_ else None for task in report.tasks}


def test_the_four_classes_of_an_unsolved_task_and_the_two_of_a_solved_one(bench: Bench) -> None:
    for number, model in enumerate(MODELS):
        bench.trial(model, ROWS, tests=outcome("c", "d"), reward=0.0, task="same")
        bench.trial(model, ROWS, tests=outcome("abc"[number]), reward=0.0, task="different")
        bench.trial(model, None, reward=None, task="never")
        bench.trial(model, None, reward=0.0, task="clock", exception="AgentTimeoutError")
        bench.trial(model, ROWS, tests=outcome(), reward=1.0, task="always")
        bench.trial(model, ROWS, tests=outcome(*("a" if number == 0 else "")), reward=float(number > 0), task="sometimes")
    report = partition_disputed_rows(bench.jobs)
    assert by_task(report) == {
        "same": "wrong_the_same_way",
        "never": "never_graded",
        "clock": "all_out_of_time",
        "different": "wrong_in_different_ways",
        "sometimes": "solved_sometimes",
        "always": "solved_always",
    }
    assert next(iter(by_task(report))) == "same"
    same = report.tasks[0]
    assert same.shared == ("test_outputs.py::test_c", "test_outputs.py::test_d")
    assert (report.answered, len(report.not_answered)) == (12, 6)
    assert report.verdict is Verdict.SUSPECT_KEY
    assert "same: 2 of 8 tests" in report.why
    assert {row.task for row in report.rows if row.class_ == "declined_by_all"} == {"same"}
    always = next(task for task in report.tasks if task.task == "always")
    assert always.never_audited[0] == "Whether any of its 8 tests can fail: none ever did."


def test_a_trial_that_did_not_answer_is_no_miss_of_its_task(bench: Bench) -> None:
    bench.trial(MODELS[0], ROWS, tests=outcome(), reward=1.0)
    bench.trial(MODELS[1], ROWS, tests=outcome(), reward=1.0)
    bench.trial(MODELS[2], None, reward=0.0)
    (task,) = partition_disputed_rows(bench.jobs).tasks
    assert (task.class_, task.trials, task.answered, task.solved) == (TaskClass.SOLVED_ALWAYS, 3, 2, 2)
    assert "not counted as misses" in task.why


def test_out_of_time_means_all_of_them(bench: Bench) -> None:
    bench.trial(MODELS[0], None, reward=0.0, exception="AgentTimeoutError")
    bench.trial(MODELS[1], None, reward=None)
    (task,) = partition_disputed_rows(bench.jobs).tasks
    assert task.class_ is TaskClass.NEVER_GRADED
    assert "1 clock" in task.why


def test_one_wrong_answer_has_no_class(bench: Bench) -> None:
    bench.trial(MODELS[0], ROWS, tests=outcome("a"), reward=0.0)
    report = partition_disputed_rows(bench.jobs)
    assert by_task(report) == {"permit-register": None}
    assert (report.verdict, report.rows) == (Verdict.CANNOT_TELL, ())


def test_failures_that_share_some_are_the_same_way_only_beyond_chance(bench: Bench) -> None:
    for number, model in enumerate(MODELS):
        bench.trial(model, ROWS, tests=outcome("a", "defgh"[number], of=12), reward=0.0, task="beyond")
        bench.trial(model, ROWS, tests=outcome("a", *"bcdef"[number : number + 3]), reward=0.0, task="chance")
    report = partition_disputed_rows(bench.jobs)
    assert by_task(report) == {"beyond": "wrong_in_different_ways", "chance": "wrong_in_different_ways"}
    for number in range(3, 6):
        bench.trial(MODELS[number % 3], ROWS, tests=outcome("a", "defghi"[number], of=12), reward=0.0, task="beyond")
    assert by_task(partition_disputed_rows(bench.jobs))["beyond"] == "wrong_the_same_way"


def test_what_a_failing_test_said_is_shown_with_how_many_said_it(bench: Bench) -> None:
    name = "test_outputs.py::test_a"
    for number, model in enumerate(MODELS):
        said = "AssertionError: expected 384, got 385" if number else "AssertionError: expected 384, got 12"
        bench.trial(model, ROWS, tests=outcome("a"), messages={name: said}, reward=0.0)
    row = partition_disputed_rows(bench.jobs).rows[0]
    assert (row.key, row.declined_by) == (name, 3)
    assert [(v.submitted, v.trials) for v in row.submitted_values] == [
        ("AssertionError: expected 384, got 385", 2),
        ("AssertionError: expected 384, got 12", 1),
    ]


def test_parser_results_of_terminal_bench(tmp_path: Path) -> None:
    write(tmp_path / "run_metadata.json", {"run_id": "r", "agent_name": "terminus", "model_name": "m/x-1"})
    for number in range(1, 6):
        terminal_bench_trial(
            tmp_path, "totals", number, {"test_x": False, "test_y": number > 2, **{f"t{n}": True for n in range(8)}}
        )
    terminal_bench_trial(tmp_path, "totals", 6, None, "agent_timeout")
    report = partition_disputed_rows(tmp_path)
    assert [(row.key, row.class_.value, row.declined_by, row.trials) for row in report.rows] == [
        ("test_x", "declined_by_all", 5, 5),
        ("test_y", "declined_by_some", 2, 5),
    ]
    assert (report.answered, len(report.not_answered)) == (5, 1)
    assert report.verdict is Verdict.SUSPECT_KEY
    assert "one model family" in report.why


def test_a_test_that_did_not_run_was_not_asked(bench: Bench) -> None:
    """Eleven tests; test_k runs in two of four trials and fails there."""
    for number in range(4):
        bench.trial(f"m/m-{number}", ROWS, tests=outcome("k", "abcd"[number], of=11 if number < 2 else 10), reward=0.0)
    report = partition_disputed_rows(bench.jobs)
    row = next(row for row in report.rows if row.key == "test_outputs.py::test_k")
    assert (row.class_.value, row.declined_by, row.trials) == ("declined_by_all", 2, 2)


def unsolved(bench: Bench, *answers: tuple[str, object], task: str = "permit-register") -> None:
    """Trials without tests: a model and what it submitted, all graded zero."""
    for model, submission in answers:
        bench.trial(model, submission, reward=0.0, task=task)


def test_without_tests_the_submissions_are_compared_whole(bench: Bench) -> None:
    other = [{**row, "area": 1} for row in ROWS]
    unsolved(
        bench,
        ("m/a-1", ROWS),
        ("m/b-1", ROWS[::-1]),
        ("m/c-1", [{**row, "area": float(row["area"])} for row in ROWS]),
        task="same",
    )
    unsolved(bench, ("m/a-1", ROWS), ("m/b-1", other), ("m/c-1", []), task="different")
    report = partition_disputed_rows(bench.jobs)
    assert by_task(report) == {"same": "wrong_the_same_way", "different": "wrong_in_different_ways"}
    assert report.verdict is Verdict.SUSPECT_KEY


def test_one_model_that_repeats_itself_proves_nothing(bench: Bench) -> None:
    unsolved(bench, ("m/a-1", ROWS), ("m/a-1", ROWS), ("m/a-1", ROWS))
    report = partition_disputed_rows(bench.jobs)
    assert by_task(report) == {"permit-register": "wrong_the_same_way"}
    assert (report.verdict, "one model" in report.why) == (Verdict.CANNOT_TELL, True)


@pytest.mark.parametrize(
    ("agreements", "beyond"),
    [
        ([(True, 17, 3)], True),
        ([(True, 17, 2)], False),
        ([(True, 17, 2), (True, 4, 2)], True),
        ([(True, "B", 2), (True, "C", 2)], False),
        ([(True, "B", 3)] * 2 + [(False, "A", 3)] * 20, False),
        ([(True, "B", 4)] * 4 + [(False, "A", 4)] * 4, True),
        ([(True, "yes", 6)] * 5, False),
        ([(True, 17, 1)] * 9, False),
        ([(False, 17, 3)], False),
        ([], False),
    ],
)
def test_agreeing_on_a_wrong_answer_has_to_be_more_than_accident(
    agreements: list[tuple[bool, str | int, int]], beyond: bool
) -> None:
    """Of a number there are ten to choose from, of a letter four, of yes and no two."""
    assert beyond_accident([Agreement(same, answer, models) for same, answer, models in agreements]) is beyond


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("So \\boxed{41} or rather \\boxed{42}.", "42"),
        ("Steps...\n#### 84", "84"),
        ("I think so.\nThe final answer is **17**.", "17"),
        ("Answer: B", "B"),
        ("42", "42"),
        ("I looked at the files and\nwrote the report.", None),
        ("I have written a long and rambling sentence that is no answer at all", None),
    ],
)
def test_a_final_answer_is_what_is_marked_as_one(message: str, answer: str | None) -> None:
    said = Utterance(Speaker.MODEL, message, Spot("a"))
    assert final_answer(Trial("t", "task", Spot("a"), logs=(AgentLog("x", last_message=said),))) == answer
