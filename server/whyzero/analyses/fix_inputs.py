"""Were two runs given the same? Digests of dataset, row or task, grader and key, the model and the attempts, one by one."""

from __future__ import annotations

from collections.abc import Set
from enum import StrEnum

from whyzero.evidence import Output
from whyzero.model import Inputs


class Sameness(StrEnum):
    """One input before and after."""

    SAME = "same"
    CHANGED = "changed"
    UNKNOWN = "unknown"


class InputsCompared(Output):
    """What must be the same for the comparison to mean anything."""

    dataset: Sameness
    """Digest of the dataset file."""
    row: Sameness
    """Digests of the paired rows or tasks."""
    grader: Sameness
    """Digest of the grading code."""
    key: Sameness
    """Digest of the answer key."""
    model: Sameness
    """Model id."""
    n: Sameness
    """Attempts per row."""


def compare_inputs(old: Inputs, new: Inputs, tasks: Set[str], rows: Set[int]) -> InputsCompared:
    """Hold two runs' inputs against each other, as far as these tasks, or where there is none these rows, are concerned."""
    row, grader, key = _compare_tasks(old, new, tasks) if tasks else _compare_rows(old, new, rows)
    dataset = _same(old.dataset, new.dataset)
    return InputsCompared(
        dataset=row if tasks and dataset is Sameness.UNKNOWN else dataset,
        row=row,
        grader=grader,
        key=key,
        model=_same(old.model, new.model),
        n=_same(old.attempts, new.attempts),
    )


def _compare_rows(old: Inputs, new: Inputs, rows: Set[int]) -> tuple[Sameness, Sameness, Sameness]:
    """Row, grader and key of Osmosis: the label is a part of the row."""
    same_file = _same(old.dataset, new.dataset) is Sameness.SAME
    row = Sameness.SAME if same_file else _all([_same(old.rows.get(number), new.rows.get(number)) for number in rows])
    same_source = _same(old.source, new.source) is Sameness.SAME
    grader = Sameness.SAME if same_source else _same(old.grader, new.grader)
    key = _same(old.key, new.key)
    return row, grader, Sameness.SAME if key is Sameness.UNKNOWN and row is Sameness.SAME else key


def _compare_tasks(old: Inputs, new: Inputs, tasks: Set[str]) -> tuple[Sameness, Sameness, Sameness]:
    """Question, grader and key of Harbor: one digest covers all, unless the folders of both are at hand."""

    def part(task: str, name: str, otherwise: Sameness) -> Sameness:
        whole = _same(old.tasks.get(task), new.tasks.get(task))
        if whole is not Sameness.CHANGED:
            return whole
        apart = _same(old.parts.get(task, {}).get(name), new.parts.get(task, {}).get(name))
        return otherwise if apart is Sameness.UNKNOWN else apart

    return (
        _all([part(task, "question", Sameness.CHANGED) for task in tasks]),
        _all([part(task, "grader", Sameness.UNKNOWN) for task in tasks]),
        _all([part(task, "key", Sameness.UNKNOWN) for task in tasks]),
    )


def _same(old: object, new: object) -> Sameness:
    if old is None or new is None:
        return Sameness.UNKNOWN
    return Sameness.SAME if old == new else Sameness.CHANGED


def _all(each: list[Sameness]) -> Sameness:
    if Sameness.CHANGED in each:
        return Sameness.CHANGED
    return Sameness.SAME if each and all(s is Sameness.SAME for s in each) else Sameness.UNKNOWN


__all__ = ["InputsCompared", "Sameness", "compare_inputs"]
