"""What a static look at an Osmosis workspace found, as proof where nothing else speaks."""

from __future__ import annotations

from whyzero.causes.cause import Found
from whyzero.evidence import Level
from whyzero.model import Defect, Run


def defect(run: Run, *kinds: str) -> Found | None:
    """Defects of these kinds that a call made now would stop at."""
    seen = [d for d in defects(run) if d.kind in kinds]
    if not seen:
        return None
    detail = f"{seen[0].text[:1].upper()}{seen[0].text[1:]}."
    return Found(tuple(d.spot.evidence(d.quote or d.text) for d in seen[:5]), Level.RECORD, detail=detail)


def defects(run: Run) -> tuple[Defect, ...]:
    """All of them; none where the user pointed at a run and not at a workspace."""
    return run.workspace.defects if run.workspace else ()
