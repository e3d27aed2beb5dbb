"""A run, local or downloaded, as a `Run` whose trials are read one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from whyzero.model import Inputs, Problem, Run, Spot, Trial, Utterance
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.journal import Journal, Key, read_journal
from whyzero.readers.osmosis.liveness import is_live, left_over
from whyzero.readers.osmosis.log import Log, read_log
from whyzero.readers.osmosis.manifest import Description, describe
from whyzero.readers.osmosis.trial import Source, pending_trial, recorded_trial

PLANNED_LIMIT = 1_000_000


def read_run(root: Path, at: str = "", selected: str | None = None, reported: tuple[Utterance, ...] = ()) -> Run:
    """Read the run at `root/at`; paths in the result are relative to `root`.

    Args:
        at: `""`, or the run's place below the root with a closing slash.
        selected: the rollout id, or `row.attempt` of the selection, that alone is to be read.
    """
    problems: list[Problem] = []
    folder = Folder(root, problems)
    place = PurePosixPath(at) if at else None
    evals = Folder(root / place.parent if place else root.parent)
    about = describe(folder, at)
    journal = read_journal(folder, at)
    log = read_log(folder, at + "logs.txt")
    name = about.name or (place.name if place else root.name)
    live = is_live(evals, place.name if place else root.name)
    trial_problems: list[Problem] = []

    def read_trials() -> Iterator[Trial]:
        source = Source(Folder(root, trial_problems), at, about, log)
        pending, sent = _pending(about, journal), _dispatched(log)
        for key in sorted({*journal.records, *pending}):
            if key in journal.records:
                yield recorded_trial(source, journal.records[key])
            else:
                yield pending_trial(source, *key, sent.get(key), Spot(at + "progress.json"))

    return Run(
        root=root,
        name=name,
        format="osmosis",
        writer=f"osmosis-ai {about.sdk}" if about.sdk else None,
        command=_command(about, name),
        read_trials=read_trials if selected is None else lambda: (t for t in read_trials() if _is(t, selected)),
        read_all=None if selected is None else read_trials,
        planned=about.planned,
        found=len(journal.records),
        threshold=about.threshold,
        recorded_status=about.status,
        live=live,
        logs=tuple(sorted((*log.stages, *log.deps, *log.child), key=lambda u: u.spot.line or 0)),
        reported=reported,
        defects=(*journal.defects, *left_over(folder, at, live)),
        booked=about.summary,
        booked_means=about.means,
        concurrency=log.concurrency,
        inputs=Inputs(
            run_id=about.run_id,
            dataset=about.dataset_digest,
            source=about.source_digest,
            model=about.model,
            attempts=about.attempts,
            config=about.config,
            settings=about.settings,
        ),
        problems=tuple(problems),
        trial_problems=trial_problems,
    )


def _pending(about: Description, journal: Journal) -> set[Key]:
    if about.rows is None or about.attempts is None or about.rows * about.attempts > PLANNED_LIMIT:
        return set()
    planned = {(row, attempt) for row in range(about.rows) for attempt in range(about.attempts)}
    return planned - journal.records.keys()


def _dispatched(log: Log) -> dict[Key, str]:
    """The rollout id under which each work item was sent out last, whatever became of it."""
    sent = ((said.row, said.attempt, rollout) for rollout, said in log.rollouts.items() if said.dispatched)
    return {(row, attempt): rollout for row, attempt, rollout in sent if row is not None and attempt is not None}


def _is(trial: Trial, selected: str) -> bool:
    return selected in (trial.id, f"{trial.row_index}.{trial.attempt}")


def _command(about: Description, name: str) -> str | None:
    return f"osmosis eval run {about.config} --name {name}" if about.config else None
