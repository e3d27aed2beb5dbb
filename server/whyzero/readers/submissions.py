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
    artifacts = {PurePosixPath(path).name: path for path in files if _is_artifact(path)}
    submitted = {
        name.removeprefix(COPY): path
        for path in files
        if (name := PurePosixPath(path).name).startswith(COPY) and PurePosixPath(path).parent.name == "verifier"
    }
    return artifacts | submitted


def _is_artifact(path: str) -> bool:
    """Something the agent made; the harness's own list of what it copied is not."""
    parts = PurePosixPath(path).parts
    return "artifacts" in parts[:-1] and parts[-2:] != ("artifacts", "manifest.json")


def asked_for(trial: Trial) -> tuple[str, ...]:
    """Bare names of the files that the brief asks for."""
    return tuple(dict.fromkeys(PurePosixPath(name).name for name in trial.deliverable.names))
