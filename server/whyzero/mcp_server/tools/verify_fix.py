"""Tool: did the cause go away on the same input, and nothing else break?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from whyzero.mcp_server.arguments import NAME_LIMIT, AsList, NoNull
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import Ctx, make
from whyzero.mcp_server.work import Progress

if TYPE_CHECKING:
    from whyzero.analyses.verify_fix import FixVerification


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
        after: Annotated[
            str, Field(description="Run or trial after the fix; else the command that makes one is told."), NoNull
        ] = "",
        rows: Annotated[list[int] | None, Field(description="Affected dataset rows; else those that failed."), AsList] = None,
        expect: Annotated[Expect | None, Field(description="A number on record that a re-measured run has to reproduce.")] = None,
    ) -> CallToolResult:
        """Says whether a fix worked: pairs two runs by task or row and attempt, and answers `verified`, `refuted`, `inconclusive`
        or `not_comparable`, with the inputs compared, regressions and an exact test. Ask after a fix, before calling it one;
        not to find the cause (locate_failed_phase). Runs nothing.
        """

        def ask(progress: Progress) -> FixVerification:
            from whyzero.analyses.verify_fix import Expectation, verify_fix

            return verify_fix(
                desk.run(before),
                desk.run(after) if after else None,
                expect=Expectation(expect.value, expect.tolerance, expect.source) if expect else None,
                rows=rows or (),
            )

        return await desk.answer(ctx, ask)

    return make(verify_fix, "Verify a fix", "FixVerification")
