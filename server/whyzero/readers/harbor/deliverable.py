"""The work to be graded: what the brief names, and which copies of it lie in the trial."""

from __future__ import annotations

from pathlib import PurePosixPath

from whyzero.evidence import Evidence
from whyzero.model import Deliverable, Reward
from whyzero.readers.shapes import join

SUBMITTED = "submitted-"


def read_deliverable(
    base: str,
    files: tuple[str, ...],
    names: tuple[str, ...],
    missing: tuple[Evidence, ...],
    seen: tuple[Evidence, ...],
    reward: Reward,
) -> Deliverable:
    """Sort the copies below a trial or step into submissions and scratch files; a reward above zero proves a judgement."""
    wanted = {PurePosixPath(name).name for name in names}
    copies = {p: PurePosixPath(p).name.removeprefix(SUBMITTED) for p in files if _is_copy(p, base)}
    submitted = tuple(p for p, name in copies.items() if not wanted or name in wanted)
    artifacts = tuple(p for p in files if p.startswith(join(base, "artifacts/")) and PurePosixPath(p).name in wanted)
    scratch = tuple(p for p in copies if p not in submitted)
    if reward.value and reward.spot is not None:
        seen = (*seen, reward.spot.evidence(f"reward {reward.value:g}"))
    return Deliverable(names, (*submitted, *artifacts), scratch, missing, seen)


def _is_copy(path: str, base: str) -> bool:
    return path.startswith(join(base, "verifier/")) and PurePosixPath(path).name.startswith(SUBMITTED)
