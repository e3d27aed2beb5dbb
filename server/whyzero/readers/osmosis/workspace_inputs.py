"""Rows and grading code of a local run, from the workspace it lies in, where that still holds what the run recorded."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from whyzero.model import Run
from whyzero.readers.digests import NoDigestError, file_digest, source_digest
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.grading_code import grader_digest
from whyzero.readers.osmosis.places import EVALS
from whyzero.readers.tables import read_table

DATASET_LIMIT = 200


def rows_and_grader(run: Run) -> tuple[dict[int, str], str | None]:
    """Digest of each dataset row by its index, and of the grading code; empty and None where nothing vouches for them."""
    workspace = around(run.root)
    if workspace is None:
        return {}, None
    folder = Folder(workspace)
    return _rows(folder, run.inputs.dataset), _grader(folder, run)


def around(root: Path) -> Path | None:
    """The workspace that holds the run at `root`, or is it."""
    return next((place for place in (root, *root.parents) if Folder(place).is_dir(EVALS)), None)


def _rows(folder: Folder, recorded: str | None) -> dict[int, str]:
    if recorded is None:
        return {}
    for path in folder.walk("data", limit=DATASET_LIMIT):
        if file_digest(folder, path) == recorded:
            table = read_table(folder, path)
            return {} if table is None or table.stray else {index: _row(row) for index, row in enumerate(table.rows)}
    return {}


def _row(row: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True, ensure_ascii=False, default=str).encode()).hexdigest()


def _grader(folder: Folder, run: Run) -> str | None:
    name, entrypoint = run.inputs.settings.get("rollout.name"), run.inputs.settings.get("rollout.entrypoint")
    if not name or not entrypoint or "/" in name or name in (".", "..") or run.inputs.source is None:
        return None
    root = f"rollouts/{name}"
    try:
        if not folder.is_dir(root) or source_digest(folder, root) != run.inputs.source:
            return None
    except NoDigestError:
        return None
    return grader_digest(folder, root, entrypoint)
