"""Oracle: was the trial graded after the answer key last changed?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from whyzero.analyses.staleness.checked import Checked, Moved, cannot_tell, fresh, stale
from whyzero.evidence import Evidence
from whyzero.model import Spot, Trial
from whyzero.question import KeyFile, Question

VERIFIER = "verifier"
SHOWN = 10


def check_oracle(trial: Trial, keys: Sequence[KeyFile], *, unmoved: str | None) -> Checked:
    """Compare the end of grading with the last change of each key; `unmoved` tells that a digest covers the keys inside the task."""
    outside = [key for key in keys if not (unmoved and key.inside)]
    if unmoved and not outside:
        return fresh(unmoved)
    if not keys:
        return cannot_tell("No answer key is known: name it (oracle), or give the task folder that holds it.")
    if trial.reward.value is None:
        return cannot_tell("The trial was never graded, so no key was used.")
    at, clock, spot = graded_at(trial)
    if at is None:
        return cannot_tell("No record tells when the trial was graded.")
    graded = f"graded {show(at)} ({clock})"
    untimed = [key for key in outside if key.change.at is None]
    timed = [(key, key.change.at) for key in outside if key.change.at is not None]
    if at.tzinfo is None and timed:
        return cannot_tell(f"The trial was {graded}, a local time without a zone: not to be compared with the key's time.")
    later = [(key, changed) for key, changed in timed if changed > at and not key.change.bound]
    if later:
        moved = tuple(
            Moved(what=f"answer key {key.name}", recorded=graded, current=f"changed {show(changed)} ({_clock(key)})")
            for key, changed in later[:SHOWN]
        )
        key, changed = later[0]
        why = f"{key.name} changed {show(changed)} by its {_clock(key)}, after the trial was {graded}."
        return stale(
            why, moved, (spot.evidence(at.isoformat()), Evidence(path=key.path, quote=f"{_clock(key)}: {show(changed)}"))
        )
    if untimed:
        key = untimed[0]
        return cannot_tell(f"Nothing tells when {key.name} last changed: {key.change.note}.")
    beyond = next((key for key, changed in timed if changed > at), None)
    if beyond is not None:
        return cannot_tell(f"The history of {beyond.name} ends after the trial was {graded}: {beyond.change.note}.")
    last, changed = max(timed, key=lambda item: item[1])
    return fresh(f"{last.name} last changed {show(changed)} by its {_clock(last)}; the trial was {graded}.")


def check_label(trial: Trial, question: Question, *, unmoved: str | None) -> Checked:
    """Osmosis: the key of a row is its label, which the trial's trajectory keeps."""
    if unmoved:
        return fresh(unmoved)
    row = question.rows.get(trial.row) if trial.row is not None else None
    if row is None or trial.label is None:
        return cannot_tell("The label this trial was graded against, or that row of today's dataset, is not on record.")
    if row.label == trial.label:
        return fresh(f"The label on record ({trial.label}) is that of row {trial.row} in today's dataset.")
    moved = Moved(what=f"label of row {trial.row}", recorded=trial.label, current=row.label)
    why = f"Row {trial.row} of today's dataset has another label than the one this trial was graded against."
    return stale(why, (moved,), (trial.spot.evidence(f"label {trial.label}"),))


def graded_at(trial: Trial) -> tuple[datetime | None, str, Spot]:
    """When grading ended, by which record, and where that stands."""
    last = trial.steps[-1] if trial.steps else trial
    span = last.span(VERIFIER) or trial.span(VERIFIER)
    if span is not None and span.finished_at is not None:
        pointer = "/verifier/finished_at" if last is trial and trial.checksum else None
        return span.finished_at, "recorded end of the verifier phase", Spot(last.spot.path, last.spot.line, pointer)
    if trial.finished_at is not None:
        return trial.finished_at, "recorded end of the trial", Spot(trial.spot.path, trial.spot.line)
    return None, "", trial.spot


def _clock(key: KeyFile) -> str:
    clock, note = key.change.clock, key.change.note
    if not note:
        return clock
    return f"{clock[:-1]}; {note})" if clock.endswith(")") else f"{clock}, {note}"


def show(at: datetime) -> str:
    """In UTC, to the second; a time without a zone as it stands."""
    if at.tzinfo is None:
        return f"{at.replace(microsecond=0).isoformat()} (no zone)"
    return at.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"
