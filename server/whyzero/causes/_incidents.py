"""What happened beside the outcome and did not decide it."""

from __future__ import annotations

from whyzero.findings import Incident
from whyzero.model import Run, Trial


def incidents(trial: Trial, run: Run) -> tuple[Incident, ...]:
    """Exceptions the harness recorded, as incidents; the engine drops what the finding already rests on."""
    return tuple(Incident(what="exception", evidence=e.spot.evidence(f"{e.type}: {e.message}")) for e in trial.exceptions)
