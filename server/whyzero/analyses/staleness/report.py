"""The answer of check_staleness, and what is kept of a trial until it is laid out."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from whyzero.analyses.report import Report, RunInfo
from whyzero.analyses.staleness.advice import Advice
from whyzero.analyses.staleness.checked import Checked, Freshness, Moved
from whyzero.analyses.staleness.sweeps import Sweep
from whyzero.analyses.staleness.versions import Version
from whyzero.evidence import Evidence, Output, Prose, Quote
from whyzero.model import Trial

CHECKS = ("key", "window", "oracle", "inputs")
EVIDENCE_SHOWN = 6


class Reasons(Output):
    """For each check, the clock, digest or text it rests on, or what is missing."""

    key: Prose
    """Graded fields, and the brief they were looked for in."""
    window: Prose
    """Dates and counts that were compared."""
    oracle: Prose
    """Grading time, the key's time, and the clock of each."""
    inputs: Prose
    """Digests and settings that were compared."""


class StaleTrial(Output):
    """What became of one trial's question since it ran."""

    left_out_when_empty = frozenset({"row", "model", "agent", "run", "moved", "evidence", "submissions"})

    id: Quote
    """Trial id: directory name in Harbor and Terminal-Bench, rollout id in Osmosis."""
    run: Quote | None = None
    """Name of its run, where several were read."""
    task: Quote
    """Full task name."""
    row: int | None = None
    """0-based index in the dataset file (Osmosis)."""
    attempt: int
    """0-based repeat number."""
    model: Quote | None = None
    """Model."""
    agent: Quote | None = None
    """Agent program."""
    reward: float | None
    """The number in question; null = absent, which is not 0."""
    key: Freshness
    """Was every graded field of today asked for in the brief this trial was given?"""
    window: Freshness
    """Are the dates and counts of that brief still today's?"""
    oracle: Freshness
    """Was it graded after the answer key last changed?"""
    inputs: Freshness
    """Are the recorded digests and settings still today's?"""
    advice: Advice
    """`reuse` the number, `regrade` the submission on disk, or `rerun` the trial."""
    why: Prose
    """Why this advice."""
    how: Reasons
    """What each check rests on."""
    moved: tuple[Moved, ...] = ()
    """What is not what it was, both sides quoted."""
    submissions: tuple[Quote, ...] = ()
    """With `regrade`: the submissions found on disk, relative to the run."""
    evidence: tuple[Evidence, ...] = ()
    """Where both sides stand."""


class Staleness(Report):
    """Answer of check_staleness."""

    left_out_when_empty = frozenset({"versions"})

    runs: tuple[RunInfo, ...]
    """Which results were read."""
    trials: tuple[StaleTrial, ...]
    """Every trial, those to run again first; a concise answer lists the first of them."""
    sweeps: tuple[Sweep, ...]
    """One entry for each run, task and model, most recent first."""
    versions: tuple[Version, ...] = ()
    """Which trials belong together, where a task was asked in more than one version."""
    counts: dict[str, dict[str, int]] = Field(default_factory=dict)
    """Trials by verdict of each check and by advice, exact, whatever is listed."""


@dataclass(frozen=True, slots=True)
class Four:
    """The checks of one trial."""

    key: Checked
    window: Checked
    oracle: Checked
    inputs: Checked
    only_grading: bool
    submissions: tuple[str, ...]
    brief: str | None
    """Fingerprint of the brief on record."""

    def each(self) -> tuple[Checked, ...]:
        return self.key, self.window, self.oracle, self.inputs

    @property
    def is_today(self) -> bool | None:
        """The trial was asked today's question."""
        asked = (self.key.verdict, self.window.verdict, self.inputs.verdict)
        if Freshness.STALE in asked:
            return False
        return True if self.inputs.verdict is Freshness.FRESH or set(asked[:2]) == {Freshness.FRESH} else None


class Judged:
    """What is kept of a trial once it was checked; laid out only where it is listed."""

    __slots__ = ("about", "advice", "four", "reward", "run", "why")

    def __init__(self, trial: Trial, run: str | None, four: Four, advice: Advice, why: str) -> None:
        self.about = (trial.id, trial.task, trial.row, trial.attempt, trial.model, trial.agent)
        self.reward, self.run = trial.reward.value, run
        self.four, self.advice, self.why = four, advice, why

    def told(self) -> StaleTrial:
        name, task, row, attempt, model, agent = self.about
        four = self.four
        return StaleTrial(
            id=name,
            run=self.run,
            task=task,
            row=row,
            attempt=attempt,
            model=model,
            agent=agent,
            reward=self.reward,
            key=four.key.verdict,
            window=four.window.verdict,
            oracle=four.oracle.verdict,
            inputs=four.inputs.verdict,
            advice=self.advice,
            why=self.why,
            how=Reasons(key=four.key.why, window=four.window.why, oracle=four.oracle.why, inputs=four.inputs.why),
            moved=tuple(moved for one in four.each() for moved in one.moved),
            submissions=four.submissions if self.advice is Advice.REGRADE else (),
            evidence=tuple(e for one in four.each() for e in one.evidence)[:EVIDENCE_SHOWN],
        )
