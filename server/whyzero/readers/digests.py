"""Digests as the harnesses compute them: Harbor's `task_checksum`, Osmosis's dataset and source digests.

Harbor 0.1 to 0.25 hash every file of the task folder with `dirhash`; 0.26 leaves out `.harborignore` files and what they
name below `tests/` and `solution/`. Both values are given where they differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from whyzero.readers.files import Folder

FILE_LIMIT = 50_000
IGNORE = ".harborignore"
_SCOPES = ("/tests/", "/solution/", "/steps/*/tests/", "/steps/*/solution/")

NOT_SOURCE = frozenset({"__pycache__", ".git", ".venv", "venv", "dist", "build", "node_modules", ".pytest_cache", ".ruff_cache"})
NOT_SOURCE_PATTERNS = ("uv.lock", "*.egg-info")


class NoDigestError(Exception):
    """The harness itself would have computed none, or a part cannot be read; the text says why."""


def file_digest(folder: Folder, path: str) -> str | None:
    """SHA-256 of a file's bytes (an Osmosis dataset), or None where it cannot be read."""
    digest = hashlib.sha256()
    return digest.hexdigest() if folder.feed(path, digest.update) else None


def tree_files(folder: Folder) -> dict[str, str]:
    """SHA-256 of every file below a folder by its path, links inside it followed as `dirhash` follows them."""
    return dict(_files(folder, ".", ()))


def _files(folder: Folder, at: str, above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    real = folder.real(at)
    if real is None:
        raise NoDigestError(f"{at} is a link that leads out of the folder")
    if str(real) in above:
        raise NoDigestError(f"{at} is a link that leads back to a folder above it")
    for count, name in enumerate(folder.names(at)):
        path = name if at == "." else f"{at}/{name}"
        if count > FILE_LIMIT:
            raise NoDigestError(f"more than {FILE_LIMIT} files")
        if folder.real(path) is None:
            raise NoDigestError(f"{path} is a link that leads out of the folder")
        if folder.is_dir(path):
            yield from _files(folder, path, (*above, str(real)))
        elif folder.is_file(path):
            digest = file_digest(folder, path)
            if digest is None:
                raise NoDigestError(f"{path} cannot be read")
            yield path, digest


def checksum(files: Mapping[str, str]) -> str:
    """Harbor's `task_checksum` of a folder with these files: `dirhash` with names and data, empty folders left out.

    Raises:
        NoDigestError: there is no file.
    """
    if not files:
        raise NoDigestError("the folder holds no file")
    tree: dict[str, Any] = {}
    for path, digest in files.items():
        *folders, name = path.split("/")
        at = tree
        for part in folders:
            at = at.setdefault(part, {})
        at[name] = digest
    return _dirhash(tree)


def _dirhash(tree: dict[str, Any]) -> str:
    entries = []
    for name, below in tree.items():
        own = f"dirhash:{_dirhash(below)}" if isinstance(below, dict) else f"data:{below}"
        entries.append("\0".join(sorted((own, f"name:{name}"))))
    return hashlib.sha256("\0\0".join(sorted(entries)).encode()).hexdigest()


def kept_by_harbor(folder: Folder, files: Mapping[str, str]) -> dict[str, str]:
    """The files that Harbor 0.26 hashes: all but `.harborignore` and what it names below `tests/` and `solution/`."""
    if not any(PurePosixPath(path).name == IGNORE for path in files):
        return dict(files)
    rules = _Rules(folder, files)
    return {path: digest for path, digest in files.items() if not rules.excludes(path)}


class _Rules:
    """`.harborignore` files in force, read as git reads ignore files; each counts for its folder and below."""

    def __init__(self, folder: Folder, files: Mapping[str, str]) -> None:
        spec = import_module("pathspec").GitIgnoreSpec
        scopes = spec.from_lines(_SCOPES)
        self._rules: dict[str, Any] = {}
        for path in files:
            at = str(PurePosixPath(path).parent)
            if PurePosixPath(path).name == IGNORE and scopes.match_file(at + "/"):
                self._rules[at] = spec.from_lines((folder.text(path) or "").splitlines())

    def excludes(self, path: str) -> bool:
        if PurePosixPath(path).name == IGNORE:
            return True
        parts = path.split("/")
        return any(self._excluded(parts[:n], is_folder=n < len(parts)) for n in range(1, len(parts) + 1))

    def _excluded(self, parts: list[str], *, is_folder: bool) -> bool:
        suffix = "/" if is_folder else ""
        excluded = False
        for n in range(1, len(parts)):
            rules = self._rules.get("/".join(parts[:n]))
            match = rules.check_file("/".join(parts[n:]) + suffix) if rules else None
            if match is not None and match.include is not None:
                excluded = match.include
        return excluded


def source_digest(folder: Folder, root: str) -> str:
    """Osmosis's `source_digest` of a rollout project: relative paths and bytes, environments, builds and locks left out.

    Raises:
        NoDigestError: a linked folder or a broken link, which the runner refuses too; an unreadable file.
    """
    digest = hashlib.sha256()
    paths = source_paths(folder, root)
    for parts in paths:
        digest.update("/".join(parts).encode())
        if not folder.feed(f"{root}/{'/'.join(parts)}", digest.update):
            raise NoDigestError(f"{'/'.join(parts)} cannot be read")
    if not paths:
        raise NoDigestError(f"{root} holds no source file")
    return digest.hexdigest()


def source_paths(folder: Folder, root: str) -> list[tuple[str, ...]]:
    """The files that `source_digest` covers, as parts of their paths, in its order."""
    return sorted(_source_files(folder, root, ()))


def _source_files(folder: Folder, root: str, at: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for name in folder.names("/".join((root, *at))):
        if name in NOT_SOURCE or any(fnmatchcase(name, pattern) for pattern in NOT_SOURCE_PATTERNS):
            continue
        parts = (*at, name)
        path = "/".join((root, *parts))
        linked = (folder.root / path).is_symlink()
        if folder.is_file(path):
            yield parts
        elif linked:
            raise NoDigestError(f"{'/'.join(parts)} is a linked folder or a broken link")
        elif folder.is_dir(path):
            yield from _source_files(folder, root, parts)
