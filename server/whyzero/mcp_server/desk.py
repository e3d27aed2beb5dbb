"""From a question to an answer: opens what was named, has it analysed, and says it in both channels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter, from_thread, to_thread
from mcp.server.mcpserver import Context
from mcp_types import CallToolResult

from whyzero.errors import PathRefusedError
from whyzero.mcp_server.fitting import CONCISE, DETAILED, fitted, in_both_channels
from whyzero.mcp_server.roots import Roots
from whyzero.mcp_server.sendable import sendable
from whyzero.mcp_server.slices import OPENED, Slices
from whyzero.mcp_server.work import AT_ONCE, Progress, apart, in_thread

if TYPE_CHECKING:
    from whyzero.analyses.report import NextStep, Report
    from whyzero.model import Run, Trial

REVISION = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/@{}~^-]{0,199}")
"""A git revision that is no option, no range and no absolute path."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the questions arrive: knows which folders may be read, and what may be started or asked beyond that."""

    roots: Roots
    slices: Slices
    allow_programs: bool = False
    allow_network: bool = False
    probe_hosts: frozenset[str] = frozenset()
    """Hosts beyond loopback that a probe may send a credential to."""
    limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(AT_ONCE))

    def place(self, path: str) -> Path:
        """The real file or folder at a path a client named; from now on this call sees nothing outside the roots."""
        from whyzero.readers.files import BOUNDS

        BOUNDS.set(self.roots.folders)
        return self.roots.resolve(path)

    def place_or_none(self, path: str) -> Path | None:
        """The same for an argument that may be left out."""
        return self.place(path) if path else None

    def place_or_revision(self, named: str) -> str:
        """A path a client named, or a git revision where there is no such path."""
        try:
            return str(self.place(named))
        except PathRefusedError:
            if REVISION.fullmatch(named):
                return named
            raise

    def run(self, path: str, error: str | None = None) -> Run:
        """The run a path is, holds or lies in. Reading its trials stops when the call is cancelled."""
        from whyzero.readers import open_run

        return _stoppable(open_run(self.place(path), error=error))

    def runs(self, path: str) -> Sequence[Run]:
        """Every run in a folder of runs or in a workspace."""
        from whyzero.readers import runs_below

        return [_stoppable(run) for run in runs_below(self.place(path))]

    def runs_or_run(self, path: str) -> Sequence[Run]:
        """The runs of a folder that holds several, else the one run."""
        from whyzero.readers import open_runs

        return [_stoppable(run) for run in open_runs(self.place(path))]

    async def answer(
        self,
        ctx: Context[Any, Any],
        ask: Callable[[Progress], Report],
        counted: str = "trials read",
        response_format: str = "detailed",
        rest: NextStep | None = None,
    ) -> CallToolResult:
        """The report as structured content and as text, each complete by itself: hosts show a model one of them.

        Args:
            rest: where trials come in pages, the call that goes on after this page (see `fitted`).
        """

        def said(progress: Progress) -> CallToolResult:
            OPENED.set([])
            return self._said(ask(progress), response_format, rest)

        return await in_thread(ctx, self.limiter, said, counted)

    async def answer_apart(self, ask: Callable[[], Report], response_format: str = "detailed") -> CallToolResult:
        """The same from a process of its own, which can be ended at any moment; `ask` has to be picklable."""
        report = await apart(self.limiter, ask)
        return await to_thread.run_sync(partial(self._said, report, response_format=response_format))

    def _said(self, report: Report, response_format: str, rest: NextStep | None = None) -> CallToolResult:
        sent = sendable(report, self.roots)
        places = self.slices.places(report, sent)
        said = fitted(sent, CONCISE if response_format == "concise" else DETAILED, rest)
        self.slices.remember(places, said)
        return in_both_channels(said)


def _stoppable(run: Run) -> Run:
    _opened(run)
    everything = partial(_until_cancelled, run.read_all) if run.read_all else None
    return replace(run, read_trials=partial(_until_cancelled, run.read_trials), read_all=everything)


def _until_cancelled(read: Callable[[], Iterator[Trial]]) -> Iterator[Trial]:
    for trial in read():
        from_thread.check_cancelled()
        yield trial


def _opened(run: Run) -> None:
    """The evidence of this call counts from here, too."""
    folders = [run.root, *([run.workspace.root] if run.workspace is not None else [])]
    OPENED.set([*(OPENED.get() or ()), *((run.name, folder) for folder in folders)])
