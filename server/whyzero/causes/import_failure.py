"""The entrypoint, or a module it imports, does not parse or does not import.

## What it means
The rollout server process ended with a Python error before it served anything, so no row was tried. Every installed
package was found; the fault is a line of the rollout's own code, or a name that the installed version does not have.

## Evidence
A traceback in `logs.txt` that ends in a SyntaxError, an ImportError, or any error raised at the top of a module; the
command line repeats its last line after `rollout server exited with code 1 before becoming healthy`.

## What to do
Read the last frame below `rollouts/` in that traceback and mend the line. `python -c "import ast; ast.parse(…)"` and an
import inside the rollout's environment (`uv run python main.py`) show the same error without a model call.

## Not to be confused with
`dependency_failure`: a package that was never installed. `server_start_failure`: the modules import and `main()` fails.
"""

from __future__ import annotations

from whyzero.causes._cli import refusals
from whyzero.causes._startup import startup_failure
from whyzero.causes._static import defect
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run

DEFECTS = ("entrypoint_syntax",)


def find_in_run(run: Run) -> Found | None:
    start = startup_failure(run)
    if start is None:
        return None if refusals(run) or run.found else defect(run, *DEFECTS)
    return Found(start.evidence, start.level, detail=start.detail) if start.cause == "import_failure" else None


CAUSE = Cause(
    name="import_failure",
    phase=Phase.STARTUP,
    whose="user code",
    summary="The entrypoint of the rollout does not parse or import.",
    check="Run the entrypoint in the rollout's folder with `uv run python`: if it serves there, this is wrong.",
    find_in_run=find_in_run,
)
