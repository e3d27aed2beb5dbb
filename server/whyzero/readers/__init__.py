"""Formats we read, and the way from a path to a `Run`. Detection looks at content, never at folder names.

To add a format: a module or folder with `NAME`, `detect(path)` and `read(root, selection, reported)`, named in `FORMATS`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from whyzero.errors import UnknownFormatError
from whyzero.model import Run, Speaker, Spot, Utterance
from whyzero.readers import harbor, terminal_bench

REPORTED_LINES = 400


class Format(Protocol):
    """What a reader offers."""

    NAME: str

    def detect(self, path: Path) -> Path | None:
        """The root of the run that `path` is, holds or lies in; None where it is of another format."""

    def read(self, root: Path, selection: Path | None, reported: tuple[Utterance, ...]) -> Run:
        """The run at `root`; `selection` is the path that was named, where it is not the root."""


FORMATS: tuple[Format, ...] = (harbor, terminal_bench)
"""Readers in the order in which they are asked."""


def open_run(path: Path, error: str | None = None) -> Run:
    """The run that `path` is, holds or lies in; `error` is what the user saw.

    Raises:
        UnknownFormatError: no reader recognises what lies there.
    """
    reported = _reported(error)
    for one in FORMATS:
        root = one.detect(path)
        if root is not None:
            return one.read(root, path if path != root else None, reported)
    raise UnknownFormatError(
        f"Nothing known lies at {path.name!r}. Looked for a Harbor job or trial (result.json, config.json) and a Terminal-Bench "
        "run (results.json). Name the folder of a run or of one trial."
    )


def _reported(error: str | None) -> tuple[Utterance, ...]:
    lines = [line for line in (error or "").splitlines() if line.strip()][:REPORTED_LINES]
    return tuple(Utterance(Speaker.HARNESS, line[:8192], Spot("error", number)) for number, line in enumerate(lines, 1))


__all__ = ["FORMATS", "Format", "open_run"]
