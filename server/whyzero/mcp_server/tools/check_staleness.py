"""Tool: is a number on disk still an answer to today's question?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from whyzero.mcp_server.arguments import AsList, Deliverable, Format, Name, NoNull, Offset, RunPath
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import Ctx, make, page, rest_of
from whyzero.mcp_server.work import Progress

if TYPE_CHECKING:
    from whyzero.analyses.check_staleness import Staleness


def check_staleness(desk: Desk) -> Tool:
    """The tool at this desk."""

    async def check_staleness(
        ctx: Ctx,
        path: RunPath,
        task: Annotated[str, Field(description="The task as it stands now: folder, brief, or Osmosis workspace."), NoNull] = "",
        oracle: Annotated[list[str] | None, Field(description="Answer key files of today; else those of `task`."), AsList] = None,
        deliverable: Deliverable = "",
        fields: Annotated[list[Name] | None, Field(description="Graded fields; else the key's."), AsList] = None,
        against: Annotated[
            str, Field(description="What the run was given, if unrecorded: task folder or git revision."), NoNull
        ] = "",
        response_format: Format = "concise",
        offset: Offset = 0,
    ) -> CallToolResult:
        """Says for each trial of a run or folder of runs whether its number still answers today's task: graded fields, dates and
        counts of the brief, answer key, inputs. Advises `reuse`, `regrade` or `rerun`, and which run is current. Ask before
        citing or comparing earlier results; not to explain a failure (locate_failed_phase).
        """

        def ask(progress: Progress) -> Staleness:
            from whyzero.analyses.check_staleness import check_staleness
            from whyzero.readers.today import Today

            runs = desk.runs(path)
            today = Today()
            now = today.task(desk.place(task)) if task else today.workspace_of(runs[0])
            return check_staleness(
                runs,
                task=now,
                oracle=today.keys([desk.place(one) for one in oracle or ()], now),
                deliverable=deliverable or None,
                fields=fields or (),
                against=today.against(desk.place_or_revision(against), now) if against else None,
                response_format=response_format,
                offset=offset,
                limit=page(response_format),
                progress=progress,
            )

        named = {"task": task, "oracle": oracle, "deliverable": deliverable, "fields": fields, "against": against}
        rest = rest_of("check_staleness", offset, path=path, **named)
        return await desk.answer(ctx, ask, response_format=response_format, rest=rest)

    return make(check_staleness, "Check for stale results", "Staleness")
