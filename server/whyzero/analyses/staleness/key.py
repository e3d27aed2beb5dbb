"""Key: was every graded field asked for in the brief that this trial was given?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from whyzero.analyses.staleness.anchor import anchor
from whyzero.analyses.staleness.checked import Checked, Moved, cannot_tell, fresh, stale
from whyzero.analyses.staleness.given import Given, is_named
from whyzero.analyses.staleness.names import blanked, files
from whyzero.evidence import Evidence
from whyzero.question import KeyFile, Question

SHOWN = 20
MOSTLY = 0.5
"""Share of a file's fields that today's brief must name before the file counts as a key nobody pointed at."""


def check_key(
    given: Given | None,
    question: Question | None,
    keys: Sequence[KeyFile],
    fields: Sequence[str],
    candidates: tuple[str, ...],
    *,
    pointed_at: bool,
    unmoved: str | None,
) -> Checked:
    """Look for each graded field in the brief on record.

    Args:
        candidates: names of the answer file that may anchor the brief.
        pointed_at: the key files were named by the caller, not found in the task folder.
        unmoved: how we know that brief and key are the same as in the trial, where a digest says so.
    """
    today = "\n".join(text.text for text in question.briefs) if question else ""
    graded = tuple(fields) or graded_fields(keys, today, pointed_at)
    if given is None:
        return (
            fresh(unmoved)
            if unmoved
            else cannot_tell("No prompt is on record, and nothing tells which brief the trial was given.")
        )
    if not graded:
        return fresh(unmoved) if unmoved else cannot_tell("No graded field is known: name the answer key (oracle) or the fields.")
    missing = [name for name in graded if not asked_for(name, given.whole)]
    name = anchor(given, candidates)
    moved = _renamed(given, question, candidates, name)
    if not missing and moved is None:
        return fresh(f"All graded fields ({', '.join(graded[:SHOWN])}) stand in {given.source}.")
    if unmoved:
        return fresh(f"{unmoved} What it does not name ({', '.join(missing) or name}) it did not name then either.")
    if name is None:
        return cannot_tell(
            f"{_listed(missing)} not named in {given.source}, but neither is the answer file"
            f"{_any(candidates)}: this text may not be the brief."
        )
    if not given.complete:
        return cannot_tell(f"{_listed(missing)} not named in {given.source}, which was too long to be read whole.")
    lacking = tuple(Moved(what=f"field {field}", recorded=None, current=_in_key(field, keys)) for field in missing)
    every = (*((moved,) if moved else ()), *lacking)
    place = next((message for message in given.messages if is_named(name, message.whole)), given.messages[-1])
    evidence = (Evidence(path=place.path, line=place.line, pointer=place.pointer, quote=place.text),)
    return stale(f"{given.source.capitalize()} names the answer file {name}, but not {_words(every)}.", every, evidence)


def graded_fields(keys: Sequence[KeyFile], today: str, pointed_at: bool) -> tuple[str, ...]:
    """Fields of the keys. A file nobody pointed at, and an object whose members may be row names, must be vouched for by today's brief."""
    graded: list[str] = []
    for key in keys:
        if key.fields and (pointed_at and not key.flat):
            graded += key.fields
        elif key.fields and today:
            named = [field for field in key.fields if asked_for(field, today)]
            if len(named) >= MOSTLY * len(key.fields):
                graded += named if key.flat else key.fields
        elif key.fields and not key.flat:
            graded += key.fields
    return tuple(dict.fromkeys(graded))


@lru_cache(maxsize=4096)
def asked_for(field: str, text: str) -> bool:
    """The field's name stands in the text as a whole word, not inside a file's name."""
    words = text if not field.isidentifier() else _words_of(text)
    return re.search(rf"(?i)(?<!\w){re.escape(field)}(?!\w)", words) is not None


@lru_cache(maxsize=512)
def _words_of(text: str) -> str:
    return blanked(text, files(text))


def _renamed(given: Given, question: Question | None, candidates: tuple[str, ...], name: str | None) -> Moved | None:
    """Today's brief asks for another answer file than the one this trial was told to write."""
    asked = question.deliverables if question else ()
    if name is None or not asked or any(is_named(one, given.whole) for one in asked):
        return None
    return Moved(what="answer file", recorded=name, current=asked[0])


def _in_key(field: str, keys: Sequence[KeyFile]) -> str:
    holder = next((key.name for key in keys if field in key.fields), None)
    return f"`{field}` in {holder}" if holder else f"`{field}`"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return f"{shown or 'The answer file of today'} {'is' if len(names) < 2 else 'are'}"


def _any(candidates: tuple[str, ...]) -> str:
    return f" ({' or '.join(candidates[:3])})" if candidates else ""


def _words(moved: Sequence[Moved]) -> str:
    return ", ".join(
        f"{one.what.removeprefix('field ')}" if one.what.startswith("field ") else f"{one.current}" for one in moved[:SHOWN]
    )
