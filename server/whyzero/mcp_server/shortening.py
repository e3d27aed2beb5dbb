"""How a report is made shorter: the same objects where nothing changes, and exact counts of what a shorter one lacks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from whyzero.text import clean

if TYPE_CHECKING:
    from whyzero.evidence import Output

Said = TypeVar("Said", bound="Output")

WORDS = frozenset({"tool", "cause", "what", "whose", "kind", "of", "format", "arguments", "omitted"})
"""Fields that are no free text, or are not to be changed."""
NAMES = frozenset({"id", "path", "pointer", "trial", "trials", "task", "run", "name", "key", "field", "row", "rows"})
"""Fields that somebody may send back: shortened last of all."""


def is_output(value: object) -> bool:
    """Part of a report."""
    from whyzero.evidence import Output

    return isinstance(value, Output)


def outputs(output: Output) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The lists of outputs in an output."""
    for name, value in output:
        if isinstance(value, tuple) and value and is_output(value[0]):
            yield name, value


def at(report: Output, path: tuple[str, ...]) -> tuple[Any, ...]:
    """The list at a path of fields."""
    value: Any = report
    for name in path:
        value = getattr(value, name)
    return value if isinstance(value, tuple) else ()


def first_of(report: Said, path: tuple[str, ...], n: int) -> Said:
    """With the first n members of the list at a path of one or two fields."""
    kept = at(report, path)[:n]
    if len(path) == 1:
        return report.model_copy(update={path[0]: kept})
    return report.model_copy(update={path[0]: getattr(report, path[0]).model_copy(update={path[1]: kept})})


def changed(output: Said, change: Callable[[str, Any], Any]) -> Said:
    """With `change(field, value)` for every field at every depth; the same object where all values stay the same."""
    update: dict[str, Any] = {}
    for name, value in output:
        now = change(name, value)
        if is_output(now):
            now = changed(now, change)
        elif isinstance(now, tuple) and now and is_output(now[0]):
            all_of_it = tuple(changed(one, change) for one in now)
            now = all_of_it if any(a is not b for a, b in zip(all_of_it, now, strict=True)) else now
        if now is not value:
            update[name] = now
    return output.model_copy(update=update) if update else output


def short_quote(most: int) -> Callable[[str, Any], Any]:
    """Cuts the words of logs to so many characters; a cut shows as `…`."""

    def change(name: str, value: Any) -> Any:
        return clean(value, most) if name in ("quote", "first_error") and isinstance(value, str) and len(value) > most else value

    return change


def short_text(most: int, names: bool = False) -> Callable[[str, Any], Any]:
    """Cuts every text to so many characters as JSON writes it; names only where that is asked for."""

    def change(name: str, value: Any) -> Any:
        if name in WORDS or (name in NAMES and not names):
            return value
        return _short(value, most)

    return change


def _short(value: Any, most: int) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum) and len(value) > most // 12 and _written(value) > most:
        return clean(value, max(most * len(value) // _written(value) - 1, 4))
    if isinstance(value, (tuple, list)) and value and not is_output(value[0]):
        all_of_it = type(value)(_short(one, most) for one in value)
        return all_of_it if all_of_it != value else value
    if isinstance(value, dict):
        every = {name: _short(one, most) for name, one in value.items()}
        return every if every != value else value
    return value


def _written(text: str) -> int:
    return len(json.dumps(text)) - 2


def few_members(most: int) -> Callable[[str, Any], Any]:
    """The first members of lists of plain values and of tables by name."""

    def change(name: str, value: Any) -> Any:
        if name in WORDS or not isinstance(value, (tuple, dict)) or len(value) <= most:
            return value
        if isinstance(value, dict):
            return dict(list(value.items())[:most])
        return value if is_output(value[0]) or isinstance(value[0], float) else value[:most]

    return change


def left_out(before: Output, now: Output, part: str = "") -> Counter[str]:
    """What the shorter of two forms of a report lacks, by field: members of lists that both show, and texts that were emptied.

    Lists are cut from their ends only. What stood within a member that went itself is not counted beside it.
    """
    count: Counter[str] = Counter()
    for name, old in before:
        new = getattr(now, name)
        if old is new or name in ("next_steps", "omitted", "arguments"):
            continue
        if is_output(old):
            count += left_out(old, new, name)
        elif isinstance(old, str):
            count[part or name] += bool(old) and not new
        elif isinstance(old, (tuple, dict)):
            count[f"{part}_{name}" if part else name] += len(old) - len(new)
            if isinstance(old, tuple) and old and is_output(old[0]):
                for one, other in zip(old, new, strict=False):
                    count += left_out(one, other) if one is not other else Counter()
    return +count
