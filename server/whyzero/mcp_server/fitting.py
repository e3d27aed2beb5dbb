"""An answer that fits: a model pays for every word of it, so detail gives way and then whole entries, and what goes is counted.

A concise answer keeps every trial as long as it can, and the decisive evidence of every trial it shows. A detailed one keeps
every detail, and goes on on the next page.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcp_types import CallToolResult, TextContent

from whyzero.mcp_server.shortening import (
    at,
    changed,
    few_members,
    first_of,
    is_output,
    left_out,
    outputs,
    short_quote,
    short_text,
)

if TYPE_CHECKING:
    from whyzero.analyses.report import NextStep, Report
    from whyzero.evidence import Output

CONCISE, DETAILED = 4_000, 20_000
"""Characters of each channel: about 1,000 and 5,000 tokens."""
SHORT_QUOTE = 80
STEPS_KEPT = 2
MEMBERS_KEPT = 6
"""Of a list of names within an entry."""
MAIN = frozenset({"trials", "rows", "pairs"})
"""What was asked about; all other lists stand beside it."""
KEPT_WHOLE = frozenset({"incidents"})
"""Lists within an entry of which each member says something else."""


def in_both_channels(report: Report) -> CallToolResult:
    """A report in both channels."""
    from whyzero.evidence import dump
    from whyzero.render import markdown

    return CallToolResult(content=[TextContent(type="text", text=markdown(report))], structured_content=dump(report))


def fitted(report: Report, limit: int = DETAILED, rest: NextStep | None = None) -> Report:
    """As much of the report as `limit` characters of each channel hold.

    Args:
        rest: this same question again, `offset` included; asked for where trials find no room. Where the report itself asks for
            its next page, that step gets the arguments of this one: an analysis does not know all that was asked.
    """
    page = _Page(report, limit, rest)
    if page.fits(report):
        return page.told(report)
    now = _what_could_fit(report, limit)
    for find in CONCISELY if limit <= CONCISE else IN_DETAIL if rest is not None else IN_DETAIL_ON_ONE_PAGE:
        for cut in find(now):
            if page.fits(now):
                return page.told(now)
            now = page.as_little_as_needed(cut, now)
    return page.told(now)


@dataclass(frozen=True, slots=True)
class Cut:
    """Something that can be left out in steps, from the end: `do(report, n)` takes the last n of `most`."""

    most: int
    do: Callable[[Report, int], Report]


@dataclass(frozen=True, slots=True)
class _Page:
    """What there was to say, and the room for it."""

    whole: Report
    limit: int
    rest: NextStep | None

    def fits(self, report: Report) -> bool:
        from whyzero.evidence import dump
        from whyzero.render import markdown

        said = self.told(report)
        return len(json.dumps(dump(said))) <= self.limit and len(markdown(said)) <= self.limit

    def told(self, report: Report) -> Report:
        """With counts of all that is missing, and the step for the next page, which begins where this one ends."""
        omitted = dict(Counter(self.whole.omitted) + left_out(self.whole, report))
        steps = report.next_steps
        cut = len(getattr(self.whole, "trials", ())) - len(shown := getattr(report, "trials", ()))
        if own := [step for step in steps if "offset" in step.arguments]:
            same = self.rest.arguments if self.rest is not None else {}
            turned = {id(step): _from(step, step.arguments["offset"], -cut, same) for step in own}
            steps = tuple(turned.get(id(step), step) for step in steps)
        elif self.rest is not None and omitted.get("trials"):
            steps += (_from(self.rest, self.rest.arguments["offset"], len(shown)),)
        if omitted == self.whole.omitted == report.omitted and steps == report.next_steps:
            return report
        return report.model_copy(update={"omitted": omitted, "next_steps": steps})

    def as_little_as_needed(self, cut: Cut, report: Report) -> Report:
        """The smallest cut that fits, found by halving; the whole cut where none does."""
        found, least, most = cut.do(report, cut.most), 0, cut.most
        if not self.fits(found):
            return found
        while most - least > 1:
            middle = (least + most) // 2
            tried = cut.do(report, middle)
            if self.fits(tried):
                found, most = tried, middle
            else:
                least = middle
        return found


def _from(step: NextStep, offset: object, later: int, same: dict[str, object] | None = None) -> NextStep:
    """The step, asking for the trials from `offset + later` on, with the arguments of the same question where they are given."""
    arguments = {**step.arguments, **(same or {}), "offset": offset + later if isinstance(offset, int) else offset}
    return step if arguments == step.arguments else step.model_copy(update={"arguments": arguments})


def _what_could_fit(report: Report, limit: int) -> Report:
    """Without the ends of lists that could not be shown if there were nothing else: a thousand entries are not weighed one by one."""
    from whyzero.evidence import dump

    for path in _lists(report):
        size = 0
        for n, entry in enumerate(at(report, path)):
            size += len(json.dumps(dump(_shortest(entry) if limit <= CONCISE and is_output(entry) else entry)))
            if n and size > limit:
                report = first_of(report, path, n)
                break
    return report


def _lists(report: Report) -> list[tuple[str, ...]]:
    """Paths of the lists that are no evidence and no steps, and of those in the parts of the report."""
    own = [(name,) for name, value in report if name not in ("next_steps", "evidence") and isinstance(value, tuple)]
    return own + [(outer, name) for outer, part in report if is_output(part) for name, value in part if _is_list(value)]


def _is_list(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and not isinstance(value[0], float)


# ---- what can be left out


def _more_of_an_entry(report: Report) -> Iterator[Cut]:
    """All but the first member of the lists within trials, rows and pairs: the decisive evidence comes first."""
    yield from _in_entries(report, _first_alone)


def _long_lists_of_names(report: Report) -> Iterator[Cut]:
    yield from _in_entries(report, lambda entry: changed(entry, few_members(MEMBERS_KEPT)))


def _long_quotes(report: Report) -> Iterator[Cut]:
    """The ends of quotes within the entries; a cut shows as `…`."""
    yield from _in_entries(report, lambda entry: changed(entry, short_quote(SHORT_QUOTE)))


def _checks_of_entries(report: Report) -> Iterator[Cut]:
    """What could show the finding of an entry wrong: the report itself keeps its own."""
    yield from _in_entries(report, _without_check)


def _grounds(report: Report) -> Iterator[Cut]:
    """The grounds of the checks of a trial, first of those that found nothing."""
    yield from _in_entries(report, lambda entry: _without_grounds(entry, {"fresh"}))
    yield from _in_entries(report, _without_grounds)


def _incidents(report: Report) -> Iterator[Cut]:
    """What happened beside a failure and did not decide it."""
    yield from _in_entries(report, _without_incidents)


def _entries(report: Report) -> Iterator[Cut]:
    """The ends of the lists themselves, the longest in characters first: of side lists down to three, then of all to one."""
    lists = sorted(_lists(report), key=lambda path: -len(str(at(report, path))))
    side = [path for path in lists if path[0] not in MAIN]
    yield from _down_to(report, [(path, 3) for path in side])
    yield from _down_to(report, [(path, 1) for path in lists if path[0] in MAIN] + [(path, 1) for path in side])


def _side_lists(report: Report) -> Iterator[Cut]:
    """All of what stands beside the thing that was asked about."""
    yield from _down_to(report, [(path, 0) for path in reversed(_lists(report)) if path[0] not in MAIN])


def _down_to(report: Report, order: list[tuple[tuple[str, ...], int]]) -> Iterator[Cut]:
    for path, least in order:
        if (most := len(at(report, path)) - least) > 0:
            yield Cut(most, lambda report, n, path=path: first_of(report, path, max(len(at(report, path)) - n, 0)))  # type: ignore[misc]


def _less_urgent_steps(report: Report, kept: int = STEPS_KEPT) -> Iterator[Cut]:
    """Steps after the first two, but never the one that asks for the rest."""

    def cut(report: Report, n: int) -> Report:
        loose = [place for place, step in enumerate(report.next_steps) if "offset" not in step.arguments][-n:]
        return report.model_copy(
            update={"next_steps": tuple(s for place, s in enumerate(report.next_steps) if place not in loose)}
        )

    loose = sum("offset" not in step.arguments for step in report.next_steps)
    if loose > kept:
        yield Cut(loose - kept, cut)


def _second_evidence(report: Report) -> Iterator[Cut]:
    """Evidence of the report itself after the first."""
    if len(getattr(report, "evidence", ())) > 1:
        yield from _down_to(report, [(("evidence",), 1)])


def _everywhere(change: Callable[[str, object], object]) -> Callable[[Report], Iterator[Cut]]:
    def find(report: Report) -> Iterator[Cut]:
        yield Cut(1, lambda report, _: changed(report, change))

    return find


ONLY_WHERE_ALL_IS_LONG = (
    _everywhere(short_quote(SHORT_QUOTE)),
    _everywhere(short_text(600)),
    _everywhere(few_members(3)),
    _everywhere(short_text(200)),
    lambda report: _less_urgent_steps(report, 0),
    _everywhere(few_members(1)),
    _everywhere(short_text(80)),
    _side_lists,
    _everywhere(short_text(40, names=True)),
    _everywhere(few_members(0)),
)
CONCISELY = (
    _more_of_an_entry,
    _long_lists_of_names,
    _long_quotes,
    _checks_of_entries,
    _grounds,
    _less_urgent_steps,
    _incidents,
    _entries,
    _second_evidence,
    *ONLY_WHERE_ALL_IS_LONG,
)
IN_DETAIL = (
    _entries,
    _less_urgent_steps,
    _more_of_an_entry,
    _long_lists_of_names,
    _long_quotes,
    _checks_of_entries,
    _second_evidence,
    *ONLY_WHERE_ALL_IS_LONG,
)
IN_DETAIL_ON_ONE_PAGE = (_long_lists_of_names, *IN_DETAIL)
"""Where no next page holds what goes: rows rather than the names of all models that found each."""


# ---- how an entry becomes shorter


def _in_entries(report: Report, shorten: Callable[[Output], Output]) -> Iterator[Cut]:
    """One cut for each list of the report: its entries, from the last one up, in their short form."""
    for name, entries in outputs(report):
        if name in ("evidence", "next_steps", "problems"):
            continue
        if touched := [place for place, entry in enumerate(entries) if shorten(entry) is not entry]:

            def cut(report: Report, n: int, name: str = name, touched: list[int] = touched) -> Report:
                now = list(getattr(report, name))
                for place in touched[-n:]:
                    now[place] = shorten(now[place])
                return report.model_copy(update={name: tuple(now)})

            yield Cut(len(touched), cut)


def _shortest(entry: Output) -> Output:
    """All that a concise answer takes from an entry before it leaves the entry out."""
    entry = _without_incidents(_without_grounds(_without_check(_first_alone(entry))))
    return changed(changed(entry, few_members(MEMBERS_KEPT)), short_quote(SHORT_QUOTE))


def _first_alone(entry: Output) -> Output:
    update = {name: value[:1] for name, value in outputs(entry) if len(value) > 1 and name not in KEPT_WHOLE}
    return entry.model_copy(update=update) if update else entry


def _without_check(entry: Output) -> Output:
    return entry.model_copy(update={"disproving_check": ""}) if getattr(entry, "disproving_check", "") else entry


def _without_incidents(entry: Output) -> Output:
    return entry.model_copy(update={"incidents": ()}) if getattr(entry, "incidents", ()) else entry


def _without_grounds(entry: Output, of: frozenset[str] | set[str] | None = None) -> Output:
    how = getattr(entry, "how", None)
    said = [name for name, grounds in how or () if grounds and (of is None or getattr(entry, name) in of)]
    if how is None or not said:
        return entry
    return entry.model_copy(update={"how": how.model_copy(update=dict.fromkeys(said, ""))})
