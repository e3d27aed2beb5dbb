"""Tool: did the cause go away on the same input, and nothing else break?"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field, field_validator

from whyzero.errors import UsageError
from whyzero.mcp_server.arguments import NAME_LIMIT, AsList, Format, NoNull
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import LOOKS_ONLY, REACHES_OUT, Ctx, make
from whyzero.mcp_server.work import Progress
from whyzero.text import clean

if TYPE_CHECKING:
    from whyzero.analyses.verify_fix import FixVerification
    from whyzero.osmosis_cli.eval_run import Plan

NOT_STARTED = "This server starts no programs (whyzero serve --allow-programs changes that): run the command yourself."
NOT_WANTED = "The user was asked and did not agree: nothing was started."
QUESTION_LIMIT = 2000
UNASKED = AcceptedElicitation[Any].model_construct(data=None)


class Consent(BaseModel):
    """The user's own answer: only `true` is a yes."""

    start: bool = Field(default=False, description="Start this run now.")

    @field_validator("start", mode="before")
    @classmethod
    def _only_true(cls, said: object) -> bool:
        return said is True


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
            Field(
                description="Instead of `after`: {config, rows, attempts, model, timeout_s}; tells the eval command. "
                "`authorized: true` only if the user said so."
            ),
        ] = None,
        rows: Annotated[list[int] | None, Field(description="Affected dataset rows; else those that failed."), AsList] = None,
        expect: Annotated[Expect | None, Field(description="A number on record to be reproduced.")] = None,
        response_format: Format = "concise",
        consent: Any = UNASKED,
    ) -> CallToolResult:
        """Says whether a fix worked: pairs two runs by task or row and attempt, and answers `verified`, `refuted`, `inconclusive`
        or `not_comparable`, with the inputs compared, regressions and an exact test. Ask after a fix, before calling it one;
        not to find the cause (locate_failed_phase).
        """
        cancelled = threading.Event()

        def ask(progress: Progress) -> FixVerification:
            from whyzero.analyses.verify_fix import Expectation, verify_fix

            if run:
                agreed = isinstance(consent, AcceptedElicitation) and (consent.data is None or consent.data.start)
                return _rerun(desk, before, after, run, agreed, progress, cancelled)
            return verify_fix(
                desk.run(before),
                desk.run(after) if after else None,
                expect=Expectation(expect.value, expect.tolerance, expect.source) if expect else None,
                rows=rows or (),
            )

        try:
            return await desk.answer(ctx, ask, "seconds of the run" if run else "trials read", response_format)
        finally:
            cancelled.set()

    def the_user_is_asked(ctx: Ctx, before: str, after: str, run: dict[str, Any] | None) -> Elicit[Consent] | None:
        """Only about a run that would be started otherwise, and only where the client can ask."""
        if not run or after or run.get("authorized") is not True or not desk.allow_programs or not _can_ask(ctx):
            return None
        plan = _plan(desk, before, run)
        return None if plan.refusal else Elicit(_question(plan), Consent)

    verify_fix.__annotations__["consent"] = Annotated[ElicitationResult[Consent], Resolve(the_user_is_asked)]
    return make(verify_fix, "Verify a fix", "FixVerification", REACHES_OUT if desk.allow_programs else LOOKS_ONLY)


def _can_ask(ctx: Ctx) -> bool:
    asking = ctx.client_capabilities.elicitation if ctx.client_capabilities else None
    return asking is not None and (asking.form is not None or asking.url is None)


def _plan(desk: Desk, before: str, run: dict[str, Any]) -> Plan:
    from whyzero.osmosis_cli.eval_run import plan_run, read_request, workspace_of

    old, request = desk.run(before), read_request(run)
    if not desk.roots.holds(workspace_of(old)):
        raise UsageError("The workspace of this run is outside the folders this server may read: `run` needs it inside.")
    return plan_run(old, request)


def _question(plan: Plan) -> str:
    """What would be started, in full: the answer counts for exactly this."""
    asked = plan.request
    rows = ", ".join(map(str, asked.rows))
    return clean(
        f"whyzero is asked to start a local eval run. Rows: {rows}. Attempts each: {asked.attempts}. "
        f"Model: {plan.model or 'the one the config names'}. {plan.cost_note} Command, in the workspace of the run: {plan.command}",
        QUESTION_LIMIT,
    )


def _rerun(
    desk: Desk,
    before: str,
    after: str,
    run: dict[str, Any],
    agreed: bool,
    progress: Progress,
    cancelled: threading.Event,
) -> FixVerification:
    """The command of one bounded eval run; it is started where the caller authorized it, the server may and the user agreed."""
    from whyzero.reproduce import reproduce

    if after:
        raise UsageError("`run` makes the run after the fix: leave `after` out.")
    request = _plan(desk, before, run).request
    old = desk.run(before)
    if request.authorized and not (desk.allow_programs and agreed):
        planned = reproduce(old, replace(request, authorized=False))
        why = NOT_WANTED if desk.allow_programs else NOT_STARTED
        return planned.model_copy(update={"cost_note": f"{planned.cost_note} {why}".strip()})
    return reproduce(old, request, progress=lambda seconds: progress(int(seconds), int(request.timeout_s)), cancelled=cancelled)
