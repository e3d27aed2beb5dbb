"""Layout of the standard diagnosis report."""

from __future__ import annotations

from whyzero.analyses.locate_failed_phase import FailedPhase, FailedTrial
from whyzero.model import Phase
from whyzero.render.blocks import Block, Document, Facts, Heading, Headline, Paragraph, Quotes, Table, Tone, cell
from whyzero.render.parts import NOT_WRONG, check_part, closing_parts, counts_line, evidence_part, failed_of, title


def failed_phase(report: FailedPhase) -> Document:
    """Verdict, proof and how to doubt it first; then the trials one by one."""
    run = report.run
    return Document(
        title("diagnosis", run.name, run.writer or run.format), (*verdict(report), *details(report), *closing(report))
    )


def verdict(report: FailedPhase) -> list[Block]:
    """The report itself, above everything else."""
    said = report.summary if report.cause is None and report.likely_cause in report.summary else None
    blocks: list[Block] = [_headline(report), Paragraph(said)] if said else [_headline(report), Paragraph(_likely(report))]
    blocks += [] if said else [Paragraph(report.summary, Tone.QUIET)]
    facts = _affected(report)
    if report.run.command:
        facts.append(("command", report.run.command))
    if facts:
        blocks.append(Facts(tuple(facts)))
    return [*blocks, *evidence_part(report.evidence, report.evidence_level), *check_part(report.disproving_check, report.cause)]


def details(report: FailedPhase) -> list[Block]:
    """The trials without full marks: a table, then the proof of each that is not shown above."""
    if not report.trials:
        return []
    with_rows = any(trial.row is not None for trial in report.trials)
    columns = ("trial", "task", *(("row",) if with_rows else ()), "attempt", "phase", "cause", "first error")
    rows = tuple(_row(trial, with_rows) for trial in report.trials)
    failed = sum(report.counts.by_cause.values())
    note = f"{len(rows)} of {failed} shown: {counts_line(report.counts.by_cause)}." if failed > 1 else ""
    blocks: list[Block] = [Heading("Trials without full marks"), Table(columns, rows, note)]
    for trial in report.trials:
        more = tuple(e for e in trial.evidence if e not in report.evidence)
        if more:
            blocks += [Heading(f"{trial.id}: {trial.cause}"), Quotes(more)]
    return blocks


def closing(report: FailedPhase) -> list[Block]:
    """Problems, what was left out, next steps."""
    return closing_parts(report.next_steps, report.problems, report.omitted)


def _headline(report: FailedPhase) -> Headline:
    if report.cause is None:
        return Headline("Nothing failed", Tone.GOOD)
    wrong = _wrong(report)
    if report.counts.trials < 2 or not wrong:
        return Headline(report.cause + _where(report), Tone.UNSURE if report.cause == "undetermined" else Tone.BAD)
    alike = report.counts.by_phase.get(report.phase.value) == sum(wrong.values())
    pending = f"; {report.counts.pending} never recorded" if report.counts.pending else ""
    said = failed_of(wrong, report.counts.trials, _where(report) if alike else "")
    return Headline(said + pending, Tone.UNSURE if set(wrong) == {"undetermined"} else Tone.BAD)


def _likely(report: FailedPhase) -> str:
    """The likely cause; where the headline counts several, which of them it speaks of."""
    if len(_wrong(report)) < 2 or report.counts.trials < 2:
        return report.likely_cause
    if report.phase is Phase.NONE:
        return f"The first of them, {report.cause}: {report.likely_cause}"
    return f"The first to break, by phase, is {report.cause}{_where(report)}. {report.likely_cause}"


def _wrong(report: FailedPhase) -> dict[str, int]:
    """Failed trials by cause; none where it is the run itself that failed, and not its trials."""
    wrong = {cause: n for cause, n in report.counts.by_cause.items() if cause not in NOT_WRONG}
    return wrong if report.affected.trial is not None and report.cause in wrong else {}


def _where(report: FailedPhase) -> str:
    return "" if report.phase is Phase.NONE else f" in phase {report.phase}"


def _affected(report: FailedPhase) -> list[tuple[str, str]]:
    affected = report.affected
    words = {"trial": affected.trial, "task": affected.task, "row": affected.row, "attempt": affected.attempt}
    return [("first affected", ", ".join(f"{k} {v}" for k, v in words.items() if v is not None))] if affected.trial else []


def _row(trial: FailedTrial, with_rows: bool) -> tuple[str, ...]:
    row = (cell(trial.row),) if with_rows else ()
    return (cell(trial.id), cell(trial.task), *row, cell(trial.attempt), trial.phase.value, trial.cause, cell(trial.first_error))
