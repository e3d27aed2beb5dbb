"""An answer that fits: a model pays for every word of it, so detail gives way and then whole entries, and what goes is counted.

A concise answer keeps every trial as long as it can, and the decisive evidence of every trial it shows. A detailed one keeps
every detail, and goes on on the next page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_types import CallToolResult, TextContent

from whyzero.text import clean

if TYPE_CHECKING:
    from whyzero.analyses.report import NextStep, Report
    from whyzero.evidence import Output

Said = TypeVar("Said", bound="Output")

CONCISE, DETAILED = 4_000, 20_000
"""Characters of each channel: about 1,000 and 5,000 tokens."""
SHORT_QUOTE = 80
STEPS_KEPT = 2
MAIN = frozenset({"trials", "rows", "pairs"})
"""What was asked about; all other lists stand beside it."""
KEPT_WHOLE = frozenset({"incidents"})
"""Lists within an entry of which each member says something else."""


def fitting(report: Report, limit: int = DETAILED, rest: NextStep | None = None) -> CallToolResult:
    """The report as structured content and as text, each within `limit` characters.

    Args:
        rest: this same question again, `offset` included; asked for where trials find no room and no step asks for them yet.
    """
    if rest is not None and report.omitted.get("trials") and not any("offset" in step.arguments for step in report.next_steps):
        report = _and(report, rest)
    for find in CONCISELY if limit <= CONCISE else IN_DETAIL:
        if _size(report) <= limit:
            break
        for cut in find(report):
            if _size(report) <= limit:
                break
            report = _as_little_as_needed(cut, report, limit, rest)
    structured, text = _channels(report)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=structured)


def _channels(report: Report) -> tuple[dict[str, Any], str]:
    from whyzero.evidence import dump
    from whyzero.render import markdown

    return dump(report), markdown(report)


def _size(report: Report) -> int:
    structured, text = _channels(report)
    return max(len(json.dumps(structured)), len(text))


@dataclass(frozen=True, slots=True)
class Cut:
    """Something that can be left out in steps, from the end: `do(report, n)` takes the last n of `most`."""

    most: int
    do: Callable[[Report, int], Report]


def _as_little_as_needed(cut: Cut, report: Report, limit: int, rest: NextStep | None) -> Report:
    """The smallest cut that fits, found by halving; the whole cut where none does."""

    def done(n: int) -> Report:
        return _asking_for_the_rest(cut.do(report, n), report, rest)

    fits, least = done(cut.most), 0
    if _size(fits) > limit:
        return fits
    most = cut.most
    while most - least > 1:
        middle = (least + most) // 2
        tried = done(middle)
        if _size(tried) <= limit:
            fits, most = tried, middle
        else:
            least = middle
    return fits


def _asking_for_the_rest(shorter: Report, before: Report, rest: NextStep | None) -> Report:
    """The step for the next page begins where this one now ends."""
    cut = len(getattr(before, "trials", ())) - len(getattr(shorter, "trials", ()))
    if not cut:
        return shorter
    if any("offset" in step.arguments for step in shorter.next_steps):
        return shorter.model_copy(update={"next_steps": tuple(_sooner(step, cut) for step in shorter.next_steps)})
    return _and(shorter, rest) if rest is not None else shorter


def _and(report: Report, rest: NextStep) -> Report:
    """With the step that asks for what follows the trials shown here."""
    return report.model_copy(update={"next_steps": (*report.next_steps, _sooner(rest, -len(getattr(report, "trials", ()))))})


def _sooner(step: NextStep, by: int) -> NextStep:
    offset = step.arguments.get("offset")
    return step.model_copy(update={"arguments": {**step.arguments, "offset": offset - by}}) if isinstance(offset, int) else step


# ---- what can be left out


def _more_of_an_entry(report: Report) -> Iterator[Cut]:
    """All but the first member of the lists within trials, rows and pairs: the decisive evidence comes first."""

    def first_alone(entry: Output) -> tuple[Output, dict[str, int]]:
        left: dict[str, int] = {}
        update: dict[str, object] = {}
        for name, value in _outputs(entry):
            if len(value) > 1 and name not in KEPT_WHOLE:
                update[name], left[name] = value[:1], len(value) - 1
        return (entry.model_copy(update=update), left) if update else (entry, left)

    yield from _in_entries(report, first_alone)


def _long_quotes(report: Report) -> Iterator[Cut]:
    """The ends of quotes within the entries; a cut shows as `…`."""

    def short(entry: Output) -> tuple[Output, dict[str, int]]:
        return _short_quotes(entry), {}

    yield from _in_entries(report, short)


def _checks_of_entries(report: Report) -> Iterator[Cut]:
    """What could show the finding of an entry wrong: the report itself keeps its own."""

    def without(entry: Output) -> tuple[Output, dict[str, int]]:
        found = getattr(entry, "disproving_check", "")
        return (entry.model_copy(update={"disproving_check": ""}), {"disproving_check": 1}) if found else (entry, {})

    yield from _in_entries(report, without)


def _grounds(report: Report) -> Iterator[Cut]:
    """The grounds of the checks of a trial, first of those that found nothing."""
    for all_of_them in (False, True):

        def without(entry: Output, all_of_them: bool = all_of_them) -> tuple[Output, dict[str, int]]:
            how = getattr(entry, "how", None)
            said = [name for name, grounds in how or () if grounds and (all_of_them or getattr(entry, name) == "fresh")]
            if how is None or not said:
                return entry, {}
            return entry.model_copy(update={"how": how.model_copy(update=dict.fromkeys(said, ""))}), {"how": len(said)}

        yield from _in_entries(report, without)


def _incidents(report: Report) -> Iterator[Cut]:
    """What happened beside a failure and did not decide it."""

    def without(entry: Output) -> tuple[Output, dict[str, int]]:
        beside = getattr(entry, "incidents", ())
        return (entry.model_copy(update={"incidents": ()}), {"incidents": len(beside)}) if beside else (entry, {})

    yield from _in_entries(report, without)


def _entries(report: Report) -> Iterator[Cut]:
    """The ends of the lists themselves, the longest in characters first: of side lists down to three, then of all to one."""
    lists: list[tuple[str, ...]] = [
        (name,) for name, value in report if name not in ("next_steps", "evidence") and isinstance(value, tuple)
    ]
    lists += [(outer, name) for outer, part in report if _is_output(part) for name, _ in _outputs(part)]
    lists.sort(key=lambda path: -len(str(_at(report, path))))
    side = [path for path in lists if path[0] not in MAIN]
    order = [(path, 3) for path in side] + [(path, 1) for path in lists if path[0] in MAIN] + [(path, 1) for path in side]
    left = {path: len(_at(report, path)) for path in lists}
    for path, least in order:
        if (most := left[path] - least) > 0:
            left[path] = least
            yield Cut(most, lambda report, n, path=path: _without_the_last(report, path, n))  # type: ignore[misc]


def _less_urgent_steps(report: Report) -> Iterator[Cut]:
    """Steps after the first two, but never the one that asks for the rest."""

    def cut(report: Report, n: int) -> Report:
        loose = [at for at, step in enumerate(report.next_steps) if "offset" not in step.arguments][-n:]
        return report.model_copy(update={"next_steps": tuple(s for at, s in enumerate(report.next_steps) if at not in loose)})

    loose = sum("offset" not in step.arguments for step in report.next_steps)
    if loose > STEPS_KEPT:
        yield Cut(loose - STEPS_KEPT, cut)


def _second_evidence(report: Report) -> Iterator[Cut]:
    """Evidence of the report itself after the first."""
    most = len(getattr(report, "evidence", ())) - 1
    if most > 0:
        yield Cut(most, lambda report, n: _without_the_last(report, ("evidence",), n))


def _every_long_quote(report: Report) -> Iterator[Cut]:
    yield Cut(1, lambda report, _: _short_quotes(report))


CONCISELY = (
    _more_of_an_entry,
    _long_quotes,
    _checks_of_entries,
    _grounds,
    _less_urgent_steps,
    _incidents,
    _entries,
    _second_evidence,
    _every_long_quote,
)
IN_DETAIL = (
    _entries,
    _less_urgent_steps,
    _more_of_an_entry,
    _long_quotes,
    _checks_of_entries,
    _second_evidence,
    _every_long_quote,
)


# ---- how it is done


def _in_entries(report: Report, shorten: Callable[[Output], tuple[Output, dict[str, int]]]) -> Iterator[Cut]:
    """One cut for each list of the report: its entries, from the last one up, in their short form."""
    for name, entries in _outputs(report):
        if name in ("evidence", "next_steps", "problems"):
            continue
        if touched := [at for at, entry in enumerate(entries) if shorten(entry)[0] is not entry]:

            def cut(report: Report, n: int, name: str = name, touched: list[int] = touched) -> Report:
                now, omitted = list(getattr(report, name)), dict(report.omitted)
                for at in touched[-n:]:
                    now[at], left = shorten(now[at])
                    for what, count in left.items():
                        omitted[what] = omitted.get(what, 0) + count
                return report.model_copy(update={name: tuple(now), "omitted": omitted})

            yield Cut(len(touched), cut)


def _without_the_last(report: Report, path: tuple[str, ...], n: int) -> Report:
    kept = _at(report, path)[:-n]
    name = "_".join(path)
    omitted = {**report.omitted, name: report.omitted.get(name, 0) + n}
    if len(path) == 1:
        return report.model_copy(update={path[0]: kept, "omitted": omitted})
    outer = getattr(report, path[0]).model_copy(update={path[1]: kept})
    return report.model_copy(update={path[0]: outer, "omitted": omitted})


def _at(report: Output, path: tuple[str, ...]) -> tuple[Any, ...]:
    value: Any = report
    for name in path:
        value = getattr(value, name)
    return value if isinstance(value, tuple) else ()


def _outputs(output: Output) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The lists of outputs in an output."""
    for name, value in output:
        if isinstance(value, tuple) and value and _is_output(value[0]):
            yield name, value


def _is_output(value: object) -> bool:
    from whyzero.evidence import Output

    return isinstance(value, Output)


def _short_quotes(output: Said) -> Said:
    """The same object where nothing in it is long."""
    update: dict[str, Any] = {}
    for name, value in output:
        shorter: Any = value
        if name in ("quote", "first_error") and isinstance(value, str):
            shorter = clean(value, SHORT_QUOTE) if len(value) > SHORT_QUOTE else value
        elif _is_output(value):
            shorter = _short_quotes(value)
        elif isinstance(value, tuple) and value and _is_output(value[0]):
            all_of_it = tuple(_short_quotes(one) for one in value)
            shorter = all_of_it if any(a is not b for a, b in zip(all_of_it, value, strict=True)) else value
        if shorter is not value:
            update[name] = shorter
    return output.model_copy(update=update) if update else output
