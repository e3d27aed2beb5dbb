"""The run was refused: locked by another call, its journal damaged, or its inputs changed since it began.

## What it means
The command line protects the results of a named run. It will not run it twice at once, will not read over a damaged
journal, and will not mix results of two versions of the inputs under one name. What is recorded stays as it is.

## Evidence
`another osmosis eval run already holds …`, `run '…' was created with different resolved inputs … Changed: …`,
`events.jsonl:N: …`; or a committed line of `events.jsonl` that is no record.

## What to do
Locked: wait, or use another `--name`. Inputs changed: `--fresh` (the old results are archived) or another name. Damaged:
keep a copy, take the broken line out, and run again: its row is then run anew.

## Not to be confused with
`interrupted`: a run that was stopped resumes without complaint. `config_invalid`: the config itself is wrong.
"""

from __future__ import annotations

import re

from whyzero.causes._cli import found, said, unexplained
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run

WHY = {
    "locked": "Another call holds the run.",
    "journal": "The journal of the run cannot be read.",
    "inputs_changed": "The inputs are not those the run began with.",
    "confirmation_missing": "The call was not confirmed and could not ask.",
}
_CHANGED = re.compile(r"Changed: (?P<what>[a-z_, ]+)\.")


def find_in_run(run: Run) -> Found | None:
    sentence = said(run, *WHY)
    if sentence is not None:
        changed = _CHANGED.search(sentence.text)
        damage = tuple(d.spot.evidence(d.quote or d.text) for d in run.defects if sentence.kind == "journal")
        phase = Phase.LAYOUT if sentence.kind == "confirmation_missing" else None
        result = found(sentence, f"Changed: {changed['what']}." if changed else WHY[sentence.kind])
        return Found((*result.evidence, *damage), result.level, phase, detail=result.detail) if result else None
    return _damaged(run) if unexplained(run) and not run.live else None


def _damaged(run: Run) -> Found | None:
    """A broken committed line stops every later call; a cut last line only where the run was already finished."""
    kinds = {"journal_damaged", "journal_cut"} if run.recorded_status == "finished" else {"journal_damaged"}
    broken = [d for d in run.defects if d.kind in kinds]
    if not broken:
        return None
    return Found(
        tuple(d.spot.evidence(d.quote or d.text) for d in broken),
        Level.RECORD,
        detail=f"{broken[0].text[0].upper()}{broken[0].text[1:]}.",
    )


CAUSE = Cause(
    name="run_control",
    phase=Phase.DISPATCH,
    whose="operator",
    summary="The run was refused: locked, its journal damaged, or its inputs changed.",
    check="Start {path} again under another `--name`: if that is refused too, the fault is not the run's.",
    find_in_run=find_in_run,
)
