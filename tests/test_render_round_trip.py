"""The tool round-trip as a page: the verdict first, then how far the two turns came."""

from __future__ import annotations

from whyzero.analyses.probe_tool_roundtrip import RoundTrip, RoundTripVerdict
from whyzero.evidence import Evidence
from whyzero.render import plain


def test_a_refused_credential_shows_how_far_it_came_and_what_was_said() -> None:
    report = RoundTrip(
        reached=True,
        authenticated=False,
        tool_call_landed=None,
        tool_result_accepted=None,
        verdict=RoundTripVerdict.CREDENTIAL_REJECTED,
        credential="OPENAI_API_KEY",
        latency_ms=(12.5,),
        evidence=(Evidence(path="http://127.0.0.1:9/v1/chat/completions", quote="turn 1, status 401: no such key"),),
        summary="The endpoint rejects the credential.",
    )
    assert plain(report) == (
        "# whyzero · tool round-trip · http://127.0.0.1:9/v1/chat/completions\n\n"
        "**credential rejected**\n\n"
        "The endpoint rejects the credential.\n\n"
        "- endpoint answered: yes\n"
        "- credential taken: no\n"
        "- tool call landed: not known\n"
        "- tool result accepted: not known\n"
        "- time: 12.5 ms\n"
        "- credential: OPENAI_API_KEY\n\n"
        "## Evidence\n\n"
        "- `http://127.0.0.1:9/v1/chat/completions`\n"
        "  > turn 1, status 401: no such key\n"
    )
