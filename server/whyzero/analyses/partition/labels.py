"""Keys and values in the form a report takes."""

from __future__ import annotations

import math
from typing import Any

from whyzero.evidence import Quote

Label = Quote | int | float | None
"""A row's key, or one field of it."""
Scalar = Quote | int | float | None
"""A value from a submission or a key; texts are cleaned and bounded."""


def shown(value: Any) -> Any:
    """A key or value in the form a report takes: lists stay lists, everything unusual becomes its text."""
    if isinstance(value, list | tuple):
        return [shown(one) for one in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)
