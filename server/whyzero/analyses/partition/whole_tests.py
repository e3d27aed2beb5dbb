"""The whole answer for tests and tasks: no key at hand, the verifier's own tests are the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from whyzero.analyses.partition import lists
from whyzero.analyses.partition.answers import Agreement, answer_of, beyond_accident
from whyzero.analyses.partition.asked import Question
from whyzero.analyses.partition.ceiling import said_of
from whyzero.analyses.partition.difficulty import Difficulty, difficulty
from whyzero.analyses.partition.grid import Grid
from whyzero.analyses.partition.next_calls import after_tests
from whyzero.analyses.partition.of_tests import grid_of_tests
from whyzero.analyses.partition.overlap import overlap
from whyzero.analyses.partition.records import Record
from whyzero.analyses.partition.report import DisputedRow, Pairwise, Partition, TaskClass, TaskPartition, Verdict
from whyzero.analyses.partition.summary import summary_of_tests
from whyzero.analyses.partition.tasks import Faults, TaskView, view
from whyzero.analyses.partition.unanimity import Unanimity, unanimity
from whyzero.analyses.partition.verdict import Signs, counted, decide
from whyzero.analyses.partition.whole_tasks import ORDER, entry
from whyzero.analyses.report import run_info, unread
from whyzero.model import Run


@dataclass(frozen=True)
class TaskOfTests:
    """One task: its trials, its grid of tests, what chance gives."""

    view: TaskView
    labels: Sequence[Any]
    trials: list[Record]
    grid: Grid | None
    """None where no test is on record."""
    unanimity: Unanimity | None = None
    hard: Difficulty | None = None
    verdict: Verdict = Verdict.CANNOT_TELL
    why: str = ""
    agreement: Agreement | None = None
    """Where whole answers stand for tests."""


def partition_tests(question: Question, runs: Sequence[Run], everyone: Sequence[Record]) -> Partition:
    """Every test against every answered trial, task by task, and every task's class."""
    references = [one for one in everyone if one.reference]
    trials = [one for one in everyone if not one.reference]
    by_task: dict[str, list[Record]] = {}
    for one in trials:
        by_task.setdefault(one.attempt.task, []).append(one)
    looks = sum(_comparable(some) for some in by_task.values())
    tasks = [_task(some, max(1, looks)) for some in by_task.values()]
    tasks.sort(key=lambda task: (ORDER.index(task.view.kind), task.view.task))
    weighed = [task for task in tasks if task.grid is not None and task.unanimity is not None]
    verdict, why = _overall(tasks, weighed)
    rows, left_out = _rows(question, weighed, several=len(tasks) > 1)
    left_out["oracle and nop trials"] = len(references)
    problems, unseen = unread([problem for run in runs for problem in (*run.problems, *run.trial_problems)])
    left_out["problems"] = unseen
    silent = [(one, _silence(one)) for one in trials if not one.answered]
    pairs = overlap(weighed[0].grid) if len(weighed) == 1 and weighed[0].grid else None
    counts: Counter[str] = Counter()
    for task in weighed:
        if task.grid:
            counts.update(lists.class_counts(task.grid))
    report = Partition(
        summary=summary_of_tests(verdict, [task.view for task in tasks], counts, len(trials), len(silent)),
        verdict=verdict,
        why=why,
        runs=tuple(run_info(run) for run in runs),
        of="tests" if weighed else "tasks",
        answered=len(trials) - len(silent),
        not_answered=lists.not_answered(silent, len({one.attempt.run for one in trials}) > 1),
        models=lists.models(weighed[0].grid) if len(weighed) == 1 and weighed[0].grid else (),
        counts=dict(counts),
        rows=tuple(rows),
        chance=tuple(
            lists.chance(task.unanimity, task.hard, task.view.task if len(weighed) > 1 else None)
            for task in weighed
            if task.unanimity
        ),
        pairwise=Pairwise(
            median=pairs.median if pairs else None, max=pairs.max if pairs else None, pairs=pairs.pairs if pairs else 0
        ),
        tasks=_entries(tasks, references),
        references=said_of(references),
        problems=problems,
        omitted={what: n for what, n in left_out.items() if n},
    )
    return report.model_copy(update={"next_steps": after_tests(question, report)})


def _task(trials: list[Record], several: int) -> TaskOfTests:
    name = trials[0].attempt.task
    answered = [one for one in trials if one.answered]
    tested = [one for one in answered if one.tests]
    if not tested:
        labels, faults = _answers(answered)
        seen = view(name, trials, answered, faults)
        return TaskOfTests(seen, labels, trials, None, agreement=_agreement(seen, answered, labels, faults))
    grid = grid_of_tests(tested)
    u, hard = unanimity(grid), difficulty(grid)
    verdict, why = decide(
        Signs(
            answered=len(tested),
            models=len(grid.models),
            families=len({attempt.family for attempt in grid.attempts}),
            unanimity=_corrected(u, several),
            disputed=grid.missed_by_any.bit_count(),
            saturated=all(rate == 1 for rate in grid.rates),
            difficulty=hard,
            looks=several,
            what="tests",
        )
    )
    seen = view(name, trials, answered, Faults(grid.missed, grid.size, several))
    return TaskOfTests(seen, grid.labels, trials, grid, u, hard, verdict, why)


def _comparable(trials: Sequence[Record]) -> bool:
    """Two answered trials with tests, and a failure: only there could all fail alike."""
    tested = [one for one in trials if one.answered and one.tests]
    return len(tested) > 1 and not all(all(one.tests.values()) for one in tested)


def _corrected(u: Unanimity, tasks: int) -> Unanimity:
    """The same with the probability corrected for the number of tasks looked at."""
    return Unanimity(u.seen, u.rows, u.expected, min(1.0, u.p_value * tasks), min(1.0, u.p_at_most * tasks))


def _answers(answered: Sequence[Record]) -> tuple[list[Any], Faults]:
    """Whole answers in the place of tests; none is read where a trial has full marks, for then nothing is in question."""
    if any(one.solved for one in answered):
        return [], Faults([])
    given = [answer_of(one) for one in answered]
    labels = list(dict.fromkeys(answer for answer in given if answer is not None))
    wrong = [None if answer is None else 1 << labels.index(answer) for answer in given]
    return labels, Faults(wrong, len(labels), answers=True)


def _agreement(seen: TaskView, answered: Sequence[Record], labels: Sequence[Any], faults: Faults) -> Agreement | None:
    if seen.kind not in (TaskClass.WRONG_THE_SAME_WAY, TaskClass.WRONG_IN_DIFFERENT_WAYS):
        return None
    models = {one.attempt.model for one, wrong in zip(answered, faults.wrong, strict=True) if wrong is not None}
    return Agreement(seen.kind is TaskClass.WRONG_THE_SAME_WAY, labels[0], len(models))


def _overall(tasks: Sequence[TaskOfTests], weighed: Sequence[TaskOfTests]) -> tuple[Verdict, str]:
    """One verdict over all tasks: a suspected one is named, cleared ones do not outvote it."""
    if len(tasks) == 1 and weighed:
        return tasks[0].verdict, tasks[0].why
    agree = beyond_accident([task.agreement for task in tasks if task.agreement])
    suspected = [
        task
        for task in tasks
        if task.verdict is Verdict.SUSPECT_KEY
        or (agree and task.agreement is not None and task.agreement.same and task.agreement.models > 1)
    ]
    blamed = [t for t in tasks if t.verdict is Verdict.MODEL_ERROR or (not t.grid and _models_differ(t.view.kind))]
    if suspected:
        first = suspected[0]
        said = f"{len(suspected)} of {len(tasks)} tasks go wrong the same way in every trial beyond chance. "
        return Verdict.SUSPECT_KEY, f"{said}{first.view.task}: {first.why or first.view.why}"
    if blamed:
        return (
            Verdict.MODEL_ERROR,
            f"No task goes wrong the same way in every trial beyond chance; {len(blamed)} of {len(tasks)} tasks go wrong differently or only sometimes.",
        )
    same = sum(task.agreement is not None and task.agreement.same for task in tasks)
    if same:
        return (
            Verdict.CANNOT_TELL,
            f"On {counted(same, 'tasks')} all trials gave one wrong answer, but of one model or among so few choices that accident explains it.",
        )
    silent = sum(t.view.answered < 2 for t in tasks)
    return (
        Verdict.CANNOT_TELL,
        f"No task has wrong answers that could be compared: {silent} of {len(tasks)} have fewer than two graded answers.",
    )


def _models_differ(kind: TaskClass | None) -> bool:
    return kind in (TaskClass.WRONG_IN_DIFFERENT_WAYS, TaskClass.SOLVED_SOMETIMES)


def _rows(question: Question, weighed: Sequence[TaskOfTests], several: bool) -> tuple[list[DisputedRow], Counter[str]]:
    rows: list[DisputedRow] = []
    left_out: Counter[str] = Counter()
    for task in weighed:
        if task.grid is None or task.unanimity is None:
            continue
        some, more = lists.disputed(task.grid, task.unanimity, question.bounds, task=task.view.task if several else None)
        rows += lists.with_messages(some, [one for one in task.trials if one.answered])
        left_out += more
    rows.sort(key=lambda row: row.class_ != "declined_by_all")
    most = 2 * question.bounds.others
    left_out["tests"] += max(0, len(rows) - most)
    return rows[:most], left_out


def _entries(tasks: Sequence[TaskOfTests], references: Sequence[Record]) -> tuple[TaskPartition, ...]:
    return tuple(entry(task.view, task.labels, task.trials, references, audited=False) for task in tasks)


def _silence(one: Record) -> str:
    if one.attempt.reward is None:
        return "the verifier gave no reward"
    return "nothing shows that its own work was graded"
