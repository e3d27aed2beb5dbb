"""A next step as the command line to type, or as the tool call to make."""

from __future__ import annotations

import json
import shlex

from whyzero.analyses.report import NextStep
from whyzero.render.blocks import flat

POSITIONAL = ("path", "paths", "before", "after", "cause")
SINGULAR = {"fields": "field", "rows": "row"}


def as_command(step: NextStep) -> str:
    """`whyzero classify-zero RUN --trial ID`, quoted for a POSIX shell."""
    words = ["whyzero", step.tool.replace("_", "-")]
    for name in POSITIONAL:
        if name in step.arguments:
            words += _values(step.arguments[name])
    for name, value in step.arguments.items():
        if name in POSITIONAL or value is None or value is False:
            continue
        flag = "--" + SINGULAR.get(name, name).replace("_", "-")
        if value is True:
            words.append(flag)
        else:
            words += [word for one in _values(value) for word in (flag, one)]
    return " ".join(shlex.quote(flat(word)) for word in words)


def as_call(step: NextStep) -> str:
    """`classify_zero(path="RUN", trial="ID")`."""
    arguments = ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in step.arguments.items()
    )
    return flat(f"{step.tool}({arguments})")


def _values(value: object) -> list[str]:
    if isinstance(value, list | tuple):
        return [str(one) for one in value]
    return [json.dumps(value, ensure_ascii=False, default=str)] if isinstance(value, dict) else [str(value)]
