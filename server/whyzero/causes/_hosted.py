"""What only the platform's own evidence can show: errors of its log before the run came to any work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whyzero.causes.cause import Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Utterance

CAME_TO_WORK = frozenset({"running", "finished", "stopped"})
"""Status words of a run that the platform did start."""
WORK = ("rollout", "dispatch", "result", "eval", "train", "grad", "sample", "step", "workflow", "server")
"""Steps of the log that come after the platform's own."""


def platform_failed(
    run: Run, steps: Sequence[str], codes: Sequence[str] = (), phase: Phase | None = Phase.HOSTED
) -> Found | None:
    """The first error of one of these steps, or with a code that begins so, which no work and no better word of that step followed.

    A record of the platform counts as `record`, a line of its log as `log`, a comparison of two of its answers as `inference`.
    """
    if not run.hosted or run.recorded_status in CAME_TO_WORK or _worked(run):
        return None
    for index, line in enumerate(run.logs):
        if _is_error(line) and _of(line, steps, codes) and not _overcome(line, run.logs[index + 1 :]):
            return Found((line.evidence(),), _level(line), phase=phase)
    return None


def _worked(run: Run) -> bool:
    """Results are booked: whatever ended the run came after its start."""
    results = run.booked.get("results")
    total = results.get("total_runs") if isinstance(results, dict) else None
    return isinstance(total, int) and total > 0


def _is_error(line: Utterance) -> bool:
    return line.text.startswith(("ERROR", "CRITICAL", "FATAL"))


def _of(line: Utterance, steps: Sequence[str], codes: Sequence[str]) -> bool:
    return any(word.startswith(tuple(steps)) for word in _words(line.kind)) or (line.code or "").upper().startswith(
        tuple(codes) or "\0"
    )


def _words(kind: str) -> Iterator[str]:
    """`secret-injection`, `git.sync` and `Secrets` begin with a known word somewhere."""
    yield from kind.lower().replace(".", "-").replace("_", "-").replace("/", "-").split("-")


def _overcome(line: Utterance, later: Sequence[Utterance]) -> bool:
    return any(
        any(word.startswith(WORK) for word in _words(u.kind))
        or (u.kind == line.kind and not u.text.startswith(("ERROR", "CRITICAL", "FATAL", "WARN")))
        for u in later
        if u.spot.path == line.spot.path
    )


def _level(line: Utterance) -> Level:
    if line.spot.pointer is None:
        return Level.LOG
    return Level.RECORD if line.code is None else Level.INFERENCE


__all__ = ["platform_failed"]
