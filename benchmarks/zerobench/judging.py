"""Asks the product about a case. The only part of ZeroBench, with the mutations, that imports it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.zerobench.cases import PASS, Case
from benchmarks.zerobench.evidence import Standing, standing
from benchmarks.zerobench.places import Place

from whyzero.causes.engine import judge, run_finding
from whyzero.evidence import Evidence
from whyzero.findings import Outcome
from whyzero.model import Run, Trial
from whyzero.readers import open_run

UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class Answer:
    """What was said of a case."""

    case: Case
    got: str
    seconds: float
    evidence: tuple[Standing, ...] = ()
    note: str = ""

    @property
    def right(self) -> bool:
        return self.got == self.case.truth


@dataclass(frozen=True)
class Question:
    """A case as the product has read it: judged again at no cost."""

    case: Case
    place: Place
    run: Run
    trial: Trial | None

    def answer(self) -> tuple[str, tuple[Evidence, ...], str]:
        """The cause ('' = nothing wrong), its evidence, the sentence."""
        if self.place.trial is None:
            found = run_finding(self.run)
            return (found.cause, found.evidence, found.likely_cause) if found else (PASS, (), "")
        if self.trial is None:
            return "not read", (), ""
        verdict = judge(self.trial, self.run)
        incidents = tuple(i.evidence for i in verdict.incidents)
        if verdict.finding is not None:
            return verdict.finding.cause, (*verdict.finding.evidence, *incidents), verdict.finding.likely_cause
        return (PASS if verdict.outcome is Outcome.GRADED_PASS else UNDETERMINED), incidents, verdict.missing


def put(case: Case, root: Path) -> Question:
    """Write the tree below `root` and read it."""
    place = case.write(root)
    run = open_run(place.path, place.error)
    named = (t for t in run.read_trials() if place.trial in (t.id, f"{t.row_index}.{t.attempt}"))
    return Question(case, place, run, next(named, None) if place.trial is not None else None)


def ask(case: Case, root: Path) -> Answer:
    """Write the tree below `root`, then ask."""
    begun = time.perf_counter()
    question = put(case, root)
    got, evidence, note = question.answer()
    seconds = time.perf_counter() - begun
    return Answer(case, got, seconds, tuple(standing(e, question.place) for e in evidence), note)


def ask_all(cases: Iterable[Case], keep: Path | None = None) -> list[Answer]:
    """Each case in a folder of its own, kept only where asked for."""
    if keep is not None:
        return [ask(case, keep / case.name) for case in cases]
    with TemporaryDirectory(prefix="zerobench-") as folder:
        return [ask(case, Path(folder) / case.name) for case in cases]
