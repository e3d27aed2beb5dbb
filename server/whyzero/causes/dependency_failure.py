"""The rollout's dependencies could not be resolved or installed, or one that it imports is not declared.

## What it means
No row was tried. `uv sync` failed in the rollout's folder, or the entrypoint imports a package that its `pyproject.toml`
does not name, so that it is not in the environment uv made.

## Evidence
The command line's `uv sync failed for rollouts/…` and uv's own lines in `logs.txt` (`× No solution found …`, `error: …`);
or `ModuleNotFoundError: No module named 'x'` of a top-level module that uv did not install.

## What to do
Run `uv sync` in the rollout's folder and mend `pyproject.toml` until it succeeds: add the missing package, loosen the pin
that cannot be met, repair the TOML. Then run the eval again under the same name: nothing was recorded.

## Not to be confused with
`import_failure`: the package is there and does not have the imported name, or the code does not parse.
`server_start_failure`: everything was imported and the program ended by itself.
"""

from __future__ import annotations

from whyzero.causes._cli import refusals
from whyzero.causes._startup import startup_failure
from whyzero.causes._static import defect
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run

DEFECTS = ("pyproject_missing", "pyproject_invalid")


def find_in_run(run: Run) -> Found | None:
    start = startup_failure(run)
    if start is None:
        return None if refusals(run) or run.found else defect(run, *DEFECTS)
    return Found(start.evidence, start.level, detail=start.detail) if start.cause == "dependency_failure" else None


CAUSE = Cause(
    name="dependency_failure",
    phase=Phase.STARTUP,
    whose="user code",
    summary="The dependencies of the rollout could not be resolved or installed, or one is not declared.",
    check="Run `uv sync` in the rollout's folder: if it succeeds and the import works there, this is wrong.",
    find_in_run=find_in_run,
)
