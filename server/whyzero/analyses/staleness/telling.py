"""What the answer says in words: a summary, and the calls that follow from it."""

from __future__ import annotations

from collections.abc import Sequence

from whyzero.analyses.report import NextStep, folder_of
from whyzero.analyses.staleness.checked import Freshness
from whyzero.analyses.staleness.report import CHECKS, Judged
from whyzero.analyses.staleness.sweeps import Sweep
from whyzero.analyses.staleness.versions import Version
from whyzero.model import Run
from whyzero.question import KeyFile

Counts = dict[str, dict[str, int]]


def summary(
    trials: Sequence[Judged], every: Sequence[Sweep], versions: Sequence[Version], counts: Counts, *, with_task: bool
) -> str:
    """One paragraph: what to do with how many trials, what moved, what could not be told."""
    if not trials:
        return "No trial was found, so there is no number to check."
    advice = counts["advice"]
    count = f"{len(trials)} {'trial' if len(trials) == 1 else 'trials'}"
    unchecked = sum(all(one.verdict is Freshness.CANNOT_TELL for one in trial.four.each()) for trial in trials)
    if unchecked == len(trials):
        said = [f"{count}, and nothing was compared: no number is known to be stale, and none to be fresh."]
    else:
        of_these = f", {unchecked} of these with nothing to compare" if unchecked else ""
        listed = ", ".join(f"{advice[word]} to {word}" for word in ("rerun", "regrade", "reuse") if word in advice)
        said = [f"{count}: {listed}{of_these}."]
    stale = [f"{name} ({counts[name]['stale']})" for name in CHECKS if counts[name].get("stale")]
    if stale:
        said.append(f"Moved since: {', '.join(stale)}.")
    first = next(((trial, one.moved[0]) for trial in trials for one in trial.four.each() if one.moved), None)
    if first is not None:
        trial, moved = first
        said.append(
            f"First: {moved.what} of {trial.about[0]}: {moved.recorded or 'nothing'} then, {moved.current or 'nothing'} now."
        )
    blind = [name for name in CHECKS if set(counts[name]) == {"cannot_tell"}]
    if blind:
        said.append(f"Not to be told for any trial: {', '.join(blind)}.")
    if not with_task:
        which = "there is nothing" if unchecked == len(trials) else "most checks have nothing"
        said.append(f"No task of today was given, so {which} to compare with: give it as task.")
    current = [sweep for sweep in every if sweep.current]
    if len(every) > 1 and len(current) == 1:
        said.append(f"The current sweep is {current[0].name}.")
    if versions:
        said.append("Not all trials of a task were asked the same question: see versions before averaging.")
    return " ".join(said)


def next_steps(
    runs: Sequence[Run], every: Sequence[Sweep], oracle: Sequence[KeyFile], counts: Counts, *, with_task: bool
) -> tuple[NextStep, ...]:
    """Compare with today's task, grade again, count what may be kept: whichever applies."""
    paths = [str(run.root) for run in runs]
    steps: list[NextStep] = []
    if not with_task and paths:
        why = "With task: the folder, the brief or the workspace of the task as it stands now, to compare with."
        steps.append(NextStep(tool="check_staleness", arguments={"path": str(folder_of(runs))}, why=why))
    if counts["advice"].get("regrade"):
        known: dict[str, object] = {"paths": paths} | ({"oracle": oracle[0].path} if oracle else {})
        why = (
            "With key and scorer: grades the submissions on disk by today's key, once the scorer reproduces the shipped rewards."
        )
        steps.append(NextStep(tool="partition_disputed_rows", arguments=known, why=why))
    if paths and counts["advice"].get("reuse"):
        path = next((sweep.path for sweep in every if sweep.current), paths[0])
        why = "Says which of the numbers are scores at all."
        steps.append(NextStep(tool="classify_zero", arguments={"path": path}, why=why))
    return tuple(steps)
