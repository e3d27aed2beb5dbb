"""Which paths a client may name: inside the folders the server was started for, and nothing else."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from whyzero.errors import PathRefusedError, UsageError
from whyzero.text import clean

PATH_LIMIT = 4096
"""Characters of a path argument."""


class Roots:
    """The folders a client may read, resolved once when the server starts."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(dict.fromkeys(Path(os.path.realpath(folder)) for folder in folders or (".",)))
        for folder in self.folders:
            if not folder.is_dir():
                raise UsageError(f"The root {str(folder)!r} is no folder. Name one that holds your runs with --root.")
            if folder == Path(folder.anchor):
                raise UsageError("The whole disk is no root. Name the folder that holds your runs with --root.")

    def resolve(self, path: str) -> Path:
        """The real file or folder a client named: absolute, or relative to the first root.

        Raises:
            PathRefusedError: it is missing, outside the roots, or neither file nor folder. What lies outside the roots
                is refused in the same words whether it exists or not.
        """
        said = f"`{clean(path, 200)}`"
        if not path.strip():
            raise PathRefusedError("The path is empty. Name a run, a trial or a workspace; `.` is the server's first root.")
        if len(path) > PATH_LIMIT or not path.isprintable():
            raise PathRefusedError(
                f"The path holds control characters or more than {PATH_LIMIT} others. Name the folder as it is spelled on disk."
            )
        if ".." in Path(path).parts:
            raise PathRefusedError(f"The path {said} holds `..`. {HOW}")
        real = Path(os.path.realpath(self.folders[0] / path))
        if not self.holds(real):
            raise PathRefusedError(f"The path {said} is outside the folders this server may read. {HOW}")
        try:
            mode = os.stat(real).st_mode
        except FileNotFoundError:
            raise PathRefusedError(f"There is nothing at {said}. {HOW}") from None
        except OSError:
            raise PathRefusedError(f"The path {said} cannot be read. Check its permissions and its spelling.") from None
        if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
            raise PathRefusedError(f"The path {said} is a pipe, a socket or a device, which is never opened. Name a folder.")
        if not os.access(real, os.R_OK | os.X_OK if stat.S_ISDIR(mode) else os.R_OK):
            raise PathRefusedError(f"The path {said} may not be read by the user this server runs as. Change its permissions.")
        return real

    def holds(self, real: Path) -> bool:
        """Whether a real path lies in one of the roots."""
        return any(folder == real or folder in real.parents for folder in self.folders)

    def shown(self, path: str) -> str:
        """A path as a client may send it back: relative to the first root where it lies there, else as it is."""
        first = self.folders[0]
        if os.path.isabs(path) and (Path(path) == first or first in Path(path).parents):
            return Path(path).relative_to(first).as_posix()
        return path


HOW = "Paths count from the server's first root, or are absolute inside one of its roots (set with `whyzero serve --root`)."
