"""One paragraph a person can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from whyzero.analyses.partition.gather import Gathered
from whyzero.analyses.partition.key import AnswerKey
from whyzero.analyses.partition.report import TaskClass, Verdict
from whyzero.analyses.partition.structure import Material, Pattern
from whyzero.analyses.partition.tasks import TaskView
from whyzero.analyses.partition.unanimity import Unanimity
from whyzero.analyses.partition.verdict import counted

SAID = {
    Verdict.SUSPECT_KEY: "The answer key is suspect",
    Verdict.MODEL_ERROR: "The models are wrong, the key is not suspected",
    Verdict.MIXED: "Both: some suspected rows are the key's fault, others are cleared",
    Verdict.CANNOT_TELL: "The rollouts cannot tell",
}
SOMEWHERE = "Where answers can be compared, models err and no key is suspected"


def summary_of_rows(
    verdict: Verdict,
    key: AnswerKey,
    about: Material,
    u: Unanimity,
    regular: Sequence[Pattern],
    gathered: Gathered,
    invented_by_all: int = 0,
) -> str:
    """What was read, what stands out, what it means."""
    grid = about.grid
    parts = [
        f"{SAID[verdict]}: {u.seen} of {len(key)} rows were missed by all {len(grid.attempts)} answered trials "
        f"(chance gives {u.expected:.2g}), {grid.declined_by_some.bit_count()} by some."
    ]
    if invented_by_all:
        parts.append(f"All of them sent {counted(invented_by_all, 'rows')} alike that the key lacks.")
    if regular:
        parts.append(f"Shared regularity: {regular[0].kind} in {regular[0].field}, {counted(len(regular[0].rows), 'rows')}.")
    if gathered.unusable:
        parts.append(f"{counted(len(gathered.unusable), 'trials')} did not answer: no part, no misses.")
    return " ".join(parts)


def summary_of_tests(verdict: Verdict, views: Sequence[TaskView], counts: Mapping[str, int], trials: int, silent: int) -> str:
    """The same for tests and tasks."""
    classes = Counter(one.kind or "undecided" for one in views)
    listed = ", ".join(f"{n} {kind}" for kind, n in classes.most_common())
    said = SAID[verdict] if len(views) == 1 or verdict is not Verdict.MODEL_ERROR else SOMEWHERE
    parts = [f"{said}: {counted(len(views), 'tasks')} ({listed})."]
    if counts:
        parts.append(
            f"Tests: {counts.get('declined_by_all', 0)} failed in every answered trial of their task, "
            f"{counts.get('declined_by_some', 0)} in some."
        )
    if silent:
        parts.append(f"{silent} of {trials} trials did not answer: no part, no misses.")
    if classes[TaskClass.SOLVED_ALWAYS]:
        parts.append("Tasks at the ceiling are listed with what was never audited there.")
    return " ".join(parts)
