"""What the source says about a row: the corpus lines that hold its key, and which of them a rule matches.

Two nets are drawn: the rule, which says what a sound row's sentence looks like, and a wider one, which must match everything
the rule does. Where it does not, the check is refused with the first counterexample.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from whyzero.analyses.partition.key import AnswerKey
from whyzero.errors import UsageError
from whyzero.readers.corpus import Line

WORD = re.compile(r"\w+")
SHOWN = 5
"""Sentences kept of one row."""


@dataclass(frozen=True, slots=True)
class Nets:
    """The regular expressions, each searched in one line at a time."""

    rule: re.Pattern[str] | None = None
    wide: re.Pattern[str] | None = None
    candidates: Mapping[str, re.Pattern[str]] = field(default_factory=dict)


@dataclass
class Findings:
    """What the whole corpus gave."""

    lines: int = 0
    counterexample: Line | None = None
    """First line that the rule matches and the wide net does not."""
    spoken: set[int] = field(default_factory=set)
    """Rows that have a sentence."""
    sound: set[int] = field(default_factory=set)
    """Rows of which a sentence matches the rule."""
    kept: dict[str, set[int]] = field(default_factory=dict)
    """Candidate rule -> rows of which a sentence matches it."""
    sentences: dict[int, list[Line]] = field(default_factory=lambda: defaultdict(list))
    """Row -> the first sentences that the wide net matches."""
    more: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Row -> sentences beyond those."""


def compiled(flag: str, pattern: str) -> re.Pattern[str]:
    """A regular expression of the user's.

    Raises:
        UsageError: it does not compile.
    """
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(f"{flag} is no regular expression: {error}. Mend it: it is read by Python's `re`.") from None


def search(lines: Iterable[Line], key: AnswerKey, nets: Nets, wanted: set[int]) -> Findings:
    """Read the corpus once. `wanted`: rows whose sentences are kept for show."""
    found = Findings(kept={name: set() for name in nets.candidates})
    speakers = KeyFinder(key)
    for line in lines:
        found.lines += 1
        ruled = nets.rule is not None and nets.rule.search(line.text) is not None
        caught = nets.wide.search(line.text) is not None if nets.wide else True
        if ruled and not caught and found.counterexample is None:
            found.counterexample = line
        rows = list(speakers.rows(line.text))
        if not rows:
            continue
        found.spoken.update(rows)
        if ruled:
            found.sound.update(rows)
        for name, candidate in nets.candidates.items():
            if candidate.search(line.text):
                found.kept[name].update(rows)
        if caught:
            _keep(found, line, [row for row in rows if row in wanted])
    return found


def _keep(found: Findings, line: Line, rows: list[int]) -> None:
    for row in rows:
        if len(found.sentences[row]) < SHOWN:
            found.sentences[row].append(line)
        else:
            found.more[row] += 1


class KeyFinder:
    """Finds which rows' keys stand in a line, as whole words: `P-1` stands in neither `P-12` nor `P-1-2`, `7` not in `7.5`."""

    def __init__(self, key: AnswerKey) -> None:
        self._parts = [(name,) if isinstance(name, str) else name for name in key.keys]
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._wordless: list[int] = []
        for row, parts in enumerate(self._parts):
            longest = max(parts, key=len, default="")
            word = WORD.search(longest)
            if word:
                self._by_word[word.group()].append(row)
            elif longest:
                self._wordless.append(row)

    def rows(self, text: str) -> Iterator[int]:
        """Rows all parts of whose key stand in the line."""
        candidates = dict.fromkeys(row for word in set(WORD.findall(text)) for row in self._by_word.get(word, ()))
        for row in [*candidates, *self._wordless]:
            if all(stands_in(part, text) for part in self._parts[row]):
                yield row


def stands_in(part: str, text: str) -> bool:
    """Whether a key, or a part of one, stands in a text as a whole."""
    if not part:
        return True
    at = text.find(part)
    while at >= 0:
        if _bounded(text, at, at + len(part)):
            return True
        at = text.find(part, at + 1)
    return False


_JOINED_BEFORE = re.compile(r"\w\Z|\w-\Z")
_JOINED_AFTER = re.compile(r"\w|-\w")
_DECIMAL_BEFORE = re.compile(r"\d\.\Z")
_DECIMAL_AFTER = re.compile(r"\.\d")


def _bounded(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    first, last = text[start], text[end - 1]
    if WORD.match(first) and (_JOINED_BEFORE.search(before) or (first.isdigit() and _DECIMAL_BEFORE.search(before))):
        return False
    return not (WORD.match(last) and (_JOINED_AFTER.match(after) or (last.isdigit() and _DECIMAL_AFTER.match(after))))
