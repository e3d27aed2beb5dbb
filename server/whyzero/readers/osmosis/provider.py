"""What the model provider said, as far as a rollout's log relays it: bridge statuses and exceptions of client libraries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from whyzero.model import ExceptionRecord, Speaker, Spot, Utterance
from whyzero.readers.files import parse_json
from whyzero.readers.osmosis.tracebacks import Segment
from whyzero.readers.shapes import obj

_BRIDGE = r"https?://[^\s'\"]*/v1/rollouts/[\w-]+/"
_HTTPX = re.compile(
    rf"^(?:Client error|Server error|Redirect response|Informational response) '(?P<status>\d{{3}})[^']*' for url '{_BRIDGE}"
)
_REQUESTS = re.compile(rf"^(?P<status>\d{{3}}) (?:Client|Server) Error: .* for url: {_BRIDGE}")
_AIOHTTP = re.compile(rf"^(?P<status>\d{{3}}), message='.*', url='?(?:URL\('?)?{_BRIDGE}")
_NESTED = re.compile(r"^(?:litellm\.)?(?:MidStreamFallbackError: )litellm\.(?P<kind>\w+): ")
_ERROR_CODE = re.compile(r"^(?:\w+: )*(?:litellm\.\w+: )?(?:\w+: )*(?:\w+Exception - )?Error code: (?P<status>\d{3}) - ")

SDKS = ("litellm", "openai", "anthropic", "google", "mistralai", "cohere", "groq", "together")
"""Client libraries whose exceptions are the provider's words."""
STATUS_OF = {
    "BadRequestError": 400,
    "ContextWindowExceededError": 400,
    "ContentPolicyViolationError": 400,
    "UnsupportedParamsError": 400,
    "AuthenticationError": 401,
    "PermissionDeniedError": 403,
    "NotFoundError": 404,
    "ConflictError": 409,
    "UnprocessableEntityError": 422,
    "RateLimitError": 429,
    "InternalServerError": 500,
    "BadGatewayError": 502,
    "ServiceUnavailableError": 503,
    "OverloadedError": 529,
}
"""HTTP status each class stands for."""
WITHOUT_STATUS = {
    "APIConnectionError",
    "APITimeoutError",
    "Timeout",
    "APIError",
    "APIStatusError",
    "APIResponseValidationError",
    "BudgetExceededError",
}


def errors_in(chain: Iterable[Segment], path: str, at: datetime | None) -> Iterator[Utterance]:
    """The provider's errors in a chain of exceptions, innermost first, each at the line of the log that names it."""
    for segment in chain:
        told = relayed(segment.type, segment.message)
        if told is not None:
            status, code = told
            first = segment.message.partition("\n")[0]
            spot = Spot(path, segment.line)
            yield Utterance(
                Speaker.PROVIDER, f"{segment.type}: {first}"[:8192], spot, at, kind="exception", status=status, code=code
            )


def relays_of(exceptions: Iterable[ExceptionRecord]) -> Iterator[Utterance]:
    """The same of exceptions that a sandbox recorded while its agent was at work."""
    for exception in exceptions:
        told = relayed(exception.type, exception.message) if exception.during == "agent" else None
        if told is not None:
            text = f"{exception.type}: {exception.message}" if exception.type else exception.message
            yield Utterance(
                Speaker.PROVIDER,
                text[:8192],
                exception.spot,
                exception.at,
                kind="exception",
                status=told[0],
                code=told[1] or None,
            )


def relayed(name: str, message: str) -> tuple[int | None, str] | None:
    """(HTTP status or None, class name) where an exception of this class and message relays the provider; else None."""
    for pattern in (_HTTPX, _REQUESTS, _AIOHTTP):
        if found := pattern.match(message):
            return int(found["status"]), name
    package, _, kind = name.partition(".")
    kind = kind.rsplit(".", 1)[-1]
    nested = _NESTED.match(message)
    if nested:
        kind, name = nested["kind"], f"{package}.{nested['kind']}"
    if package in SDKS and (kind in STATUS_OF or kind in WITHOUT_STATUS):
        typed = _ERROR_CODE.match(message)
        return (int(typed["status"]) if typed else body_status(message) or STATUS_OF.get(kind)), name
    return None


def body_status(text: str) -> int | None:
    """The HTTP status in the `code` slot of an error body (`{"error": {"code": "429", …}}`), with or without a class name before it."""
    start = text.find("{")
    value = parse_json(text[start:]) if start >= 0 else None
    code = obj(obj(value).get("error")).get("code")
    return int(code) if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)) else None
