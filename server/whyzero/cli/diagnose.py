"""`diagnose`, `locate-failed-phase` and `classify-zero`: what went wrong, and what the zeros are worth.

Readers and analyses are imported under the sign of life, so that even their import is no silence.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from whyzero.cli.arguments import Error, Format, Html, Json, Limit, Offset, Row, RunPath, TrialId, reported
from whyzero.cli.output import answer
from whyzero.cli.reading import SignOfLife

Include = Annotated[Literal["problems", "all"], typer.Option("--include", help="List all that is no pass, or every trial.")]


def diagnose(
    path: RunPath,
    trial: TrialId = None,
    row: Row = None,
    error: Error = None,
    response_format: Format = "concise",
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Tell where a run broke, why, and what its zeros mean.

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
    path: RunPath,
    trial: TrialId = None,
    row: Row = None,
    error: Error = None,
    response_format: Format = "concise",
    offset: Offset = 0,
    limit: Limit = None,
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Name the phase that broke, with the first error."""
    seen = reported(error)
    with SignOfLife(path.name, quiet=as_json) as life:
        from whyzero.analyses.locate_failed_phase import locate_failed_phase
        from whyzero.readers import open_run

        run = open_run(path, error=seen)
        report = locate_failed_phase(
            run, trial=trial, row=row, response_format=response_format, offset=offset, limit=limit, progress=life.tick
        )
    return answer(report, as_json=as_json, page=page)


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
            limit=limit,
            progress=life.tick,
        )
    return answer(report, as_json=as_json, page=page)
