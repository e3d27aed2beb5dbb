"""A task at the ceiling proves little: what was never put to the test there."""

from __future__ import annotations

from collections.abc import Sequence

from whyzero.analyses.partition.records import Record


def never_audited(trials: Sequence[Record], references: Sequence[Record], scorer_audited: bool) -> tuple[str, ...]:
    """What nothing in the runs could have shown about a task that every answered trial solved."""
    gaps: list[str] = []
    tests = {name for one in trials for name in one.tests}
    failed = {name for one in (*trials, *references) for name, passed in one.tests.items() if not passed}
    if tests and not failed:
        gaps.append(f"Whether any of its {len(tests)} tests can fail: none ever did.")
    elif tests - failed:
        gaps.append(f"Whether {len(tests - failed)} of its {len(tests)} tests can fail: they never did.")
    if not any(one.reference == "nop" for one in references):
        gaps.append("Whether doing nothing fails: no nop run is among the results.")
    if not any(one.reference == "oracle" for one in references):
        gaps.append("Whether the reference solution passes: no oracle run is among the results.")
    if not scorer_audited:
        gaps.append("Whether the grader turns down a wrong answer: it was not audited (audit_grader).")
    models = {one.attempt.model for one in trials if one.answered}
    if len(models) == 1:
        gaps.append("Whether another model fails: all answered trials are of one.")
    return tuple(gaps)


def said_of(references: Sequence[Record]) -> tuple[str, ...]:
    """What the reference solution and the agent that does nothing got."""
    said: list[str] = []
    for one in references:
        reward = "no reward" if one.attempt.reward is None else f"reward {one.attempt.reward:g}"
        if one.reference == "oracle" and not one.solved:
            said.append(
                f"The reference solution of {one.attempt.task} got {reward} ({one.attempt.id}): task, key or grader is at fault."
            )
        elif one.reference == "nop" and (one.attempt.reward or 0) > 0:
            said.append(f"Doing nothing got {reward} on {one.attempt.task} ({one.attempt.id}): the grader rewards nothing.")
    return tuple(said)
