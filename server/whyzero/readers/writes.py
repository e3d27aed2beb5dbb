"""Actions by which an agent wrote its deliverable, from the steps of an ATIF trajectory (schema 1.0 to 1.8)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from whyzero.evidence import Evidence
from whyzero.readers.shapes import obj

CALL_LIMIT = 64 * 2**10
"""Characters of one call's arguments that are looked at."""
WRITES = 5
_EDITORS = re.compile(
    r"(?i)^(?:write|edit|multi_?edit|create|write_file|create_file|edit_file|str_replace\w*|apply_patch|replace|insert\w*|save_file)$"
)


def writes_in(listed: Any, path: str, names: tuple[str, ...]) -> tuple[Evidence, ...]:
    """Calls of the main agent that write to one of the files: by an editing tool, a redirection, or an `open(…, "w")`."""
    marks = [_mark(PurePosixPath(name).name) for name in names]
    found: list[Evidence] = []
    for index, step in enumerate(listed if marks and isinstance(listed, list) else []):
        calls = step.get("tool_calls") if isinstance(step, dict) and _own(step) else None
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            text = "\n".join(_texts(obj(call).get("arguments")))[:CALL_LIMIT]
            editor = bool(_EDITORS.match(str(obj(call).get("function_name", ""))))
            hit = next((m for mark in marks if (m := (mark.editor if editor else mark.shell).search(text))), None)
            if hit and len(found) < WRITES:
                quote = text[max(0, hit.start() - 80) : hit.end() + 80]
                found.append(Evidence(path=path, pointer=f"/steps/{index}/tool_calls/{number}/arguments", quote=quote))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Mark:
    editor: re.Pattern[str]
    shell: re.Pattern[str]


def _mark(name: str) -> _Mark:
    file = rf"(?:[\w./~$-]*/)?{re.escape(name)}\b"
    return _Mark(
        editor=re.compile(file),
        shell=re.compile(
            rf">>?\s*['\"]?{file}|\bopen\(\s*(?:Path\()?['\"]{file}['\"]\)?\s*,\s*(?:mode=)?['\"][wax+]|\b(?:tee|touch)\s+(?:-a\s+)?['\"]?{file}"
            rf"|\b(?:cp|mv|install)\s[^\n;|&]*\s['\"]?{file}['\"]?\s*(?:$|[\n;&|])|\s-o\s+['\"]?{file}|{file}['\"]?\)?\.write_(?:text|bytes)\("
            rf"|\b(?:to_csv|to_json|to_parquet|savefig|save|dump|write)\([^\n]{{0,200}}['\"]{file}['\"]|\*\*\* (?:Add|Update) File: \S*{file}"
            rf"|\bsed\s+-i[^\n]*{file}",
            re.M,
        ),
    )


def _texts(value: Any, depth: int = 4) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth and isinstance(value, (list, dict)):
        items = value.values() if isinstance(value, dict) else value
        return [text for item in list(items)[:50] for text in _texts(item, depth - 1)]
    return []


def _own(step: dict[str, Any]) -> bool:
    return step.get("is_copied_context") is not True and obj(step.get("extra")).get("is_sidechain") is not True
