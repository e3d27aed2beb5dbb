"""The arguments that several tools share. The sentences are what a model reads."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

ERROR_LIMIT = 2**16
"""Characters of a reported error."""


def _no_null(value: Any) -> Any:
    """Many clients send null for an argument they leave out."""
    return "" if value is None else value


NoNull = BeforeValidator(_no_null)

RunPath = Annotated[
    str, Field(description="Run, trial, workspace, or a file in one; relative to the first root, or absolute inside a root.")
]
TrialId = Annotated[str, Field(description="Only this trial (directory name; Osmosis: rollout id).", max_length=300), NoNull]
Row = Annotated[int | None, Field(description="Only this dataset row, 0-based.", ge=0)]
ReportedError = Annotated[
    str, Field(description="Error text you saw, verbatim; some failures leave nothing else.", max_length=ERROR_LIMIT), NoNull
]
Format = Annotated[Literal["concise", "detailed"], Field(description="`detailed`: every trial with evidence, paged.")]
Offset = Annotated[int, Field(description="Listed trials to skip.", ge=0)]
