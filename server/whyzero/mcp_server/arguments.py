"""The arguments that several tools share. The sentences are what a model reads."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

ERROR_LIMIT = 2**16
"""Characters of a reported error."""
NAME_LIMIT = 300
PATTERN_LIMIT = 1000


def _text(value: Any) -> Any:
    """Many clients send null for an argument they leave out."""
    return "" if value is None else value


def _list(value: Any) -> Any:
    """And a text where a list of one, or a list written as text, is meant."""
    if value is None:
        return []
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return [value]
    return found if isinstance(found, list) else [value]


NoNull = BeforeValidator(_text)
AsList = BeforeValidator(_list)
Name = Annotated[str, Field(max_length=NAME_LIMIT)]

RunPath = Annotated[
    str,
    Field(
        description="Run, trial, workspace or file in one; relative to the first root or absolute.",
        json_schema_extra={"format": "path"},
    ),
]
TrialId = Annotated[
    str, Field(description="Only this trial (directory name; Osmosis: rollout id).", max_length=NAME_LIMIT), NoNull
]
Row = Annotated[int | None, Field(description="Only this dataset row, 0-based.", ge=0)]
ReportedError = Annotated[str, Field(description="Error text you saw, verbatim.", max_length=ERROR_LIMIT), NoNull]
Format = Annotated[Literal["concise", "detailed"], Field(description="`detailed`: all, paged.")]
Offset = Annotated[int, Field(description="Trials to skip.", ge=0)]
Deliverable = Annotated[
    str, Field(description="Name of the answer file; else found in the brief.", max_length=NAME_LIMIT), NoNull
]
Pattern = Annotated[str, Field(max_length=PATTERN_LIMIT), NoNull]
