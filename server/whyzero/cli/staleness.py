"""`check-staleness`: is a number on disk still an answer to today's question?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from whyzero.cli.arguments import Format, Html, Json, Limit, Offset
from whyzero.cli.output import answer
from whyzero.cli.reading import SignOfLife

Sweeps = Annotated[Path, typer.Argument(metavar="PATH", help="A run, or a folder of runs (sweeps).")]
Task = Annotated[
    Path | None,
    typer.Option(
        "--task",
        metavar="PATH",
        help="The task as it stands now: its folder, a folder of tasks, a brief in a text file, or an Osmosis workspace.",
    ),
]
Oracle = Annotated[list[Path] | None, typer.Option("--oracle", metavar="FILE", help="Answer key of today; repeatable.")]
Name = Annotated[
    str | None, typer.Option("--deliverable", metavar="NAME", help="Name the brief gives to the answer file (else found in it).")
]
Fields = Annotated[
    list[str] | None,
    typer.Option("--field", metavar="NAME", help="Graded field; repeatable (else the keys of the oracle's rows)."),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="FOLDER|REVISION",
        help="What the run was given, where no prompt is on record: a task folder, or a revision of the repository that holds it.",
    ),
]


def check_staleness(
    path: Sweeps,
    task: Task = None,
    oracle: Oracle = None,
    deliverable: Name = None,
    field: Fields = None,
    against: Against = None,
    response_format: Format = "concise",
    offset: Offset = 0,
    limit: Limit = None,
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Tell whether results still answer today's task."""
    with SignOfLife(path.name, quiet=as_json) as life:
        from whyzero.analyses.check_staleness import check_staleness
        from whyzero.readers import runs_below
        from whyzero.readers.today import Today

        today = Today()
        runs = runs_below(path)
        now = today.task(task) if task else today.workspace_of(runs[0])
        report = check_staleness(
            runs,
            task=now,
            oracle=today.keys(oracle or (), now),
            deliverable=deliverable,
            fields=field or (),
            against=today.against(against, now) if against else None,
            response_format=response_format,
            offset=offset,
            limit=limit,
            progress=life.tick,
        )
    return answer(report, as_json=as_json, page=page)
