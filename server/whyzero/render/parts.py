"""Parts that several reports share: what to do next, what could not be read, what was left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from whyzero.analyses.report import NextStep, Unread
from whyzero.evidence import Evidence, Level
from whyzero.render.blocks import Block, Bullets, Heading, Paragraph, Quotes, Steps, Tone
from whyzero.render.checks import check

LEVELS = {
    Level.RECORD: "a typed field on record says it",
    Level.LOG: "a log line by the one who knows says it",
    Level.INFERENCE: "only the pattern says it",
}


def evidence_part(evidence: Sequence[Evidence], level: Level | None = None) -> list[Block]:
    """Heading and quotes; nothing where there is no evidence."""
    if not evidence:
        return []
    title = f"Evidence ({LEVELS[level]})" if level else "Evidence"
    return [Heading(title), Quotes(tuple(evidence))]


WRONG = "What could show this wrong"


def check_part(text: str, cause: str | None) -> list[Block]:
    """How the report could be shown wrong."""
    return [Heading(WRONG), check(text, cause)] if text else []


def closing_parts(steps: Sequence[NextStep], problems: Sequence[Unread], omitted: Mapping[str, int]) -> list[Block]:
    """The end of every report."""
    blocks: list[Block] = []
    if problems:
        blocks += [Heading("Not read, or only in part"), Bullets(tuple(f"{p.path}: {p.reason}" for p in problems))]
    if omitted:
        left = ", ".join(_how_many(count, what) for what, count in omitted.items())
        blocks.append(Paragraph(f"Left out of this answer: {left}.", Tone.QUIET))
    if steps:
        blocks += [Heading("Next"), Steps(tuple(steps))]
    return blocks


LEFT_OUT = {
    "evidence": "pieces of evidence",
    "disproving_check": "disproving checks",
    "not_answered": "unanswered trials",
    "how": "grounds of checks",
}
"""Words for lists and fields whose names are no plural."""


def _how_many(count: int, what: str) -> str:
    """`1 trial`, `12 training groups`, `3 pieces of evidence`."""
    words = LEFT_OUT.get(what, what.replace("_", " "))
    if count == 1:
        words = re.sub(r"^((?:ranking |training |submitted |disproving |unanswered )?\w+)s\b", r"\1", words)
    return f"{count} {words}"


def counts_line(counts: Mapping[str, int]) -> str:
    """`3 rate_limited, 1 clock`, most frequent first, else as given."""
    return ", ".join(f"{count} {word}" for word, count in sorted(counts.items(), key=lambda item: -item[1]))


NOT_WRONG = frozenset({"passed", "skipped", "no_agent"})
"""Words of a count that stand for no failure."""
NAMED = 4
"""Causes that a headline names before it says how many others there are."""


def failed_of(wrong: Mapping[str, int], total: int, where: str = "", within: str = "") -> str:
    """`3 of 5 trials without full marks, all clock`, or `, mostly clock (3 of 4)`, or the causes with their numbers.

    Args:
        where: said behind a cause that is the only one.
        within: said behind the number of trials.
    """
    failed = sum(wrong.values())
    said = f"{failed} of {total} {'trial' if total == 1 else 'trials'}{within} without full marks"
    causes = sorted(wrong.items(), key=lambda item: -item[1])
    top, most = causes[0]
    if len(causes) == 1:
        return f"{said}: {top}{where}" if failed == 1 else f"{said}, all {top}{where}"
    if most > failed / 2 and len(causes) > NAMED:
        return f"{said}, mostly {top} ({most} of {failed})"
    others = len(causes) - NAMED
    more = f" and {others} other {'cause' if others == 1 else 'causes'}" if others > 0 else ""
    return f"{said}: {counts_line(dict(causes[:NAMED]))}{more}"


def title(what: str, name: str, writer: str | None) -> str:
    """First line of a document."""
    return " · ".join(part for part in ("whyzero", what, name, writer) if part)
