"""The trials a question is about, each with its verdict: the one pass that every count is made in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from whyzero.causes.engine import judge
from whyzero.errors import TrialNotFoundError
from whyzero.findings import Verdict
from whyzero.model import Run, Trial

Progress = Callable[[int, int | None], None] | None
"""Called with (trials judged, trials expected or None)."""


def judged(
    runs: Sequence[Run], *, trial: str | None = None, row: int | None = None, progress: Progress = None
) -> Iterator[tuple[Run, Trial, Verdict]]:
    """Read and judge the trials of the runs, one at a time and in their order; only those of that id or dataset row.

    Raises:
        TrialNotFoundError: at the end, where a trial or row was asked for and none is there.
    """
    expected = sum(run.found or 0 for run in runs) or None
    count = 0
    for run in runs:
        for one in run.read_trials():
            if (trial is not None and one.id != trial) or (row is not None and one.row != row):
                continue
            yield run, one, judge(one, run)
            count += 1
            if progress:
                progress(count, expected)
    if not count and (trial is not None or row is not None):
        what = f"trial {trial!r}" if trial is not None else f"row {row}"
        raise TrialNotFoundError(f"The run {runs[0].name} has no {what}. Leave it out to list the trials there are.")
