"""A secret that the config names is not available.

## What it means
The config lists the secret under `[secrets] required`, and it is neither in the environment nor in a secrets file, and no
one could be asked. Nothing was run; a run folder may exist already and stay empty.

## Evidence
The command line's `No value found for: NAME`; on the platform, a secret without a scope in `eval info`, or an error of the
injection in the run's log, where no work followed. Names only: values are never read or shown.

## What to do
Export the variable, or pass `--secrets-file`; on the platform, set it with `osmosis secret set`. If it is not needed, take
it out of the config.

## Not to be confused with
`agent_auth`: the key is there and the provider refuses it. `config_invalid`: the `[secrets]` section itself is wrong.
"""

from __future__ import annotations

from whyzero.causes._cli import found, said
from whyzero.causes._hosted import Matter, platform_failed
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run


def find_in_run(run: Run) -> Found | None:
    return found(said(run, "secret_missing"), "The message names it.") or platform_failed(run, Matter.SECRET)


CAUSE = Cause(
    name="secret_missing",
    phase=Phase.LAYOUT,
    whose="operator",
    summary="A secret that the run's config requires is not available.",
    check="Look whether a variable of that name is set where the command ran: if it is, this is wrong.",
    find_in_run=find_in_run,
)
