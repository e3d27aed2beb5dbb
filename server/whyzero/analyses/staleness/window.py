"""Window: are the dates and counts of the brief that the trial was given still those of today's brief?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from whyzero.analyses.staleness.anchor import anchor
from whyzero.analyses.staleness.checked import Checked, Moved, cannot_tell, fresh, stale
from whyzero.analyses.staleness.given import Given
from whyzero.analyses.staleness.language import ENGLISH, Language
from whyzero.analyses.staleness.literals import context, literals
from whyzero.analyses.staleness.values import Days, Kind, Length, Literal, lengths, same
from whyzero.evidence import Evidence
from whyzero.question import Question

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Said:
    """A literal, and the text it stands in."""

    literal: Literal
    text: str
    part: int
    """Which text of its side."""

    @property
    def about(self) -> tuple[str, ...]:
        return context(self.text, self.literal)


def check_window(
    given: Given | None, question: Question | None, candidates: tuple[str, ...], *, unmoved: str | None, words: Language = ENGLISH
) -> Checked:
    """Compare the literals of both briefs as values; see `compare` for what counts as moved."""
    if unmoved:
        return fresh(unmoved)
    if question is None or not question.briefs:
        return cannot_tell("There is no brief of today to compare with: give the task.")
    if given is None:
        return cannot_tell("No prompt is on record, and nothing tells which brief the trial was given.")
    then = [Said(one, m.text, n) for n, m in enumerate(given.messages) for one in literals(m.text, words)]
    around = [Said(one, m.whole, n) for n, m in enumerate(given.messages) for one in literals(m.whole, words)]
    now = [Said(one, b.text, n) for n, b in enumerate(question.briefs) for one in literals(b.text, words)]
    then = [said for said in then if said.part in _of_the_brief(given, question, candidates)]
    pairs = compare(then, now, around)
    compared = _compared(then, now)
    if not pairs:
        return fresh(f"The dates and counts of {given.source} are those of today's brief ({compared}).")
    name = anchor(given, candidates)
    if name is None:
        return cannot_tell(
            f"The dates and counts differ ({_pair(pairs[0])}), but the text on record does not name the answer file: it may not be the brief."
        )
    if not given.complete and all(a is None for a, _ in pairs):
        return cannot_tell(
            f"{given.source.capitalize()} was too long to be read whole, and what is missing may stand in the rest."
        )
    if not given.verbatim and all(b is None and _apart(a, question) for a, b in pairs):
        return cannot_tell(
            f"{given.source.capitalize()} says {_quote(pairs[0][0])} in a paragraph that has no counterpart in today's brief: "
            "a note of the harness, or a passage that was taken out."
        )
    moved = tuple(Moved(what=f"window: {_kind(a, b)}", recorded=_quote(a), current=_quote(b)) for a, b in pairs[:SHOWN])
    evidence = tuple(_evidence(given, question, pairs))
    return stale(f"{given.source.capitalize()} and today's brief name other dates or counts: {_pair(pairs[0])}.", moved, evidence)


Pair = tuple[Said | None, Said | None]


def compare(then: Sequence[Said], now: Sequence[Said], around: Sequence[Said]) -> list[Pair]:
    """Literals that moved, as (then, now) pairs.

    A literal of today that the trial was not given anywhere (`around`), a literal of the old brief that today's lacks,
    and a literal whose neighbouring words are the same while its value is not. A range may be written as its two ends,
    and the length of a range may be said or left out.
    """
    added = [b for b in now if not _among(b, around) and not _among(b, then)]
    gone = [a for a in then if not _among(a, now)]
    added, gone = _without_split_ranges(added, gone, then, now)
    added, gone = _without_implied_lengths(added, gone, then, now)
    pairs: list[Pair] = []
    for a, b in _at_the_same_place(then, now):
        pairs.append((a, b))
        added = [one for one in added if one is not b]
        gone = [one for one in gone if one is not a]
    pairs += _leftovers(gone, added)
    return pairs or _shifted(then, now)


def _among(one: Said, others: Sequence[Said]) -> bool:
    return any(same(one.literal, other.literal) for other in others)


def _at_the_same_place(then: Sequence[Said], now: Sequence[Said]) -> list[tuple[Said, Said]]:
    """Literals with the same words around them, found once on each side, that mean different values.

    Where both values stand on both sides, one such pair alone comes from rewording; values that changed places make two.
    """
    seen_then, seen_now = Counter((s.literal.kind, s.about) for s in then), Counter((s.literal.kind, s.about) for s in now)
    where = {(b.literal.kind, b.about): b for b in now}
    changed: list[tuple[Said, Said]] = []
    permuted: list[tuple[Said, Said]] = []
    for a in then:
        key = (a.literal.kind, a.about)
        b = where.get(key)
        if b is not None and seen_then[key] == seen_now[key] == 1 and len(a.about) > 2 and not same(a.literal, b.literal):
            (permuted if _among(a, now) and _among(b, then) else changed).append((a, b))
    return [*changed, *(permuted if len(permuted) > 1 else [])]


def _leftovers(gone: list[Said], added: list[Said]) -> Iterator[Pair]:
    """What has no counterpart by its place is paired by kind, in order of the text."""
    rest = list(added)
    for a in gone:
        b = next((one for one in rest if one.literal.kind is a.literal.kind), None)
        if b is not None:
            rest.remove(b)
        yield a, b
    yield from ((None, b) for b in rest)


def _shifted(then: Sequence[Said], now: Sequence[Said]) -> list[Pair]:
    """One value stands more often than it did, another of its kind less often: a literal took a value that was there before."""
    pairs: list[Pair] = []
    for kind in Kind:
        fewer: list[Said] = []
        more: list[Said] = []
        for one in {id(s): s for s in (*then, *now) if s.literal.kind is kind}.values():
            n_then, n_now = (sum(same(one.literal, s.literal) for s in side if s.literal.kind is kind) for side in (then, now))
            if n_then > n_now > 0 and not any(same(one.literal, s.literal) for s in fewer):
                fewer.append(one)
            elif n_now > n_then > 0 and not any(same(one.literal, s.literal) for s in more):
                more.append(one)
        if fewer and more:
            pairs += zip(fewer, more, strict=False)
    return pairs


def _without_split_ranges(
    added: list[Said], gone: list[Said], then: Sequence[Said], now: Sequence[Said]
) -> tuple[list[Said], list[Said]]:
    """`from A to B` on one side and A and B apart on the other are the same window."""

    def split(side: Sequence[Said], other: Sequence[Said]) -> list[tuple[Said, Said, Said]]:
        lone = [s for s in other if (d := s.literal.days()) and d.first == d.last]
        found = []
        for whole in side:
            days = whole.literal.days()
            if days is None or days.first == days.last or _among(whole, other):
                continue
            first = next((s for s in lone if s.literal.days() == Days(days.first, days.first)), None)
            last = next((s for s in lone if s.literal.days() == Days(days.last, days.last)), None)
            if first and last:
                found.append((whole, first, last))
        return found

    same_window = [one for group in (*split(then, now), *split(now, then)) for one in group]
    known = {id(one) for one in same_window}
    return [s for s in added if id(s) not in known], [s for s in gone if id(s) not in known]


def _without_implied_lengths(
    added: list[Said], gone: list[Said], then: Sequence[Said], now: Sequence[Said]
) -> tuple[list[Said], list[Said]]:
    """A length that only says again how long an unmoved range is. Where a length came and another went, none is implied."""
    if any(s.literal.kind is Kind.DURATION for s in added) and any(s.literal.kind is Kind.DURATION for s in gone):
        return added, gone
    kept = [days for a in then if (days := a.literal.days()) and _among(a, now)]
    said: set[Length] = set().union(*(lengths(days) for days in kept)) if kept else set()
    return [s for s in added if not said & set(s.literal.readings)], [s for s in gone if not said & set(s.literal.readings)]


def _of_the_brief(given: Given, question: Question, candidates: tuple[str, ...]) -> set[int]:
    """Which messages are the brief: those that share a line's worth of words with today's, and those that name the answer file.

    The others are notes of the harness; what stands only there is no part of the question.
    """
    if len(given.messages) == 1:
        return {0}
    today = _shingles("\n".join(brief.text for brief in question.briefs))
    related = {n for n, m in enumerate(given.messages) if len(_shingles(m.text) & today) >= 2}
    named = {n for n, m in enumerate(given.messages) if anchor(Given((m,), ""), candidates)}
    return related | named or set(range(len(given.messages)))


def _apart(said: Said | None, question: Question) -> bool:
    """Its paragraph shares no run of words with today's brief."""
    if said is None:
        return False
    start = said.text.rfind("\n\n", 0, said.literal.start) + 1
    end = said.text.find("\n\n", said.literal.end)
    paragraph = _shingles(said.text[start : end if end >= 0 else len(said.text)])
    return not paragraph & _shingles("\n".join(brief.text for brief in question.briefs))


_WORD = re.compile(r"[^\W\d_]+")


def _shingles(text: str) -> set[tuple[str, ...]]:
    found = _WORD.findall(text.lower())
    return {tuple(found[n : n + 4]) for n in range(len(found) - 3)}


def _kind(a: Said | None, b: Said | None) -> str:
    one = b or a
    return one.literal.kind.value if one else ""


def _quote(said: Said | None) -> str | None:
    if said is None:
        return None
    after = re.match(r"\s*[^\W\d_]+", said.text[said.literal.end : said.literal.end + 40])
    noun = after.group() if after and said.literal.kind is Kind.COUNT else ""
    return " ".join((said.literal.text + noun).split())


def _pair(pair: Pair) -> str:
    a, b = (_quote(one) for one in pair)
    return f"{a or 'nothing of the kind'} then, {b or 'nothing of the kind'} now"


def _compared(then: Sequence[Said], now: Sequence[Said]) -> str:
    shown = list(dict.fromkeys(_quote(s) or "" for s in (now or then)))
    return ", ".join(shown[:6]) + (" …" if len(shown) > 6 else "") if shown else "there are none in either"


def _evidence(given: Given, question: Question, pairs: Sequence[Pair]) -> Iterator[Evidence]:
    """The sentences of the first pair, one of each side."""
    a = next((a for a, _ in pairs if a is not None), None)
    b = next((b for _, b in pairs if b is not None), None)
    if a is not None:
        message = given.messages[a.part]
        yield Evidence(path=message.path, line=message.line, pointer=message.pointer, quote=_sentence(a))
    if b is not None:
        brief = question.briefs[b.part]
        yield Evidence(path=brief.path, line=brief.text.count("\n", 0, b.literal.start) + 1, quote=_sentence(b))


def _sentence(said: Said) -> str:
    start = said.text.rfind("\n", 0, said.literal.start) + 1
    end = said.text.find("\n", said.literal.end)
    return said.text[max(start, said.literal.start - 150) : min(end if end >= 0 else len(said.text), said.literal.end + 150)]
