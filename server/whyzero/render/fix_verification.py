"""Layout of the comparison of a run before and after a fix."""

from __future__ import annotations

from whyzero.analyses.verify_fix import FixVerdict, FixVerification, PairOfTrials, Side
from whyzero.findings import Outcome
from whyzero.render.blocks import Block, Document, Facts, Heading, Headline, Paragraph, Table, Tone, cell
from whyzero.render.parts import closing_parts, title

TONES = {
    FixVerdict.VERIFIED: Tone.GOOD,
    FixVerdict.REFUTED: Tone.BAD,
    FixVerdict.INCONCLUSIVE: Tone.UNSURE,
    FixVerdict.NOT_COMPARABLE: Tone.UNSURE,
}
GRADED = (Outcome.GRADED_PASS, Outcome.GRADED_PARTIAL, Outcome.GRADED_ZERO)
WHAT = {"n": "attempts per row"}
PAIR_COLUMNS = ("row or task", "attempt", "affected", "before", "after")


def fix_verification(report: FixVerification) -> Document:
    """Verdict and the rule that decided, then what was compared."""
    names = " -> ".join(run.name for run in (report.before, report.after) if run)
    verdict = report.verdict.value.replace("_", " ")
    blocks: list[Block] = [Headline(verdict, TONES[report.verdict])]
    said = () if report.summary == f"{verdict.capitalize()}: {report.why}" else (report.summary,)
    blocks += [Paragraph(text) for text in dict.fromkeys((report.why, *said)) if text]
    if report.command:
        blocks += [Heading("The run that would test it"), Paragraph(report.command)]
        blocks += [Paragraph(report.cost_note, Tone.QUIET)] if report.cost_note else []
    if report.measured is not None and report.expected is not None:
        blocks.append(Facts((("measured", cell(report.measured)), ("on record", cell(report.expected)))))
    if report.regressions:
        blocks += [Heading("Got worse"), Table(PAIR_COLUMNS, tuple(map(_pair, report.regressions)))]
    if report.pairs:
        blocks += [Heading("Pairs"), Table(PAIR_COLUMNS, tuple(map(_pair, report.pairs)))]
    if report.inputs:
        same = tuple((WHAT.get(name, name), getattr(report.inputs, name).value) for name in type(report.inputs).model_fields)
        blocks += [Heading("Were the inputs the same?"), Facts(same)]
    if report.test:
        test = report.test
        blocks += [
            Heading("Could chance have done it?"),
            Paragraph(
                f"{_no_chance(report)}Exact paired test: {test.fixed} fixed, {test.broken} broken, p = {cell(test.p_value)}. "
                f"At least {test.smallest_n_that_could_decide} pairs, all fixed, could decide it."
            ),
        ]
    return Document(title("fix", names, None), (*blocks, *closing_parts(report.next_steps, report.problems, report.omitted)))


def _no_chance(report: FixVerification) -> str:
    """Why a verified fix needs no test to decide it."""
    affected = [pair for pair in report.pairs if pair.affected]
    if report.verdict is not FixVerdict.VERIFIED or not affected or any(p.before.outcome in GRADED for p in affected):
        return ""
    return "Hardly: before, the fault kept every affected attempt from being graded, whatever the model answered. "


def _pair(pair: PairOfTrials) -> tuple[str, ...]:
    what = f"row {pair.row}" if pair.row is not None else cell(pair.task)
    return (what, cell(pair.attempt), "yes" if pair.affected else "no", _side(pair.before), _side(pair.after))


def _side(side: Side) -> str:
    reward = "" if side.reward is None else f" {cell(side.reward)}"
    return side.outcome.value + reward + (f": {side.cause}" if side.cause else "")
