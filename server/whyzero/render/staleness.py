"""Layout of the check for stale numbers."""

from __future__ import annotations

from collections.abc import Sequence

from whyzero.analyses.check_staleness import CHECKS, Staleness, StaleTrial
from whyzero.analyses.staleness.checked import Freshness, Moved
from whyzero.analyses.staleness.oracle import show
from whyzero.analyses.staleness.sweeps import Sweep
from whyzero.render.blocks import Block, Document, Facts, Heading, Headline, Paragraph, Quotes, Table, Tone, cell, filled, whole
from whyzero.render.parts import closing_parts, counts_line, title

TRIAL_COLUMNS = ("trial", "task", "row", "attempt", "model", "reward", *CHECKS, "advice")
SWEEP_COLUMNS = ("sweep", "task", "model", "trials", "answered", "finished", "clock", "current", "note")
VERSION_COLUMNS = ("task", "digest", "brief", "today's?", "trials")


def staleness(report: Staleness) -> Document:
    """What may be reused, what moved, and which sweep is the current one."""
    name = report.runs[0].name if len(report.runs) == 1 else f"{len(report.runs)} runs"
    blocks: list[Block] = [_headline(report), Paragraph(report.summary)]
    if report.trials:
        blocks += [Heading("Trials"), filled(TRIAL_COLUMNS, tuple(map(_trial, report.trials)))]
        blocks += [block for alike in _alike(report.trials) for block in _reasons(alike, len(report.trials))]
    if report.sweeps:
        blocks += [Heading("Sweeps, most recent first"), filled(SWEEP_COLUMNS, tuple(map(_sweep, report.sweeps)))]
    if report.versions:
        blocks += [Heading("Versions of the question"), Table(VERSION_COLUMNS, _versions(report))]
    return Document(title("staleness", name, None), (*blocks, *closing_parts(report.next_steps, report.problems, report.omitted)))


def _headline(report: Staleness) -> Headline:
    words = {word for check in CHECKS for word in report.counts.get(check, {})}
    advice = counts_line(report.counts.get("advice", {}))
    if Freshness.STALE in words:
        return Headline(f"Stale: {advice}", Tone.BAD)
    if words == {Freshness.FRESH}:
        return Headline(f"Nothing moved: {advice}", Tone.GOOD)
    if Freshness.FRESH in words:
        return Headline(f"Nothing moved of what could be compared: {advice}", Tone.GOOD)
    trials = sum(report.counts.get("advice", {}).values())
    return Headline(f"Nothing was compared: {trials} {'trial' if trials == 1 else 'trials'} unchecked", Tone.UNSURE)


def _trial(trial: StaleTrial) -> tuple[str, ...]:
    checks = tuple(getattr(trial, check).value for check in CHECKS)
    values = (trial.id, trial.task, trial.row, trial.attempt, trial.model)
    reward = "absent" if trial.reward is None else cell(trial.reward)
    return (*(cell(value) for value in values), reward, *checks, _advice(trial))


def _advice(trial: StaleTrial) -> str:
    unchecked = all(getattr(trial, check) is Freshness.CANNOT_TELL for check in CHECKS)
    return "unchecked" if unchecked else trial.advice.value


def _alike(trials: Sequence[StaleTrial]) -> list[list[StaleTrial]]:
    """Trials of which the same is to be said, those whose grounds were left out beside the first that has them."""
    found: list[list[StaleTrial]] = []
    for trial in trials:
        plain = not (trial.moved or trial.submissions or trial.evidence)
        known = next((group for group in found if plain and _same(group[0], trial)), None)
        if known is None:
            found.append([trial])
        else:
            known.append(trial)
    return found


def _same(first: StaleTrial, other: StaleTrial) -> bool:
    plain = not (first.moved or first.submissions or first.evidence)
    checks = all(getattr(first, check) is getattr(other, check) for check in CHECKS)
    grounds = first.how == other.how or not any(getattr(other.how, check) for check in CHECKS)
    return plain and checks and grounds and first.why == other.why


def _reasons(alike: Sequence[StaleTrial], listed: int) -> list[Block]:
    """Why the advice, for trials that are not fresh all over."""
    trial = alike[0]
    if all(getattr(trial, check) is Freshness.FRESH for check in CHECKS):
        return []
    open_checks = tuple(
        (check, grounds)
        for check in CHECKS
        if getattr(trial, check) is not Freshness.FRESH and (grounds := getattr(trial.how, check))
    )
    who = trial.id if len(alike) == 1 else f"All {listed} trials" if len(alike) == listed else f"{len(alike)} trials"
    blocks: list[Block] = [Heading(f"{who}: {_advice(trial)}"), Paragraph(trial.why), Facts(open_checks)]
    if 1 < len(alike) < listed:
        blocks.insert(1, Paragraph(", ".join(one.id for one in alike), Tone.QUIET))
    if trial.moved:
        blocks.append(Table(("what moved", "recorded", "today"), tuple(map(_moved, trial.moved))))
    if trial.submissions:
        blocks.append(Paragraph("Submissions on disk: " + ", ".join(trial.submissions)))
    if trial.evidence:
        blocks.append(Quotes(trial.evidence))
    return blocks


def _moved(moved: Moved) -> tuple[str, ...]:
    return (whole(moved.what), whole(moved.recorded), whole(moved.current))


def _sweep(sweep: Sweep) -> tuple[str, ...]:
    finished = show(sweep.finished_at) if sweep.finished_at else None
    current = "yes" if sweep.current else "no"
    values = (
        sweep.name,
        sweep.task,
        sweep.model,
        sweep.trials,
        sweep.answered,
        finished,
        sweep.clock_source,
        current,
        sweep.note,
    )
    return tuple(cell(value) for value in values)


def _versions(report: Staleness) -> tuple[tuple[str, ...], ...]:
    today = {True: "yes", False: "no", None: "cannot tell"}
    return tuple(
        (cell(v.task), cell(v.digest), cell(v.brief), today[v.is_today], whole(f"{v.count}: {', '.join(v.trials)}"))
        for v in report.versions
    )
