"""Tool: which side is wrong, the models or the answer key?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver.tools import Tool
from mcp_types import CallToolResult
from pydantic import Field

from whyzero.errors import UsageError
from whyzero.mcp_server.arguments import AsList, Deliverable, Format, Name, NoNull, Pattern
from whyzero.mcp_server.desk import Desk
from whyzero.mcp_server.tools.making import LOOKS_ONLY, REACHES_OUT, Ctx, make
from whyzero.mcp_server.work import Progress

if TYPE_CHECKING:
    from whyzero.analyses.partition_disputed_rows import Partition


def partition_disputed_rows(desk: Desk) -> Tool:
    """The tool at this desk."""

    async def partition_disputed_rows(
        ctx: Ctx,
        paths: Annotated[list[str], Field(description="Trials, runs, or folders of them.", min_length=1, max_length=100), AsList],
        oracle: Annotated[str, Field(description="Answer key file; without it, tests and tasks are partitioned."), NoNull] = "",
        key: Annotated[list[Name] | None, Field(description="Field(s) that identify a row of it."), AsList] = None,
        deliverable: Deliverable = "",
        fields: Annotated[list[Name] | None, Field(description="Fields compared; else all shared ones."), AsList] = None,
        corpus: Annotated[str, Field(description="Folder of text the key was made from."), NoNull] = "",
        rule: Annotated[Pattern, Field(description="Regex of a sound row's line.")] = "",
        wide: Annotated[Pattern, Field(description="Regex that matches all `rule` does, and more.")] = "",
        rules: Annotated[dict[Name, Pattern] | None, Field(description="Named regexes to replace `rule`.", max_length=20)] = None,
        scorer: Annotated[list[str] | None, Field(description="Program; only if the server allows it."), AsList] = None,
        original: Annotated[str, Field(description="Key the rewards were made with, if `oracle` is newer."), NoNull] = "",
        response_format: Format = "concise",
    ) -> CallToolResult:
        """Says which side is wrong where models and answer key disagree: `suspect_key`, `model_error`, `mixed` or `cannot_tell`,
        row by row, weighed by chance, structure, a second partition from the source text and a validated re-grade. Ask when
        many trials miss the same rows or tests; not to explain missing answers (classify_zero).
        """
        if scorer and not desk.allow_programs:
            raise UsageError(
                "This server runs no programs, so `scorer` is refused. Leave it out to use the built-in row scorer, or have the "
                "server started with `whyzero serve --allow-programs`."
            )
        asked: dict[str, Any] = {
            "key": key or (),
            "fields": fields or (),
            "deliverable": deliverable or None,
            "rule": rule or None,
            "wide": wide or None,
            "rules": rules,
            "scorer": scorer or (),
            "audit_grader": bool(scorer and oracle),
            "response_format": response_format,
        }

        def located() -> dict[str, Any]:
            return {
                "oracle": desk.place_or_none(oracle),
                "corpus": desk.place_or_none(corpus),
                "original": desk.place_or_none(original),
            }

        def ask(progress: Progress) -> Partition:
            from whyzero.analyses.partition_disputed_rows import partition_disputed_rows

            runs = [run for path in paths for run in desk.runs(path)]
            return partition_disputed_rows(runs, **located(), **asked, progress=progress)

        if rule or wide or rules:
            places = [desk.place(path) for path in paths]
            bounded = partial(_bounded, desk.roots.folders, places, **located(), **asked)
            return await desk.answer_apart(bounded, response_format)
        return await desk.answer(ctx, ask, response_format=response_format)

    return make(
        partition_disputed_rows, "Partition disputed rows", "Partition", REACHES_OUT if desk.allow_programs else LOOKS_ONLY
    )


def _bounded(folders: tuple[Path, ...], places: list[Path], **asked: Any) -> Partition:
    """The analysis in a process of its own, where expressions of a caller may be tried."""
    from whyzero.analyses.partition_disputed_rows import partition_disputed_rows
    from whyzero.readers.files import BOUNDS

    BOUNDS.set(folders)
    return partition_disputed_rows(places, **asked)
