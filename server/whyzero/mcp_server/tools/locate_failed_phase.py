"""Tool: where did it break?"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Literal

from anyio import from_thread
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from whyzero.errors import UsageError
from whyzero.mcp_server.arguments import NAME_LIMIT, Format, NoNull, Offset, ReportedError, Row, RunPath, TrialId
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import LOOKS_ONLY, REACHES_OUT, Ctx, make, page, rest_of
from whyzero.mcp_server.work import Progress
from whyzero.osmosis_cli.docs_index import index_set

if TYPE_CHECKING:
    from whyzero.analyses.locate_failed_phase import FailedPhase


class Managed(BaseModel):
    """A run on the platform, asked about through the user's osmosis program."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["eval", "train"]
    name: str = Field(min_length=1, max_length=NAME_LIMIT)
    workspace: str = ""


def locate_failed_phase(desk: Desk) -> Tool:
    """The tool at this desk."""

    async def locate_failed_phase(
        ctx: Ctx,
        path: Annotated[RunPath, NoNull] = "",
        trial: TrialId = "",
        row: Row = None,
        error: ReportedError = "",
        managed: Annotated[
            Managed | None, Field(description="Instead of `path`: a platform run, if the server allows it.")
        ] = None,
        response_format: Format = "concise",
        offset: Offset = 0,
    ) -> CallToolResult:
        """Says where an agent evaluation run broke: failing phase, cause, first error by time with file, line and quote, and the
        smallest check that could show the diagnosis wrong. Ask first when a run, trial or rollout failed, crashed, hung, never
        started or scored zero; not to decide whether zeros count (classify_zero).

        Reads Harbor, Osmosis and Terminal-Bench runs. `undetermined`: nothing on disk decides; the answer names what is missing.
        """

        cancelled = threading.Event()

        def ask(progress: Progress) -> FailedPhase:
            from whyzero.analyses.locate_failed_phase import locate_failed_phase

            if managed:
                return _on_platform(desk, managed, path, cancelled)
            report = locate_failed_phase(
                desk.run(path or ("." if error else ""), error=error or None),
                trial=trial or None,
                row=row,
                response_format=response_format,
                offset=offset,
                limit=page(response_format),
                progress=progress,
            )
            return _read_on(report) if desk.allow_network else report

        rest = rest_of("locate_failed_phase", offset, path=path, trial=trial, row=row, managed=managed and managed.model_dump())
        try:
            return await desk.answer(ctx, ask, response_format=response_format, rest=rest)
        finally:
            cancelled.set()

    reads_on = desk.allow_network and bool(index_set())
    looks = LOOKS_ONLY.model_copy(update={"open_world_hint": reads_on})
    asks = REACHES_OUT if desk.allow_programs and desk.allow_network else looks
    return make(locate_failed_phase, "Locate the failed phase", "FailedPhase", asks)


def _on_platform(desk: Desk, managed: Managed, path: str, cancelled: threading.Event) -> FailedPhase:
    from whyzero.analyses.platform_run import locate_on_platform
    from whyzero.osmosis_cli.find import find_cli
    from whyzero.osmosis_cli.managed import read_managed
    from whyzero.osmosis_cli.package_index import about_an_upgrade

    if not (desk.allow_programs and desk.allow_network):
        raise UsageError(
            "This server does not ask the platform. Have it started with `whyzero serve --allow-programs --allow-network`, or give "
            "the output of `osmosis eval info` and `osmosis eval logs` as `error`."
        )
    workspace = desk.place(managed.workspace or path)
    if not workspace.is_dir():
        raise UsageError("`managed.workspace` is the folder of the Osmosis workspace that the run belongs to.")
    cli = find_cli(workspace)
    run = read_managed(cli, managed.kind, managed.name, workspace, lambda _: from_thread.check_cancelled(), cancelled)
    return _read_on(locate_on_platform(run, managed.kind, lambda: about_an_upgrade(cli.version, workspace)))


def _read_on(report: FailedPhase) -> FailedPhase:
    """The report with the page of the documentation, where the operator set an index."""
    from whyzero.analyses.documentation import with_documentation
    from whyzero.osmosis_cli.docs_index import about_a_cause

    return with_documentation(report, about_a_cause)
