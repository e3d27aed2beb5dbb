"""The lists of the report: disputed rows first of all, bounded, with exact counts of what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from whyzero.analyses.partition.difficulty import Difficulty
from whyzero.analyses.partition.grid import Grid
from whyzero.analyses.partition.labels import shown
from whyzero.analyses.partition.masks import holds, rows_of, union
from whyzero.analyses.partition.of_rows import Invention, by_all, left_out_by
from whyzero.analyses.partition.records import Record
from whyzero.analyses.partition.report import (
    Chance,
    DisputedRow,
    InventedRow,
    Model,
    NotAnswered,
    RowClass,
    Structure,
    SubmittedValue,
)
from whyzero.analyses.partition.source import Source
from whyzero.analyses.partition.structure import Material, Pattern
from whyzero.analyses.partition.unanimity import Unanimity, row_tails

KEYS_SHOWN = 200
VALUES_SHOWN = 6
MESSAGES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is listed."""

    declined_by_all: int
    others: int


def disputed(
    grid: Grid, u: Unanimity, bounds: Bounds, about: Material | None = None, source: Source | None = None, task: str | None = None
) -> tuple[list[DisputedRow], Counter[str]]:
    """Rows declined by all in the key's order, then the others by falling number of misses; and what was left out."""
    tails = row_tails(grid) if grid.asked is None else None
    by_everyone = list(rows_of(grid.declined_by_all))
    by_some = sorted(rows_of(grid.declined_by_some), key=lambda row: -grid.misses[row])
    left_out: Counter[str] = Counter()
    left_out["rows of a single answered trial"] = grid.missed_alone.bit_count()
    left_out["rows declined by all"] = max(0, len(by_everyone) - bounds.declined_by_all)
    left_out["rows declined by some"] = max(0, len(by_some) - bounds.others)
    rows = []
    for row in [*by_everyone[: bounds.declined_by_all], *by_some[: bounds.others]]:
        unanimous = holds(grid.declined_by_all, row)
        values, more = _values(about, row) if about else ((), 0)
        left_out["submitted values"] += more
        if source:
            left_out["sentences"] += source.findings.more.get(row, 0)
        rows.append(
            DisputedRow(
                key=shown(grid.labels[row]),
                class_=RowClass.DECLINED_BY_ALL if unanimous else RowClass.DECLINED_BY_SOME,
                task=task,
                declined_by=grid.misses[row],
                left_out_by=left_out_by(about, row) if about else None,
                trials=grid.trials[row],
                expected_by_chance=u.expected if unanimous else None,
                p_value=u.p_value if unanimous else None,
                row_p_value=tails[grid.misses[row]] if tails else None,
                found_by_models=tuple(grid.finders(row)),
                submitted_values=values,
                sentences=source.sentences(row) if source else (),
            )
        )
    return rows, left_out


def _values(about: Material, row: int) -> tuple[tuple[SubmittedValue, ...], int]:
    """What was sent instead, most frequent first. Of a row with more variants than were kept, nothing: a choice would be by accident."""
    if row in about.grid.crowded:
        return (), 0
    found = []
    for name in about.compared:
        for value, who in about.instead(row, name).items():
            attempts = about.grid.who(who)
            models = tuple(sorted({one.model for one in attempts}))
            found.append(
                SubmittedValue(
                    field=name,
                    expected=shown(about.wanted(row, name)),
                    submitted=shown(value),
                    trials=len(attempts),
                    models=models,
                )
            )
    found.sort(key=lambda one: (-one.trials, one.field, str(one.submitted)))
    return tuple(found[:VALUES_SHOWN]), max(0, len(found) - VALUES_SHOWN)


def with_messages(rows: Sequence[DisputedRow], trials: Sequence[Record]) -> list[DisputedRow]:
    """Failing tests with what they said, most frequent first."""
    told = []
    for row in rows:
        said = Counter(one.messages[str(row.key)] for one in trials if str(row.key) in one.messages)
        values = tuple(
            SubmittedValue(
                field="message",
                expected=None,
                submitted=text,
                trials=n,
                models=tuple(sorted({one.attempt.model for one in trials if one.messages.get(str(row.key)) == text})),
            )
            for text, n in sorted(said.items(), key=lambda item: (-item[1], item[0]))[:MESSAGES_SHOWN]
        )
        told.append(row.model_copy(update={"submitted_values": values}))
    return told


def invented(about: Material, rows: Sequence[Invention], limit: int) -> tuple[InventedRow, ...]:
    """Rows the key lacks."""
    attempts = len(about.grid.attempts)
    return tuple(
        InventedRow(
            key=shown(one.key),
            class_=RowClass.INVENTED_BY_ALL if by_all(one, attempts) else RowClass.INVENTED_BY_SOME,
            sent_by=one.senders.bit_count(),
            alike=one.alike,
            models=tuple(sorted({attempt.model for attempt in about.grid.who(one.senders)})),
            values={name: shown(value) for name, value in one.values.items()},
        )
        for one in rows[:limit]
    )


def structures(grid: Grid, patterns: Sequence[Pattern]) -> tuple[Structure, ...]:
    """Patterns with the keys of their rows."""
    return tuple(
        Structure(
            kind=one.kind,
            field=one.field,
            value=shown(one.value),
            unit=one.unit,
            rows=tuple(shown(grid.labels[row]) for row in one.rows[:KEYS_SHOWN]),
            trials=one.trials,
            question=one.question,
        )
        for one in patterns
    )


def models(grid: Grid) -> tuple[Model, ...]:
    """The answered trials by model."""
    result = []
    for model in grid.models:
        mine = [at for at, attempt in enumerate(grid.attempts) if attempt.model == model]
        missed = union([grid.missed[at] for at in mine])
        result.append(
            Model(
                model=model,
                family=grid.attempts[mine[0]].family,
                trials=len(mine),
                miss_rate=fmean(grid.rates[at] for at in mine),
                missed_by_all_its_trials=(missed & ~grid.found_by_model[model]).bit_count(),
            )
        )
    return tuple(result)


def chance(u: Unanimity, hard: Difficulty | None, task: str | None = None) -> Chance:
    """Seen and expected."""
    return Chance(
        task=task,
        rows=u.rows,
        seen=u.seen,
        expected=u.expected,
        p_value=u.p_value,
        could_decide=u.could_decide,
        expected_if_rows_differ=hard.expected if hard else None,
        p_value_if_rows_differ=hard.p_value if hard else None,
    )


def class_counts(grid: Grid) -> Counter[str]:
    """Rows by class."""
    return Counter(
        {
            RowClass.DECLINED_BY_ALL.value: grid.declined_by_all.bit_count(),
            RowClass.DECLINED_BY_SOME.value: grid.declined_by_some.bit_count(),
            RowClass.FOUND_BY_ALL.value: grid.found_by_all.bit_count(),
        }
    )


def not_answered(trials: Sequence[tuple[Record, str]], several_runs: bool) -> tuple[NotAnswered, ...]:
    """Trials that take no part."""
    return tuple(
        NotAnswered(
            id=one.attempt.id,
            run=one.attempt.run if several_runs else None,
            task=one.attempt.task,
            reason=reason,
            cause=one.cause,
        )
        for one, reason in trials
    )
