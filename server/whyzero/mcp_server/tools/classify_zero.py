"""Tool: why did it earn nothing, and which zeros are scores?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from whyzero.mcp_server.arguments import Format, Offset, RunPath, TrialId
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import Ctx, make, page, rest_of
from whyzero.mcp_server.work import Progress

if TYPE_CHECKING:
    from whyzero.analyses.classify_zero import ZeroClassification


def classify_zero(desk: Desk) -> Tool:
    """The tool at this desk."""

    async def classify_zero(
        ctx: Ctx,
        path: RunPath,
        trial: TrialId = "",
        include: Annotated[Literal["problems", "all"], Field(description="`problems`: all but full passes.")] = "problems",
        response_format: Format = "concise",
        offset: Offset = 0,
    ) -> CallToolResult:
        """Says for each trial whether its zero or missing reward measures the model, and why, with evidence: graded zero, not
        graded, skipped, crashed and pending are kept apart. Ask before recording, comparing or training on scores; not to find
        where a run broke (locate_failed_phase).

        Answers `counts_as_score` per trial, and per model the mean over answered trials, with missing as zero, and the bounds
        between.
        """

        def ask(progress: Progress) -> ZeroClassification:
            from whyzero.analyses.classify_zero import classify_zero

            return classify_zero(
                desk.runs_or_run(path),
                trial=trial or None,
                include=include,
                response_format=response_format,
                offset=offset,
                limit=page(response_format),
                progress=progress,
            )

        every = include if include != "problems" else None
        rest = rest_of("classify_zero", offset, path=path, trial=trial, include=every)
        return await desk.answer(ctx, ask, response_format=response_format, rest=rest)

    return make(classify_zero, "Classify zeros", "ZeroClassification")
