"""All window literals of a text: the dates, times, lengths and counts a brief asks with."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from whyzero.analyses.staleness.dates import clocks, dates
from whyzero.analyses.staleness.language import ENGLISH, Language
from whyzero.analyses.staleness.names import blanked, names
from whyzero.analyses.staleness.quantities import quantities
from whyzero.analyses.staleness.values import Literal

TEXT_LIMIT = 256 * 1024
"""Characters of a brief that are read."""
LITERAL_LIMIT = 2000


@lru_cache(maxsize=512)
def literals(text: str, words: Language = ENGLISH) -> tuple[Literal, ...]:
    """Values in order of the text. A number inside a name (`EN 1090`, `v2.1`, `notices-2026.csv`, `step 3`) is none."""
    text = text[:TEXT_LIMIT]
    named = blanked(text, names(text, words))
    found = dates(named, words)
    times = clocks(named, found)
    rest = blanked(named, sorted((one.start, one.end) for one in (*found, *times)))
    every = sorted((*found, *times, *quantities(rest, words)), key=lambda one: one.start)
    return tuple(replace(one, text=text[one.start : one.end].strip()) for one in every[:LITERAL_LIMIT])


_WORD = re.compile(r"[^\W\d_]{2,}")


def context(text: str, literal: Literal) -> tuple[str, ...]:
    """Two words before and one after, which tell what the literal is about."""
    before = _WORD.findall(text[max(0, literal.start - 60) : literal.start].lower())
    after = _WORD.findall(text[literal.end : literal.end + 40].lower())
    return (*before[-2:], "…", *after[:1])
