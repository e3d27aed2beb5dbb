"""`verify-fix`: did the cause go away on the same input, and nothing else break?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whyzero.cli.arguments import Html, Json, Program, Uv
from whyzero.cli.output import answer
from whyzero.cli.reading import SignOfLife
from whyzero.errors import UsageError
from whyzero.processes import end_programs_with_us

if TYPE_CHECKING:
    from whyzero.analyses.verify_fix import FixVerification

Before = Annotated[Path, typer.Argument(metavar="BEFORE", help="The run or trial with the fault.")]
After = Annotated[Path | None, typer.Argument(metavar="[AFTER]", help="The run or trial after the fix.")]
Rows = Annotated[
    list[int] | None,
    typer.Option("--row", min=0, metavar="N", help="Affected dataset row (repeatable); default: those that failed."),
]
Value = Annotated[float | None, typer.Option("--expect", metavar="VALUE", help="A number on record that was to be reproduced.")]
Tolerance = Annotated[float, typer.Option("--tolerance", min=0.0, metavar="T", help="How far off the number may be.")]
Source = Annotated[str, typer.Option("--source", metavar="TEXT", help="Where the number on record stands.")]
RunFile = Annotated[
    Path | None,
    typer.Option(
        "--run", metavar="FILE", help="JSON {config, rows, attempts, model, timeout_s, authorized}: one bounded eval run."
    ),
]
Network = Annotated[bool, typer.Option("--allow-network", help="With --uv: let uvx fetch osmosis-ai where it is nowhere.")]


def verify_fix(
    before: Before,
    after: After = None,
    row: Rows = None,
    expect: Value = None,
    tolerance: Tolerance = 0.0,
    source: Source = "",
    run: RunFile = None,
    program: Program = None,
    uv: Uv = False,
    allow_network: Network = False,
    as_json: Json = False,
    page: Html = None,
) -> int:
    """Tell whether a fix worked and broke nothing else."""
    if run is not None:
        report = _reproduced(before, after, run, program, uv, allow_network, quiet=as_json)
        return answer(report, as_json=as_json, page=page)
    if uv:
        raise UsageError("--uv says where the program that makes the run is found: give --run FILE too.")
    if expect is None and (tolerance or source):
        raise UsageError("--tolerance and --source say how --expect is meant: give --expect too.")
    with SignOfLife(before.name, quiet=as_json):
        from whyzero.analyses.verify_fix import Expectation, verify_fix
        from whyzero.readers import open_run

        report = verify_fix(
            open_run(before),
            open_run(after) if after else None,
            expect=None if expect is None else Expectation(expect, tolerance, source),
            rows=row or (),
        )
    return answer(report, as_json=as_json, page=page)


def _reproduced(
    before: Path, after: Path | None, file: Path, program: Path | None, uv: bool, download: bool, quiet: bool
) -> FixVerification:
    """Plan the run that the file asks for; it is started only where the file says `"authorized": true`."""
    from whyzero.osmosis_cli.eval_run import read_request
    from whyzero.readers import open_run
    from whyzero.readers.files import Folder
    from whyzero.reproduce import reproduce

    end_programs_with_us()
    if after is not None:
        raise UsageError("--run makes the run after the fix: leave AFTER out.")
    value = Folder(file.parent).json_object(file.name)
    if value is None:
        raise UsageError(
            f"--run: {str(file)!r} holds no JSON object. Write one of {{config, rows, attempts, model, timeout_s, authorized}}."
        )
    with SignOfLife(before.name, quiet=quiet):
        return reproduce(open_run(before), read_request(value), program=program, use_uv=uv, download=download)
