"""The anchor: proof that the text on record is the brief, so that what is missing in it was not asked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from whyzero.analyses.staleness.given import Given, is_named
from whyzero.model import Trial
from whyzero.question import Question

SUBMITTED = "submitted-"


def names(trial: Trial, question: Question | None, deliverable: str | None) -> tuple[str, ...]:
    """Names the answer file may have: the one we were told; else what was handed in, and what today's brief asks for."""
    if deliverable:
        return (deliverable,)
    handed_in = (PurePosixPath(path).name.removeprefix(SUBMITTED) for path in submissions(trial))
    asked = question.deliverables if question else ()
    return tuple(dict.fromkeys((*handed_in, *asked)))


def submissions(trial: Trial) -> tuple[str, ...]:
    """Files handed in, those of its steps for a trial in several."""
    own: Iterable[str] = trial.deliverable.submitted
    return tuple(dict.fromkeys((*own, *(path for step in trial.steps for path in submissions(step)))))


def anchor(given: Given, candidates: tuple[str, ...]) -> str | None:
    """The name that stands in the brief on record, or None."""
    return next((name for name in candidates if is_named(name, given.whole)), None)
