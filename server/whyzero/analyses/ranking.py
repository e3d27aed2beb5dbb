"""Does the order of the models survive every way to treat the unanswered trials?"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from whyzero.analyses.scores import Scored
from whyzero.evidence import Output, Prose, Quote


class Pair(Output):
    """Two models on the same tasks."""

    first: Quote
    """The one that leads when missing counts as zero (on a tie: the first by name)."""
    second: Quote
    """The other."""
    keeps_order: bool
    """The same strict order under every treatment, bounds included."""
    missing_as_zero: tuple[float, float] | None
    """Means of first and second."""
    dropped: tuple[float, float] | None
    """Means over the answered; null where one answered nothing."""
    timeouts_dropped: tuple[float, float] | None
    """Means over the answered that did not run out of time."""
    bounds_apart: bool
    """The lowest possible mean of the first lies above the highest possible of the second."""


class Ranking(Output):
    """The order of several models on one task set."""

    order: tuple[Quote, ...]
    """Models by mean with missing as zero, best first."""
    survives: bool
    """Every pair keeps its order."""
    pairs: tuple[Pair, ...]
    """Every pair, those that do not keep their order first."""
    note: Prose
    """What this means for a published order."""


def rank(trials: Sequence[Scored]) -> Ranking | None:
    """The ranking of the largest task set that several (agent, model) pairs attempted; None where there is none."""
    sets: dict[str | None, dict[str, list[Scored]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        if not trial.skipped and trial.version == 0:
            sets[trial.dataset][_name(trial)].append(trial)
    rivals = [by_model for by_model in sets.values() if len(by_model) > 1]
    if not rivals:
        return None
    by_model = max(rivals, key=lambda models: sum(len(group) for group in models.values()))
    shared = set.intersection(*({t.task for t in group} for group in by_model.values()))
    if not shared:
        return None
    kept = {name: [t for t in group if t.task in shared] for name, group in by_model.items()}
    order = sorted(kept, key=lambda name: (-(_zero(kept[name]) or 0.0), name))
    pairs = [_pair(a, b, kept[a], kept[b]) for a, b in combinations(order, 2)]
    moved = sum(not pair.keeps_order for pair in pairs)
    return Ranking(
        order=tuple(order),
        survives=moved == 0,
        pairs=tuple(sorted(pairs, key=lambda pair: pair.keeps_order)),
        note=(
            f"{_pairs(len(pairs))} whatever the unanswered trials would have scored."
            if not moved
            else f"{moved} of {len(pairs)} {'pair changes or ties' if len(pairs) == 1 else 'pairs change or tie'} under some treatment"
            " of the unanswered trials: their order is decided by a policy, not by the models."
        )
        + f" Compared on {len(shared)} shared {'task' if len(shared) == 1 else 'tasks'}.",
    )


def _pairs(count: int) -> str:
    return "The only pair keeps its order" if count == 1 else f"All {count} pairs keep their order"


def _name(trial: Scored) -> str:
    model = trial.model or "no model"
    return f"{trial.agent}/{model}" if trial.agent else model


def _pair(a: str, b: str, first: list[Scored], second: list[Scored]) -> Pair:
    zero = _both(_zero(first), _zero(second))
    dropped = _both(_answered(first), _answered(second))
    timeouts = _both(
        _answered([t for t in first if not t.timed_out]),
        _answered([t for t in second if not t.timed_out]),
    )
    apart = _low(first) > _high(second)
    strict = all(pair is not None and pair[0] > pair[1] for pair in (zero, dropped, timeouts))
    return Pair(
        first=a,
        second=b,
        keeps_order=strict and apart,
        missing_as_zero=zero,
        dropped=dropped,
        timeouts_dropped=timeouts,
        bounds_apart=apart,
    )


def _both(first: float | None, second: float | None) -> tuple[float, float] | None:
    return None if first is None or second is None else (round(first, 6), round(second, 6))


def _zero(trials: list[Scored]) -> float | None:
    return math.fsum(t.value or 0.0 for t in trials) / len(trials) if trials else None


def _answered(trials: list[Scored]) -> float | None:
    values = [t.value for t in trials if t.value is not None]
    return math.fsum(values) / len(values) if values else None


def _low(trials: list[Scored]) -> float:
    return math.fsum(0.0 if t.value is None else t.value for t in trials) / len(trials)


def _high(trials: list[Scored]) -> float:
    return math.fsum(1.0 if t.value is None else t.value for t in trials) / len(trials)
