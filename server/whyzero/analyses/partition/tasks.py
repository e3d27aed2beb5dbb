"""Whole tasks: never graded, all out of time, wrong in different ways, wrong the same way, solved sometimes or always."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from whyzero.analyses.partition.chance import binomial_tail
from whyzero.analyses.partition.masks import everything
from whyzero.analyses.partition.records import Record
from whyzero.analyses.partition.report import TaskClass
from whyzero.analyses.partition.unanimity import LEVEL


@dataclass(frozen=True, slots=True)
class Faults:
    """What each answered trial got wrong, as masks; None where nothing tells."""

    wrong: Sequence[int | None]
    size: int = 0
    """Things that could be wrong."""
    looks: int = 1
    """Tasks weighed side by side."""
    answers: bool = False
    """A bit stands for an answer that was given, not for a row or test that failed."""


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task judged over its trials."""

    task: str
    kind: TaskClass | None
    trials: int
    answered: int
    solved: int
    why: str
    shared: int = 0
    """Mask of what every compared trial got wrong."""


def view(task: str, trials: Sequence[Record], answered: Sequence[Record], faults: Faults) -> TaskView:
    """Class of one task; trials that did not answer are counted and never taken for misses."""
    solved = sum(one.solved for one in answered)
    silent = len(trials) - len(answered)
    beside = f" {silent} of {len(trials)} trials gave no graded answer and are not counted as misses." if silent else ""
    kind, why, shared = _judge(trials, answered, solved, faults)
    return TaskView(task, kind, len(trials), len(answered), solved, why + (beside if answered else ""), shared)


def _judge(
    trials: Sequence[Record], answered: Sequence[Record], solved: int, faults: Faults
) -> tuple[TaskClass | None, str, int]:
    if not answered:
        return (*_unanswered(trials), 0)
    if solved == len(answered):
        whose = "The only answered trial" if solved == 1 else f"All {solved} answered trials"
        return TaskClass.SOLVED_ALWAYS, f"{whose} got full marks.", 0
    if solved:
        return TaskClass.SOLVED_SOMETIMES, f"{solved} of {len(answered)} answered trials got full marks.", 0
    known = [wrong for wrong in faults.wrong if wrong is not None]
    if len(known) < 2:
        reason = "a single graded answer has nothing to be compared with" if len(answered) < 2 else "nothing tells what was wrong"
        return None, f"No full marks, and {reason}.", 0
    return _compared(known, faults)


def _unanswered(trials: Sequence[Record]) -> tuple[TaskClass, str]:
    causes = Counter(one.cause or one.outcome.value for one in trials)
    listed = ", ".join(f"{n} {word}" for word, n in causes.most_common())
    if set(causes) == {"clock"}:
        return TaskClass.ALL_OUT_OF_TIME, f"All {len(trials)} trials ran into the clock."
    return TaskClass.NEVER_GRADED, f"No trial's work was graded: {listed}."


def _compared(known: Sequence[int], faults: Faults) -> tuple[TaskClass, str, int]:
    shared = everything(faults.size)
    for wrong in known:
        shared &= wrong
    many = len(known)
    if faults.answers:
        if shared:
            return TaskClass.WRONG_THE_SAME_WAY, f"All {many} compared trials gave the same answer.", shared
        return TaskClass.WRONG_IN_DIFFERENT_WAYS, f"The {many} compared trials gave different answers.", 0
    if shared and all(wrong == shared for wrong in known):
        return TaskClass.WRONG_THE_SAME_WAY, f"All {many} trials got exactly the same {shared.bit_count()} wrong.", shared
    if not shared:
        return TaskClass.WRONG_IN_DIFFERENT_WAYS, f"Nothing is wrong in all {many} trials.", 0
    every = math.prod(wrong.bit_count() / faults.size for wrong in known)
    share = f"{shared.bit_count()} are wrong in all {many} trials, where chance gives {faults.size * every:.2g}"
    if binomial_tail(faults.size, every, shared.bit_count()) * faults.looks <= LEVEL:
        return TaskClass.WRONG_THE_SAME_WAY, f"{share}; the rest differs.", shared
    return TaskClass.WRONG_IN_DIFFERENT_WAYS, f"{share}: no more than chance.", shared
