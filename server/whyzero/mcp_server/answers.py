"""From a question to an answer: opens what was named, has it analysed in a thread, and says it in both channels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult

from whyzero.mcp_server.fitting import fitting
from whyzero.mcp_server.roots import Roots
from whyzero.mcp_server.work import AT_ONCE, Progress, in_thread

if TYPE_CHECKING:
    from whyzero.analyses.report import NextStep, Report
    from whyzero.model import Run


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the questions arrive: knows which folders may be read and how many are read at once."""

    roots: Roots
    limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(AT_ONCE))

    def open(self, path: str, error: str | None = None) -> Run:
        """The run a path is, holds or lies in; the search for it sees nothing outside the roots."""
        from whyzero.readers import open_run
        from whyzero.readers.files import BOUNDS

        BOUNDS.set(self.roots.folders)
        return open_run(self.roots.resolve(path), error=error)

    async def answer(self, ctx: Context[Any, Any], ask: Callable[[Progress], Report]) -> CallToolResult:
        """The report as structured content and as text, each complete by itself: hosts show a model one of them."""
        return await in_thread(ctx, self.limiter, lambda progress: self._said(ask(progress)))

    def _said(self, report: Report) -> CallToolResult:
        steps = tuple(step for one in report.next_steps if (step := self._callable(one)))
        return fitting(report.model_copy(update={"next_steps": steps}))

    def _callable(self, step: NextStep) -> NextStep | None:
        """The step with paths as a client may send them; None where a name on disk cannot be sent as it is."""
        arguments = {name: self._sent(value) for name, value in step.arguments.items()}
        if not all(one.isprintable() for value in arguments.values() for one in _texts(value)):
            return None
        return step.model_copy(update={"arguments": arguments})

    def _sent(self, value: object) -> object:
        if isinstance(value, list):
            return [self._sent(one) for one in value]
        return self.roots.shown(value) if isinstance(value, str) else value


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []
