"""What a provider's words mean, and which of them ended a trial.

Only the provider's, the agent program's and the harness's own speech is looked at: what a tool printed or a model wrote
is never about this run's provider, whatever it says.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from whyzero.causes._provider_words import GRAMMAR, STATUS, Kind
from whyzero.model import Speaker, Utterance

SPEAKERS = frozenset({Speaker.PROVIDER, Speaker.AGENT_RESULT, Speaker.HARNESS})
TEXT_LIMIT = 16_384

_NOT_A_PROVIDER = re.compile(
    r"http\+docker|\bdocker(?:d| compose| daemon| pull| build)\b|registry-1\.docker\.io|\bcontainerd\b", re.I
)
_WEBSOCKET = re.compile(r"\burl: wss?://")
_CLASS = re.compile(
    r"(?:^|[:(] |raised |- )((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception|Exceeded|Violation|Timeout|NotFound|Exhausted))(?=[:(]| - |\s*$)"
)
_SLOTS = (
    re.compile(r"\bAPI Error:? (\d{3})\b(?![.\w-])"),
    re.compile(r"\bError code: (\d{3})\b"),
    re.compile(r"\b(?:unexpected|last|with) status:? (\d{3})\b"),
    re.compile(r"\bstatus[_ ]?code[\"']?\s*[=:]?\s*(\d{3})\b(?![.\w-])"),
    re.compile(r"[\"']?\b(?:status|code)[\"']?\s*[:=]\s*[\"']?(\d{3})\b(?![.\w-])"),
    re.compile(r"\bHTTP(?:/\d(?:\.\d)?)?[ :]?\s?(\d{3})\b(?![.\w-])"),
    re.compile(r"\bRequest rejected \((\d{3})\)"),
    re.compile(r"\b(?:Client|Server) error '(\d{3}) "),
    re.compile(r"<(?:title|h1)>(\d{3})\b"),
)
_LEADING = re.compile(r"^(\d{3}) (?=[{<A-Za-z])")
_MINUTE = re.compile(r"per.?minute|PerMinute|\bRPM\b|\bTPM\b|retryDelay|\bretry in \d", re.I)
_BARE_CLASS = re.compile(r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exceeded|Timeout)\b")
_HARNESS_SLOT = re.compile(r"\bError code: \d{3} - ")


@lru_cache(maxsize=8192)
def kind_of(utterance: Utterance) -> Kind | None:
    """The kind of refusal an utterance tells of, or None where it tells of none."""
    if utterance.speaker not in SPEAKERS:
        return None
    text = utterance.text[:TEXT_LIMIT].strip()
    if _NOT_A_PROVIDER.search(text):
        return None
    if utterance.speaker is Speaker.HARNESS and not (utterance.code or utterance.status or _is_relay(text)):
        return None
    body = _body(text)
    codes = {*_typed(utterance.code), *(c for part in body for c in _codes(part)), *_classes(text)}
    told = [w for part in body for w in _messages(part)]
    words = " ".join(told if told and _is_all_json(text) else [text, *told])
    status = utterance.status or _status_in(text, utterance.speaker)
    for entry in GRAMMAR:
        if codes & entry.codes or entry.text.search(words):
            return _settled(entry.kind, codes, f"{text} {words}", status)
    found = _by_status(status, text)
    if found is None and text.startswith("API Error") and utterance.speaker is not Speaker.HARNESS:
        # The agent program says that it was the provider, and no more.
        return Kind.SERVER
    return found


def _settled(kind: Kind, codes: set[str], words: str, status: int | None) -> Kind:
    if (
        kind is Kind.QUOTA
        and "insufficient_quota" not in codes
        and _MINUTE.search(words)
        and (status == 429 or "RESOURCE_EXHAUSTED" in codes)
    ):
        # A quota per minute is a rate limit.
        return Kind.RATE
    if kind is Kind.MODEL and _WEBSOCKET.search(words):
        return Kind.UNREACHABLE
    if kind in (Kind.SERVER, Kind.UNREACHABLE, Kind.REJECTED) and status in (401, 402, 403, 404, 413, 429):
        return _by_status(status, words) or kind
    return kind


def _by_status(status: int | None, text: str) -> Kind | None:
    if status is None:
        return None
    if status == 404 and _WEBSOCKET.search(text):
        return Kind.UNREACHABLE
    return STATUS.get(status) or (Kind.SERVER if 500 <= status <= 599 else None)


# ---- what stands in an utterance


def _is_all_json(text: str) -> bool:
    """An event as it stands in a log: what it says is in its messages, its other fields are the writer's own."""
    return text.startswith("{") and isinstance(_parsed(text), dict)


def _is_relay(text: str) -> bool:
    """The harness passes on an exception or an answer of a model client, and does not speak for itself."""
    return bool(_HARNESS_SLOT.search(text) or _BARE_CLASS.match(text) or text.startswith('{"error"'))


def _typed(code: str | None) -> Iterator[str]:
    if code:
        yield code
        yield code.rsplit(".", 1)[-1].lstrip("_")


def _classes(text: str) -> set[str]:
    """Exception classes where a class name stands in front of a message; never one inside prose or a source line."""
    head = text[:600].split("\n", 1)[0]
    return {name for match in _CLASS.finditer(head) for name in (match.group(1), match.group(1).rsplit(".", 1)[-1].lstrip("_"))}


def _status_in(text: str, speaker: Speaker) -> int | None:
    """A status in a slot that names it; a bare number only at the very front of the provider's own answer."""
    head = text[:2000]
    for slot in _SLOTS:
        found = slot.search(head)
        if found and 400 <= int(found.group(1)) <= 599:
            return int(found.group(1))
    leading = _LEADING.match(head) if speaker is not Speaker.HARNESS else None
    return int(leading.group(1)) if leading and 400 <= int(leading.group(1)) <= 599 else None


def _body(text: str) -> list[dict[str, Any]]:
    """The JSON objects (or Python ones, as client libraries print them) of an answer, outermost first, nested strings opened."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end <= start:
        return []
    return list(_walk(_parsed(text[start : end + 1]), 0))


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > 8000 or "'" not in text:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def _walk(value: object, depth: int) -> Iterator[dict[str, Any]]:
    if depth > 6:
        return
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _parsed(value.strip())
    if isinstance(value, dict):
        yield value
        for key in ("error", "metadata", "raw", "message", "innererror", "inner_error", "responseBody", "body", "detail"):
            if key in value:
                yield from _walk(value[key], depth + 1)
    elif isinstance(value, list):
        for item in value[:3]:
            yield from _walk(item, depth + 1)


def _codes(part: dict[str, Any]) -> Iterator[str]:
    for key in ("type", "code", "status", "reason", "name"):
        value = part.get(key)
        if isinstance(value, str) and value != "error":
            yield value


def _messages(part: dict[str, Any]) -> Iterator[str]:
    for key in ("message", "error", "detail"):
        if isinstance(part.get(key), str):
            yield part[key]
