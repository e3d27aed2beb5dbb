"""The only code that opens files: contained in one folder, bounded, and never raising on bad content.

Whatever cannot be read becomes a `Problem` with path and reason; the caller gets None or nothing and goes on.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from whyzero.model import Problem

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

JSON_LIMIT = 64 * 2**20
"""Bytes of a JSON document read whole."""
TEXT_LIMIT = 2**20
LINE_LIMIT = 2**20
"""Bytes of one line; the rest of a longer line is skipped and reported once a file."""
PROBLEM_LIMIT = 200
YEARS = range(1970, 3000)
"""Years a run may lie in; the arithmetic of times outside has no room."""
BOUNDS: ContextVar[tuple[Path, ...]] = ContextVar("BOUNDS", default=())
"""Real folders outside of which nothing exists for us, however far a search climbs; none = no bounds."""


class Folder:
    """Read access to one folder. Paths are relative to it, with forward slashes; nothing outside it is ever opened."""

    def __init__(self, root: Path, problems: list[Problem] | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self.problems: list[Problem] = [] if problems is None else problems
        self._bounds = () if _within(self.root, BOUNDS.get()) else BOUNDS.get()
        self._at = str(self.root)
        self._before = self._at.rstrip("/") + "/"
        self._identity = _identity(self._at) if os.sep == "/" and not self._bounds else None

    def note(self, path: str, reason: str) -> None:
        """Record a problem once."""
        problem = Problem(path, reason)
        if len(self.problems) < PROBLEM_LIMIT and problem not in self.problems:
            self.problems.append(problem)

    # ---- looking, without opening

    def real(self, path: str) -> Path | None:
        """The real place of `path`, or None (noted) where a link leads out of the folder or may not be followed."""
        place = self._place(path)
        return None if place is None else Path(place)

    def _place(self, path: str) -> str | None:
        plain = self._plain(path)
        return self._resolved(path) if plain is None else plain[0]

    def _plain(self, path: str) -> tuple[str, os.stat_result | None] | None:
        """Place and state of a path below the root without `..` and without any link in it; None = it has to be resolved.

        Says what `_resolved` would, for a third of its time: the root is resolved already, and is still the same folder. Nothing
        is remembered, so that a folder replaced by a link is seen.
        """
        if self._identity is None or path.startswith("/"):
            return None
        parts = [part for part in path.split("/") if part not in ("", ".")]
        place = self._before + "/".join(parts) if parts else self._at
        if ".." in parts or _identity(self._at) != self._identity:
            return None
        at, found = self._before, None
        try:
            for part in parts:
                found = os.lstat(at + part)
                if stat.S_ISLNK(found.st_mode):
                    return None
                at += part + "/"
            return place, found or os.stat(self._at)
        except (FileNotFoundError, NotADirectoryError):
            return place, None
        except (OSError, ValueError):
            return None

    def _resolved(self, path: str) -> str | None:
        try:
            real = Path(os.path.realpath(self.root / PurePosixPath(path)))
        except (OSError, ValueError) as error:  # a NUL; Python 3.11 and 3.12: a link that may not be read, such as /proc/1/cwd
            self.note(path, _reason(error))
            return None
        if real != self.root and self.root not in real.parents:
            self.note(path, "a symbolic link or `..` leads outside the run; not opened")
            return None
        return str(real) if not self._bounds or _within(real, self._bounds) else None

    def is_file(self, path: str) -> bool:
        return self._mode(path, stat.S_ISREG)

    def is_dir(self, path: str) -> bool:
        return self._mode(path, stat.S_ISDIR)

    def _mode(self, path: str, test: Callable[[int], bool]) -> bool:
        plain = self._plain(path)
        if plain is not None:
            return plain[1] is not None and test(plain[1].st_mode)
        real = self._resolved(path) if os.path.lexists(self.root / path) else None
        if real is None:
            return False
        try:
            return test(os.stat(real).st_mode)
        except OSError as error:
            self.note(path, _reason(error))
            return False

    def size(self, path: str) -> int | None:
        found = self._stat(path)
        return None if found is None else found.st_size

    def mtime(self, path: str) -> datetime | None:
        """Modification time in UTC."""
        found = self._stat(path)
        return None if found is None else moment(found.st_mtime)

    def is_locked(self, path: str) -> bool | None:
        """Another process holds an exclusive `flock` on the file; None where there is no such file or no such locks.

        Asks with a shared lock on a read-only descriptor and lets go of it at once.
        """
        with self._open(path) as stream:
            if stream is None or fcntl is None:
                return None
            try:
                fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            except OSError:
                return None
            fcntl.flock(stream, fcntl.LOCK_UN)
            return False
        return None

    def _stat(self, path: str) -> os.stat_result | None:
        plain = self._plain(path)
        if plain is not None:
            return plain[1]
        real = self._resolved(path)
        try:
            return None if real is None else os.stat(real)
        except OSError:
            return None

    def names(self, path: str = ".", limit: int = 200_000) -> list[str]:
        """Sorted names in a directory; [] where there is none."""
        return sorted(entry.name for entry in self._entries(path, limit))

    def _entries(self, path: str, limit: int = 200_000) -> list[os.DirEntry[str]]:
        real = self._place(path)
        found: list[os.DirEntry[str]] = []
        if real is None:
            return found
        try:
            with os.scandir(real) as entries:
                for entry in entries:
                    if len(found) >= limit:
                        self.note(path, f"more than {limit} entries; the rest was not listed")
                        break
                    found.append(entry)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            self.note(path, _reason(error))
        return found

    def walk(self, path: str = ".", limit: int = 500, depth: int = 12) -> list[str]:
        """Files below a directory, sorted by folder, links not followed, at most `limit`."""
        found: list[str] = []

        def visit(at: str, level: int) -> None:
            for entry in sorted(self._entries(at), key=lambda one: one.name):
                if len(found) >= limit:
                    return
                below = entry.name if at == "." else f"{at}/{entry.name}"
                if entry.is_symlink():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if level < depth:
                        visit(below, level + 1)
                else:
                    found.append(below)

        visit(path, 0)
        return found

    def once(self, paths: Iterable[str]) -> list[str]:
        """The paths, without those that are a second name, by a link, of another one of them."""
        listed = [(path, self.real(path)) for path in paths]
        kept: dict[Path | None, str] = {}
        for path, real in sorted(listed, key=lambda one: one[1] != self.root / one[0]):
            kept.setdefault(real, path)
        return [path for path, real in listed if kept[real] == path]

    # ---- reading

    @contextlib.contextmanager
    def _open(self, path: str) -> Iterator[BinaryIO | None]:
        real = self._place(path)
        if real is None:
            yield None
            return
        try:
            handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            yield None
            return
        except OSError as error:
            self.note(path, _reason(error))
            yield None
            return
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            self.note(path, "not a regular file; not opened")
            yield None
            return
        with os.fdopen(handle, "rb") as stream:
            try:
                yield stream
            except OSError as error:
                self.note(path, _reason(error))

    def data(self, path: str, limit: int = TEXT_LIMIT) -> bytes | None:
        """At most `limit` bytes from the start; None where there is no readable file. A cut is noted."""
        with self._open(path) as stream:
            if stream is None:
                return None
            data = stream.read(limit + 1)
            if len(data) > limit:
                self.note(path, f"larger than {limit} bytes; only the beginning was read")
            return data[:limit]
        return None

    def feed(self, path: str, update: Callable[[bytes], object]) -> bool:
        """Give a whole file piece by piece to `update` (a digest's); False where it cannot be read (noted)."""
        with self._open(path) as stream:
            if stream is None:
                return False
            while piece := stream.read(2**20):
                update(piece)
            return True
        return False

    def text(self, path: str, limit: int = TEXT_LIMIT) -> str | None:
        data = self.data(path, limit)
        return None if data is None else self._decode(path, data.removeprefix(BOM_UTF8))

    def json(self, path: str, limit: int = JSON_LIMIT) -> Any:
        """The parsed document, or None where it is missing, too large or does not parse (noted)."""
        with self._open(path) as stream:
            if stream is None:
                return None
            data = stream.read(limit + 1)
            if len(data) > limit:
                self.note(path, f"JSON document larger than {limit} bytes; not read")
                return None
            if not data.strip():
                self.note(path, "empty file where a JSON document was expected")
                return None
            try:
                return json.loads(data)
            except UnicodeDecodeError:
                self.note(path, "not UTF-8; not read as JSON")
            except (ValueError, RecursionError) as error:
                self.note(path, f"does not parse as JSON ({_json_reason(error)})")
        return None

    def json_object(self, path: str, limit: int = JSON_LIMIT) -> dict[str, Any] | None:
        value = self.json(path, limit)
        if value is not None and not isinstance(value, dict):
            self.note(path, "JSON document is not an object")
            return None
        return value

    def lines(self, path: str, keep_open_tail: bool = True) -> Iterator[tuple[int, str]]:
        """Stream (1-based number, line without its end). `keep_open_tail=False` drops a last line without newline."""
        with self._open(path) as stream:
            if stream is None:
                return
            number = 0
            while raw := stream.readline(LINE_LIMIT):
                number += 1
                closed = raw.endswith(b"\n")
                if not closed and len(raw) >= LINE_LIMIT:
                    self.note(path, f"a line longer than {LINE_LIMIT} bytes was cut")
                    while (rest := stream.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                        pass
                    closed = True
                if not closed and not keep_open_tail:
                    self.note(path, f"line {number} has no newline: a write that was cut short; not counted")
                    return
                raw = raw.removeprefix(BOM_UTF8) if number == 1 else raw
                yield number, self._decode(path, raw).rstrip("\r\n")

    def json_lines(self, path: str, keep_open_tail: bool = True) -> Iterator[tuple[int, dict[str, Any]]]:
        """Stream (1-based number, object); lines that hold none are skipped, the first of them noted."""
        complained = False
        for number, line in self.lines(path, keep_open_tail):
            if not line.strip():
                continue
            value = parse_json(line)
            if isinstance(value, dict):
                yield number, value
            elif not complained:
                complained = True
                self.note(path, f"line {number} is no JSON object; such lines were skipped")

    def head_and_tail(self, path: str, head: int = 200, tail: int = 400) -> tuple[list[tuple[int, str]], bool]:
        """First `head` and last `tail` numbered lines, and whether that is all of them."""
        first: list[tuple[int, str]] = []
        last: list[tuple[int, str]] = []
        dropped = False
        for item in self.lines(path):
            if len(first) < head:
                first.append(item)
                continue
            last.append(item)
            if len(last) > 2 * tail:
                del last[: len(last) - tail]
                dropped = True
        if len(last) > tail:
            del last[: len(last) - tail]
            dropped = True
        return first + last, not dropped

    def _decode(self, path: str, data: bytes) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self.note(path, "not valid UTF-8; undecodable bytes are shown as \ufffd")
            return data.decode("utf-8", "replace")


def _identity(folder: str) -> tuple[int, int] | None:
    """Device and number of a folder; None where there is none."""
    try:
        found = os.stat(folder)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _within(real: Path, folders: tuple[Path, ...]) -> bool:
    return any(folder == real or folder in real.parents for folder in folders)


def parse_json(text: str) -> Any:
    """The value, or None where the text does not parse."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def parse_time(value: object) -> datetime | None:
    """An ISO time as written: aware where it names a zone, naive where it does not. None for years in which nothing ran."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return found if found.year in YEARS else None


def moment(value: object, per_second: int = 1) -> datetime | None:
    """A time counted from 1970 (milliseconds: `per_second=1000`), or None where it is none or in a year in which nothing ran."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        found = datetime.fromtimestamp(value / per_second, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found.year in YEARS else None


def _reason(error: OSError | ValueError) -> str:
    number = error.errno if isinstance(error, OSError) else None
    return (os.strerror(number) if number else "cannot be read").lower()


def _json_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else "invalid value"
