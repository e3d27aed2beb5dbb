"""What we conclude about one trial or run: outcome, cause and incidents, three facts that never stand for each other."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from whyzero.evidence import Evidence, Level, Output, Prose
from whyzero.model import Phase


class Outcome(StrEnum):
    """What the verifier made of the trial."""

    GRADED_PASS = "graded_pass"
    GRADED_PARTIAL = "graded_partial"
    GRADED_ZERO = "graded_zero"
    NOT_GRADED = "not_graded"
    SKIPPED = "skipped"
    PENDING = "pending"


class Incident(Output):
    """Something that happened and did not decide the outcome."""

    what: str
    """A cause word (`rate_limited` for a retried 429, `clock` for a timeout after the answer), or `exception`."""
    evidence: Evidence
    """Where it stands."""


class Finding(Output):
    """A cause with its proof. Cannot be made without evidence."""

    cause: str
    """A word of causes.md."""
    phase: Phase
    """Where it stopped."""
    whose: str
    """Who can mend it."""
    evidence_level: Level
    """Strength of the decisive evidence."""
    likely_cause: Prose
    """One sentence."""
    evidence: tuple[Evidence, ...] = Field(min_length=1)
    """Decisive one first."""
    disproving_check: Prose
    """The smallest command or look that could show this wrong."""


class Verdict(Output):
    """All we say of one trial before it is laid out in a report."""

    outcome: Outcome
    """What the verifier made of it."""
    answered: bool
    """A deliverable exists and the verifier really graded it."""
    finding: Finding | None
    """None on a pass and where nothing decides (`undetermined`)."""
    missing: Prose = ""
    """Where nothing decides: what would."""
    incidents: tuple[Incident, ...] = ()
    """What happened beside it."""
    phase: Phase = Phase.NONE
    """Where it stopped, also where the cause is undetermined."""
