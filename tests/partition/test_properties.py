"""What holds for any set of rollouts."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from whyzero.analyses.partition.compare import Lookup
from whyzero.analyses.partition.gather import Gathered, Merge
from whyzero.analyses.partition.grid import Attempt, Grid
from whyzero.analyses.partition.key import AnswerKey, answer_key
from whyzero.analyses.partition.masks import rows_of
from whyzero.analyses.partition.of_rows import by_all, disagreeing, inventions, material
from whyzero.analyses.partition.records import Record
from whyzero.analyses.partition.report import Verdict
from whyzero.analyses.partition.structure import Material, patterns
from whyzero.analyses.partition.unanimity import unanimity
from whyzero.analyses.partition.verdict import Signs, decide
from whyzero.findings import Outcome
from whyzero.readers.tables import Row, Table

LABELS = ("red", "green", "blue")
KEY: list[Row] = [{"id": f"r{n}", "label": LABELS[n % 3], "size": 10 * n} for n in range(12)]
NAMES = [row["id"] for row in KEY]

cells = st.fixed_dictionaries(
    {"id": st.sampled_from([*NAMES, "x1", "x2"]), "label": st.sampled_from(LABELS), "size": st.integers(0, 3) | st.just(10)}
)
right = st.sampled_from(KEY)
submissions = st.lists(cells | right, max_size=14, unique_by=lambda row: row["id"])
sweeps = st.lists(submissions, min_size=2, max_size=6)
unhurried = settings(deadline=None, max_examples=60)


def told(sweep: Sequence[Sequence[Row]], key: Sequence[Row] = KEY) -> tuple[AnswerKey, Material]:
    """The sweep as the analysis sees it, without files."""
    answers = answer_key(Table(list(key), "json"), ["id"], ["label", "size"])
    lookup, gathered = Lookup(answers), Gathered()
    merge = Merge(gathered, answers)
    for number, sent in enumerate(sweep):
        record = Record(
            Attempt(f"t{number}", "run", "task", f"model-{number % 2}"),
            root=None,
            outcome=Outcome.GRADED_ZERO,
            answered=True,
            cause=None,  # type: ignore[arg-type]
        )
        merge.take(record, "", lookup.compare(Table(list(sent), "json")))
    return answers, material(answers, gathered)


def judged(about: Material) -> Verdict:
    extra = inventions(about)
    attempts = len(about.grid.attempts)
    everywhere = sum(by_all(one, attempts) for one in extra)
    signs = Signs(
        answered=attempts,
        models=2,
        families=1,
        unanimity=unanimity(about.grid),
        disputed=about.grid.missed_by_any.bit_count(),
        invented_by_all=everywhere,
        invented_by_some=len(extra) - everywhere,
        structure=[(one.kind, len(one.rows)) for one in patterns(about)],
        saturated=all(rate == 1 for rate in about.grid.rates),
        disagreeing=disagreeing(about),
    )
    return decide(signs)[0]


def declined(about: Material) -> set[str]:
    return {about.grid.labels[row] for row in rows_of(about.grid.declined_by_all)}


def everything_said(about: Material) -> object:
    """All that must not depend on the order of trials or rows."""
    u = unanimity(about.grid)
    labels = about.grid.labels
    return (
        declined(about),
        {labels[row] for row in rows_of(about.grid.declined_by_some)},
        {labels[row]: about.grid.misses[row] for row in range(about.grid.size)},
        (u.seen, round(u.expected, 12), round(u.p_value, 12)),
        sorted((p.kind, p.field, str(p.value), sorted(labels[r] for r in p.rows)) for p in patterns(about)),
        sorted((str(i.key), i.senders.bit_count(), i.alike) for i in inventions(about)),
        judged(about),
    )


@unhurried
@given(sweeps, st.sampled_from(KEY))
def test_a_trial_that_found_a_row_removes_it_from_those_declined_by_all(sweep: list[list[Row]], row: Row) -> None:
    _, about = told([*sweep, [row]])
    assert row["id"] not in declined(about)


@unhurried
@given(sweeps, submissions)
def test_another_trial_never_adds_to_the_rows_declined_by_all(sweep: list[list[Row]], more: list[Row]) -> None:
    assert declined(told([*sweep, more])[1]) <= declined(told(sweep)[1])


@unhurried
@given(sweeps, st.randoms(use_true_random=False))
def test_the_order_of_trials_and_of_their_rows_changes_nothing(sweep: list[list[Row]], dice: random.Random) -> None:
    shuffled = [dice.sample(sent, len(sent)) for sent in dice.sample(sweep, len(sweep))]
    assert everything_said(told(sweep)[1]) == everything_said(told(shuffled)[1])


@unhurried
@given(sweeps, st.permutations(KEY))
def test_the_order_of_the_keys_rows_changes_nothing(sweep: list[list[Row]], key: list[Row]) -> None:
    """A shift by one row is about the order of the key, and is left out here."""

    def said(rows: Sequence[Row]) -> tuple[object, ...]:
        _, about = told(sweep, rows)
        u = unanimity(about.grid)
        labels = about.grid.labels
        misses = {labels[row]: about.grid.misses[row] for row in range(about.grid.size)}
        return declined(about), misses, round(u.expected, 12), round(u.p_value, 12)

    assert said(KEY) == said(key)


@unhurried
@given(sweeps)
def test_a_trial_without_a_miss_never_raises_suspicion(sweep: list[list[Row]]) -> None:
    _, about = told([*sweep, KEY])
    assert judged(about) is not Verdict.SUSPECT_KEY
    assert unanimity(about.grid).seen == 0


@unhurried
@given(sweeps)
def test_chance_expects_what_the_rates_say(sweep: list[list[Row]]) -> None:
    _, about = told(sweep)
    expected = float(len(KEY))
    for sent in sweep:
        found = sum(row in KEY for row in sent)
        expected *= 1 - found / len(KEY)
    assert abs(unanimity(about.grid).expected - expected) < 1e-9


@unhurried
@given(st.lists(st.integers(0, 2**40 - 1), min_size=1, max_size=9))
def test_misses_added_bit_by_bit_are_misses_counted_one_by_one(found: list[int]) -> None:
    grid = Grid([str(n) for n in range(40)], [Attempt(str(n), "r", "t", "m") for n in range(len(found))], found)
    assert grid.misses == [sum(not mask >> row & 1 for mask in found) for row in range(40)]
