"""What an answer quotes can be read on: the place it names is a handle, and a handle opens a file that was quoted and no other."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
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
REPORTED = "error"
"""Path of evidence from an error text that the caller gave: no file."""
OPENED: ContextVar[list[tuple[str, Path]] | None] = ContextVar("OPENED", default=None)
"""Runs that this call has opened, by name: their folders and workspaces, from one of which the paths of its evidence count."""


@dataclass(frozen=True, slots=True)
class Place:
    """A quoted place on disk."""

    root: Path
    path: str
    """Relative to `root`."""
    real: Path
    """The file as it was when it was quoted, links resolved."""
    said: str
    """The path as the answer wrote it."""
    folder: str
    """`root` as a client may name it; empty for the first root."""
    line: int | None
    pointer: str | None

    @property
    def handle(self) -> str:
        """`path:line`, or the path and the JSON pointer behind it: the words of the answer."""
        return _handle(self.said, self.line, self.pointer)

    @property
    def full_handle(self) -> str:
        """The same with the folder before it: no other file has this one."""
        return _handle(f"{self.folder}/{self.path}" if self.folder else self.path, self.line, self.pointer)


@dataclass(frozen=True, slots=True)
class Several:
    """A handle that answers about several runs have used; each place has one that is its own."""

    handles: tuple[str, ...]


@dataclass(slots=True)
class Slices:
    """The places this server has quoted since it started."""

    roots: Roots
    _places: OrderedDict[Place, None] = field(default_factory=OrderedDict)
    _by_handle: dict[str, dict[Place, None]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def places(self, report: Report, sent: Report) -> dict[str, Place | None]:
        """The handles of all evidence of a report; None where the place is in no file of this call's runs, or in several.

        Args:
            sent: the same report with its paths as they are sent.
        """
        found: dict[str, Place | None] = {}
        for (evidence, run), (said, _) in zip(_evidence(report), _evidence(sent), strict=True):
            place = self._place(evidence, said.path, run)
            handle = _handle(said.path, said.line, said.pointer)
            found[handle] = place if found.get(handle, place) == place else None
        return found

    def remember(self, places: dict[str, Place | None], said: Report) -> None:
        """Keep those that the answer shows; a handle that has become unclear opens nothing any more."""
        for evidence, _ in _evidence(said):
            handle = _handle(evidence.path, evidence.line, evidence.pointer)
            place = places.get(handle)
            with self._lock:
                if place is not None:
                    self._keep(place)
                elif handle in places:
                    for other in tuple(self._by_handle.get(handle, ())):
                        self._forget(other)

    def read(
        self, handle: str, start: int | None = None, watch: Callable[[], None] | None = None
    ) -> tuple[Place, Excerpt] | Several | None:
        """The place and its page (see `readers.excerpt`); None where the handle is unknown, or the file is another one now.

        Args:
            handle: as the answer has it; one copied from its text has a space before the pointer.
            watch: called now and then while a long file is read; may raise.
        """
        from whyzero.readers.excerpt import excerpt
        from whyzero.readers.files import BOUNDS, Folder

        spellings = [handle, *(handle[: at.start()] + handle[at.start() + 1 :] for at in re.finditer(" /", handle[:2000]))]
        with self._lock:
            places = next((tuple(found) for one in spellings if (found := self._by_handle.get(one))), ())
        if len(places) != 1:
            return Several(tuple(place.full_handle for place in places)) if places else None
        place = places[0]
        BOUNDS.set(self.roots.folders)
        folder = Folder(place.root)
        if folder.real(place.path) != place.real:
            return None
        page = excerpt(folder, place.path, place.line, place.pointer, start, watch)
        return None if page is None else (place, page)

    def handles(self) -> list[str]:
        """Those in use, newest first, each of one place."""
        with self._lock:
            return [
                place.handle if len(self._by_handle[place.handle]) == 1 else place.full_handle for place in reversed(self._places)
            ]

    def _keep(self, place: Place) -> None:
        self._places[place] = None
        self._places.move_to_end(place)
        for name in (place.handle, place.full_handle):
            self._by_handle.setdefault(name, {})[place] = None
        while len(self._places) > KEPT:
            self._forget(next(iter(self._places)))

    def _forget(self, place: Place) -> None:
        self._places.pop(place, None)
        for name in {place.handle, place.full_handle}:
            self._by_handle.get(name, {}).pop(place, None)
            if not self._by_handle.get(name, True):
                del self._by_handle[name]

    def _place(self, evidence: Evidence, said: str, run: str | None) -> Place | None:
        """The one file this evidence stands in; None where that is not certain, or where it holds credentials."""
        from whyzero.readers.files import Folder

        if evidence.path == REPORTED:
            return None
        if os.path.isabs(evidence.path):
            named = [(root, Path(evidence.path).relative_to(root).as_posix()) for root in self._above(Path(evidence.path))]
        else:
            opened = OPENED.get() or ()
            own = [folder for name, folder in opened if name == run] or [folder for _, folder in opened]
            named = [(folder, evidence.path) for folder in own]
        found: dict[Path, tuple[Path, str]] = {}
        for root, path in named:
            folder = Folder(root)
            if folder.is_file(path) and (real := folder.real(path)) is not None:
                found.setdefault(real, (root, path))
        if len(found) != 1:
            return None
        real, (root, path) = next(iter(found.items()))
        if CREDENTIALS.search(path) or CREDENTIALS.search(real.as_posix()):
            return None
        shown = self.roots.shown(str(root))
        return Place(root, path, real, said, "" if shown == "." else shown, evidence.line, evidence.pointer)

    def _above(self, path: Path) -> Sequence[Path]:
        return [root for root in self.roots.folders if root in path.parents][:1]


def _handle(path: str, line: int | None, pointer: str | None) -> str:
    return path + (f":{line}" if line is not None else "") + (pointer or "")


def _evidence(said: Output, run: str | None = None) -> Iterator[tuple[Evidence, str | None]]:
    """Every piece of evidence in an answer, and the run of the entry it stands in where the entry names one."""
    from whyzero.evidence import Evidence, Output

    if isinstance(said, Evidence):
        yield said, run
        return
    own = getattr(said, "run", None)
    for _, value in said:
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Output):
                yield from _evidence(part, own if isinstance(own, str) else run)
