"""An Osmosis run that stopped and left no reason: that is a finding too, and not "nothing failed"."""

from __future__ import annotations

from whyzero.causes._cli import refusals, unexplained
from whyzero.causes._osmosis import last_line, logged, never_finalized, pending, stage_reached
from whyzero.causes._osmosis_work import blocked, halted_on, out_of_time
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Recorded, Run

PHASES = {
    "run": Phase.LAYOUT,
    "preflight": Phase.STARTUP,
    "deps": Phase.STARTUP,
    "server": Phase.STARTUP,
    "schedule": Phase.DISPATCH,
    "dispatch": Phase.DISPATCH,
}
"""Where a call is that has shown this step last."""

SENTENCES = {"preflight": Phase.STARTUP, "interrupted": Phase.DISPATCH}
PUBLISHING = (" upload", " submit", " retry", " download")


def find_in_run(run: Run) -> Found | None:
    """What stands where a reason should stand; None where the run did not stop."""
    if run.format != "osmosis" or run.live:
        return None
    sentence = next(iter(refusals(run)), None)
    if sentence is not None:
        phase = SENTENCES.get(sentence.kind) or (Phase.PUBLISH if sentence.kind.endswith(PUBLISHING) else Phase.LAYOUT)
        return Found((sentence.evidence(),), Level.RECORD, phase=phase, detail="The command line's sentence is of no known kind.")
    if not unexplained(run) or not pending(run):
        return None
    return _halted(run) or _went_silent(run)


def _halted(run: Run) -> Found | None:
    halt = logged(run, "dispatch", "halting dispatch")
    if halt is None or _told_by_its_row(run):
        return None
    return Found(
        (halt.evidence(),), Level.LOG, phase=Phase.DISPATCH, detail="The supervisor stopped for a reason of no known kind."
    )


def _told_by_its_row(run: Run) -> bool:
    """The row on which it gave up tells why."""
    waiting = (t for t in run.read_trials() if t.recorded is Recorded.PENDING and halted_on(t, run) is not None)
    return any(blocked(trial, run) or out_of_time(trial, run) for trial in waiting)


def _went_silent(run: Run) -> Found | None:
    last = last_line(run)
    if not never_finalized(run) or last is None:
        return None
    return Found(
        (last.evidence(),),
        Level.INFERENCE,
        phase=PHASES.get(stage_reached(run) or "run", Phase.STARTUP),
        detail="The log ends here. What stopped the call was printed on its stderr only: ask again with `error`.",
    )


CAUSE = Cause(
    name="undetermined",
    phase=Phase.STARTUP,
    whose="nobody",
    summary="The run stopped, and no file says why.",
    check="Run the same command again and keep what it prints on stderr.",
    find_in_run=find_in_run,
)
"""No cause of the vocabulary: the absence of one, with the place where the reason should be."""
