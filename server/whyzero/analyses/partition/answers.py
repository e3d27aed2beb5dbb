"""Whole answers in the place of tests: what each trial gave, and whether agreeing on it could be an accident."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from whyzero.analyses.partition.chance import poisson_binomial_tail
from whyzero.analyses.partition.records import Record
from whyzero.analyses.partition.unanimity import LEVEL
from whyzero.readers.files import Folder
from whyzero.readers.tables import read_table
from whyzero.values import Plain, plain

MANY = 10
"""Answers to choose from where nothing tells how many there are."""
_TWO = re.compile(r"(?i)yes|no|true|false")
_FEW = re.compile(r"(?i)\(?[a-e]\)?")


@dataclass(frozen=True, slots=True)
class Agreement:
    """A task that no answered trial solved, and whether all that can be compared gave one answer."""

    same: bool
    answer: Plain
    """One of the answers."""
    models: int


def answer_of(record: Record) -> Plain:
    """What a trial answered: its submission's content where one file is clearly that, else its marked final answer."""
    names = [name for name in record.copies if name in record.asked_for] or list(record.copies)
    if len(names) == 1:
        return _content(Folder(record.root), record.copies[names[0]])
    return plain(record.answer)


def _content(folder: Folder, path: str) -> Plain:
    """Rows without their order and spelling, or the text as it is."""
    table = read_table(folder, path)
    if table is None or not table.rows:
        return (folder.text(path) or "").strip()
    rows = [json.dumps({name: plain(value) for name, value in row.items()}, sort_keys=True) for row in table.rows]
    keyed = zip(table.names, rows, strict=True) if table.names else ((row, "") for row in rows)
    return json.dumps(sorted(keyed))


def beyond_accident(tasks: Sequence[Agreement]) -> bool:
    """Whether one wrong answer is shared on more of these tasks than trials agree by accident.

    Attempts of one model are no independent witnesses: each model counts once, and one model alone proves nothing.
    """
    compared = [one for one in tasks if one.models > 1]
    chances = [(1 / (_choices(one.answer) - 1)) ** (one.models - 1) for one in compared]
    seen = sum(one.same for one in compared)
    return seen > 0 and poisson_binomial_tail(chances, seen) <= LEVEL


def _choices(answer: Any) -> int:
    text = str(answer).strip()
    if _TWO.fullmatch(text):
        return 2
    return 4 if _FEW.fullmatch(text) else MANY
