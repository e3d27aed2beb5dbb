"""The dataset file, or a row of it, does not parse, or the selection of rows is out of range.

## What it means
The command stopped before any row was tried: the file is not there, a line is no JSON, a row has no prompt, its metadata is
no object, or `--rows` names rows that do not exist.

## Evidence
The command line's sentence with the place (`data.jsonl:3: invalid JSON`, counted from 1; `row 2: …`, counted from 0), or
the same line seen in the file.

## What to do
Mend the line that is named. `osmosis dataset validate` checks the stricter contract of an upload; a file can run and not
validate, or validate and not run.

## Not to be confused with
`label_missing`: the row is fine but for its ground truth. `label_format`: the label is there and can never match.
"""

from __future__ import annotations

from whyzero.causes._cli import found, refusals, said
from whyzero.causes._static import defect
from whyzero.causes.cause import Cause, Found
from whyzero.model import Phase, Run

SENTENCES = (
    "prompt_missing",
    "metadata_invalid",
    "dataset_syntax",
    "rows_selection",
    "dataset_file",
    "dataset_refused",
    "dataset_unreachable",
)
DEFECTS = ("dataset_syntax", "prompt_missing", "metadata_invalid", "dataset_empty")


def find_in_run(run: Run) -> Found | None:
    sentence = said(run, *SENTENCES)
    if sentence is not None:
        seen = defect(run, *DEFECTS)
        told = found(sentence, "")
        return Found((*told.evidence, *(seen.evidence if seen else ())), told.level) if told else None
    return None if refusals(run) else defect(run, *DEFECTS)


CAUSE = Cause(
    name="dataset_invalid",
    phase=Phase.DATA,
    whose="data",
    summary="The dataset file or a row of it does not parse, or the selection is out of range.",
    check="Read the named line of the dataset: if it is a sound row, this is wrong.",
    find_in_run=find_in_run,
)
