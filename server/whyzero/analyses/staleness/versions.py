"""Versions: which trials were asked the same question, and may stand in one score."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache

from whyzero.analyses.staleness.given import Given
from whyzero.analyses.staleness.key import asked_for
from whyzero.analyses.staleness.literals import literals
from whyzero.evidence import Output, Quote

IDS_SHOWN = 50


class Version(Output):
    """Trials that were asked the same question: only these may be averaged."""

    task: Quote
    """Full task name."""
    digest: Quote | None
    """Recorded digest of the task, or of the dataset and source; null = none recorded."""
    brief: Quote | None
    """Digest over what the brief asked with: graded fields, dates, counts; null = no brief on record."""
    is_today: bool | None
    """It is today's question; null = cannot tell."""
    count: int
    """How many trials."""
    trials: tuple[Quote, ...]
    """Their ids; the first of them where there are many."""


@dataclass(slots=True)
class Versions:
    """Collects trials by what they were asked."""

    groups: dict[tuple[str, str | None, str | None], tuple[list[str], list[bool | None]]] = field(default_factory=dict)

    def add(self, trial: str, task: str, digest: str | None, brief: str | None, today: bool | None) -> None:
        ids, verdicts = self.groups.setdefault((task, digest, brief), ([], []))
        ids.append(trial)
        verdicts.append(today)

    def listed(self) -> tuple[Version, ...]:
        """Versions of the tasks that have several, the largest first."""
        several = {task for task, _, _ in self.groups}
        several = {task for task in several if sum(1 for key in self.groups if key[0] == task) > 1}
        found = [
            Version(task=task, digest=digest, brief=brief, is_today=_all(verdicts), count=len(ids), trials=tuple(ids[:IDS_SHOWN]))
            for (task, digest, brief), (ids, verdicts) in self.groups.items()
            if task in several
        ]
        return tuple(sorted(found, key=lambda version: (version.task, -version.count)))


def _all(verdicts: list[bool | None]) -> bool | None:
    if False in verdicts:
        return False
    return None if None in verdicts else True


def fingerprint(given: Given | None, fields: tuple[str, ...]) -> str | None:
    """Digest over what a brief asks with; rewording it changes nothing, another date or field does."""
    if given is None:
        return None
    return _fingerprint(tuple(message.text for message in given.messages), given.whole, fields)


@lru_cache(maxsize=512)
def _fingerprint(texts: tuple[str, ...], whole: str, fields: tuple[str, ...]) -> str:
    values = sorted({repr(one.readings) for text in texts for one in literals(text)})
    asked = sorted(name for name in fields if asked_for(name, whole))
    return hashlib.sha256("\n".join([*asked, *values]).encode()).hexdigest()[:12]
