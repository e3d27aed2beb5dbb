"""The work to be graded: what the brief names, and which copies of it lie in the trial."""

from __future__ import annotations

from pathlib import PurePosixPath

from whyzero.evidence import Evidence
from whyzero.model import Deliverable, Reward
from whyzero.readers.files import Folder
from whyzero.readers.shapes import join

SUBMITTED = "submitted-"


def read_deliverable(
    folder: Folder,
    base: str,
    files: tuple[str, ...],
    names: tuple[str, ...],
    missing: tuple[Evidence, ...],
    seen: tuple[Evidence, ...],
    reward: Reward,
) -> Deliverable:
    """Sort the copies below a trial or step into submissions and scratch files; a reward above zero proves a judgement.

    Without a brief a single copy is taken for the submission; among several nothing tells.
    """
    wanted = {PurePosixPath(name).name for name in names}
    copies = {p: PurePosixPath(p).name.removeprefix(SUBMITTED) for p in files if _is_copy(p, base)}
    only = not wanted and len(copies) == 1
    submitted = tuple(p for p, name in copies.items() if name in wanted or only)
    artifacts = tuple(p for p in files if p.startswith(join(base, "artifacts/")) and PurePosixPath(p).name in wanted)
    scratch = tuple(p for p in copies if p not in submitted)
    if reward.value and reward.spot is not None:
        seen = (*seen, reward.spot.evidence(reward.text))
    seen = (*seen, *(first for path in submitted[:5] if (first := _first_line(folder, path))))
    return Deliverable(names, (*submitted, *artifacts), scratch, missing, seen)


def _first_line(folder: Folder, path: str) -> Evidence | None:
    """How a submission begins; None for an empty or a binary one. That the line goes on for long is no problem of the run."""
    begun = next(((n, text) for n, text in Folder(folder.root).lines(path) if text.strip()), None)
    return Evidence(path=path, line=begun[0], quote=begun[1][:200]) if begun and begun[1].isprintable() else None


def _is_copy(path: str, base: str) -> bool:
    return path.startswith(join(base, "verifier/")) and PurePosixPath(path).name.startswith(SUBMITTED)
