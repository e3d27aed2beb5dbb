"""Whether a quote stands where it is said to stand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from whyzero.evidence import Evidence


def stands(evidence: Evidence, root: Path, told: str = "") -> bool:
    """The quote is found at that line or pointer of that file; `told` is what the user reported from outside the run.

    A quote of a JSON object may put together what is spread over its members: each of its words must be there.
    """
    path = root / evidence.path
    if not path.is_file():
        return evidence.path == "error" and _holds(told, evidence.quote)
    text = path.read_text()
    if evidence.line is not None:
        text = text.splitlines()[evidence.line - 1]
    if evidence.pointer is not None:
        value = _at(json.loads(text), evidence.pointer)
        if isinstance(value, dict):
            return _words(evidence.quote) <= _words(json.dumps(value, ensure_ascii=False))
        text = value if isinstance(value, str) else json.dumps(value)
    return _holds(text, evidence.quote)


def _holds(text: str, quote: str) -> bool:
    """A quote may be cut, have secrets taken out, white space folded, and be decoded from JSON."""
    decoded = re.sub(r"\\([\"\\/])", r"\1", re.sub(r"\\[nrt]", " ", text))
    parts = [_folded(part) for part in re.split(r"…|\[REDACTED\]", quote)]
    return any(parts) and any(all(part in _folded(form) for part in parts) for form in (text, decoded))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", re.sub(r"\\[nrt]", " ", re.sub(r"\w*…\w*|\[REDACTED\]", " ", text))))


def _folded(text: str) -> str:
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", text).split())


def _at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document
