"""Which side is wrong, and what that rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from whyzero.analyses.partition.difficulty import Difficulty
from whyzero.analyses.partition.report import Verdict
from whyzero.analyses.partition.unanimity import LEVEL, Unanimity

AS_CHANCE_GIVES = 0.2
"""A count this probable is what chance gives, even where chance could not have been ruled out."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for or against the key."""

    answered: int
    models: int
    families: int
    unanimity: Unanimity
    disputed: int
    """Rows missed by some trial."""
    invented_by_all: int = 0
    """Rows that the key lacks and every trial sent with the same values."""
    invented_by_some: int = 0
    structure: Sequence[tuple[str, int]] = ()
    """Kind of each shared regularity and its number of rows."""
    confirmed: int | None = None
    """Of the rows declined by all, those without a sentence that the rule matches; None where no corpus can tell."""
    cleared: int | None = None
    """Of the rows declined by all, those that the source supports and no regularity explains."""
    saturated: bool = False
    """Every trial missed every row: the chance figure is empty."""
    disagreeing: int = 0
    """Rows declined by all for which the trials sent different values."""
    difficulty: Difficulty | None = None
    source_note: str = ""
    """Why the corpus cannot tell, where one was given."""
    looks: int = 1
    """Tasks weighed side by side, for which the probability was corrected."""
    what: str = "rows"


def decide(signs: Signs) -> tuple[Verdict, str]:
    """Verdict and its reasons, in sentences."""
    seen = signs.unanimity.seen
    if signs.answered < 2:
        return (
            Verdict.CANNOT_TELL,
            f"{counted(signs.answered, 'trials') if signs.answered else 'No trial'} answered: one answer cannot be compared with itself.",
        )
    kinds: Counter[str] = Counter()
    for kind, rows in signs.structure:
        kinds[kind] += rows
    regular = ", ".join(f"{kind} in {counted(rows, signs.what)}" for kind, rows in kinds.items())
    reasons = [_counted(signs)]
    if regular:
        reasons.append(f"All trials share a regularity ({regular}).")
    if signs.invented_by_all:
        reasons.append(f"All trials sent {counted(signs.invented_by_all, signs.what)} alike that the key lacks.")
    if signs.source_note:
        reasons.append(signs.source_note)
    suspicious = bool(signs.unanimity.beyond_chance or regular or signs.invented_by_all)
    if signs.confirmed is not None and signs.cleared is not None and seen:
        return _with_source(signs, suspicious, bool(regular or signs.invented_by_all), reasons)
    if suspicious:
        return Verdict.SUSPECT_KEY, " ".join([*reasons, *_caution(signs)])
    if not signs.disputed and signs.invented_by_some:
        end = f"Every trial found all {signs.what} of the key; some made up {signs.invented_by_some} beside them."
        return Verdict.MODEL_ERROR, end
    if not signs.disputed:
        return (
            Verdict.CANNOT_TELL,
            f"Nothing is disputed: every trial found all {signs.what}, so nothing puts the key to the test.",
        )
    if not seen:
        return Verdict.MODEL_ERROR, f"{reasons[0]} Each of the {signs.what} was found by some trial, so the key can be met."
    return _unsuspicious(signs, reasons)


def _counted(signs: Signs) -> str:
    u = signs.unanimity
    corrected = f", corrected for {signs.looks} tasks" if signs.looks > 1 else ""
    models = (
        f"{signs.models} model{'s' if signs.models != 1 else ''} of {signs.families} famil{'ies' if signs.families != 1 else 'y'}"
    )
    return (
        f"{u.seen} of {u.rows} {signs.what} were missed by all {signs.answered} answered trials ({models}); "
        f"independent misses would give {u.expected:.3g} (p = {u.p_value:.2g}{corrected})."
    )


def _with_source(signs: Signs, suspicious: bool, otherwise: bool, reasons: list[str]) -> tuple[Verdict, str]:
    """The source decides between the key and the models."""
    confirmed, cleared = signs.confirmed or 0, signs.cleared or 0
    said = f"Of the {signs.what} missed by all, the source supports {cleared} and has no sentence by the rule for {confirmed}."
    if cleared and (confirmed or otherwise):
        return Verdict.MIXED, " ".join([*reasons, said])
    if cleared:
        end = "The models missed what is there." if suspicious else ""
        return Verdict.MODEL_ERROR, " ".join([*reasons, said, end]).strip()
    return Verdict.SUSPECT_KEY, " ".join([*reasons, said])


def _unsuspicious(signs: Signs, reasons: list[str]) -> tuple[Verdict, str]:
    u = signs.unanimity
    if signs.saturated:
        if 2 * signs.disagreeing > u.seen:
            end = f"They are wrong in different ways: for {signs.disagreeing} {signs.what} they sent different values."
            return Verdict.MODEL_ERROR, " ".join([*reasons, end])
        return Verdict.CANNOT_TELL, " ".join([*reasons, "Where every trial misses everything, chance says nothing."])
    if u.could_decide or u.p_value >= AS_CHANCE_GIVES:
        end = "That is no more than chance gives." if u.p_value >= AS_CHANCE_GIVES else "Chance is not ruled out."
        return Verdict.MODEL_ERROR, " ".join([*reasons, end])
    end = "So few misses could not have gone beyond chance whatever the key: more trials would decide."
    return Verdict.CANNOT_TELL, " ".join([*reasons, end])


def _caution(signs: Signs) -> list[str]:
    """Hard rows fail together too: said wherever a suspicion rests on counting."""
    if not signs.unanimity.beyond_chance:
        return []
    said = [f"A suspicion, not a proof: hard {signs.what} fail together too."]
    if signs.difficulty is not None:
        d = signs.difficulty
        stands = "still stand out" if d.p_value <= LEVEL else "do not stand out"
        said.append(
            f"If the {signs.what} differ in difficulty as the other misses suggest, {d.expected:.2g} would be expected, and these {stands}."
        )
    if signs.families == 1 and signs.models >= 1:
        said.append("All trials are of one model family, which may share a blind spot.")
    return said


def counted(n: int, what: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{n} {what.removesuffix('s') if n == 1 else what}"
