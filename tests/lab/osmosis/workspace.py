"""Writes an Osmosis workspace: the healthy rollout of `rollout/main.py` with small edits, its config and its dataset."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HEALTHY = (HERE / "rollout/main.py").read_text()
LOCK = HERE / "requirements.lock"
QUESTIONS = (("12 * 7", "84"), ("19 + 23", "42"), ("100 - 58", "42"), ("15 * 15", "225"))
Row = dict[str, Any] | str
"""A record of the dataset; a text is written as it stands."""


def rows(count: int = 4) -> tuple[Row, ...]:
    """The first `count` questions with their answers."""
    return tuple({"user_prompt": f"What is {question}?", "ground_truth": answer} for question, answer in QUESTIONS[:count])


@dataclass(frozen=True)
class Workspace:
    """One workspace, told by how it differs from the healthy one."""

    edits: tuple[tuple[str, str], ...] = ()
    """Replacements in the rollout's source, each of a text that stands there exactly once."""
    rows: tuple[Row, ...] = rows()
    dependencies: tuple[str, ...] = ()
    """Of the rollout, beside the SDK."""
    entrypoint: str = "main.py"
    secrets: tuple[str, ...] = ("OPENAI_API_KEY",)
    agent_timeout: int = 30
    grader_timeout: int = 30
    attempts: int = 1
    without: tuple[str, ...] = ()
    """Folders of the scaffold that are missing."""

    def write(self, folder: Path, constraints: Sequence[str] = ()) -> None:
        """Lay it out in the new folder `folder`, committed to a Git repository of its own.

        `constraints` hold the rollout's environment to known versions, so that a new release changes no run.
        """
        for name in ("rollouts", "configs/training", "configs/eval", "data"):
            if name not in self.without:
                _write(folder / name / ".gitkeep", "")
        for guide in ("AGENTS.md", "CLAUDE.md", "configs/AGENTS.md"):
            _write(folder / guide, "Workspace guide.\n")
        _write(folder / ".gitignore", ".osmosis/\n.venv/\n__pycache__/\n")
        _write(folder / "rollouts/arith/main.py", self.source())
        _write(folder / "rollouts/arith/pyproject.toml", self._pyproject(constraints))
        _write(folder / "configs/eval/arith.toml", self._config())
        _write(folder / "data/dev.jsonl", "".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in self.rows))
        _commit(folder)

    def source(self) -> str:
        """The rollout's program. An edit that does not apply exactly once is an error: it would leave a healthy program."""
        text = HEALTHY
        for old, new in self.edits:
            if text.count(old) != 1:
                raise ValueError(f"{old!r} stands {text.count(old)} times in the rollout's source")
            text = text.replace(old, new)
        return text

    def _pyproject(self, constraints: Sequence[str]) -> str:
        held = f"constraint-dependencies = {_toml_list(constraints)}\n" if constraints else ""
        return (
            '[project]\nname = "arith"\nversion = "0.1.0"\nrequires-python = ">=3.12"\n'
            f"dependencies = {_toml_list(('osmosis-ai[server]==0.3.8', *self.dependencies))}\n\n"
            f"[tool.uv]\npackage = false\n{held}"
        )

    def _config(self) -> str:
        return (
            f'[experiment]\nrollout = "arith"\nentrypoint = "{self.entrypoint}"\n'
            'model_path = "openai/policy"\ndataset = "arith-dev"\n\n'
            f"[evaluation]\nn = {self.attempts}\nagent_workflow_timeout_s = {self.agent_timeout}\n"
            f"grader_timeout_s = {self.grader_timeout}\n\n[secrets]\nrequired = {json.dumps(self.secrets)}\n"
        )


def locked_versions() -> tuple[str, ...]:
    """`name==version` of everything in the lock file."""
    lines = LOCK.read_text().splitlines()
    return tuple(line.strip(" \\") for line in lines if re.match(r"[a-z0-9]", line))


def _toml_list(values: Sequence[str]) -> str:
    return "[\n" + "".join(f"    {json.dumps(value)},\n" for value in values) + "]"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _commit(folder: Path) -> None:
    who = {"NAME": "lab", "EMAIL": "lab@example.invalid", "DATE": "2026-01-01T00:00:00Z"}
    environment = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in who.items()}
    environment |= {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    for command in (
        "init -q -b main",
        "remote add origin https://github.com/lab-example/arith-workspace.git",
        "add -A",
        "commit -q -m workspace",
    ):
        subprocess.run(["git", *command.split()], cwd=folder, env=environment, check=True, capture_output=True)
