"""Tasks as the report lists them: suspicious ones first, those at the ceiling with what was never audited there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from whyzero.analyses.partition.ceiling import never_audited
from whyzero.analyses.partition.labels import shown
from whyzero.analyses.partition.masks import rows_of
from whyzero.analyses.partition.records import Record
from whyzero.analyses.partition.report import TaskClass, TaskPartition
from whyzero.analyses.partition.tasks import TaskView

SHARED_SHOWN = 50
ORDER = (
    TaskClass.WRONG_THE_SAME_WAY,
    TaskClass.NEVER_GRADED,
    TaskClass.ALL_OUT_OF_TIME,
    TaskClass.WRONG_IN_DIFFERENT_WAYS,
    None,
    TaskClass.SOLVED_SOMETIMES,
    TaskClass.SOLVED_ALWAYS,
)


def task_entries(
    views: Sequence[TaskView],
    labels: Sequence[Any],
    trials: Sequence[Record],
    references: Sequence[Record],
    audited: bool,
) -> tuple[TaskPartition, ...]:
    """Entries in the order of suspicion, then of name."""
    return tuple(
        entry(one, labels, trials, references, audited) for one in sorted(views, key=lambda v: (ORDER.index(v.kind), v.task))
    )


def entry(
    one: TaskView, labels: Sequence[Any], trials: Sequence[Record], references: Sequence[Record], audited: bool
) -> TaskPartition:
    """One task of the report."""
    gaps: tuple[str, ...] = ()
    if one.kind is TaskClass.SOLVED_ALWAYS:
        gaps = never_audited(
            [trial for trial in trials if trial.attempt.task == one.task],
            [reference for reference in references if reference.attempt.task == one.task],
            audited,
        )
    return TaskPartition(
        task=one.task,
        class_=one.kind,
        trials=one.trials,
        answered=one.answered,
        solved=one.solved,
        why=one.why,
        shared=tuple(shown(labels[row]) for row in rows_of(one.shared))[:SHARED_SHOWN],
        never_audited=gaps,
    )
