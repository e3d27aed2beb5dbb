"""Recorded exceptions by phase and by kind."""

from __future__ import annotations

import re

from whyzero.evidence import Evidence
from whyzero.model import ExceptionRecord, Spot, Trial

CANCELLED = frozenset({"CancelledError", "KeyboardInterrupt"})
AGENT_TIMEOUT = "AgentTimeoutError"
VERIFIER_TIMEOUT = "VerifierTimeoutError"
EXIT_CODE = re.compile(r"(?:\bexit(?:ed with)?(?: code)?|[Rr]eturn code:?|\(exit) (?P<code>\d{1,3})\b")


def short(exception: ExceptionRecord) -> str:
    """Class name without its module."""
    return exception.type.rsplit(".", 1)[-1]


def evidence(exception: ExceptionRecord) -> Evidence:
    """The record, quoted with its class; a masked one as the log tells it."""
    if exception.masked and exception.message:
        return exception.spot.evidence(exception.message)
    return exception.spot.evidence(f"{exception.type}: {exception.message}" if exception.message else exception.type)


def official(trial: Trial) -> ExceptionRecord | None:
    """The exception the harness keeps for the trial."""
    return next((e for e in trial.exceptions if not e.masked), None)


def during(trial: Trial, phase: str) -> tuple[ExceptionRecord, ...]:
    """Exceptions that fell in a native phase, masked ones included."""
    return tuple(e for e in trial.exceptions if e.during == phase)


def exit_code(exception: ExceptionRecord) -> int | None:
    """Exit code the harness puts at the head of the message; the rest of it is output of the command."""
    found = EXIT_CODE.search(exception.message[:120])
    return int(found.group("code")) if found else None


def null(trial: Trial, key: str) -> Evidence:
    """A null in the trial's (or step's) own record: that phase left nothing."""
    parent = (trial.spot.pointer or "").rsplit("/", 1)[0]
    return Spot(trial.spot.path, pointer=f"{parent}/{key}").evidence("null")


def began(trial: Trial, phase: str) -> bool:
    span = trial.span(phase)
    return span is not None and span.started_at is not None
