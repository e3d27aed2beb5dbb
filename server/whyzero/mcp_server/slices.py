"""What an answer quotes can be read on: the place it names is a handle, and a handle opens a file that was quoted and no other."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from whyzero.mcp_server.roots import Roots

if TYPE_CHECKING:
    from whyzero.analyses.report import Report
    from whyzero.evidence import Evidence, Output
    from whyzero.readers.excerpt import Excerpt

KEPT = 4096
"""Places remembered; the oldest are forgotten."""
CREDENTIALS = re.compile(r"(?:^|/)(?:\.env[^/]*|\.netrc|[^/]*\.(?:pem|key)|credentials[^/]*)$", re.I)
"""Files of which a line may be quoted, redacted, but which are not shown at large."""
OPENED: ContextVar[list[Path] | None] = ContextVar("OPENED", default=None)
"""Folders of the runs that this call has opened; the paths of its evidence count from one of them."""


@dataclass(frozen=True, slots=True)
class Place:
    """A quoted place on disk."""

    root: Path
    path: str
    line: int | None
    pointer: str | None

    @property
    def handle(self) -> str:
        """`path:line`, or the path and the JSON pointer behind it: the words of the answer."""
        return self.path + (f":{self.line}" if self.line is not None else "") + (self.pointer or "")


@dataclass(slots=True)
class Slices:
    """The places this server has quoted since it started; of two with one handle, the one quoted last."""

    roots: Roots
    _places: OrderedDict[str, Place] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def remember(self, report: Report) -> None:
        """Keep every piece of its evidence that stands in exactly one file of this call's runs."""
        folders = [*(OPENED.get() or ()), *self.roots.folders[:1]]
        for evidence in _evidence(report):
            root = _only_root(evidence.path, folders)
            if root is not None:
                self._keep(Place(root, evidence.path, evidence.line, evidence.pointer))

    def read(self, handle: str, start: int | None = None) -> Excerpt | None:
        """A page of the place (see `readers.excerpt`); None where the handle is unknown or the place is gone.

        A handle copied from the text of an answer has a space before its pointer.
        """
        from whyzero.readers.excerpt import excerpt
        from whyzero.readers.files import BOUNDS, Folder

        with self._lock:
            place = self._places.get(handle) or self._places.get(handle.replace(" /", "/", 1))
        if place is None:
            return None
        BOUNDS.set(self.roots.folders)
        return excerpt(Folder(place.root), place.path, place.line, place.pointer, start)

    def handles(self) -> list[str]:
        """Those in use, newest first."""
        with self._lock:
            return list(reversed(self._places))

    def _keep(self, place: Place) -> None:
        with self._lock:
            self._places[place.handle] = place
            self._places.move_to_end(place.handle)
            while len(self._places) > KEPT:
                self._places.popitem(last=False)


def _evidence(said: Output) -> Iterator[Evidence]:
    """Every piece of evidence in an answer."""
    from whyzero.evidence import Evidence, Output

    if isinstance(said, Evidence):
        yield said
        return
    for _, value in said:
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Output):
                yield from _evidence(part)


def _only_root(path: str, roots: Sequence[Path]) -> Path | None:
    """The folder the path counts from; None where it is in none of them, or in several that differ, or holds credentials."""
    from whyzero.readers.files import Folder

    if CREDENTIALS.search(path):
        return None
    found = {Folder(root).real(path): root for root in roots if Folder(root).is_file(path)}
    return next(iter(found.values())) if len(found) == 1 else None
