"""Tool: where did it break?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult

from whyzero.mcp_server.arguments import Format, Offset, ReportedError, Row, RunPath, TrialId
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import Ctx, make, page
from whyzero.mcp_server.work import Progress

if TYPE_CHECKING:
    from whyzero.analyses.locate_failed_phase import FailedPhase


def locate_failed_phase(desk: Desk) -> Tool:
    """The tool at this desk."""

    async def locate_failed_phase(
        ctx: Ctx,
        path: RunPath,
        trial: TrialId = "",
        row: Row = None,
        error: ReportedError = "",
        response_format: Format = "concise",
        offset: Offset = 0,
    ) -> CallToolResult:
        """Says where an agent evaluation run broke: failing phase, cause, first error by time with file, line and quote, and the
        smallest check that could show the diagnosis wrong. Ask first when a run, trial or rollout failed, crashed, hung, never
        started or scored zero; not to decide whether zeros count (classify_zero).

        Reads Harbor, Osmosis and Terminal-Bench runs. Cause `undetermined`: nothing on disk decides, and the answer names what
        is missing.
        """

        def ask(progress: Progress) -> FailedPhase:
            from whyzero.analyses.locate_failed_phase import locate_failed_phase

            return locate_failed_phase(
                desk.run(path, error=error or None),
                trial=trial or None,
                row=row,
                response_format=response_format,
                offset=offset,
                limit=page(response_format),
                progress=progress,
            )

        return await desk.answer(ctx, ask)

    return make(locate_failed_phase, "Locate the failed phase", "FailedPhase")
