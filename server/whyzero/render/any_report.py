"""Layout of a report that has none of its own: summary first, then every field as it stands."""

from __future__ import annotations

import json

from whyzero.analyses.report import Report
from whyzero.render.blocks import Block, Bullets, Document, Heading, Paragraph
from whyzero.render.parts import closing_parts, title

SHOWN_APART = frozenset({"summary", "next_steps", "problems", "omitted", "run"})


def any_report(report: Report) -> Document:
    """Summary, fields, closing parts."""
    fields = report.model_dump(mode="json", exclude=set(SHOWN_APART))
    blocks: list[Block] = [Paragraph(report.summary)]
    for name, value in fields.items():
        if value in (None, [], {}, ""):
            continue
        items = value if isinstance(value, list) else [value]
        blocks += [Heading(name), Bullets(tuple(_text(item) for item in items))]
    return Document(
        title(type(report).__name__, "", None), (*blocks, *closing_parts(report.next_steps, report.problems, report.omitted))
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
