"""The trials, reduced to what a partition needs of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from whyzero.analyses.partition.grid import Attempt
from whyzero.causes.engine import judge
from whyzero.findings import Outcome
from whyzero.model import Run, Trial
from whyzero.readers.submissions import asked_for, copies

GRADED = frozenset({Outcome.GRADED_PASS, Outcome.GRADED_PARTIAL, Outcome.GRADED_ZERO})
MESSAGE_LIMIT = 300
"""Characters kept of a failing test's message."""
Progress = Callable[[int, int | None], None]

_FINAL = (
    re.compile(r"\\boxed\{([^{}]{1,80})\}"),
    re.compile(r"####\s*(\S[^\n]{0,80})"),
    re.compile(r"(?i)\b(?:final )?answer(?:\s+is\s*:?|\s*[:=])\s*\**([^\s*][^\n*]{0,80}?)\**[.\s]*(?:\n|$)"),
)
"""How an answer is usually marked; the last mark counts."""


@dataclass(frozen=True, slots=True)
class Record:
    """One trial."""

    attempt: Attempt
    root: Path
    """Root of its run."""
    outcome: Outcome
    answered: bool
    """A deliverable exists and the verifier really graded it."""
    cause: str | None
    copies: dict[str, str] = field(default_factory=dict)
    """Files of the trial that could be its submission: name -> path relative to the run."""
    asked_for: tuple[str, ...] = ()
    tests: dict[str, bool] = field(default_factory=dict)
    """Test -> passed, for the tests that ran."""
    messages: dict[str, str] = field(default_factory=dict)
    """Failing test -> what it said, where it said anything."""
    answer: str | None = None
    """The final answer in words, where one is marked as such."""
    components: tuple[str, ...] = ()
    """Names of the reward's dimensions."""
    reference: str | None = None
    """`oracle` or `nop`: no model at work."""

    @property
    def graded(self) -> bool:
        return self.outcome in GRADED

    @property
    def solved(self) -> bool:
        return self.outcome is Outcome.GRADED_PASS


def records(runs: Iterable[Run], progress: Progress | None = None) -> Iterator[Record]:
    """All trials of the runs, each once."""
    seen: set[Path] = set()
    runs = list(runs)
    expected = sum(run.found or 0 for run in runs) or None
    for run in runs:
        for trial in run.read_trials():
            place = run.root / trial.spot.path / (trial.spot.pointer or "").strip("/") / str(trial.spot.line or "")
            if place in seen:
                continue
            seen.add(place)
            yield _record(run, trial)
            if progress:
                progress(len(seen), expected)


def _record(run: Run, trial: Trial) -> Record:
    verdict = judge(trial, run)
    tests: dict[str, bool] = {}
    messages: dict[str, str] = {}
    for part in trial.steps or (trial,):
        prefix = f"{part.id}::" if trial.steps else ""
        for test in part.grading.tests:
            name = prefix + test.name
            tests[name] = tests.get(name, True) and test.passed
            if not test.passed and test.message:
                messages.setdefault(name, test.message[:MESSAGE_LIMIT])
    return Record(
        attempt=Attempt(trial.id, run.name, trial.task, trial.model or trial.agent or "unknown model", trial.reward.value),
        root=run.root,
        outcome=verdict.outcome,
        answered=verdict.answered,
        cause=verdict.finding.cause if verdict.finding else None,
        copies=copies(trial),
        asked_for=asked_for(trial),
        tests=tests,
        messages=messages,
        answer=final_answer(trial),
        components=tuple(sorted(trial.reward.components)),
        reference="oracle" if trial.is_oracle else "nop" if trial.is_nop else None,
    )


def final_answer(trial: Trial) -> str | None:
    """The answer as the last message marks it (`\\boxed{}`, `####`, `answer:`), or a last message of one short line."""
    message = trial.log.last_message if trial.log else None
    text = message.text.strip() if message else ""
    for pattern in _FINAL:
        if found := pattern.findall(text):
            return str(found[-1]).strip().rstrip(".")
    return text if text and "\n" not in text and len(text) <= 40 else None
