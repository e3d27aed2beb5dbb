"""Tool: did the cause go away on the same input, and nothing else break?"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from whyzero.errors import UsageError
from whyzero.mcp_server.arguments import NAME_LIMIT, AsList, NoNull
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import LOOKS_ONLY, REACHES_OUT, Ctx, make
from whyzero.mcp_server.work import Progress

if TYPE_CHECKING:
    from whyzero.analyses.verify_fix import FixVerification

NOT_STARTED = "This server starts no programs (whyzero serve --allow-programs changes that): run the command yourself."


class Expect(BaseModel):
    """A number on record."""

    model_config = ConfigDict(extra="forbid")

    value: float = Field(allow_inf_nan=False)
    tolerance: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    source: str = Field(default="", max_length=NAME_LIMIT)


def verify_fix(desk: Desk) -> Tool:
    """The tool at this desk."""

    async def verify_fix(
        ctx: Ctx,
        before: Annotated[str, Field(description="Run or trial with the fault.")],
        after: Annotated[str, Field(description="Run or trial after the fix."), NoNull] = "",
        run: Annotated[
            dict[str, Any] | None,
            Field(description="Instead of `after`: {config, rows, attempts, model, timeout_s}; tells the eval command."),
        ] = None,
        rows: Annotated[list[int] | None, Field(description="Affected dataset rows; else those that failed."), AsList] = None,
        expect: Annotated[Expect | None, Field(description="A number on record to be reproduced.")] = None,
    ) -> CallToolResult:
        """Says whether a fix worked: pairs two runs by task or row and attempt, and answers `verified`, `refuted`, `inconclusive`
        or `not_comparable`, with the inputs compared, regressions and an exact test. Ask after a fix, before calling it one;
        not to find the cause (locate_failed_phase).
        """
        cancelled = threading.Event()

        def ask(progress: Progress) -> FixVerification:
            from whyzero.analyses.verify_fix import Expectation, verify_fix

            if run:
                return _rerun(desk, before, after, run, cancelled)
            return verify_fix(
                desk.run(before),
                desk.run(after) if after else None,
                expect=Expectation(expect.value, expect.tolerance, expect.source) if expect else None,
                rows=rows or (),
            )

        try:
            return await desk.answer(ctx, ask)
        finally:
            cancelled.set()

    return make(verify_fix, "Verify a fix", "FixVerification", REACHES_OUT if desk.allow_programs else LOOKS_ONLY)


def _rerun(desk: Desk, before: str, after: str, run: dict[str, Any], cancelled: threading.Event) -> FixVerification:
    """The command of one bounded eval run; it is started where the caller authorized it and the server may."""
    from whyzero.osmosis_cli.eval_run import read_request, workspace_of
    from whyzero.reproduce import reproduce

    if after:
        raise UsageError("`run` makes the run after the fix: leave `after` out.")
    old, request = desk.run(before), read_request(run)
    if not desk.roots.holds(workspace_of(old)):
        raise UsageError("The workspace of this run is outside the folders this server may read: `run` needs it inside.")
    if request.authorized and not desk.allow_programs:
        planned = reproduce(old, replace(request, authorized=False))
        return planned.model_copy(update={"cost_note": f"{planned.cost_note} {NOT_STARTED}".strip()})
    return reproduce(old, request, cancelled=cancelled)
