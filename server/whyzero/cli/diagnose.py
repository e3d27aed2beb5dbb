"""`diagnose`, `locate-failed-phase` and `classify-zero`: what went wrong, and what the zeros are worth.

Readers and analyses are imported under the sign of life, so that even their import is no silence.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from whyzero.cli.arguments import Error, Format, Html, Json, Limit, Offset, Program, Row, RunPath, TrialId, Uv, reported
from whyzero.cli.output import answer
from whyzero.cli.reading import SignOfLife
from whyzero.errors import UsageError

if TYPE_CHECKING:
    from whyzero.analyses.locate_failed_phase import FailedPhase

LISTED = 25
"""Trials listed for a person, unless all are asked for."""

Include = Annotated[Literal["problems", "all"], typer.Option("--include", help="List all that is no pass, or every trial.")]

MaybePath = Annotated[
    Path | None, typer.Argument(metavar="[PATH]", help="A run, a trial, a workspace, or a file in one of them.")
]
Managed = Annotated[
    str | None,
    typer.Option("--managed", metavar="NAME", help="Instead of PATH: a run on the platform, asked through your osmosis program."),
]
Kind = Annotated[Literal["eval", "train"], typer.Option("--kind", help="What --managed names.")]
Workspace = Annotated[Path, typer.Option("--workspace", metavar="DIR", help="The workspace that --managed belongs to.")]
Network = Annotated[
    bool, typer.Option("--allow-network", help="Let the platform (--managed) and --docs-index be asked, read-only.")
]
DocsIndex = Annotated[
    str | None,
    typer.Option(
        "--docs-index",
        metavar="URL",
        help="llms.txt or search index of the platform's documentation, to name the page about the cause; "
        "default: $WHYZERO_DOCS_INDEX.",
    ),
]


def diagnose(
    path: RunPath,
    trial: TrialId = None,
    row: Row = None,
    error: Error = None,
    response_format: Format = "concise",
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Tell where a run broke, why, and what zeros mean.

    The whole procedure: locate-failed-phase and classify-zero, the report first.
    """
    seen = reported(error)
    with SignOfLife(path.name, quiet=as_json) as life:
        from whyzero.analyses.diagnose import diagnose
        from whyzero.readers import open_run

        run = open_run(path, error=seen)
        report = diagnose(run, trial=trial, row=row, response_format=response_format, progress=life.tick)
    return answer(report, as_json=as_json, page=page)


def locate_failed_phase(
    path: MaybePath = None,
    trial: TrialId = None,
    row: Row = None,
    error: Error = None,
    response_format: Format = "concise",
    offset: Offset = 0,
    limit: Limit = None,
    managed: Managed = None,
    kind: Kind = "eval",
    workspace: Workspace = Path(),
    program: Program = None,
    uv: Uv = False,
    allow_network: Network = False,
    docs_index: DocsIndex = None,
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Name the phase that broke, with the first error."""
    if docs_index and not allow_network:
        raise UsageError("--docs-index fetches that index, and sends nothing else. Give --allow-network to let it.")
    if managed is not None:
        if path is not None or trial is not None or row is not None or error is not None:
            raise UsageError("--managed reads the platform's evidence alone: leave PATH, --trial, --row and --error out.")
        if not allow_network:
            raise UsageError("--managed asks the platform, read-only. Give --allow-network to let it.")
        return answer(_read_on(_on_platform(managed, kind, workspace, program, uv), docs_index), as_json=as_json, page=page)
    if uv:
        raise UsageError("--uv says where the program that asks the platform is found: give --managed NAME too.")
    seen = reported(error)
    if path is None:
        if seen is None:
            raise UsageError(
                "PATH is missing: name a run, a trial, a workspace, or a file in one of them (or give --managed NAME)."
            )
        path = Path()
    with SignOfLife(path.name, quiet=as_json) as life:
        from whyzero.analyses.locate_failed_phase import locate_failed_phase
        from whyzero.readers import open_run

        run = open_run(path, error=seen)
        limit = _room(limit, response_format, as_json)
        report = locate_failed_phase(
            run, trial=trial, row=row, response_format=response_format, offset=offset, limit=limit, progress=life.tick
        )
        report = _read_on(report, docs_index) if allow_network else report
    return answer(report, as_json=as_json, page=page)


def _room(limit: int | None, response_format: str, as_json: bool) -> int | None:
    """How many trials a person is shown: more than the tool lists for a model, which pays for every word."""
    return limit or (LISTED if response_format == "concise" and not as_json else None)


def _read_on(report: FailedPhase, docs_index: str | None) -> FailedPhase:
    """The report with the page of the documentation, where an index is set."""
    from whyzero.analyses.documentation import with_documentation
    from whyzero.osmosis_cli.docs_index import about_a_cause

    return with_documentation(report, lambda cause: about_a_cause(cause, docs_index))


def _on_platform(name: str, kind: Literal["eval", "train"], workspace: Path, program: Path | None, uv: bool) -> FailedPhase:
    """Ask the platform about one run, by the read-only commands of the user's own program."""
    with SignOfLife(f"{name} on the platform"):
        from whyzero.analyses.platform_run import locate_on_platform
        from whyzero.osmosis_cli.find import find_cli
        from whyzero.osmosis_cli.managed import read_managed
        from whyzero.osmosis_cli.package_index import about_an_upgrade

        if not workspace.is_dir():
            raise UsageError(
                f"--workspace: there is no folder {str(workspace)!r}. Name the Osmosis workspace that the run belongs to."
            )
        cli = find_cli(workspace, program, use_uv=uv, download=uv)
        return locate_on_platform(
            read_managed(cli, kind, name, workspace), kind, lambda: about_an_upgrade(cli.version, workspace)
        )


def classify_zero(
    path: RunPath,
    trial: TrialId = None,
    include: Include = "problems",
    response_format: Format = "concise",
    offset: Offset = 0,
    limit: Limit = None,
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Tell which zeros are scores; give honest totals."""
    with SignOfLife(path.name, quiet=as_json) as life:
        from whyzero.analyses.classify_zero import classify_zero
        from whyzero.readers import open_runs

        report = classify_zero(
            open_runs(path),
            trial=trial,
            include=include,
            response_format=response_format,
            offset=offset,
            limit=_room(limit, response_format, as_json),
            progress=life.tick,
        )
    return answer(report, as_json=as_json, page=page)
