"""Layout of the partition: the disputed rows first with what the source says, everything else counted."""

from __future__ import annotations

import json
from typing import Any

from whyzero.analyses.partition_disputed_rows import DisputedRow, InventedRow, Partition, RowClass, TaskClass, Verdict
from whyzero.evidence import Evidence
from whyzero.render.blocks import Block, Bullets, Document, Facts, Heading, Headline, Paragraph, Quotes, Table, Tone, cell
from whyzero.render.parts import closing_parts, counts_line, title

TONES = {
    Verdict.SUSPECT_KEY: Tone.BAD,
    Verdict.MIXED: Tone.BAD,
    Verdict.MODEL_ERROR: Tone.PLAIN,
    Verdict.CANNOT_TELL: Tone.UNSURE,
}
BY_SOME_SHOWN = 12
MODELS_SHOWN = 4


def partition(report: Partition) -> Document:
    """Verdict and reasons, suspected rows with sentences, the rest as tables and counts."""
    name = report.runs[0].name if len(report.runs) == 1 else f"{len(report.runs)} runs"
    blocks: list[Block] = [
        Headline(report.verdict.value, TONES[report.verdict]),
        Paragraph(report.summary),
        Paragraph(report.why),
        *(Paragraph(said, Tone.BAD) for said in report.references),
        *_structure(report),
        *_suspected(report),
        *_invented(report),
        *_source(report),
        *_by_some(report),
        *_tasks(report),
        *_regrade(report),
        *_audit(report),
        *_who(report),
        *closing_parts(report.next_steps, report.problems, report.omitted),
    ]
    return Document(title("disputed rows", name, None), tuple(blocks))


def _structure(report: Partition) -> list[Block]:
    if not report.structure:
        return []
    rows = tuple(
        (one.kind, cell(one.field), cell(one.value) + (f" {one.unit}" if one.unit else ""), cell(len(one.rows)), _keys(one.rows))
        for one in report.structure
    )
    table = Table(("regularity", "field", "value", "rows", "which"), rows)
    return [
        Heading("Shared by all trials: what would have to be true for them to be right?"),
        table,
        Bullets(tuple(dict.fromkeys(one.question for one in report.structure))),
    ]


def _suspected(report: Partition) -> list[Block]:
    rows = [row for row in report.rows if row.class_ is RowClass.DECLINED_BY_ALL]
    if not rows:
        return []
    total = report.counts.get(RowClass.DECLINED_BY_ALL, len(rows))
    blocks: list[Block] = [Heading(f"Declined by all: {_how_many(total, report)}"), _table(report, rows)]
    for row in rows:
        if row.sentences:
            quotes = tuple(Evidence(path=s.path, line=s.line, quote=s.quote) for s in row.sentences)
            blocks += [Paragraph(f"What the source says about {_key(row.key)}:"), Quotes(quotes)]
    return blocks


def _by_some(report: Partition) -> list[Block]:
    rows = [row for row in report.rows if row.class_ is RowClass.DECLINED_BY_SOME]
    total = report.counts.get(RowClass.DECLINED_BY_SOME, len(rows))
    if not rows:
        return []
    return [
        Heading(f"Declined by some: {_how_many(total, report)}, most missed first"),
        _table(report, rows[:BY_SOME_SHOWN], total),
    ]


def _table(report: Partition, rows: list[DisputedRow], total: int = 0) -> Table:
    columns = ["key", "missed by", "found by", "said" if report.of == "tests" else "sent instead", "by accident"]
    with_task = any(row.task for row in rows)
    if with_task:
        columns.insert(0, "task")
    cells = tuple(((cell(row.task),) if with_task else ()) + _row(row, report.of == "tests") for row in rows)
    note = f"{len(rows)} of {total} shown." if total > len(rows) else ""
    return Table(tuple(columns), cells, note)


def _row(row: DisputedRow, tests: bool) -> tuple[str, ...]:
    instead = "; ".join(
        (_key(one.submitted) if one.field == "message" and tests else f"{one.field} {_key(one.submitted)}")
        + (f" (key: {_key(one.expected)})" if one.expected is not None else "")
        + f" x{one.trials}"
        for one in row.submitted_values[:3]
    )
    left_out = f"left out x{row.left_out_by}" if row.left_out_by else ""
    return (
        cell(_key(row.key)),
        f"{row.declined_by} of {row.trials}",
        cell(", ".join(row.found_by_models[:MODELS_SHOWN])) + (" ..." if len(row.found_by_models) > MODELS_SHOWN else ""),
        cell("; ".join(part for part in (instead, left_out) if part)),
        cell(row.row_p_value),
    )


def _invented(report: Partition) -> list[Block]:
    if not report.invented:
        return []
    rows = tuple(_made_up(one) for one in report.invented[:BY_SOME_SHOWN])
    by_all = report.counts.get(RowClass.INVENTED_BY_ALL, 0)
    by_some = report.counts.get(RowClass.INVENTED_BY_SOME, 0)
    heading = f"Rows that the key lacks: {by_all} sent alike by all, {by_some} by some"
    note = f"{len(rows)} of {by_all + by_some} shown." if by_all + by_some > len(rows) else ""
    return [Heading(heading), Table(("key", "sent by", "alike", "models", "values"), rows, note)]


def _made_up(one: InventedRow) -> tuple[str, ...]:
    values = ", ".join(f"{name} {_key(value)}" for name, value in one.values.items())
    return (cell(_key(one.key)), cell(one.sent_by), "yes" if one.alike else "no", cell(", ".join(one.models)), cell(values))


def _source(report: Partition) -> list[Block]:
    blocks: list[Block] = []
    check = report.superset_check
    if check is not None:
        said = (
            f"holds over {check.lines} lines"
            if check.held
            else "is refused: a line that the rule matches and the wide net does not"
        )
        blocks += [Heading("Against the source"), Paragraph(f"The wide net {said}.", Tone.PLAIN if check.held else Tone.BAD)]
        if check.counterexample:
            line = check.counterexample
            blocks.append(Quotes((Evidence(path=line.path, line=line.line, quote=line.quote),)))
    second = report.second_partition
    if second is not None:
        if check is None:
            blocks.append(Heading("Against the source"))
        agrees = "the same as" if second.agrees else "not the same as"
        blocks.append(
            Paragraph(f"{second.total} rows have no sentence that the rule matches: {agrees} the rows declined by all.")
        )
        pairs = (
            ("no such sentence, yet found", _keys(second.only_here)),
            ("declined by all, yet supported", _keys(second.only_declined)),
        )
        blocks.append(Facts(tuple(pair for pair in pairs if pair[1] != "-")))
    if report.rule_candidates:
        rows = tuple(
            (
                cell(one.name),
                cell(one.defects_removed),
                _keys(one.defects_left),
                cell(one.sound_rows_kept),
                _keys(one.sound_rows_lost),
            )
            for one in report.rule_candidates
        )
        columns = ("rule", "defects removed", "defects left", "sound rows kept", "sound rows lost")
        blocks += [Heading("Candidate rules, in both directions"), Table(columns, rows)]
    return blocks


def _tasks(report: Partition) -> list[Block]:
    if not report.tasks or (len(report.tasks) == 1 and report.of == "rows"):
        return []
    rows = tuple(
        (
            cell(one.task),
            one.class_.value if one.class_ else "undecided",
            f"{one.solved} of {one.answered}",
            cell(one.trials),
            cell(one.why),
        )
        for one in report.tasks
    )
    blocks: list[Block] = [Heading("Tasks"), Table(("task", "class", "solved", "trials", "why"), rows)]
    for one in report.tasks:
        if one.class_ is TaskClass.SOLVED_ALWAYS and one.never_audited:
            blocks += [Paragraph(f"Never audited on {one.task}:"), Bullets(one.never_audited)]
    return blocks


def _regrade(report: Partition) -> list[Block]:
    again = report.regrade
    if again is None:
        return []
    total = again.reproduced + len(again.mismatches)
    blocks: list[Block] = [
        Heading(f"Re-grade by {again.scorer}"),
        Paragraph(
            f"{again.reproduced} of {total} shipped rewards reproduced. {again.note}", Tone.PLAIN if again.validated else Tone.BAD
        ),
    ]
    if again.mismatches:
        rows = tuple((cell(m.id), cell(m.shipped), cell(m.scored), cell(m.reason)) for m in again.mismatches[:BY_SOME_SHOWN])
        note = f"{len(rows)} of {len(again.mismatches)} shown." if len(again.mismatches) > len(rows) else ""
        blocks.append(Table(("trial", "shipped", "scored", "reason"), rows, note))
    if again.after is not None and again.before is not None:
        after = again.after
        blocks.append(
            Table(("model", "before", "after"), tuple((cell(m), cell(v), cell(after.get(m))) for m, v in again.before.items()))
        )
        word = "keeps" if again.order_preserved else "changes"
        spread = f"spread {cell(again.spread_before)} before, {cell(again.spread_after)} after"
        blocks.append(Paragraph(f"The order of the models {word}; {spread}."))
    return blocks


def _audit(report: Partition) -> list[Block]:
    audit = report.grader_audit
    if audit is None:
        return []
    rows = tuple((cell(p.name), "passed" if p.passed else "FAILED", cell(p.expected), cell(p.got)) for p in audit.probes)
    failed = sum(not probe.passed for probe in audit.probes)
    heading = "Grader audit: all probes passed" if audit.passed else f"Grader audit: {failed} of {len(rows)} probes failed"
    return [Heading(heading), Table(("submitted", "result", "a sound grader gives", "got"), rows)]


def _who(report: Partition) -> list[Block]:
    facts = [("answered", str(report.answered)), ("classes", counts_line({k: v for k, v in report.counts.items() if v}) or "-")]
    if report.compared:
        facts.append(("compared", ", ".join(report.compared)))
    if report.pairwise.median is not None:
        p = report.pairwise
        facts.append(("overlap of misses", f"median {cell(p.median)}, max {cell(p.max)} over {p.pairs} pairs (context only)"))
    for one in report.chance:
        if one.expected_if_rows_differ is not None:
            hard = f"{cell(one.expected_if_rows_differ)} (p = {cell(one.p_value_if_rows_differ)})"
            facts.append((f"expected if rows differ in difficulty{f', {one.task}' if one.task else ''}", hard))
    blocks: list[Block] = [Heading("Counts"), Facts(tuple(facts))]
    if report.models:
        rows = tuple(
            (cell(m.model), cell(m.family), cell(m.trials), cell(m.miss_rate), cell(m.missed_by_all_its_trials))
            for m in report.models
        )
        blocks.append(Table(("model", "family", "trials", "miss rate", "missed by all its trials"), rows))
    if report.not_answered:
        silent = tuple((cell(one.id), cell(one.cause), cell(one.reason)) for one in report.not_answered[:BY_SOME_SHOWN])
        total = len(report.not_answered) + report.omitted.get("not_answered", 0)
        trials = "1 trial" if total == 1 else f"{total} trials"
        note = f"{len(silent)} of {total} shown." if total > len(silent) else ""
        blocks += [Heading(f"Not answered: {trials}, no misses"), Table(("trial", "cause", "reason"), silent, note)]
    return blocks


def _how_many(count: int, report: Partition) -> str:
    what = "test" if report.of == "tests" else "row"
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _key(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " + ".join(map(_key, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _keys(keys: tuple[Any, ...], limit: int = 8) -> str:
    more = f" and {len(keys) - limit} more" if len(keys) > limit else ""
    return (", ".join(map(_key, keys[:limit])) + more) or "-"
