"""A next step as the command line to type, or as the tool call to make."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping

from whyzero.analyses.report import NextStep
from whyzero.render.blocks import Check, flat, piece

POSITIONAL = ("path", "paths", "before", "after", "base_url", "cause")
PATHS = frozenset({"path", "paths", "before", "after", "task", "oracle", "original", "corpus", "workspace", "against"})
"""Arguments that name a place on disk."""
SINGULAR = {"fields": "field", "rows": "row"}


def as_command(step: NextStep) -> str:
    """`whyzero classify-zero RUN --trial ID`, quoted for a POSIX shell; paths from the working directory where that is shorter."""
    words = ["whyzero", step.tool.replace("_", "-")]
    for name in POSITIONAL:
        if name in step.arguments:
            words += [_from_here(one) if name in PATHS else one for one in _values(step.arguments[name])]
    for name, value in _on_the_command_line(step.arguments):
        if name in POSITIONAL or value is None or value is False:
            continue
        flag = "--" + SINGULAR.get(name, name).replace("_", "-")
        if value is True:
            words.append(flag)
        else:
            words += [word for one in _values(value) for word in (flag, _from_here(one) if name in PATHS else one)]
    return " ".join(shlex.quote(flat(word)) for word in words)


def as_sentence(check: Check, code: Callable[[NextStep], str], text: Callable[[str], str] = str) -> str:
    """The check with each of its calls written by `code`, and what stands around them by `text`."""
    parts = (text(piece(part)) if isinstance(part, str) else code(part) for part in (check.before, *check.parts))
    return "".join(parts)


def _on_the_command_line(arguments: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """`managed: {kind, name, workspace}` is spread over flags, and asks for leave."""
    for name, value in arguments.items():
        if name == "managed" and isinstance(value, dict):
            yield from ({"managed": value.get("name")} | {k: v for k, v in value.items() if k != "name"}).items()
            yield "allow_network", True
        else:
            yield name, value


def as_call(step: NextStep) -> str:
    """`classify_zero(path="RUN", trial="ID")`."""
    arguments = ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in step.arguments.items()
    )
    return flat(f"{step.tool}({arguments})")


def _from_here(path: str) -> str:
    """The path as it may be typed in the working directory."""
    if not os.path.isabs(path):
        return path
    try:
        near = os.path.relpath(path)
    except (OSError, ValueError):  # no working directory any more, or another drive
        return path
    near = os.path.join(os.curdir, near) if near.startswith("-") else near
    return near if len(near) < len(path) else path


def _values(value: object) -> list[str]:
    if isinstance(value, list | tuple):
        return [str(one) for one in value]
    return [json.dumps(value, ensure_ascii=False, default=str)] if isinstance(value, dict) else [str(value)]
