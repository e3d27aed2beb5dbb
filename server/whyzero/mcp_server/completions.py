"""Completions: folders below the roots for a path, the trials of a run, and the words of the vocabulary."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import PurePosixPath

from anyio import to_thread
from mcp.server.mcpserver import MCPServer
from mcp_types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from whyzero.mcp_server.roots import PATH_LIMIT, Roots
from whyzero.mcp_server.slices import Slices

SHOWN = 100
"""Values of one answer; the protocol allows no more."""
LOOKED_AT = 200
"""Trials of a run that are read for a completion: somebody waits while typing."""


def add_completions(server: MCPServer, roots: Roots, slices: Slices) -> None:
    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(
        ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, context: CompletionContext | None
    ) -> Completion | None:
        values: Iterable[str] = ()
        if isinstance(ref, PromptReference) and argument.name == "path":
            values = folders(roots, argument.value)
        elif isinstance(ref, PromptReference) and argument.name == "trial":
            path = (context.arguments or {}).get("path", "") if context else ""
            values = await to_thread.run_sync(trials, roots, path)
        elif isinstance(ref, ResourceTemplateReference) and argument.name == "handle":
            values = slices.handles()
        elif isinstance(ref, ResourceTemplateReference) and argument.name == "name":
            from whyzero.catalogue import catalogue

            values = (one.name for one in catalogue())
        elif isinstance(ref, ResourceTemplateReference) and argument.name == "tool":
            values = [tool.name for tool in await server.list_tools()]
        fitting = sorted(value for value in values if value.startswith(argument.value))
        return Completion(values=fitting[:SHOWN], total=len(fitting), has_more=len(fitting) > SHOWN)


def trials(roots: Roots, path: str) -> list[str]:
    """Ids of the first trials of the run at a path; none where there is no run."""
    from whyzero.errors import WhyzeroError
    from whyzero.readers import open_run
    from whyzero.readers.files import BOUNDS

    BOUNDS.set(roots.folders)
    try:
        run = open_run(roots.resolve(path))
        return [trial.id for trial in islice(run.read_trials(), LOOKED_AT) if trial.id.isprintable()]
    except WhyzeroError:
        return []


def folders(roots: Roots, begun: str) -> list[str]:
    """Folders of the first root that a relative path may be about to name; hidden ones once their dot is typed."""
    from whyzero.readers.files import Folder

    if len(begun) > PATH_LIMIT or not begun.isprintable() or os.path.isabs(begun) or ".." in PurePosixPath(begun).parts:
        return []
    above, _, part = begun.rpartition("/")
    folder = Folder(roots.folders[0])
    names = [name for name in folder.names(above or ".", 10_000) if name.startswith(part) and name.isprintable()]
    paths = [f"{above}/{name}" if above else name for name in names if not name.startswith(".") or part.startswith(".")]
    return [path for path in paths if folder.is_dir(path)]
