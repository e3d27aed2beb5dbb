"""What infrastructure zeros do to group-relative training (GRPO): same task, several attempts, one baseline."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from pydantic import Field

from whyzero.analyses.scores import Scored
from whyzero.evidence import Output, Quote

NOT_INFRASTRUCTURE = frozenset({"model", "budget", "model or config", "config", "task"})
"""Whose fault leaves a zero with the policy or the task, not with the machinery."""


class Sibling(Output):
    """One attempt of a group."""

    trial: Quote
    """Trial id."""
    before: float
    """Advantage (reward - mean) / std with every missing reward as 0."""
    after: float | None
    """The same with the infrastructure zeros masked; null for a masked one."""


class TrainingGroup(Output):
    """A group whose baseline holds infrastructure zeros."""

    task: Quote
    """Task or dataset row."""
    attempts: int
    """Attempts in the group."""
    infrastructure_zeros: int
    """Attempts booked as 0 or missing for a cause outside the model."""
    mean_before: float
    """Group mean with them as 0."""
    mean_after: float | None
    """Group mean without them; null when nothing is left."""
    siblings: tuple[Sibling, ...] = Field(default=())
    """How each attempt's advantage moves."""


def tainted_groups(trials: Iterable[Scored]) -> tuple[TrainingGroup, ...]:
    """Groups of two or more attempts that hold at least one infrastructure zero, the most moved first."""
    by_task: dict[tuple[str | None, str | None, str | None, int, str], list[Scored]] = defaultdict(list)
    for trial in trials:
        if not trial.skipped and not trial.pending:
            by_task[(trial.dataset, trial.agent, trial.model, trial.version, trial.task)].append(trial)
    groups = [group for trials_of in by_task.values() if (group := _group(trials_of)) is not None]
    return tuple(sorted(groups, key=lambda g: (-abs((g.mean_after or 0.0) - g.mean_before), g.task)))


def is_infrastructure_zero(trial: Scored) -> bool:
    """No grade of the model, for a known cause outside it, and booked as nothing or as 0."""
    return (
        not trial.is_score
        and trial.cause not in (None, "undetermined")
        and trial.whose not in NOT_INFRASTRUCTURE
        and not trial.booked
    )


def _group(trials: list[Scored]) -> TrainingGroup | None:
    masked = [is_infrastructure_zero(t) for t in trials]
    if len(trials) < 2 or not any(masked):
        return None
    before = [t.booked or 0.0 for t in trials]
    after = [value for value, hidden in zip(before, masked, strict=True) if not hidden]
    kept = iter(_advantages(after))
    return TrainingGroup(
        task=trials[0].task,
        attempts=len(trials),
        infrastructure_zeros=sum(masked),
        mean_before=round(math.fsum(before) / len(before), 6),
        mean_after=round(math.fsum(after) / len(after), 6) if after else None,
        siblings=tuple(
            Sibling(trial=t.id, before=value, after=None if hidden else next(kept))
            for t, value, hidden in zip(trials, _advantages(before), masked, strict=True)
        ),
    )


def _advantages(rewards: list[float]) -> list[float]:
    """(reward - mean) / population std; all 0 where the rewards are equal."""
    if not rewards:
        return []
    mean = math.fsum(rewards) / len(rewards)
    std = math.sqrt(math.fsum((r - mean) ** 2 for r in rewards) / len(rewards))
    return [round((r - mean) / std, 6) if std else 0.0 for r in rewards]
