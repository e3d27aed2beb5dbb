"""An answer that fits: hosts cut long results off or put them aside, so the longest lists are shortened and what is left out is counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcp_types import CallToolResult, TextContent

if TYPE_CHECKING:
    from whyzero.analyses.report import NextStep, Report

ANSWER_LIMIT = 40_000
"""Characters of each channel."""


def fitting(report: Report) -> CallToolResult:
    """The report in both channels, its longest list halved until each fits."""
    from whyzero.evidence import dump
    from whyzero.render import markdown

    while True:
        structured, text = dump(report), markdown(report)
        if max(len(json.dumps(structured)), len(text)) <= ANSWER_LIMIT:
            break
        lists = {name: len(json.dumps(value)) for name, value in structured.items() if isinstance(value, list) and len(value) > 1}
        if not lists:
            break
        report = _halved(report, max(lists, key=lambda name: lists[name]))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def _halved(report: Report, name: str) -> Report:
    whole = getattr(report, name)
    kept = whole[: len(whole) // 2]
    cut = len(whole) - len(kept)
    steps = tuple(_sooner(step, cut) for step in report.next_steps) if name == "trials" else report.next_steps
    omitted = {**report.omitted, name: report.omitted.get(name, 0) + cut}
    return report.model_copy(update={"next_steps": steps, name: kept, "omitted": omitted})


def _sooner(step: NextStep, cut: int) -> NextStep:
    """The call for the next page begins where this one now ends."""
    offset = step.arguments.get("offset")
    return step.model_copy(update={"arguments": {**step.arguments, "offset": offset - cut}}) if isinstance(offset, int) else step
