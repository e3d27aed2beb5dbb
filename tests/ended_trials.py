"""Harbor trials whose agent came to an end without (or after) an answer, and what is made of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from agent_log_trees import DATA
from harbor_trees import ABSENT, exception, graded, result, verdict, write
from whyzero.findings import Verdict

TIMEOUT = exception("AgentTimeoutError", "Agent execution timed out after 100.0 seconds")
EXIT = exception("NonZeroAgentExitCodeError", "Command failed (exit 1): claude --print\nstdout: …")


def ended(root: Path, files: dict[str, Any] | str, *tests: tuple[str, str, str], info: dict[str, Any] | None = None) -> Verdict:
    """The verdict on a trial that left these agent files (a log of the laboratory by its name) and whose verifier ran these tests;
    without any, the deliverable was not there."""
    record = result(exception_info=info, **({"reward": 0.0}))
    graded(root, *(tests or (ABSENT,)), record=record)
    (root / "agent" / "trajectory.json").unlink()
    if isinstance(files, str):
        shutil.copytree(DATA / files, root, dirs_exist_ok=True)
    else:
        write(root, {f"agent/{name}": content for name, content in files.items()})
    return verdict(root)


def cause(found: Verdict) -> str | None:
    return found.finding.cause if found.finding else None


def decisive(found: Verdict) -> tuple[str, int | str | None]:
    assert found.finding is not None
    first = found.finding.evidence[0]
    return first.path, first.line or first.pointer
