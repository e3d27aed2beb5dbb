"""Repeat the affected rows once, where that was authorised, and hold the new run against the old one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from whyzero.analyses.verify_fix import FixVerification, check_rows, verify_fix
from whyzero.errors import WhyzeroError
from whyzero.model import Run
from whyzero.osmosis_cli.eval_run import Plan, Ran, Request, plan_run, run_plan
from whyzero.osmosis_cli.find import find_cli
from whyzero.osmosis_cli.workspace_env import warning
from whyzero.readers import open_run
from whyzero.readers.digests import NoDigestError, source_digest
from whyzero.readers.files import Folder

UNCHANGED = (
    "Nothing under the rollout's source changed since the run with the fault, and its evidence already stands:"
    " an unchanged re-run would cost model calls and prove nothing."
)


def reproduce(
    before: Run,
    request: Request,
    *,
    program: Path | None = None,
    use_uv: bool = False,
    download: bool = False,
    progress: Callable[[float], None] = lambda _: None,
    cancelled: threading.Event | None = None,
) -> FixVerification:
    """Plan the run; start it only where `request.authorized`; verify the fix on what it made.

    Args:
        program, use_uv, download: where the osmosis program may come from (`find_cli`).

    Raises:
        UsageError: the run lies in no workspace, the config does not describe the request, no program was found, or none of the rows
            failed before.
    """
    plan = plan_run(before, request)
    notes = [note for note in (warning(plan.workspace), _unchanged(before, plan)) if note]
    if not request.authorized:
        notes += [plan.refusal] if plan.refusal else []
        return verify_fix(before, command=plan.command, cost_note=" ".join([plan.cost_note, *notes]))
    cli = find_cli(plan.workspace, program, use_uv=use_uv, download=download)
    check_rows(before, request.rows)
    ran = run_plan(plan, cli, progress=progress, cancelled=cancelled)
    notes += ran.left
    after = _made(ran)
    if after is None:
        notes.append(f"No run was made: {ran.answer.message or ran.answer.sentence}")
        return verify_fix(before, command=plan.command, cost_note=" ".join([plan.cost_note, *notes]))
    if ran.answer.stopped:
        notes.append(ran.answer.sentence)
    return verify_fix(before, after, command=plan.command, cost_note=" ".join([plan.cost_note, *notes]), rows=request.rows)


def _made(ran: Ran) -> Run | None:
    """The run that was made; a folder with nothing in it is none, and stands for no other run of the workspace."""
    try:
        run = open_run(ran.path, error=ran.stderr or None) if ran.path.is_dir() else None
    except WhyzeroError:
        return None
    return run if run is not None and run.root.resolve() == ran.path.resolve() else None


def _unchanged(before: Run, plan: Plan) -> str | None:
    """The advice against repeating what was already seen, where the source on disk is the one on record."""
    if before.inputs.source is None:
        return None
    folder = Folder(plan.workspace)
    for name in folder.names("rollouts"):
        try:
            if source_digest(folder, f"rollouts/{name}") == before.inputs.source:
                return UNCHANGED
        except NoDigestError:
            continue
    return None


__all__ = ["reproduce"]
