"""Layout of the classification: what each trial counts as, and the totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whyzero.analyses.classify_zero import ClassifiedTrial, ZeroClassification
from whyzero.analyses.ranking import Pair, Ranking
from whyzero.analyses.scores import Score
from whyzero.analyses.training_groups import TrainingGroup
from whyzero.evidence import Evidence
from whyzero.render.blocks import Block, Bullets, Document, Heading, Headline, Paragraph, Quotes, Table, Tone, cell, filled
from whyzero.render.checks import check
from whyzero.render.parts import NOT_WRONG, WRONG, closing_parts, counts_line, failed_of, title

SCORE_COLUMNS = ("task set", "agent", "model", "answered", "completion", "mean", "missing as 0", "bounds", "harness says")


def zero_classification(report: ZeroClassification) -> Document:
    """Summary, trials with their proof, totals."""
    name = report.runs[0].name if len(report.runs) == 1 else f"{len(report.runs)} runs"
    writer = (report.runs[0].writer or report.runs[0].format) if report.runs else None
    blocks = [_headline(report), Paragraph(report.summary), *trials_part(report), *totals(report)]
    return Document(
        title("classification", name, writer), (*blocks, *closing_parts(report.next_steps, report.problems, report.omitted))
    )


def trials_part(report: ZeroClassification, shown: Sequence[Evidence] = ()) -> list[Block]:
    """A table of the trials, then what proves the cause of each; `shown` is evidence that stands above already."""
    if not report.trials:
        return []
    with_run = any(trial.run for trial in report.trials)
    with_row = any(trial.row is not None for trial in report.trials)
    columns = ["trial", "task", "attempt", "outcome", "reward", "a score?", "cause", "phase"]
    if with_row:
        columns.insert(2, "row")
    if with_run:
        columns.insert(0, "run")
    rows = tuple(_row(trial, with_run, with_row) for trial in report.trials)
    total = sum(report.outcomes.values())
    note = f"All {total} trials: {counts_line(report.counts)}." if total > 1 else ""
    blocks: list[Block] = [Heading("Trials"), Table(tuple(columns), rows, note)]
    for trial in report.trials:
        blocks += _proof(trial, shown)
    return blocks


def totals(report: ZeroClassification) -> list[Block]:
    """Scores, ranking and training groups."""
    blocks: list[Block] = []
    if report.scores:
        rows = tuple(_score(one, report.scores) for one in report.scores)
        blocks += [Heading("Scores"), filled(SCORE_COLUMNS, rows)]
        blocks.append(Bullets(_all_notes(report.scores)))
    if report.booked_means:
        word = "may be" if report.booked_means.comparable else "may not be"
        blocks.append(Paragraph(f"The booked means {word} compared. {report.booked_means.why}"))
    if report.ranking:
        blocks += _ranking(report.ranking)
    if report.training_groups:
        columns = ("task", "attempts", "infrastructure zeros", "mean with them", "mean without")
        blocks += [
            Heading("Training groups with infrastructure zeros"),
            Table(columns, tuple(map(_group, report.training_groups))),
        ]
        blocks += [Bullets(moved) for group in report.training_groups if (moved := _moved(group))]
    return blocks


def _headline(report: ZeroClassification) -> Headline:
    wrong = {cause: n for cause, n in report.counts.items() if cause not in NOT_WRONG}
    total = sum(report.outcomes.values())
    if not wrong:
        return Headline("Nothing failed", Tone.GOOD)
    tone = Tone.UNSURE if set(wrong) <= {"undetermined", "pending"} else Tone.BAD
    return Headline(failed_of(wrong, total, within=f" in {len(report.runs)} runs" if len(report.runs) > 1 else ""), tone)


def _row(trial: ClassifiedTrial, with_run: bool, with_row: bool) -> tuple[str, ...]:
    cells = [
        cell(trial.id),
        cell(trial.task),
        cell(trial.attempt),
        trial.outcome.value,
        "absent" if trial.reward is None else cell(trial.reward),
        "yes" if trial.counts_as_score else "no",
        cell(trial.cause),
        trial.phase.value,
    ]
    if with_row:
        cells.insert(2, cell(trial.row))
    if with_run:
        cells.insert(0, cell(trial.run))
    return tuple(cells)


def _proof(trial: ClassifiedTrial, shown: Sequence[Evidence]) -> list[Block]:
    evidence = tuple(e for e in trial.evidence if e not in shown)
    decided_above = bool(trial.evidence) and not evidence
    blocks: list[Block] = [Quotes(evidence)] if evidence else []
    if trial.disproving_check and not decided_above:
        blocks.append(replace(check(trial.disproving_check, trial.cause), before=f"{WRONG}: "))
    if trial.missing:
        blocks.append(Paragraph(trial.missing))
    for incident in trial.incidents:
        blocks += [Paragraph(f"Beside it, not deciding: {incident.what}", Tone.QUIET), Quotes((incident.evidence,))]
    return [Heading(f"{trial.id}: {trial.cause or 'passed'}"), *blocks] if blocks else []


def _score(score: Score, scores: Sequence[Score]) -> tuple[str, ...]:
    return (
        cell(", ".join(part for part in (score.dataset, _version(score, scores)) if part)),
        cell(score.agent),
        cell(score.model),
        f"{score.answered} of {score.trials}",
        _with_interval(score.completion_rate, score.completion_interval),
        cell(score.mean_answered),
        cell(score.mean_if_missing_is_zero),
        _range(score.bounds),
        cell(score.harness_mean),
    )


def _all_notes(scores: Sequence[Score]) -> tuple[str, ...]:
    """Each note once; one that is not true of all scores says whose it is."""
    said: dict[str, list[Score]] = {}
    for one in scores:
        for note in _notes(one):
            said.setdefault(note, []).append(one)
    return tuple(
        note if len(whose) == len(scores) else f"{', '.join(_whose(one, scores) for one in whose)}: {note}"
        for note, whose in said.items()
    )


def _whose(score: Score, scores: Sequence[Score]) -> str:
    """What tells this score from the others."""
    version = f" ({told})" if (told := _version(score, scores)) else ""
    dataset = score.dataset if len({one.dataset for one in scores}) > 1 else None
    return "/".join(part for part in (dataset, score.agent, score.model) if part) + version or "the others"


def _version(score: Score, scores: Sequence[Score]) -> str:
    """Which version of the task, where there are several."""
    return f"task version {score.version + 1}" if any(one.version for one in scores) else ""


def _notes(score: Score) -> list[str]:
    rule = f"The harness's mean: {score.harness_rule}." if score.harness_mean is not None and score.harness_rule else ""
    return [note for note in (score.advice, rule) if note]


def _ranking(ranking: Ranking) -> list[Block]:
    survives = "survives" if ranking.survives else "does not survive"
    columns = ("first", "second", "keeps order", "missing as 0", "dropped", "timeouts dropped")
    return [
        Heading(f"The order {survives} every treatment of the unanswered trials"),
        Paragraph("Order with missing as 0: " + ", ".join(ranking.order)),
        *([Table(columns, tuple(map(_pair, ranking.pairs)))] if ranking.pairs else []),
        Paragraph(ranking.note),
    ]


def _pair(pair: Pair) -> tuple[str, ...]:
    means = (pair.missing_as_zero, pair.dropped, pair.timeouts_dropped)
    return (pair.first, pair.second, "yes" if pair.keeps_order else "no", *map(_range, means))


def _group(group: TrainingGroup) -> tuple[str, ...]:
    values = (group.task, group.attempts, group.infrastructure_zeros, group.mean_before, group.mean_after)
    return tuple(cell(value) for value in values)


def _moved(group: TrainingGroup) -> tuple[str, ...]:
    return tuple(
        f"{s.trial}: advantage {cell(s.before)} becomes {'masked' if s.after is None else cell(s.after)}" for s in group.siblings
    )


def _range(pair: tuple[float, float] | None) -> str:
    return "-" if pair is None else f"{cell(pair[0])} .. {cell(pair[1])}"


def _with_interval(rate: float | None, interval: tuple[float, float] | None) -> str:
    return cell(rate) + (f" ({interval[0]:.2f} .. {interval[1]:.2f})" if interval else "")
