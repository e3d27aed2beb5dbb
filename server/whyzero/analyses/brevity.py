"""A concise answer about very many trials stays within a fixed size: lists give up their ends, and what goes is counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from whyzero.analyses.report import NextStep, Report
from whyzero.evidence import Output, dump

LIMIT = 4000
"""Characters of the JSON as it is printed, about a thousand tokens."""

R = TypeVar("R", bound=Report)


def within_limit(report: R, order: Sequence[tuple[str, int]], paged: str = "trials") -> R:
    """Shorten the lists named in `order`, one after the other and no further than given, until the answer fits.

    Args:
        paged: the list whose next page a step of the answer asks for; that step follows it.
    """
    for name, least in order:
        while len(_printed(report)) > LIMIT and len(_list(report, name)) > least:
            report = _shorter(report, name, paged)
    return report


def given_up(whole: Sequence[Output], shown: Sequence[Output], fields: Sequence[str]) -> dict[str, int]:
    """How much of these fields the entries shown lack of what they had: members of lists, texts."""
    lost: Counter[str] = Counter()
    for before, after in zip(whole, shown, strict=False):
        for name in fields:
            had, has = getattr(before, name), getattr(after, name)
            lost[name] += len(had) - len(has) if isinstance(had, tuple) else bool(had) and not has
    return {name: n for name, n in lost.items() if n}


def _printed(report: Report) -> str:
    return json.dumps(dump(report), indent=2, ensure_ascii=False)


def _list(report: Report, name: str) -> tuple[object, ...]:
    """A list of the report, or one within a part of it (`ranking.pairs`)."""
    value: object = report
    for part in name.split("."):
        value = getattr(value, part, None)
    return value if isinstance(value, tuple) else ()


def _shorter(report: R, name: str, paged: str) -> R:
    kept = _list(report, name)[:-1]
    outer, _, inner = name.partition(".")
    if inner:
        return report.model_copy(
            update={outer: getattr(report, outer).model_copy(update={inner: kept}), "omitted": _one_more(report, name)}
        )
    if name == "next_steps":
        return report.model_copy(update={name: _without_one(report.next_steps)})
    steps = tuple(_sooner(step) for step in report.next_steps) if name == paged else report.next_steps
    return report.model_copy(update={name: kept, "next_steps": steps, "omitted": _one_more(report, name)})


def _without_one(steps: tuple[NextStep, ...]) -> tuple[NextStep, ...]:
    """The last step goes, but never the one that asks for the rest."""
    last = max((n for n, step in enumerate(steps) if "offset" not in step.arguments), default=len(steps) - 1)
    return steps[:last] + steps[last + 1 :]


def _one_more(report: Report, name: str) -> dict[str, int]:
    key = name.replace(".", "_")
    return {**report.omitted, key: report.omitted.get(key, 0) + 1}


def _sooner(step: NextStep) -> NextStep:
    """The call for the next page begins where this one now ends."""
    offset = step.arguments.get("offset")
    return step.model_copy(update={"arguments": {**step.arguments, "offset": offset - 1}}) if isinstance(offset, int) else step
