"""What the Osmosis command line said, in its own sentences: the only trace of a call that stopped before it made a run."""

from __future__ import annotations

from collections.abc import Iterable

from whyzero.causes._hosted import standing
from whyzero.causes.cause import Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Speaker, Utterance

REMARKS = frozenset({"warning", "retry", "platform_code", "eval.run", ""})
"""Kinds that say something and end nothing."""


def said(run: Run, *kinds: str) -> Utterance | None:
    """The first of these sentences among what the user saw."""
    return next((u for u in refusals(run) if u.kind in kinds), None)


def refusals(run: Run) -> Iterable[Utterance]:
    """Errors of the command line; remarks, warnings and the provider's words left out."""
    if run.format != "osmosis":
        return ()
    return tuple(u for u in standing(run) if u.speaker is Speaker.HARNESS and u.kind not in REMARKS)


def unexplained(run: Run) -> bool:
    """No error of the command line is at hand: only the files can tell why the run stopped."""
    return run.format == "osmosis" and not refusals(run)


def with_code(run: Run, *codes: str) -> Utterance | None:
    """The first error of the command line with one of these `error.code`."""
    return next((u for u in refusals(run) if u.code in codes), None)


def platform_code(run: Run, prefix: str) -> Utterance | None:
    """The platform's own typed code, where it begins like this."""
    return next((u for u in run.reported if u.kind == "platform_code" and (u.code or "").startswith(prefix)), None)


def found(utterance: Utterance | None, detail: str, phase: Phase | None = None) -> Found | None:
    """The sentence as proof: a typed envelope is a record, a pasted line is a log."""
    if utterance is None:
        return None
    level = Level.RECORD if utterance.code else Level.LOG
    return Found((utterance.evidence(),), level, phase=phase, detail=detail)
