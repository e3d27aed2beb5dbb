"""The platform cannot match the workspace's Git repository, or the commit it was asked for.

## What it means
The platform works on a repository it is connected to. The workspace has no usable `origin`, its repository is not the
connected one, or the branch or commit named in the config is not there.

## Evidence
`Set origin to the Platform-connected repository …`, a platform code that begins with `GIT_`, an error of the sync in the
platform's own log, or a run that failed before any work, without an error in its log, and asked for another commit than the
platform last synced. A local run never shows it: only the platform's evidence can.

## What to do
`git remote -v` and compare with the repository shown on the platform; push the commit that the config pins. A local run
does not need any of this.

## Not to be confused with
`not_logged_in`: the account is the problem. `config_invalid`: the command was not run in a workspace at all.
"""

from __future__ import annotations

from whyzero.causes._cli import found, platform_code, said
from whyzero.causes._hosted import Matter, platform_failed
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run


def find_in_run(run: Run) -> Found | None:
    sentence = said(run, "origin", "scope", "commit")
    return found(sentence or platform_code(run, "GIT_"), "") or platform_failed(run, Matter.GIT)


CAUSE = Cause(
    name="git_out_of_sync",
    phase=Phase.PUBLISH,
    whose="operator",
    summary="The platform cannot match the workspace's Git repository or the commit asked for.",
    check="Compare `git remote get-url origin` with the repository connected on the platform: the same one would show this wrong.",
    find_in_run=find_in_run,
)
