"""Exceptions on record: the official one, those the harness masked, and the native phase each fell in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from whyzero.model import ExceptionRecord, Span, Spot, Utterance
from whyzero.readers.files import parse_time
from whyzero.readers.shapes import obj, text

TRACEBACK_LIMIT = 8192
_RAISED = re.compile(
    r"^(?P<type>[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Timeout|Warning|Failure|Group)?)(?:: (?P<message>.*))?$"
)
_FRAME = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)')
_LIBRARY = re.compile(r"(?:^|/)(?:site-packages|dist-packages|lib/python3[\d.]*|<frozen)(?:/|\b)|^<")
_PHASE_TYPES = {
    "AgentTimeoutError": "agent",
    "AgentSetupTimeoutError": "agent_setup",
    "EnvironmentStartTimeoutError": "environment_setup",
    "HealthcheckError": "environment_setup",
    "VerifierTimeoutError": "verifier",
    "RewardFileNotFoundError": "verifier",
    "RewardFileEmptyError": "verifier",
    "VerifierOutputParseError": "verifier",
    "AddTestsDirError": "verifier",
    "DownloadVerifierDirError": "verifier",
}
_PHASE_FRAMES = (
    (
        "verifier",
        re.compile(
            r"^_(?:run_verifier|run_step_verifier|run_verification|verify_with_\w+|run_shared_verifier|run_separate_verifier)$|^verify$"
        ),
    ),
    ("agent", re.compile(r"^_(?:run_agent|run_agent_phase|run_step_agent|execute_agent)$")),
    ("agent_setup", re.compile(r"^_(?:setup_agent|prepare_agent|install_agent)$")),
    (
        "environment_setup",
        re.compile(r"^_(?:setup_environment|start_environment|start_agent_environment|start_env\w*)$|^run_healthcheck$"),
    ),
)
_MESSAGES = (
    (re.compile(r"^Verifier execution timed out after"), "VerifierTimeoutError"),
    (re.compile(r"^No reward file found"), "RewardFileNotFoundError"),
    (re.compile(r"^Reward file is empty"), "RewardFileEmptyError"),
    (re.compile(r"^(?:Failed to parse rewards|Non-(?:finite|numeric) reward)"), "VerifierOutputParseError"),
    (re.compile(r"^Agent execution timed out after"), "AgentTimeoutError"),
    (re.compile(r"^Agent setup timed out after"), "AgentSetupTimeoutError"),
    (re.compile(r"^Failed to add tests directory"), "AddTestsDirError"),
    (re.compile(r"^Failed to download verifier"), "DownloadVerifierDirError"),
)
_MASKED = re.compile(r"(?i)skipping exception record|already has (?:an )?exception")
_FAILED = re.compile(r"\bTrial \S+ failed: (?P<message>.*)$")


def official(record: dict[str, Any], path: str, pointer: str, spans: tuple[Span, ...]) -> ExceptionRecord | None:
    """`exception_info` of a trial or step."""
    info = obj(record.get("exception_info"))
    kind = text(info.get("exception_type"))
    if kind is None:
        return None
    message = str(info.get("exception_message") or "")
    trace = str(info.get("exception_traceback") or "")
    at = parse_time(info.get("occurred_at"))
    return ExceptionRecord(
        type=kind,
        message=message[:TRACEBACK_LIMIT],
        spot=Spot(path, pointer=f"{pointer}/exception_info"),
        at=at,
        during=_phase(kind, trace, at, _could_raise(spans, record)),
        traceback=trace[-TRACEBACK_LIMIT:],
        user_frame=_user_frame(trace),
        inner=_inner(trace),
    )


def masked(lines: Iterable[Utterance], known: ExceptionRecord | None) -> tuple[ExceptionRecord, ...]:
    """Second exceptions told only by log lines of the harness (`Trial X failed: …` with another message than the official one)."""
    if known is None:
        return ()
    found: list[ExceptionRecord] = []
    for line in lines:
        failed = _FAILED.search(line.text)
        if not failed:
            continue
        message = failed.group("message").strip()
        if _same(message, known.message):
            continue
        kind = next((name for pattern, name in _MESSAGES if pattern.match(message)), None)
        kind = kind or line.code
        if kind is None or kind.rsplit(".", 1)[-1] == known.type or any(f.type == kind and f.message == message for f in found):
            continue
        short = kind.rsplit(".", 1)[-1]
        found.append(ExceptionRecord(kind, message, line.spot, during=_PHASE_TYPES.get(short), masked=True))
    return tuple(found)


def is_masking(line: str) -> bool:
    """The harness says that it keeps an earlier exception as the official one."""
    return bool(_MASKED.search(line))


def raised(line: str) -> tuple[str, str] | None:
    """Type and message of the closing line of a traceback."""
    match = _RAISED.match(line)
    return (match.group("type"), match.group("message") or "") if match else None


def _same(one: str, other: str) -> bool:
    first = other.strip().splitlines()[0] if other.strip() else ""
    return one == first or (len(one) > 20 and first.startswith(one[:200]))


def _could_raise(spans: tuple[Span, ...], record: dict[str, Any]) -> tuple[Span, ...]:
    """Without the verifier where it brought a result: one that raises brings none."""
    graded = bool(obj(obj(record.get("verifier_result")).get("rewards")))
    return tuple(span for span in spans if not (graded and span.name == "verifier"))


def _phase(kind: str, trace: str, at: Any, spans: tuple[Span, ...]) -> str | None:
    if kind in _PHASE_TYPES:
        return _PHASE_TYPES[kind]
    names = [match.group("name") for line in trace.splitlines() if (match := _FRAME.match(line))]
    for phase, pattern in _PHASE_FRAMES:
        if any(pattern.match(name) for name in names):
            return phase
    began = [span for span in spans if span.started_at is not None]
    for span in began:
        if at is not None and _inside(at, span):
            return span.name
    return began[-1].name if began else None


def _inside(at: Any, span: Span) -> bool:
    ends = [t for t in (span.started_at, span.finished_at) if t is not None]
    if len(ends) < 2 or any((t.tzinfo is None) != (at.tzinfo is None) for t in ends):
        return False
    return bool(ends[0] <= at <= ends[1])


def _user_frame(trace: str) -> Spot | None:
    """Deepest frame outside Python's and installed packages' folders."""
    frames = [match for line in trace.splitlines() if (match := _FRAME.match(line))]
    own = [f for f in frames if not _LIBRARY.search(f.group("path"))]
    return Spot(own[-1].group("path"), int(own[-1].group("line"))) if own else None


def _inner(trace: str) -> tuple[str, ...]:
    """`Class: message` of the exceptions the last one was raised from, innermost first."""
    closing: list[str] = []
    in_trace = False
    for line in trace.splitlines():
        if line.startswith("Traceback (most recent call last)"):
            in_trace = True
        elif in_trace and line and not line[0].isspace() and _RAISED.match(line):
            closing.append(line[:2000])
            in_trace = False
    return tuple(closing[:-1][:6])
