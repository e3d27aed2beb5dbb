"""Layout of the tool round-trip at a provider."""

from __future__ import annotations

from whyzero.analyses.probe_tool_roundtrip import RoundTrip, RoundTripVerdict
from whyzero.render.blocks import Block, Document, Facts, Headline, Paragraph, Tone
from whyzero.render.parts import closing_parts, evidence_part, title

STEPS = (
    ("reached", "endpoint answered"),
    ("authenticated", "credential taken"),
    ("tool_call_landed", "tool call landed"),
    ("tool_result_accepted", "tool result accepted"),
)
WORDS = {True: "yes", False: "no", None: "not known"}


def round_trip(report: RoundTrip) -> Document:
    """The verdict, how far the two turns came, and what the endpoint said."""
    verdict = report.verdict
    tone = {RoundTripVerdict.WORKS: Tone.GOOD, RoundTripVerdict.NO_TOOL_CALL: Tone.UNSURE}.get(verdict, Tone.BAD)
    facts = [(words, WORDS[getattr(report, name)]) for name, words in STEPS]
    facts.append(("time", ", ".join(f"{milliseconds:g} ms" for milliseconds in report.latency_ms)))
    facts += [("credential", report.credential)] if report.credential else []
    blocks: list[Block] = [Headline(verdict.value.replace("_", " "), tone), Paragraph(report.summary), Facts(tuple(facts))]
    blocks += evidence_part(report.evidence)
    at = report.evidence[0].path if report.evidence else ""
    return Document(
        title("tool round-trip", at, None), (*blocks, *closing_parts(report.next_steps, report.problems, report.omitted))
    )
