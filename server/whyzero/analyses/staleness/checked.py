"""What one check concludes about one trial."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from whyzero.evidence import Evidence, Output, Quote


class Freshness(StrEnum):
    """Whether one thing the number depends on still is what it was."""

    FRESH = "fresh"
    STALE = "stale"
    CANNOT_TELL = "cannot_tell"


class Moved(Output):
    """One thing that is not what it was."""

    what: Quote
    """What moved, in a few words."""
    recorded: Quote | None
    """What the trial had; null = nothing of the kind."""
    current: Quote | None
    """What stands there today; null = nothing of the kind."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict, the clock, digest or text it rests on, and both sides where something moved."""

    verdict: Freshness
    why: str
    moved: tuple[Moved, ...] = ()
    evidence: tuple[Evidence, ...] = ()


def fresh(why: str) -> Checked:
    return Checked(Freshness.FRESH, why)


def cannot_tell(why: str) -> Checked:
    return Checked(Freshness.CANNOT_TELL, why)


def stale(why: str, moved: tuple[Moved, ...], evidence: tuple[Evidence, ...] = ()) -> Checked:
    return Checked(Freshness.STALE, why, moved, evidence)
