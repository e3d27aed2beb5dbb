"""Can a tool call make the round-trip at all? Reads two turns against a provider and says what stands in the way."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from whyzero.analyses.report import Report
from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import Kind
from whyzero.evidence import Evidence, Quote
from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.agent_logs.text_calls import is_call_as_text
from whyzero.roundtrip.protocols import BROKE_OFF, NO_ANSWER, executable
from whyzero.roundtrip.turn import Turn


class RoundTripVerdict(StrEnum):
    """What the two turns show."""

    WORKS = "works"
    UNREACHABLE = "unreachable"
    CREDENTIAL_MISSING = "credential_missing"
    CREDENTIAL_REJECTED = "credential_rejected"
    MODEL_NOT_FOUND = "model_not_found"
    RATE_LIMITED = "rate_limited"
    QUOTA_EXHAUSTED = "quota_exhausted"
    SCHEMA_REJECTED = "schema_rejected"
    CALLS_AS_TEXT = "calls_as_text"
    NO_TOOL_CALL = "no_tool_call"
    MALFORMED_CALL = "malformed_call"
    TOOL_RESULT_REJECTED = "tool_result_rejected"
    PROVIDER_ERROR = "provider_error"


SAID = {
    RoundTripVerdict.WORKS: "A tool call landed and its result was accepted: endpoint, credential, model and tool protocol work.",
    RoundTripVerdict.UNREACHABLE: "No answer came from the endpoint.",
    RoundTripVerdict.CREDENTIAL_MISSING: "No credential was sent, and the endpoint wants one.",
    RoundTripVerdict.CREDENTIAL_REJECTED: "The endpoint rejects the credential.",
    RoundTripVerdict.MODEL_NOT_FOUND: "The endpoint does not serve that model, or has no such path.",
    RoundTripVerdict.RATE_LIMITED: "The endpoint limits the rate of calls right now.",
    RoundTripVerdict.QUOTA_EXHAUSTED: "The account's credits, budget or usage limit are exhausted.",
    RoundTripVerdict.SCHEMA_REJECTED: "The endpoint rejects the request's shape: the tool was never offered to the model.",
    RoundTripVerdict.CALLS_AS_TEXT: "The model's call came back as plain text: no harness can execute it.",
    RoundTripVerdict.NO_TOOL_CALL: "The model answered without a call; one such answer does not prove that it cannot.",
    RoundTripVerdict.MALFORMED_CALL: "A call came back, but not of the tool that was offered, or with arguments that do not fit it.",
    RoundTripVerdict.TOOL_RESULT_REJECTED: "The call landed, and the endpoint rejects its result.",
    RoundTripVerdict.PROVIDER_ERROR: "The provider failed, or answered in a form that is not the protocol's.",
}
KINDS = {
    Kind.RATE: RoundTripVerdict.RATE_LIMITED,
    Kind.QUOTA: RoundTripVerdict.QUOTA_EXHAUSTED,
    Kind.MODEL: RoundTripVerdict.MODEL_NOT_FOUND,
    Kind.SHAPE: RoundTripVerdict.SCHEMA_REJECTED,
    Kind.REJECTED: RoundTripVerdict.SCHEMA_REJECTED,
}


OF_THE_MODEL = frozenset({RoundTripVerdict.NO_TOOL_CALL, RoundTripVerdict.MALFORMED_CALL, RoundTripVerdict.CALLS_AS_TEXT})
CUT = frozenset({"length", "max_tokens", "incomplete", "model_context_window_exceeded"})
REFUSED = frozenset({"refusal", "content_filter"})
"""How the protocols say why an answer ended."""


class RoundTrip(Report):
    """Answer of probe_tool_roundtrip."""

    left_out_when_empty = frozenset({"credential"})

    reached: bool
    """The endpoint answered."""
    authenticated: bool | None
    """It took the credential; null where the answers do not tell."""
    tool_call_landed: bool | None
    """The model's call came back as a call; null where no model was asked."""
    tool_result_accepted: bool | None
    """The second turn with the result was answered; null where there was none."""
    verdict: RoundTripVerdict
    """What the two turns show."""
    credential: Quote = ""
    """Name of the variable whose value was sent, or `none`; never a value."""
    latency_ms: tuple[float, ...]
    """Time of each turn."""
    evidence: tuple[Evidence, ...]
    """What the endpoint said."""


def probe_tool_roundtrip(turns: Sequence[Turn], credential: str = "") -> RoundTrip:
    """Judge one or two turns.

    Args:
        credential: name of the variable whose value was sent; empty = none was.
    """
    verdict = _verdict(turns, credential)
    first, last = turns[0], turns[-1]
    refused = verdict in (RoundTripVerdict.CREDENTIAL_MISSING, RoundTripVerdict.CREDENTIAL_REJECTED)
    taken = first.status is not None and first.status < 300 and not first.failure and not first.reply.error
    return RoundTrip(
        reached=first.status is not None,
        authenticated=False if refused else True if taken else None,
        tool_call_landed=None if not taken else first.reply.call is not None and verdict is not RoundTripVerdict.MALFORMED_CALL,
        tool_result_accepted=None if len(turns) < 2 else verdict is RoundTripVerdict.WORKS,
        verdict=verdict,
        credential=credential or "none",
        latency_ms=tuple(turn.milliseconds for turn in turns),
        evidence=(_evidence(last),),
        summary=f"{SAID[verdict]} {_early(last, verdict)}".strip(),
    )


def _early(turn: Turn, verdict: RoundTripVerdict) -> str:
    """Why the answer ended before a call could stand in it, where it says so."""
    stop = turn.reply.stop
    if verdict not in OF_THE_MODEL or stop is None:
        return ""
    if stop == BROKE_OFF:
        return "Its stream ended before the last event: more may have been meant to come."
    if stop in CUT:
        return f"It was cut off at its limit (`{stop}`), so it shows nothing about what the model would have called."
    return f"The model or a filter refused (`{stop}`)." if stop in REFUSED else ""


def _verdict(turns: Sequence[Turn], credential: str) -> RoundTripVerdict:
    for turn in turns:
        if turn.status is None:
            return RoundTripVerdict.UNREACHABLE
        if turn.status >= 300 or turn.failure or turn.reply.error:
            return _refused(turn, credential)
        if turn.number == 1 and (trouble := _call(turn)):
            return trouble
    return RoundTripVerdict.WORKS


def _call(turn: Turn) -> RoundTripVerdict | None:
    call = turn.reply.call
    if call is None:
        return RoundTripVerdict.CALLS_AS_TEXT if is_call_as_text(turn.reply.text) else RoundTripVerdict.NO_TOOL_CALL
    return None if executable(call) else RoundTripVerdict.MALFORMED_CALL


def _refused(turn: Turn, credential: str) -> RoundTripVerdict:
    said = turn.reply.error or turn.body
    kind = (
        kind_of(Utterance(Speaker.PROVIDER, said, Spot(turn.url), status=_http(turn))) if turn.reply.error != BROKE_OFF else None
    )
    if kind is Kind.AUTH:
        return RoundTripVerdict.CREDENTIAL_REJECTED if credential else RoundTripVerdict.CREDENTIAL_MISSING
    if turn.status == 404 and "{" not in said:
        return RoundTripVerdict.MODEL_NOT_FOUND  # a page of a server that knows no such path
    verdict = KINDS.get(kind, RoundTripVerdict.PROVIDER_ERROR) if kind else RoundTripVerdict.PROVIDER_ERROR
    if verdict is RoundTripVerdict.SCHEMA_REJECTED and turn.number == 2:
        return RoundTripVerdict.TOOL_RESULT_REJECTED
    return verdict


def _http(turn: Turn) -> int | None:
    return turn.status if turn.status is not None and turn.status >= 400 else None


def _evidence(turn: Turn) -> Evidence:
    call = turn.reply.call
    answered = (call.shown or f"{call.name}({call.arguments})") if call else turn.reply.text
    told = turn.reply.error if turn.reply.error not in (NO_ANSWER, BROKE_OFF) else turn.body
    said = told or (turn.body if turn.failure or (turn.status or 0) >= 300 else answered) or turn.body
    what = turn.failure or (BROKE_OFF if turn.reply.error == BROKE_OFF else "")
    quote = ": ".join(part for part in (what, said) if part) or "an empty body"
    status = "no status" if turn.status is None else f"status {turn.status}"
    return Evidence(path=turn.url, quote=f"turn {turn.number}, {status}: {quote}")


__all__ = ["RoundTrip", "RoundTripVerdict", "probe_tool_roundtrip"]
