"""Was the work really graded?"""

from __future__ import annotations

from whyzero.evidence import Evidence
from whyzero.model import Run, Trial


def answered(trial: Trial, run: Run) -> tuple[bool, tuple[Evidence, ...]]:
    """True where a deliverable exists and the verifier judged it, with the evidence for it."""
    return trial.reward.value is not None and bool(trial.deliverable.seen), trial.deliverable.seen
