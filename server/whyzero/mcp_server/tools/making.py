"""From an async function to a tool: its docstring is what a model reads, its signature what it may send."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import ConfigDict

from whyzero.mcp_server.schemas import input_schema, output_schema

if TYPE_CHECKING:
    from whyzero.analyses.report import NextStep

LOOKS_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
REACHES_OUT = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True)
"""Starts a program of the user's or asks a provider: a host should ask before it calls this."""
PAGE = 25
"""Trials of one `detailed` answer; more are asked for with `offset`."""

Ctx = Context[Any, Any]


class ReportTool(Tool):
    """A tool whose answer is a report; its output schema is made when first asked for."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    report: str
    """Class of the answer, in the module of analyses named like the tool."""

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        return output_schema(getattr(import_module(f"whyzero.analyses.{self.name}"), self.report))


def make(
    function: Callable[..., Awaitable[CallToolResult]], title: str, report: str, annotations: ToolAnnotations = LOOKS_ONLY
) -> Tool:
    """The tool, with a closed schema; the server refuses what is not in it."""
    made = Tool.from_function(
        function,
        title=title,
        description=inspect.cleandoc(function.__doc__ or ""),
        annotations=annotations,
        structured_output=False,
    )
    fields = {name: getattr(made, name) for name in Tool.model_fields}
    return ReportTool(**fields | {"parameters": input_schema(made.parameters), "report": report})


def rest_of(tool: str, offset: int, **arguments: object) -> NextStep:
    """The same question again, for the trials after the page that begins at `offset`."""
    from whyzero.analyses.report import NextStep

    said = {name: value for name, value in arguments.items() if value not in (None, "", [])}
    why = "Lists the trials that are counted but not shown here (`omitted`)."
    return NextStep(tool=tool, arguments={**said, "response_format": "detailed", "offset": offset}, why=why)


def page(response_format: str) -> int | None:
    """How many trials a page lists; None = as the analysis sees fit."""
    return PAGE if response_format == "detailed" else None
