"""Harbor jobs and trials, versions 0.1 to 0.26 and forks of it, recognised by content.

A job's result.json counts trials and has no `trial_name`; a trial's has one. Trials are read one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from whyzero.model import Inputs, Run, Trial, Utterance
from whyzero.readers.files import Folder
from whyzero.readers.harbor import job
from whyzero.readers.harbor.detect import find_root, is_bare_trial, is_own_root
from whyzero.readers.harbor.trial import Around, read_trial
from whyzero.readers.shapes import number, obj

NAME = "harbor"


def detect(path: Path) -> Path | None:
    """The root of the Harbor run that `path` is, holds, or lies in."""
    return find_root(path)


def read(root: Path, selection: Path | str | None = None, reported: tuple[Utterance, ...] = ()) -> Run:
    """A run over the trials below `root`; `selection` is the path the user gave, where it lies in one trial only that one is read."""
    folder = Folder(root)
    everything = job.find(folder)
    chosen = job.select(everything, _relative(folder, selection))
    jobs = everything.jobs
    main = jobs[0] if len(jobs) == 1 else None
    return Run(
        root=folder.root,
        name=folder.root.name,
        format=NAME,
        writer=_writer(jobs),
        planned=job.planned(jobs) if jobs and chosen is everything else None,
        found=len(chosen.entries),
        parts=max(1, len(jobs)),
        recorded_status=_status(jobs),
        logs=tuple(line for one in jobs if (line := job.unfinished(one))),
        reported=reported,
        booked=obj(main.result.get("stats")) if main else {},
        booked_means=tuple(mean for one in jobs for mean in job.means(one)),
        inputs=Inputs(
            run_id=str(main.result["id"]) if main and main.result.get("id") else None,
            tasks={e.task: e.checksum for e in everything.entries if e.checksum},
            attempts=int(n) if main and (n := number(main.config.get("n_attempts"))) is not None else None,
        ),
        concurrency=_concurrency(main),
        trial_problems=folder.problems,
        read_trials=lambda: _trials(folder, everything, chosen),
        read_all=None if chosen is everything else lambda: _trials(folder, everything, everything),
    )


def _trials(folder: Folder, everything: job.Found, chosen: job.Found) -> Iterator[Trial]:
    around = job.surroundings(folder, everything)
    for entry in chosen.entries:
        trial = read_trial(folder, entry.path, around.get(entry.path, Around()))
        if trial is not None:
            yield trial


def _relative(folder: Folder, selection: Path | str | None) -> str | None:
    if selection is None:
        return None
    real = folder.real(str(selection))
    if real is None or real == folder.root:
        return None
    return real.relative_to(folder.root).as_posix()


def _writer(jobs: list[job.Job]) -> str | None:
    versions = {one.version for one in jobs if one.version}
    return f"harbor {versions.pop()}" if len(versions) == 1 else ("harbor" if jobs else None)


def _status(jobs: list[job.Job]) -> str | None:
    if not jobs:
        return None
    return "unfinished" if any(job.unfinished(one) for one in jobs) else "finished"


def _concurrency(main: job.Job | None) -> int | None:
    if main is None:
        return None
    value = number(main.config.get("n_concurrent_trials"))
    value = number(obj(main.config.get("orchestrator")).get("n_concurrent_trials")) if value is None else value
    return None if value is None else int(value)


__all__ = ["NAME", "detect", "is_bare_trial", "is_own_root", "read"]
