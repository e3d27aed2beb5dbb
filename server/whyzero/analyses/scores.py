"""Honest totals: what a set of trials says about an agent when the unanswered ones are neither zero nor gone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from whyzero.evidence import Output, Prose, Quote
from whyzero.model import Booked

Z95 = 1.959963984540054
FEW_TRIES = 3


def tries_to_tell_apart(better: float, worse: float, level: float = 0.05) -> int:
    """Smallest k at which never completing is unlikely (<= level) under `better` while `worse` still expects a hit or less."""
    if not 0 < better < 1:
        return 1
    return max(math.ceil(math.log(level) / math.log(1 - better)), math.ceil(1 / worse) if worse > 0 else 1)


RELIABLE_TRIES = tries_to_tell_apart(1 / 3, 1 / 9)
"""Tries per task from which a completion rate says something (9)."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One trial, reduced to what totals need."""

    id: str
    task: str
    dataset: str | None
    agent: str | None
    model: str | None
    attempt: int
    version: int
    """0 for the first version (checksum) of the task met in the run, 1 for the next …"""
    value: float | None
    """The grade where the trial was answered, else None."""
    booked: float | None
    """The number the harness wrote, whatever it is worth."""
    cause: str | None
    whose: str | None
    is_score: bool
    skipped: bool = False
    pending: bool = False
    timed_out: bool = False
    seconds: float | None = None


class Score(Output):
    """Totals of one agent and model on one set of tasks."""

    left_out_when_empty = frozenset({"dataset", "agent", "model", "version", "skipped", "pending", "sweep_seconds"})

    dataset: Quote | None = None
    """Name of the task set, where recorded."""
    agent: Quote | None = None
    """Agent program."""
    model: Quote | None = None
    """Model."""
    version: int = 0
    """Versions of a task are never mixed: 0 = the first version met, 1 = the next."""
    tasks: int
    """Distinct tasks (or dataset rows)."""
    trials: int
    """Attempts planned, those skipped on purpose left out."""
    answered: int
    """Attempts with a deliverable that the verifier really graded."""
    pending: int = 0
    """Attempts without a record, counted in `trials`."""
    skipped: int = 0
    """Attempts skipped on purpose, not counted in `trials`."""
    completion_rate: float | None
    """answered / trials."""
    completion_interval: tuple[float, float] | None
    """95 % Wilson interval of the completion rate."""
    mean_answered: float | None
    """Mean reward over the answered; null below two."""
    mean_if_missing_is_zero: float | None
    """Mean over all trials with every unanswered one as 0: a lower convention, not a fact."""
    bounds: tuple[float, float] | None
    """Mean if all unanswered had scored nothing, and if all had scored full marks."""
    harness_mean: float | None = None
    """The mean the harness booked."""
    harness_rule: Quote | None = None
    """How the harness treated trials without a grade."""
    enough_samples: bool
    """Whether the tries suffice to call the completion rate a property of the model."""
    advice: Prose
    """What may and what may not be said from these trials."""
    sweep_seconds: float | None = None
    """Wall clock of a sweep with enough tries, from the measured trial time."""


RULES = {
    "missing_as_zero": "a trial without a reward counts as 0 (Harbor up to 0.25)",
    "invalid_dropped": "trials whose reward is not valid are left out (Harbor 0.26); zeros it calls valid may still be no grades",
    "failures_as_zero": "failed rows count as not passed, skipped ones are left out (Osmosis pass_rate)",
    "graded_only": "only graded rows count (Osmosis reward_stats)",
    "unknown": "the writer's rule is not known",
}


def wilson(hits: int, tries: int, z: float = Z95) -> tuple[float, float]:
    """95 % Wilson score interval of hits/tries; tries > 0."""
    rate = hits / tries
    centre = rate + z * z / (2 * tries)
    spread = z * math.sqrt(rate * (1 - rate) / tries + z * z / (4 * tries * tries))
    scale = 1 + z * z / tries
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def groups(trials: Iterable[Scored]) -> dict[tuple[str | None, str | None, str | None, int], list[Scored]]:
    """Trials by (dataset, agent, model, task version), in order of first appearance."""
    found: dict[tuple[str | None, str | None, str | None, int], list[Scored]] = defaultdict(list)
    for trial in trials:
        found[(trial.dataset, trial.agent, trial.model, trial.version)].append(trial)
    return dict(found)


def score(trials: Sequence[Scored], booked: Sequence[Booked] = (), concurrency: int | None = None, tiers: int = 1) -> Score:
    """Totals of one group.

    Args:
        tiers: number of models that a sweep of this kind would run.
    """
    dataset, agent, model, version = trials[0].dataset, trials[0].agent, trials[0].model, trials[0].version
    counted = [t for t in trials if not t.skipped]
    values = [t.value for t in counted if t.value is not None]
    n, answered = len(counted), len(values)
    total = math.fsum(values)
    full, least = max([1.0, *values]), min([0.0, *values])
    by_task: dict[str, int] = defaultdict(int)
    for t in counted:
        by_task[t.task] += 1
    fewest = min(by_task.values(), default=0)
    enough = fewest >= RELIABLE_TRIES or (answered == n and fewest >= FEW_TRIES)
    mean = _mean_of(booked, dataset, agent, model) if version == 0 else None
    times = [t.seconds for t in counted if t.seconds is not None and not t.pending]
    sweep = None
    if not enough and times:
        sweep = round(len(by_task) * tiers * RELIABLE_TRIES * median(times) / (concurrency or 1), 1)
    return Score(
        dataset=dataset,
        agent=agent,
        model=model,
        version=version,
        tasks=len(by_task),
        trials=n,
        answered=answered,
        pending=sum(t.pending for t in counted),
        skipped=len(trials) - n,
        completion_rate=_round(answered / n) if n else None,
        completion_interval=_pair(wilson(answered, n)) if n else None,
        mean_answered=_round(total / answered) if answered >= 2 else None,
        mean_if_missing_is_zero=_round(total / n) if n else None,
        bounds=_pair(((total + least * (n - answered)) / n, (total + full * (n - answered)) / n)) if n else None,
        harness_mean=_round(mean.value) if mean else None,
        harness_rule=RULES.get(mean.rule, RULES["unknown"]) if mean else None,
        enough_samples=enough,
        advice=_advice(n, answered, fewest, enough, sweep),
        sweep_seconds=sweep,
    )


def _mean_of(booked: Sequence[Booked], dataset: str | None, agent: str | None, model: str | None) -> Booked | None:
    """The one booked mean that names this group; None where several runs booked one each."""
    named = [m for m in booked if (m.agent, m.model) == (agent, model) and (m.dataset is None or m.dataset == dataset)]
    found = named or [m for m in booked if m.agent is None]
    return found[0] if found and len({m.rule for m in found}) == len(found) else None


def _advice(n: int, answered: int, fewest: int, enough: bool, sweep: float | None) -> str:
    if n == 0:
        return "No trial counts: all were skipped on purpose."
    said: list[str] = []
    if answered == 0:
        said.append("Nothing was answered: there is no score.")
    elif answered == 1:
        said.append("One answered trial is a single reading, not a mean.")
    if answered < n:
        said.append(
            f"{_unanswered(n - answered, n)}, with no grade or one that measures no answer: report the bounds and the completion"
            " rate beside any mean."
        )
    if not enough:
        need = RELIABLE_TRIES if answered < n else FEW_TRIES
        said.append(
            f"{fewest} {'try' if fewest == 1 else 'tries'} per task cannot tell one completion in three from one in nine:"
            f" run {need} per task before calling the rate a property of the model."
        )
        if sweep is not None and need == RELIABLE_TRIES:
            said.append(f"Such a sweep takes about {_hours(sweep)} at the measured trial time.")
    return " ".join(said) or "Every trial was graded, with enough tries per task to say so."


def _unanswered(missing: int, n: int) -> str:
    if n == 1:
        return "The only trial is unanswered"
    return f"{missing} of {n} trials {'is' if missing == 1 else 'are'} unanswered"


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.1f} h" if seconds >= 5400 else f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def _round(value: float) -> float:
    return round(value, 6)


def _pair(pair: tuple[float, float]) -> tuple[float, float]:
    return _round(pair[0]), _round(pair[1])
