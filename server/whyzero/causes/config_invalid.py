"""The workspace, its config, or a path in it is wrong or missing.

## What it means
The command stopped before it ran anything: a scaffold folder is missing, the TOML does not parse or has an unknown key, the
`[secrets]` section is left out, or the entrypoint it names does not exist.

## Evidence
The command line's own sentence (`Missing [secrets] section in …`, `Invalid eval config: …`, `rollout entrypoint … does not
exist`), or the same fault seen in the files of the workspace.

## What to do
Mend the file that the message or the evidence names. `osmosis doctor --fix` restores scaffold folders; it does not look
into configs, entrypoints or data.

## Not to be confused with
`import_failure`: the entrypoint exists and does not import. `secret_missing`: the section is right and a value is missing.
`dataset_invalid`: the config is right and the data is not.
"""

from __future__ import annotations

from whyzero.causes._cli import found, refusals, said, unexplained
from whyzero.causes._osmosis import last_line, never_finalized, stage_reached
from whyzero.causes._static import defect
from whyzero.causes.cause import Cause, Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run

SENTENCES = (
    "scaffold_missing",
    "not_a_workspace",
    "config_section_missing",
    "config_invalid",
    "config_unreadable",
    "config_value",
    "config_place",
    "entrypoint_missing",
    "backend_refused",
    "name_or_place_invalid",
    "option_invalid",
    "model_path",
)
DEFECTS = ("scaffold_missing", "config_invalid", "entrypoint_missing")


def find_in_run(run: Run) -> Found | None:
    sentence = said(run, *SENTENCES)
    if sentence is not None:
        seen = defect(run, *DEFECTS)
        told = found(sentence, "", Phase.STARTUP if sentence.kind == "model_path" else None)
        there = tuple(e for e in seen.evidence if e.line) if seen else ()
        return Found((*told.evidence, *there), told.level, told.phase) if told else None
    if refusals(run):
        return None
    return defect(run, *DEFECTS) or _stopped_before_sync(run)


def _stopped_before_sync(run: Run) -> Found | None:
    """Between the model check and `uv sync` the command looks at one thing only: whether the entrypoint exists."""
    if not (unexplained(run) and never_finalized(run)) or stage_reached(run) != "preflight":
        return None
    last = last_line(run)
    if last is None or "model preflight passed" not in last.text or any(d.kind == "process_record_left" for d in run.defects):
        return None
    return Found((last.evidence(),), Level.INFERENCE, detail="The log stops where the entrypoint is looked for.")


CAUSE = Cause(
    name="config_invalid",
    phase=Phase.LAYOUT,
    whose="user code",
    summary="The workspace layout, the config or a path in it is wrong or missing.",
    check="Run the command again on the config as it is: another message would show this wrong.",
    find_in_run=find_in_run,
)
