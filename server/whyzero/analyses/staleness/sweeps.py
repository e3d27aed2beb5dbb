"""Sweeps: which of several runs of one task by one model holds the current number. Names decide nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from whyzero.analyses.staleness.anchor import submissions
from whyzero.analyses.staleness.oracle import show
from whyzero.causes._answered import answered as judged
from whyzero.evidence import Output, Prose, Quote
from whyzero.model import Run, Trial

OWN, STARTED = "recorded end of its trials", "recorded start of its trials"
NO_CLOCK = "none recorded"


TASKS_APART = 10
"""A run of more tasks than this, or of rows of a dataset, is told as one entry where all its tasks agree."""


class Sweep(Output):
    """One run's trials of one task by one model."""

    name: Quote
    """Name of the run directory; it decides nothing."""
    path: Quote
    """Path of the run."""
    task: Quote | None
    """The task measured, or the dataset of rows that agree; null = several tasks that agree, or none of the task asked for."""
    tasks: int = 1
    """How many tasks (Osmosis: rows) this entry tells of."""
    model: Quote | None = None
    """Model."""
    agents: tuple[Quote, ...] = ()
    """Agent programs; numbers of several are not one measurement."""
    trials: int
    """Trials of this task by this model."""
    answered: int
    """Those with a deliverable on disk that was graded; where the task keeps none, those that were really judged."""
    started_at: datetime | None = None
    """Start of its first trial."""
    finished_at: datetime | None = None
    """End of its last trial."""
    clock_source: str
    """What these times are."""
    current: bool
    """The most recent among those with an answered trial of this task by this model."""
    note: Prose = ""
    """Why it is current or not; ties and overlaps."""


@dataclass(slots=True)
class Seen:
    """A sweep while its trials are read."""

    run: Run
    task: str | None
    model: str | None
    dataset: str | None = None
    """The dataset of which the task is a row (Osmosis)."""
    trials: int = 0
    answered: int = 0
    """Decided when all sweeps are read, from the next two."""
    handed_in: int = 0
    judged: int = 0
    agents: dict[str, None] = field(default_factory=dict)
    starts: list[datetime] = field(default_factory=list)
    ends: list[datetime] = field(default_factory=list)

    def add(self, trial: Trial) -> None:
        self.trials += 1
        if trial.row is not None:
            self.dataset = trial.dataset or "dataset"
        self.handed_in += handed_in(trial)
        self.judged += judged(trial, self.run)[0]
        if trial.agent:
            self.agents[trial.agent] = None
        if trial.started_at:
            self.starts = _extreme(self.starts, trial.started_at)
        if trial.finished_at:
            self.ends = _extreme(self.ends, trial.finished_at)

    @property
    def end(self) -> datetime | None:
        return _last(self.ends)

    @property
    def start(self) -> datetime | None:
        return _first(self.starts)


def _extreme(kept: list[datetime], one: datetime) -> list[datetime]:
    """First and last of the times with a zone, and of those without."""
    alike = sorted([*(t for t in kept if (t.tzinfo is None) == (one.tzinfo is None)), one])
    return [*(t for t in kept if (t.tzinfo is None) != (one.tzinfo is None)), *{alike[0], alike[-1]}]


def _last(times: Sequence[datetime]) -> datetime | None:
    """The latest time with a zone; one without only where there is no other."""
    aware = [t for t in times if t.tzinfo is not None]
    return max(aware or times, default=None)


def _first(times: Sequence[datetime]) -> datetime | None:
    aware = [t for t in times if t.tzinfo is not None]
    return min(aware or times, default=None)


def handed_in(trial: Trial) -> bool:
    """Its deliverable is on disk (Osmosis: its trajectory) and was graded."""
    return trial.reward.value is not None and not trial.reward.invalid and bool(submissions(trial))


def sweeps(seen: Iterable[Seen]) -> tuple[Sweep, ...]:
    """Most recent first; of each task and model exactly one is current, if any has an answer.

    An answer is a deliverable on disk that was graded. Where no verifier of the task ever kept one, it is proof of a judgement.
    """
    seen = list(seen)
    kept = {one.task for one in seen if one.handed_in}
    groups: dict[tuple[str | None, str | None], list[Seen]] = {}
    for one in seen:
        one.answered = one.handed_in if one.task in kept else one.judged
        groups.setdefault((one.task, one.model), []).append(one)
    found = _merged([(one, sweep) for group in groups.values() for one, sweep in zip(group, _group(group), strict=True)])
    aware = sorted((s for s in found if s.finished_at and s.finished_at.tzinfo), key=_by_end, reverse=True)
    naive = sorted((s for s in found if s.finished_at and not s.finished_at.tzinfo), key=_by_end, reverse=True)
    return (*aware, *naive, *(s for s in found if s.finished_at is None))


def _by_end(sweep: Sweep) -> tuple[datetime, bool]:
    assert sweep.finished_at is not None
    return sweep.finished_at, sweep.current


def _merged(found: Sequence[tuple[Seen, Sweep]]) -> list[Sweep]:
    """Entries of one run and model that say the same of many tasks, as one."""
    tasks: dict[tuple[int, str | None], int] = Counter((id(one.run), one.model) for one, _ in found)
    alike: dict[tuple[object, ...], list[tuple[Seen, Sweep]]] = {}
    for number, (one, sweep) in enumerate(found):
        many = one.dataset is not None or tasks[id(one.run), one.model] > TASKS_APART
        key = (id(one.run), one.model, sweep.current, _timeless(sweep), sweep.answered > 0, one.dataset) if many else (number,)
        alike.setdefault(key, []).append((one, sweep))
    return [group[0][1] if len(group) == 1 and group[0][0].dataset is None else _one(group) for group in alike.values()]


def _one(group: Sequence[tuple[Seen, Sweep]]) -> Sweep:
    ends = [end for one, _ in group for end in one.ends]
    starts = [start for one, _ in group for start in one.starts]
    first = group[0][1]
    return first.model_copy(
        update={
            "task": group[0][0].dataset,
            "tasks": len(group),
            "agents": tuple(dict.fromkeys(agent for _, sweep in group for agent in sweep.agents)),
            "trials": sum(sweep.trials for _, sweep in group),
            "answered": sum(sweep.answered for _, sweep in group),
            "started_at": _first(starts),
            "finished_at": _last(ends),
            "note": first.note if len(group) == 1 else _timeless(first),
        }
    )


def _timeless(sweep: Sweep) -> str:
    """Its note without the times, which differ from task to task."""
    return re.sub(r" \(\d{4}-[^)]*\)", "", sweep.note)


def _group(group: Sequence[Seen]) -> list[Sweep]:
    with_zone = [one for one in group if one.end and one.end.tzinfo]
    comparable = with_zone or [one for one in group if one.end]
    candidates = [one for one in comparable if one.answered] if group[0].task is not None else []
    current = max(candidates, key=_rank) if candidates else None
    if current is None and group[0].task is not None:
        alone = [one for one in group if one.answered]
        current = alone[0] if len(alone) == 1 else None
    return [_sweep(one, group, current, with_zone) for one in group]


def _rank(one: Seen) -> tuple[datetime, float, str]:
    """By end, then by start; a full tie is broken by path so that two calls agree, and the note says so."""
    assert one.end is not None
    return one.end, one.start.timestamp() if one.start else 0.0, str(one.run.root)


def _sweep(one: Seen, group: Sequence[Seen], current: Seen | None, with_zone: Sequence[Seen]) -> Sweep:
    return Sweep(
        name=one.run.name,
        path=str(one.run.root),
        task=one.task,
        model=one.model,
        agents=tuple(one.agents),
        trials=one.trials,
        answered=one.answered,
        started_at=one.start,
        finished_at=one.end,
        clock_source=_clock(one),
        current=one is current,
        note=_note(one, group, current, with_zone),
    )


def _clock(one: Seen) -> str:
    if one.end is None:
        return NO_CLOCK
    return OWN if one.end.tzinfo else f"{OWN}, local time without a zone"


def _note(one: Seen, group: Sequence[Seen], current: Seen | None, with_zone: Sequence[Seen]) -> str:
    if one.task is None or not one.trials:
        return "It holds no trial of this task."
    if one is current:
        notes = [_tie(one, group), _overlap(one, group)]
        unordered = [
            o.run.name for o in group if o.answered and o is not one and (o.end is None or (with_zone and not o.end.tzinfo))
        ]
        if unordered:
            notes.append(f"Not in the order, for want of a time with a zone: {', '.join(unordered)}.")
        return " ".join(note for note in notes if note)
    if not one.answered:
        return "Nothing in it is answered: it replaces no number."
    if current is None:
        return "No recorded time tells which sweep is the last one."
    if one.end is None or (with_zone and not one.end.tzinfo):
        return "Its times have no zone or are missing: not to be ordered with the others."
    if current.end == one.end:
        return f"It ended at the same time as {current.run.name}."
    return f"{current.run.name} ended later ({show(current.end)})." if current.end else ""


def _tie(one: Seen, group: Sequence[Seen]) -> str:
    ties = [o.run.name for o in group if o is not one and o.answered and o.end == one.end and one.end is not None]
    if not ties:
        return ""
    started = (
        "; it started later"
        if all(o.start != one.start for o in group if o.run.name in ties)
        else "; the order between them is arbitrary"
    )
    return f"A tie: {', '.join(ties)} ended at the same time{started}."


def _overlap(one: Seen, group: Sequence[Seen]) -> str:
    if one.start is None:
        return ""
    over = [
        o.run.name
        for o in group
        if o is not one
        and o.answered
        and o.end
        and (o.end.tzinfo is None) == (one.start.tzinfo is None)
        and one.start < o.end
        and (o.start is None or one.end is None or (o.start.tzinfo is None) != (one.end.tzinfo is None) or o.start < one.end)
    ]
    return f"It overlaps in time with {', '.join(over)}." if over else ""
