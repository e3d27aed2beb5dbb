"""The provider round-trip against a real small server that checks every request as its protocol does: a mistake of ours is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from model_server import KEY, MODELS, ModelServer, model_server
from whyzero.analyses.probe_tool_roundtrip import RoundTrip, RoundTripVerdict, probe_tool_roundtrip
from whyzero.roundtrip.send import credential_is_set, round_trip

PROTOCOLS = ("anthropic", "openai-chat", "openai-responses")
VERDICTS = {
    "caller": "works",
    "parallel": "works",
    "thinker": "works",
    "text-caller": "calls_as_text",
    "talker": "no_tool_call",
    "cutter": "malformed_call",
    "misnamer": "malformed_call",
    "no-tools": "schema_rejected",
    "forgetful": "tool_result_rejected",
    "limited": "rate_limited",
    "unpaid": "quota_exhausted",
    "overloaded": "provider_error",
    "not-served": "model_not_found",
}


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, ModelServer]]:
    with model_server() as (url, server):
        yield url, server


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", KEY)
    monkeypatch.setenv("OLD_API_KEY", "lab-model-key-0000")
    monkeypatch.delenv("UNSET_API_KEY", raising=False)


def probe(url: str, model: str, protocol: str, stream: bool, key: str = "LAB_API_KEY") -> RoundTrip:
    turns = round_trip(url, model, protocol, key, stream=stream)
    return probe_tool_roundtrip(turns, key if credential_is_set(key) else "")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("model", VERDICTS)
def test_every_model_gets_its_verdict(model: str, protocol: str, stream: bool, served: tuple[str, ModelServer]) -> None:
    url, server = served
    server.asked.clear()
    report = probe(url, model, protocol, stream)
    assert report.verdict == VERDICTS[model], report.evidence
    assert len(server.asked) == (2 if VERDICTS[model] in ("works", "tool_result_rejected") else 1)
    assert all(body.get("stream", False) is stream for body in server.asked)
    if report.verdict == "works":
        assert report.evidence[0].quote.startswith("turn 2, status 200: The code is KV-")
    assert KEY not in report.model_dump_json()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("key", "verdict"),
    [("", "credential_missing"), ("UNSET_API_KEY", "credential_missing"), ("OLD_API_KEY", "credential_rejected")],
)
def test_a_credential_that_is_missing_or_wrong(
    key: str, verdict: str, protocol: str, stream: bool, served: tuple[str, ModelServer]
) -> None:
    report = probe(served[0], "caller", protocol, stream, key)
    assert (report.verdict, report.authenticated) == (verdict, False)


def test_a_stream_that_breaks_is_the_providers_fault(served: tuple[str, ModelServer]) -> None:
    assert probe(served[0], "breaks", "anthropic", stream=True).verdict == "provider_error"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_is_gone(protocol: str) -> None:
    with model_server() as (url, _):
        pass
    assert probe(url, "caller", protocol, stream=True).verdict == "unreachable"


def test_every_verdict_and_every_model_is_here() -> None:
    elsewhere = {"credential_missing", "credential_rejected", "unreachable"}
    assert set(VERDICTS.values()) | elsewhere == {verdict.value for verdict in RoundTripVerdict}
    assert set(MODELS) == set(VERDICTS) - {"not-served"} | {"breaks"}
