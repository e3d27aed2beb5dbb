"""The answer of partition_disputed_rows."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from whyzero.analyses.partition.checks import GraderAudit, Regrade, RuleCandidate, SecondPartition, Sentence, SupersetCheck
from whyzero.analyses.partition.labels import Label, Scalar
from whyzero.analyses.report import Report, RunInfo
from whyzero.evidence import Output, Prose, Quote


class Verdict(StrEnum):
    """Which side is wrong."""

    SUSPECT_KEY = "suspect_key"
    MODEL_ERROR = "model_error"
    MIXED = "mixed"
    CANNOT_TELL = "cannot_tell"


class RowClass(StrEnum):
    """Who found a row, or who made one up."""

    DECLINED_BY_ALL = "declined_by_all"
    DECLINED_BY_SOME = "declined_by_some"
    FOUND_BY_ALL = "found_by_all"
    INVENTED_BY_ALL = "invented_by_all"
    INVENTED_BY_SOME = "invented_by_some"


class TaskClass(StrEnum):
    """How a whole task went, over all its trials."""

    NEVER_GRADED = "never_graded"
    ALL_OUT_OF_TIME = "all_out_of_time"
    WRONG_IN_DIFFERENT_WAYS = "wrong_in_different_ways"
    WRONG_THE_SAME_WAY = "wrong_the_same_way"
    SOLVED_SOMETIMES = "solved_sometimes"
    SOLVED_ALWAYS = "solved_always"


class NotAnswered(Output):
    """A trial that takes no part: not a miss."""

    left_out_when_empty = frozenset({"run", "cause"})

    id: Quote
    """Trial id."""
    run: Quote | None = None
    """Name of its run, where several were read."""
    task: Quote
    """Full task name."""
    reason: Quote
    """Why it has no answer."""
    cause: str | None = None
    """A word of the cause vocabulary, where one was found."""


class SubmittedValue(Output):
    """What was sent where the key says something else."""

    field: Quote
    """Field; `message` for a failing test."""
    expected: Scalar
    """The key's value."""
    submitted: Scalar
    """What was sent instead; null = nothing in this field."""
    trials: int
    """Trials that sent it."""
    models: tuple[Quote, ...]
    """Their models."""


class DisputedRow(Output):
    """A row or test that at least one answered trial did not find."""

    left_out_when_empty = frozenset(
        {"task", "expected_by_chance", "p_value", "row_p_value", "submitted_values", "sentences", "left_out_by"}
    )

    key: Label | list[Label]
    """The row's key: the bare value for one key field, a list for several; for a test its name."""
    class_: RowClass = Field(serialization_alias="class")
    """`declined_by_all` or `declined_by_some`."""
    task: Quote | None = None
    """Task of a test, where several tasks were read."""
    declined_by: int
    """Answered trials that left it out or sent another value in a compared field."""
    left_out_by: int | None = None
    """Of these, trials that did not send it at all."""
    trials: int
    """Answered trials that were asked it."""
    expected_by_chance: float | None = None
    """Rows declined by all that independent misses would give (the same figure on each of them)."""
    p_value: float | None = None
    """Chance to see at least as many rows declined by all as were seen."""
    row_p_value: float | None = None
    """Chance that any row at all is missed by so many trials, misses being independent (corrected for the number of rows)."""
    found_by_models: tuple[Quote, ...] = ()
    """Models of which a trial found it."""
    submitted_values: tuple[SubmittedValue, ...] = ()
    """What was sent instead, most frequent first."""
    sentences: tuple[Sentence, ...] = ()
    """What the source says about it: read these."""


class InventedRow(Output):
    """A row that trials sent and the key lacks."""

    key: Label | list[Label]
    """Its key."""
    class_: RowClass = Field(serialization_alias="class")
    """`invented_by_all`: every answered trial sent it with the same values; else `invented_by_some`."""
    sent_by: int
    """Answered trials that sent it."""
    alike: bool
    """All of them with the same values."""
    models: tuple[Quote, ...]
    """Their models."""
    values: dict[str, Scalar]
    """What most of them sent in the key's fields."""


class Structure(Output):
    """A regularity that all trials share: what would have to be true for them to be right?"""

    left_out_when_empty = frozenset({"unit"})

    kind: str
    """`constant_offset`, `missing_category`, `shared_wrong_value`, `scale_factor`, `shifted_rows`, `value_format`, `key_format`."""
    field: Quote | None
    """Field it shows in."""
    value: Scalar
    """Submitted minus key for an offset (days for dates), submitted over key for a factor, the value itself elsewhere."""
    unit: str | None = None
    """Unit of an offset in time."""
    rows: tuple[Label | list[Label], ...]
    """Keys of the rows that show it."""
    trials: int
    """Trials that show it."""
    question: Prose
    """What to ask of the source."""


class TaskPartition(Output):
    """One task over all its trials."""

    left_out_when_empty = frozenset({"shared", "never_audited", "answered_rate"})

    task: Quote
    """Full task name."""
    class_: TaskClass | None = Field(serialization_alias="class")
    """The class; null where one wrong answer has nothing to be compared with."""
    trials: int
    """Trials of models."""
    answered: int
    """Of these, trials whose work was graded."""
    solved: int
    """Trials with full marks."""
    why: Prose
    """What the class rests on."""
    shared: tuple[Label | list[Label], ...] = ()
    """What every wrong trial got wrong."""
    never_audited: tuple[Prose, ...] = ()
    """At the ceiling: what no trial has put to the test."""


class Model(Output):
    """One model's part."""

    model: Quote
    """Model name."""
    family: Quote
    """First word of the name; models of one family may share a blind spot."""
    trials: int
    """Answered trials."""
    miss_rate: float
    """Mean share of rows missed."""
    missed_by_all_its_trials: int
    """Rows that none of its trials found."""


class Chance(Output):
    """Rows declined by all, seen and expected. A surplus raises a suspicion; hard rows fail together too."""

    left_out_when_empty = frozenset({"task", "expected_if_rows_differ", "p_value_if_rows_differ"})

    task: Quote | None = None
    """Task, where several were weighed."""
    rows: int
    """Rows or tests of the key."""
    seen: int
    """Declined by all."""
    expected: float
    """By independent misses at each trial's own rate: R times the product of the rates."""
    p_value: float
    """Exact probability of at least as many as seen."""
    could_decide: bool
    """Whether the trials miss little enough for chance to be ruled out at all."""
    expected_if_rows_differ: float | None = None
    """Expected if rows differ in difficulty as unevenly as the misses on the other rows do."""
    p_value_if_rows_differ: float | None = None
    """Probability of at least as many as seen in that case."""


class Pairwise(Output):
    """Shared misses over all misses, for pairs of trials. Context, no verdict."""

    median: float | None
    """Median over the pairs."""
    max: float | None
    """Largest."""
    pairs: int
    """Pairs that missed anything."""


class Partition(Report):
    """Answer of partition_disputed_rows."""

    left_out_when_empty = frozenset(
        {
            "key",
            "compared",
            "invented",
            "structure",
            "superset_check",
            "second_partition",
            "regrade",
            "rule_candidates",
            "grader_audit",
            "references",
        }
    )

    verdict: Verdict
    """Which side is wrong."""
    why: Prose
    """What the verdict rests on, and what speaks against it."""
    runs: tuple[RunInfo, ...]
    """Which results were read."""
    of: str
    """What was partitioned: `rows` of a deliverable, `tests`, or whole `tasks`."""
    key: tuple[Quote, ...] = ()
    """Key fields."""
    compared: tuple[Quote, ...] = ()
    """Fields compared beyond the key."""
    answered: int
    """Trials that take part."""
    not_answered: tuple[NotAnswered, ...]
    """Trials that do not: counted, never treated as misses."""
    models: tuple[Model, ...]
    """The answered trials by model."""
    counts: dict[str, int]
    """Rows by class, exact, whatever is listed."""
    rows: tuple[DisputedRow, ...]
    """The disputed ones, those declined by all first."""
    invented: tuple[InventedRow, ...] = ()
    """Rows the key lacks, those sent by all first."""
    structure: tuple[Structure, ...] = ()
    """Regularities that all trials share."""
    chance: tuple[Chance, ...]
    """Seen and expected; one entry per task weighed."""
    pairwise: Pairwise
    """Context only."""
    tasks: tuple[TaskPartition, ...]
    """Whole tasks, suspicious ones first."""
    superset_check: SupersetCheck | None = None
    """With `corpus`, `rule` and `wide`."""
    second_partition: SecondPartition | None = None
    """With `corpus` and `rule`."""
    rule_candidates: tuple[RuleCandidate, ...] = ()
    """With `corpus` and `rules`."""
    regrade: Regrade | None = None
    """With `scorer` or `original`."""
    grader_audit: GraderAudit | None = None
    """With `audit_grader`."""
    references: tuple[Prose, ...] = ()
    """What the reference solution and the do-nothing agent got, where the runs hold them."""
