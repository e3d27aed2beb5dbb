"""What a cause is: a page, a few words about it, and a function that returns evidence or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from whyzero.evidence import Evidence, Level
from whyzero.model import Phase, Run, Trial


@dataclass(frozen=True, slots=True)
class Found:
    """What a cause saw. Without evidence it is nothing: the engine drops it."""

    evidence: tuple[Evidence, ...]
    """Decisive one first."""
    level: Level
    phase: Phase | None = None
    """Where the cause can stop a trial in several phases; else the cause's own."""
    detail: str = ""
    """A sentence of ours that says what this evidence shows; never holds log text."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One word of the vocabulary, with what proves it."""

    name: str
    phase: Phase
    whose: str
    """Who can mend it: model, provider, operator, harness, user code, environment, grader, task, budget, data, config."""
    summary: str
    """The likely cause in one sentence, as the report says it."""
    check: str
    """Smallest command or look that could show it wrong; `{path} {task} {trial} {model} {probe}` are filled in."""
    counts_as_score: bool = False
    find: Callable[[Trial, Run], Found | None] | None = None
    """Evidence in one trial."""
    find_in_run: Callable[[Run], Found | None] | None = None
    """Evidence about the run itself (no trial read)."""
    harbor_policy: str | None = None
    """Harbor's policy group for it, where one exists."""
    terminal_bench_mode: str | None = None
    """Terminal-Bench's failure mode for it, where one exists."""
