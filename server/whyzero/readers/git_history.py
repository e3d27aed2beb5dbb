"""When a file last changed, and what a folder held at a commit, by the git history around it. Git is only ever asked.

Nothing of the repository's own settings is run: no hook, filter, text conversion, monitor, pager, signature check or fetch.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from whyzero import processes
from whyzero.errors import UsageError
from whyzero.question import Change
from whyzero.readers.files import BOUNDS, Folder, moment

COMMIT, MTIME = "git commit time", "file modification time (mtime)"
DEADLINE = 20.0
"""Seconds for one question to git."""
COMMITS = 100
"""Commits of one path that are looked at."""
BLOB_LIMIT = 16 * 2**20
OFF = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=false",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "log.mailmap=false",
    "log.showSignature=false",
)
"""Settings that would run a program or change what git answers."""
VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",  # unknown to older versions: no protocol is left to them
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


@dataclass(slots=True)
class GitHistory:
    """Answers about files, each asked for once."""

    _changes: dict[Path, Change] = field(default_factory=dict)
    _blobs: dict[str, bytes | None] = field(default_factory=dict)

    def change(self, file: Path) -> Change:
        """The commit time of the last commit that changed the file's content, renames followed.

        A file that differs from its commit, or that git does not know, has only its modification time. Where git is there and
        does not answer, no clock is trusted: a clone gives every file the time of the checkout.
        """
        real = Path(os.path.realpath(file))
        if real not in self._changes:
            self._changes[real] = self._ask(real)
        return self._changes[real]

    def _ask(self, file: Path) -> Change:
        if not _in_repository(file.parent):
            return _mtime(file, "not in a git repository")
        if not _within_bounds(file.parent):
            return Change(None, "", "the repository around the file begins outside the folders that may be read")
        form = "--format=%x01%H %ct %P"
        try:
            said = _git(
                file.parent, "log", "--follow", "-M", "--raw", "--no-abbrev", f"--max-count={COMMITS}", form, "--", file.name
            )
            shallow = _git(file.parent, "rev-parse", "--is-shallow-repository") == "true"
        except _NoAnswerError as error:
            if error.nothing_yet:
                return _mtime(file, "git does not know this file")
            return Change(None, "", str(error))
        commits = [_Commit.read(text) for text in said.split("\x01") if text.strip()]
        if not commits or not commits[0].known:
            return _mtime(file, "git does not know this file")
        if commits[0].new not in _blob_ids(file, len(commits[0].new)):
            return _mtime(file, "the file differs from its last commit")
        last = next((one for one in commits if one.old != one.new), commits[-1])
        note = f"commit {last.name[:12]}" + (", in a shallow clone: then or earlier" if shallow and not last.parents else "")
        return Change(moment(last.at), COMMIT, note, bound=shallow and not last.parents)

    def commits(self, folder: Path) -> list[str]:
        """Commits that touched the folder, newest first; [] where git knows none."""
        if not _in_repository(folder) or not _within_bounds(folder):
            return []
        try:
            return _git(folder, "log", "--format=%H", f"--max-count={COMMITS}", "--", ".").split()
        except _NoAnswerError:
            return []

    def resolve(self, folder: Path, revision: str) -> str | None:
        """The full name of a revision of the repository around the folder, or None."""
        if not _in_repository(folder) or not _within_bounds(folder):
            return None
        try:
            return _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}") or None
        except _NoAnswerError:
            return None

    def files(self, folder: Path, commit: str, only: str = ".") -> dict[str, bytes] | None:
        """Every file below the folder (or the `only` one of it) at a commit; None where one is a link, too large or no text."""
        try:
            listed = _git(folder, "ls-tree", "-r", commit, "--", only)
        except _NoAnswerError:
            return None
        on_disk = Folder(folder)
        found: dict[str, bytes] = {}
        for line in listed.splitlines():
            meta, _, path = line.partition("\t")
            mode, kind, blob = meta.split()
            data = None if kind != "blob" or mode == "120000" or path.startswith('"') else self._blob(folder, blob, on_disk, path)
            if data is None:
                return None
            found[path] = data
        return found

    def _blob(self, folder: Path, blob: str, on_disk: Folder, path: str) -> bytes | None:
        """Content by blob id: from the working tree where it still lies there, else from git.

        Programs' output is kept as text; that nothing was lost on the way is proved by the id.
        """
        if blob not in self._blobs:
            data = on_disk.data(path, BLOB_LIMIT) if on_disk.is_file(path) else None
            if data is None or _blob_id(data, len(blob)) != blob:
                try:
                    data = _git(folder, "cat-file", "blob", blob, limit=BLOB_LIMIT, strip=False).encode()
                except _NoAnswerError:
                    data = None
            self._blobs[blob] = data if data is not None and _blob_id(data, len(blob)) == blob else None
        return self._blobs[blob]


@dataclass(frozen=True, slots=True)
class _Commit:
    name: str
    at: int
    parents: tuple[str, ...]
    old: str
    new: str

    @property
    def known(self) -> bool:
        return bool(self.new.strip("0"))

    @classmethod
    def read(cls, text: str) -> _Commit:
        head, *rest = text.strip().split("\n")
        name, at, *parents = head.split(" ")
        raw = next((line.split() for line in rest if line.startswith(":")), None)
        old, new = (raw[2], raw[3]) if raw else ("", "?")
        return cls(name, int(at), tuple(p for p in parents if p), old, new)


class _NoAnswerError(Exception):
    def __init__(self, text: str, *, nothing_yet: bool = False) -> None:
        super().__init__(text)
        self.nothing_yet = nothing_yet


def _git(folder: Path, *arguments: str, limit: int = processes.OUTPUT_LIMIT, strip: bool = True) -> str:
    program = ["git", "--no-pager", *(word for setting in OFF for word in ("-c", setting)), *arguments]
    try:
        done = processes.run(program, deadline=DEADLINE, folder=folder, variables=VARIABLES, output_limit=limit)
    except UsageError:
        raise _NoAnswerError("the file lies in a git repository, but git could not be started") from None
    if done.stopped:
        raise _NoAnswerError(f"git gave no answer within its {'time' if done.stopped == 'deadline' else 'output limit'}")
    if done.status != 0:
        nothing = "does not have any commits" in done.stderr or "unknown revision" in done.stderr
        why = "the repository belongs to another user" if "dubious ownership" in done.stderr else "it reported an error"
        raise _NoAnswerError(f"the file lies in a git repository that git would not read: {why}", nothing_yet=nothing)
    return done.stdout.strip() if strip else done.stdout


def _repository(folder: Path) -> Path | None:
    """Where the repository around a folder begins, looked up without starting git."""
    real = Path(os.path.realpath(folder))
    return next((place for place in (real, *real.parents) if os.path.lexists(place / ".git")), None)


def _in_repository(folder: Path) -> bool:
    return _repository(folder) is not None


def _within_bounds(folder: Path) -> bool:
    """The repository itself may be read, not only the file in it."""
    root, bounds = _repository(folder), BOUNDS.get()
    return root is not None and (not bounds or any(place == root or place in root.parents for place in bounds))


def _mtime(file: Path, note: str) -> Change:
    at = Folder(file.parent).mtime(file.name)
    return Change(at, MTIME, note) if at else Change(None, "", "the file cannot be read")


def _blob_ids(file: Path, length: int) -> set[str]:
    """Ids git gives to the content as it lies, and to the same with the line ends of a repository."""
    data = Folder(file.parent).data(file.name, BLOB_LIMIT) or b""
    return {_blob_id(data, length), _blob_id(data.replace(b"\r\n", b"\n"), length)}


def _blob_id(data: bytes, length: int) -> str:
    algorithm = "sha256" if length == 64 else "sha1"
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
