"""Where a platform run broke, told from the platform's evidence alone; what no local run could show or disprove."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from whyzero.analyses.locate_failed_phase import FailedPhase, locate_failed_phase
from whyzero.analyses.report import NextStep
from whyzero.model import Run
from whyzero.text import clean

NOTE = "Read from the platform: a local run that succeeds cannot validate what happens there."
LIMIT = 1200
ENDED_WELL = frozenset({"finished"})
OPEN = frozenset({"pending", "queued", "running"})
CHOSEN = frozenset({"stopped"})
"""Somebody stopped it: no failure."""


def locate_on_platform(run: Run, kind: Literal["eval", "train"], upgrade: Callable[[], str] = lambda: "") -> FailedPhase:
    """The diagnosis of a run read from the platform; `undetermined` where it failed and its evidence does not say why.

    Args:
        upgrade: asked for a sentence about newer versions, only where the version is at fault.
    """
    report = locate_failed_phase(run)
    cause, likely = report.cause, report.likely_cause
    if cause == "version_mismatch":
        likely = f"{likely} {upgrade()}".strip()
    if cause in (None, "undetermined"):
        cause, likely = _undecided(run, kind)
    again = NextStep(
        tool="locate_failed_phase",
        arguments={"managed": {"kind": kind, "name": run.name, "workspace": str(run.root)}},
        why="Ask the platform again after the mend there, or once the run has moved on.",
    )
    status = f"{kind} run {run.name} on the platform: {run.recorded_status or 'status unknown'}."
    return report.model_copy(
        update={
            "cause": cause,
            "likely_cause": clean(likely, LIMIT),
            "summary": f"{clean(f'{status} {likely}', LIMIT)} {NOTE}",
            "next_steps": () if cause is None else (again,),
        }
    )


def _undecided(run: Run, kind: str) -> tuple[str | None, str]:
    """Cause and sentence where no hosted fault was found."""
    status = run.recorded_status
    if status is None:
        return "undetermined", "The platform said nothing of this run: `problems` holds what it answered."
    if status in OPEN:
        return None, "It is still under way; the platform's evidence shows no fault of its own so far."
    if status in CHOSEN:
        return None, "It was stopped on request."
    if status in ENDED_WELL and not _short(run):
        return None, "It finished, and the platform's evidence shows no fault."
    more = f" `osmosis eval download {run.name}` brings them: diagnose that folder." if kind == "eval" else ""
    what = "finished with rows failed or not passed" if status in ENDED_WELL else f"ended as {status}"
    return "undetermined", f"It {what}, and the platform's evidence names no fault of its own. Its rows tell more.{more}"


def _short(run: Run) -> bool:
    """Rows failed, or did not pass, by the platform's own totals."""
    results = run.booked.get("results")
    if not isinstance(results, dict):
        return False
    counts = {name: value for name, value in results.items() if isinstance(value, int)}
    due = counts.get("total_runs", 0) - counts.get("skipped", 0)
    return counts.get("failed", 0) > 0 or counts.get("passed", due) < due
