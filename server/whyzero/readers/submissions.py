"""Which file of a trial is its submission: a copy the verifier took, or an artifact, by the deliverable's name and no other."""

from __future__ import annotations

from pathlib import PurePosixPath

from whyzero.model import Trial

COPY = "submitted-"


def copies(trial: Trial) -> dict[str, str]:
    """Name of a file -> where a copy of it lies in the trial, relative to the run.

    `verifier/submitted-<name>` goes before `artifacts/.../<name>`, a later step before an earlier one.
    """
    files = sorted({*trial.files, *trial.deliverable.submitted, *trial.deliverable.scratch})
    artifacts = {PurePosixPath(path).name: path for path in files if "artifacts" in PurePosixPath(path).parts[:-1]}
    submitted = {
        name.removeprefix(COPY): path
        for path in files
        if (name := PurePosixPath(path).name).startswith(COPY) and PurePosixPath(path).parent.name == "verifier"
    }
    return artifacts | submitted


def asked_for(trial: Trial) -> tuple[str, ...]:
    """Bare names of the files that the brief asks for."""
    return tuple(dict.fromkeys(PurePosixPath(name).name for name in trial.deliverable.names))
