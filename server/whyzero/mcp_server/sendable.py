"""Paths of an answer as a client may send them back: relative to the first root. What is quoted stays word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from whyzero.mcp_server.roots import Roots

if TYPE_CHECKING:
    from whyzero.analyses.report import NextStep, Report
    from whyzero.evidence import Output

R = TypeVar("R", bound="Report")
Said = TypeVar("Said", bound="Output")


def sendable(report: R, roots: Roots) -> R:
    """The report with its `path` fields and its next steps made relative; a step that cannot be sent is left out."""
    steps = tuple(sent for step in report.next_steps if (sent := _step(step, roots)))
    return _shown(report, roots).model_copy(update={"next_steps": steps})


def _shown(output: Said, roots: Roots) -> Said:
    changed = {}
    for name in type(output).model_fields:
        before = getattr(output, name)
        after = roots.shown(before) if name == "path" and isinstance(before, str) else _below(before, roots)
        if after is not before:
            changed[name] = after
    return output.model_copy(update=changed) if changed else output


def _below(value: object, roots: Roots) -> object:
    from whyzero.evidence import Output

    if isinstance(value, Output):
        return _shown(value, roots)
    if isinstance(value, tuple) and value and isinstance(value[0], Output):
        return tuple(_below(one, roots) for one in value)
    return value


def _step(step: NextStep, roots: Roots) -> NextStep | None:
    """None where a name on disk holds characters that would act on a terminal: it cannot be sent as it is."""
    arguments = {name: _sent(value, roots) for name, value in step.arguments.items()}
    if not all(text.isprintable() for value in arguments.values() for text in _texts(value)):
        return None
    return step.model_copy(update={"arguments": arguments})


def _sent(value: object, roots: Roots) -> object:
    if isinstance(value, list):
        return [_sent(one, roots) for one in value]
    return roots.shown(value) if isinstance(value, str) else value


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []
