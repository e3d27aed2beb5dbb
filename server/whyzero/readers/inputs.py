"""What a run was given, in parts: worked out only where what lies around the run has the digests that the run recorded."""

from __future__ import annotations

from dataclasses import replace

from whyzero.model import Inputs, Run
from whyzero.readers.harbor.task_parts import parts_of_tasks
from whyzero.readers.osmosis.workspace_inputs import rows_and_grader


def inputs_in_parts(run: Run) -> Inputs:
    """The run's inputs with digests of rows, grading code, question and key, as far as they can be told; else unknown."""
    if run.format == "osmosis":
        rows, grader = rows_and_grader(run)
        return replace(run.inputs, rows=run.inputs.rows or rows, grader=run.inputs.grader or grader)
    if run.format == "harbor":
        return replace(run.inputs, parts=parts_of_tasks(run))
    return run.inputs
