"""The whole answer for the rows of a deliverable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from whyzero.analyses.partition import lists
from whyzero.analyses.partition.asked import Question
from whyzero.analyses.partition.audit import Auditor
from whyzero.analyses.partition.ceiling import said_of
from whyzero.analyses.partition.checks import GraderAudit, Regrade
from whyzero.analyses.partition.difficulty import Difficulty, difficulty
from whyzero.analyses.partition.gather import Gathered, deliverable_of, gather
from whyzero.analyses.partition.key import AnswerKey
from whyzero.analyses.partition.masks import rows_of
from whyzero.analyses.partition.next_calls import after_rows
from whyzero.analyses.partition.of_rows import Invention, by_all, disagreeing, inventions, material
from whyzero.analyses.partition.overlap import overlap
from whyzero.analyses.partition.records import Progress, Record
from whyzero.analyses.partition.regrade import regrade
from whyzero.analyses.partition.report import Pairwise, Partition, RowClass
from whyzero.analyses.partition.scorers import ProgramScorer, RowScorer, Scorer, decimals_of
from whyzero.analyses.partition.source import Source, read_source
from whyzero.analyses.partition.structure import Material, Pattern, patterns
from whyzero.analyses.partition.summary import summary_of_rows
from whyzero.analyses.partition.tasks import Faults, TaskView, view
from whyzero.analyses.partition.unanimity import Unanimity, unanimity
from whyzero.analyses.partition.verdict import Signs, decide
from whyzero.analyses.partition.whole_tasks import task_entries
from whyzero.analyses.report import run_info, unread
from whyzero.model import Problem, Run

INVENTED_SHOWN = 50


def partition_rows(
    question: Question, key: AnswerKey, runs: Sequence[Run], trials: Sequence[Record], progress: Progress | None
) -> Partition:
    """Every row of the key against every answered trial, and all checks that were asked for."""
    references = [one for one in trials if one.reference]
    assert question.oracle is not None
    name = deliverable_of([one for one in trials if not one.reference], question.deliverable, question.oracle)
    mine, elsewhere = _of_this_task([one for one in trials if not one.reference], name)
    gathered = gather(mine, name, key, progress)
    strangers = _strangers(gathered)
    if strangers:
        elsewhere += [one for one in mine if one.attempt.task in strangers]
        mine = [one for one in mine if one.attempt.task not in strangers]
        gathered = gather(mine, name, key, progress)
    about = material(key, gathered)
    grid = about.grid
    u = unanimity(grid)
    regular = patterns(about)
    extra = inventions(about)
    hard = difficulty(grid)
    source = _source(question, key, about)
    verdict, why = decide(_signs(about, u, regular, extra, source, hard))
    again = _regrade(question, key, about, gathered, name)
    audit = _audit(question, key, gathered, mine)
    rows, left_out = lists.disputed(grid, u, question.bounds, about, source)
    counts = lists.class_counts(grid)
    attempts = len(grid.attempts)
    everywhere = sum(by_all(one, attempts) for one in extra)
    counts[RowClass.INVENTED_BY_ALL.value], counts[RowClass.INVENTED_BY_SOME.value] = everywhere, len(extra) - everywhere
    left_out["invented rows"] = max(0, len(extra) - INVENTED_SHOWN) + gathered.invented_not_kept
    left_out["trials of other tasks"] = len(elsewhere)
    left_out["oracle and nop trials"] = len(references)
    problems, unseen = unread(_problems(runs, gathered, source))
    left_out["problems"] = unseen
    pairs = overlap(grid)
    views = _views(mine, gathered, about)
    report = Partition(
        summary=summary_of_rows(verdict, key, about, u, regular, gathered, everywhere),
        verdict=verdict,
        why=why,
        runs=tuple(run_info(run) for run in runs),
        of="rows",
        key=key.fields,
        compared=about.compared,
        answered=attempts,
        not_answered=lists.not_answered(gathered.unusable, len(runs) > 1 or len({one.attempt.run for one in mine}) > 1),
        models=lists.models(grid),
        counts=dict(counts),
        rows=tuple(rows),
        invented=lists.invented(about, extra, INVENTED_SHOWN),
        structure=lists.structures(grid, regular),
        chance=(lists.chance(u, hard),),
        pairwise=Pairwise(median=pairs.median, max=pairs.max, pairs=pairs.pairs),
        tasks=task_entries(views, grid.labels, mine, references, audited=audit is not None),
        superset_check=source.superset_check() if source else None,
        second_partition=source.second_partition(grid) if source else None,
        rule_candidates=source.candidates(grid) if source else (),
        regrade=again,
        grader_audit=audit,
        references=said_of(references),
        problems=problems,
        omitted={what: n for what, n in left_out.items() if n},
    )
    return report.model_copy(update={"next_steps": after_rows(question, report)})


def _of_this_task(trials: Sequence[Record], name: str) -> tuple[list[Record], list[Record]]:
    """Trials of the task(s) that have such a submission, and the others; all are of it where none has."""
    tasks = {one.attempt.task for one in trials if name in one.copies}
    if not tasks:
        tasks = {one.attempt.task for one in trials if name in one.asked_for} or {one.attempt.task for one in trials}
    mine = [one for one in trials if one.attempt.task in tasks]
    return mine, [one for one in trials if one.attempt.task not in tasks]


def _strangers(gathered: Gathered) -> set[str]:
    """Tasks whose submissions hold not one row of the key, beside tasks whose submissions do: they have another key."""
    known = {one.attempt.task for one, answer in zip(gathered.records, gathered.answers, strict=True) if answer.sent}
    others = {one.attempt.task for one, answer in zip(gathered.records, gathered.answers, strict=True) if answer.inventions}
    return others - known if known else set()


def _source(question: Question, key: AnswerKey, about: Material) -> Source | None:
    if question.corpus is None:
        return None
    wanted = set(rows_of(about.grid.missed_by_any))
    return read_source(question.corpus, key, wanted, question.rule, question.wide, question.rules)


def _signs(
    about: Material,
    u: Unanimity,
    regular: Sequence[Pattern],
    extra: Sequence[Invention],
    source: Source | None,
    hard: Difficulty | None,
) -> Signs:
    grid = about.grid
    confirmed = cleared = None
    silence = source.silence(grid) if source is not None else ""
    if source is not None and not silence:
        unsound = set(source.unsound(grid.size) or ())
        explained = {row for pattern in regular for row in pattern.rows}
        declined = list(rows_of(grid.declined_by_all))
        confirmed = sum(row in unsound for row in declined)
        cleared = sum(row not in unsound and row not in explained for row in declined)
    attempts = len(grid.attempts)
    everywhere = sum(by_all(one, attempts) for one in extra)
    return Signs(
        answered=attempts,
        models=len(grid.models),
        families=len({attempt.family for attempt in grid.attempts}),
        unanimity=u,
        disputed=grid.missed_by_any.bit_count(),
        invented_by_all=everywhere,
        invented_by_some=len(extra) - everywhere,
        structure=[(pattern.kind, len(pattern.rows)) for pattern in regular],
        confirmed=confirmed,
        cleared=cleared,
        saturated=bool(grid.attempts) and all(rate == 1 for rate in grid.rates),
        disagreeing=disagreeing(about),
        source_note=silence,
        difficulty=hard,
    )


def _views(mine: Sequence[Record], gathered: Gathered, about: Material) -> list[TaskView]:
    views = []
    for task in dict.fromkeys(one.attempt.task for one in mine):
        places = [at for at, one in enumerate(gathered.records) if one.attempt.task == task]
        faults = Faults([about.grid.missed[at] for at in places], about.grid.size)
        trials = [one for one in mine if one.attempt.task == task]
        views.append(view(task, trials, [gathered.records[at] for at in places], faults))
    return views


def _submissions(gathered: Gathered, name: str) -> list[tuple[Record, Path]]:
    return [(record, record.root / record.copies[name]) for record in gathered.records]


def _regrade(question: Question, key: AnswerKey, about: Material, gathered: Gathered, name: str) -> Regrade | None:
    if question.oracle is None or not (question.scorer or question.original):
        return None
    if question.original is not None:
        question.key_at(question.original, "--original")
    scorer: Scorer
    if question.scorer:
        scorer = ProgramScorer(question.scorer)
    else:
        rewards = [one.attempt.reward for one in gathered.records if one.attempt.reward is not None]
        scorer = RowScorer(key.fields, about.compared, decimals_of(rewards))
    oracle = question.oracle.absolute()
    return regrade(_submissions(gathered, name), scorer, oracle, question.original.absolute() if question.original else None)


def _audit(question: Question, key: AnswerKey, gathered: Gathered, mine: Sequence[Record]) -> GraderAudit | None:
    if not question.audit_grader or question.oracle is None:
        return None
    formats = Counter(answer.format for answer in gathered.answers)
    like = formats.most_common(1)[0][0] if formats else "json"
    shipped = [one.components for one in mine if one.graded]
    return Auditor(ProgramScorer(question.scorer), key, question.oracle.absolute(), like, shipped).run()


def _problems(runs: Sequence[Run], gathered: Gathered, source: Source | None) -> list[Problem]:
    of_runs = [problem for run in runs for problem in (*run.problems, *run.trial_problems)]
    return [*of_runs, *gathered.problems, *(source.problems if source else ())]
