"""Where an agent's logs lie, and a cheap look at how each of them begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from whyzero.model import AgentLog
from whyzero.readers.files import Folder, parse_json

HEAD_LINES = 400
HEAD_LINE_CHARS = 16 * 2**10
DOCUMENT_LIMIT = 32 * 2**20
"""Bytes of a JSON document: parsed, it takes a few times as much memory."""
CANDIDATES = 60
"""Files of one agent folder that are looked into."""
SKIPPED_ENDINGS = (".cast", ".db", ".db-shm", ".db-wal", ".png", ".jpg", ".gz", ".zip", ".tar", ".lock")
SKIPPED_FOLDERS = frozenset({"sessions", "setup", "opencode", "completions", "episodes", "user-agent", ".claude", ".gemini"})


@dataclass(frozen=True, slots=True)
class Head:
    """The first lines of a file."""

    path: str
    lines: tuple[str, ...]

    def objects(self) -> list[dict[str, Any]]:
        """The JSON objects among the lines."""
        found = [parse_json(line) for line in self.lines if line.startswith("{")]
        return [o for o in found if isinstance(o, dict)]

    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass
class Source:
    """One agent folder of one trial."""

    folder: Folder
    base: str
    """Relative to the run; `.` where the run folder itself holds the logs."""
    endpoint: str | None = None
    """Host of the run's own gateway, where the caller knows it."""
    harness_log: str | None = None
    """The trial's own log beside the agent folder (trial.log), relative to the run."""
    _heads: dict[str, Head] = field(default_factory=dict)
    _documents: dict[str, dict[str, Any] | None] = field(default_factory=dict)

    def at(self, name: str) -> str:
        return name if self.base in (".", "") else f"{self.base}/{name}"

    @property
    def trial_log(self) -> str | None:
        """The trial's log beside the agent folder."""
        beside = "trial.log" if "/" not in self.base else self.base.rsplit("/", 1)[0] + "/trial.log"
        path = self.harness_log or (None if self.base in (".", "") else beside)
        return path if path is not None and self.folder.is_file(path) else None

    @cached_property
    def candidates(self) -> list[str]:
        """Text files that may be the agent's log: those of the folder itself, then one level below."""
        # A log that was put aside has the longer name: `codex.txt`, `codex.old.txt`, `codex.txt.1`.
        names = sorted(self.folder.names(self.base), key=lambda name: (len(name), name))
        here = [self.at(n) for n in names if _worth(n) and self.folder.is_file(self.at(n))]
        below: list[str] = []
        for name in names:
            if name in SKIPPED_FOLDERS or not self.folder.is_dir(self.at(name)):
                continue
            below += [
                f"{self.at(name)}/{n}"
                for n in self.folder.names(self.at(name))
                if _worth(n) and self.folder.is_file(f"{self.at(name)}/{n}")
            ]
        return (here + below)[:CANDIDATES]

    def head(self, path: str) -> Head:
        if path not in self._heads:
            lines: list[str] = []
            for _, line in self.folder.lines(path):
                if line.strip():
                    lines.append(line[:HEAD_LINE_CHARS])
                if len(lines) >= HEAD_LINES:
                    break
            self._heads[path] = Head(path, tuple(lines))
        return self._heads[path]

    def document(self, path: str) -> dict[str, Any] | None:
        """A JSON document, parsed once for all grammars."""
        if path not in self._documents:
            self._documents[path] = self.folder.json_object(path, DOCUMENT_LIMIT)
        return self._documents[path]

    def first(self, test: Callable[[Head], bool]) -> str | None:
        """The first file whose beginning passes the test."""
        return next((p for p in self.candidates if test(self.head(p))), None)


@dataclass(frozen=True, slots=True)
class Grammar:
    """One agent program's way of writing logs."""

    name: str
    read: Callable[[Source], AgentLog | None]
    """None where no file of the folder is written in this grammar."""


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none where it is something else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def word(event: dict[str, Any], key: str) -> str:
    """A string of an event, empty where it is missing or of another kind."""
    value = event.get(key)
    return value if isinstance(value, str) else ""


def _worth(name: str) -> bool:
    return not name.startswith(".") and not name.endswith(SKIPPED_ENDINGS)
