"""Scoring again what lies on disk: only by a scorer that first gives every shipped reward, exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean

from whyzero.analyses.partition.checks import Mismatch, Regrade
from whyzero.analyses.partition.records import Record
from whyzero.analyses.partition.scorers import Score, Scorer

EXACT = 1e-12
"""Two spellings of one number may differ by this much."""
NO_CORRECTED_KEY = (
    "The shipped rewards hold for this key. Give the corrected key as `oracle` and this one as `original` to score again."
)
REFUSED = "Refused: a scorer that does not give the shipped rewards cannot say what they would be with another key."


def regrade(submissions: Sequence[tuple[Record, Path]], scorer: Scorer, oracle: Path, original: Path | None) -> Regrade:
    """Validate the scorer on the key the shipped rewards were made with; then score with the corrected one."""
    shipped = [(record, path) for record, path in submissions if record.attempt.reward is not None]
    mismatches: list[Mismatch] = []
    for record, path in shipped:
        score = scorer.score(path, original or oracle)
        if not _equal(score.reward, record.attempt.reward):
            mismatches.append(_mismatch(record, score))
    reproduced = len(shipped) - len(mismatches)
    validated = bool(shipped) and not mismatches
    before = means([(record.attempt.model, record.attempt.reward or 0.0) for record, _ in shipped])

    def result(note: str, after: dict[str, float] | None = None) -> Regrade:
        return Regrade(
            scorer=scorer.name,
            validated=validated,
            reproduced=reproduced,
            mismatches=tuple(mismatches),
            before=before,
            after=after,
            order_preserved=None if after is None else order_preserved(before, after),
            spread_before=spread(before),
            spread_after=None if after is None else spread(after),
            note=note,
        )

    if not validated:
        return result(REFUSED if shipped else "No submission with a reward is on disk.")
    if original is None:
        return result(NO_CORRECTED_KEY)
    scored: list[tuple[str, float]] = []
    for record, path in shipped:
        score = scorer.score(path, oracle)
        if score.reward is None:
            return result(f"Not scored again: with the corrected key, {score.reason}.")
        scored.append((record.attempt.model, score.reward))
    return result("", means(scored))


def means(rewards: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Mean reward per model."""
    by_model: dict[str, list[float]] = defaultdict(list)
    for model, reward in rewards:
        by_model[model].append(reward)
    return {model: fmean(values) for model, values in by_model.items()}


def spread(by_model: dict[str, float]) -> float | None:
    """Best minus worst."""
    return max(by_model.values()) - min(by_model.values()) if by_model else None


def order_preserved(before: dict[str, float], after: dict[str, float]) -> bool:
    """No two models change places; becoming equal is no change of places."""
    return all(
        (before[one] - before[other]) * (after[one] - after[other]) >= 0 or abs(before[one] - before[other]) < EXACT
        for one, other in combinations(before, 2)
    )


def _equal(scored: float | None, shipped: float | None) -> bool:
    return scored is not None and shipped is not None and abs(scored - shipped) <= EXACT


def _mismatch(record: Record, score: Score) -> Mismatch:
    return Mismatch(id=record.attempt.id, shipped=record.attempt.reward or 0.0, scored=score.reward, reason=score.reason or None)
