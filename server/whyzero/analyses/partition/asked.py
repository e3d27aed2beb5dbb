"""What was asked: the arguments, and whether they fit together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from whyzero.analyses.partition.key import AnswerKey, answer_key
from whyzero.analyses.partition.lists import Bounds
from whyzero.errors import UsageError
from whyzero.readers.files import Folder
from whyzero.readers.tables import read_table

CONCISE, DETAILED = 100, 2000
"""Disputed rows listed of each class."""


@dataclass(frozen=True)
class Question:
    """The arguments of partition_disputed_rows."""

    paths: tuple[Path, ...]
    oracle: Path | None
    key: tuple[str, ...]
    deliverable: str | None
    fields: tuple[str, ...]
    corpus: Path | None
    rule: str | None
    wide: str | None
    rules: Mapping[str, str]
    scorer: tuple[str, ...]
    original: Path | None
    audit_grader: bool
    detailed: bool
    limit: int | None

    @property
    def bounds(self) -> Bounds:
        most = self.limit or (DETAILED if self.detailed else CONCISE)
        return Bounds(most, most)

    def check(self) -> None:
        """Raise UsageError where an argument lacks another."""
        if not self.paths:
            raise UsageError("No path. Name the trials or runs to read.")
        needs_oracle = {
            "--key": self.key,
            "--field": self.fields,
            "--corpus": self.corpus,
            "--scorer": self.scorer,
            "--original": self.original,
            "--audit-grader": self.audit_grader,
        }
        self._need("--oracle", self.oracle, needs_oracle)
        needs_corpus = {"--rule": self.rule, "--wide": self.wide, "--rules": self.rules}
        self._need("--corpus", self.corpus, needs_corpus)
        self._need("--scorer", self.scorer, {"--audit-grader": self.audit_grader})
        if self.corpus is not None and not self.corpus.is_dir():
            raise UsageError(f"--corpus {str(self.corpus)!r} is no folder. Name the folder that holds the text.")

    def _need(self, needed: str, there: object, users: Mapping[str, object]) -> None:
        asked = [flag for flag, value in users.items() if value]
        if asked and not there:
            raise UsageError(f"{asked[0]} goes with {needed}, which is not given. Give {needed} too, or leave {asked[0]} out.")

    def read_key(self) -> AnswerKey | None:
        """The answer key, or None where none was named."""
        return None if self.oracle is None else self.key_at(self.oracle, "--oracle")

    def key_at(self, path: Path, flag: str) -> AnswerKey:
        """A key file with the key fields and compared fields that were asked for."""
        folder = Folder(path.parent)
        table = read_table(folder, path.name, self.key)
        if table is None:
            reason = folder.problems[0].reason if folder.problems else "there is no such file"
            raise UsageError(
                f"{flag} {str(path)!r} cannot be used: {reason}. Name a JSON, JSON-lines or CSV file with the answers."
            )
        return answer_key(table, self.key, self.fields, flag)
