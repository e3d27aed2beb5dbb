"""Any report as something to read: on a terminal, as Markdown, as a web page.

A report type has one layout, registered in `LAYOUTS`; the writers know blocks only and no report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whyzero.analyses.check_staleness import Staleness
from whyzero.analyses.classify_zero import ZeroClassification
from whyzero.analyses.diagnose import Diagnosis
from whyzero.analyses.locate_failed_phase import FailedPhase
from whyzero.analyses.partition_disputed_rows import Partition
from whyzero.analyses.probe_tool_roundtrip import RoundTrip
from whyzero.analyses.report import Report
from whyzero.analyses.verify_fix import FixVerification
from whyzero.render.any_report import any_report
from whyzero.render.blocks import Document
from whyzero.render.diagnosis import diagnosis
from whyzero.render.failed_phase import failed_phase
from whyzero.render.fix_verification import fix_verification
from whyzero.render.html import to_html
from whyzero.render.markdown import to_markdown
from whyzero.render.partition import partition
from whyzero.render.round_trip import round_trip
from whyzero.render.staleness import staleness
from whyzero.render.zero_classification import zero_classification

LAYOUTS: dict[type[Report], Callable[[Any], Document]] = {
    Diagnosis: diagnosis,
    FailedPhase: failed_phase,
    FixVerification: fix_verification,
    Staleness: staleness,
    Partition: partition,
    RoundTrip: round_trip,
    ZeroClassification: zero_classification,
}
"""Report type and its layout; the most derived type of a report wins."""


def document(report: Report) -> Document:
    """The report laid out; a type without a layout of its own is shown field by field."""
    for kind in type(report).__mro__:
        if kind in LAYOUTS:
            return LAYOUTS[kind](report)
    return any_report(report)


def markdown(report: Report) -> str:
    """Complete Markdown without colours, calls written as tool calls: the text content of an MCP tool."""
    return to_markdown(document(report))


def plain(report: Report) -> str:
    """The same for a pipe: calls written as commands."""
    return to_markdown(document(report), typed=True)


def html(report: Report) -> str:
    """A self-contained page; every text in it is escaped."""
    return to_html(document(report))


__all__ = ["LAYOUTS", "document", "html", "markdown", "plain"]
