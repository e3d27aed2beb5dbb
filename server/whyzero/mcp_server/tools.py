"""The tools: what a model may ask, in its words. Each opens what it is pointed at and calls one analysis.

The analyses are imported inside the tools, so that the server answers its first message without them.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import ConfigDict, Field

from whyzero.mcp_server.answers import Desk
from whyzero.mcp_server.arguments import Format, Offset, ReportedError, Row, RunPath, TrialId
from whyzero.mcp_server.schemas import input_schema, output_schema
from whyzero.mcp_server.work import Progress

LOOKS_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
PAGE = 25
"""Trials of one `detailed` answer; more are asked for with `offset`."""

Ctx = Context[Any, Any]
ToolFunction = Callable[..., Awaitable[CallToolResult]]


class ReportTool(Tool):
    """A tool whose answer is a report; its output schema is made when first asked for."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    report: str
    """Class of the answer, in the module of analyses named like the tool."""

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        return output_schema(getattr(import_module(f"whyzero.analyses.{self.name}"), self.report))


def tools(desk: Desk) -> list[Tool]:
    """All tools, each tied to the folders it may read."""

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

        def ask(progress: Progress) -> Any:
            from whyzero.analyses.locate_failed_phase import locate_failed_phase as analyse

            return analyse(
                desk.open(path, error=error or None),
                trial=trial or None,
                row=row,
                response_format=response_format,
                offset=offset,
                limit=PAGE if response_format == "detailed" else None,
                progress=progress,
            )

        return await desk.answer(ctx, ask)

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
        between. A folder of runs compares them.
        """

        def ask(progress: Progress) -> Any:
            from whyzero.analyses.classify_zero import classify_zero as analyse

            return analyse(
                desk.open(path),
                trial=trial or None,
                include=include,
                response_format=response_format,
                offset=offset,
                limit=PAGE if response_format == "detailed" else None,
                progress=progress,
            )

        return await desk.answer(ctx, ask)

    return [
        _tool(locate_failed_phase, "Locate the failed phase", "FailedPhase"),
        _tool(classify_zero, "Classify zeros", "ZeroClassification"),
    ]


def _tool(function: ToolFunction, title: str, report: str, annotations: ToolAnnotations = LOOKS_ONLY) -> Tool:
    made = Tool.from_function(
        function,
        title=title,
        description=inspect.cleandoc(function.__doc__ or ""),
        annotations=annotations,
        structured_output=False,
    )
    made.fn_metadata.arg_model.model_config["extra"] = "forbid"
    made.fn_metadata.arg_model.model_rebuild(force=True)
    fields = {name: getattr(made, name) for name in Tool.model_fields}
    return ReportTool(**fields | {"parameters": input_schema(made.parameters), "report": report})
