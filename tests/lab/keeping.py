"""Keeps a run as files that tell nothing of the machine that made it."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", "uv.lock")


def keep(source: Path, target: Path, neutral: Mapping[Path | str, str]) -> None:
    """Copy `source` to `target` without environments and Git, each path of this machine replaced by its neutral one."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, ignore=LEFT_OUT, symlinks=True)
    for path in target.rglob("*"):
        if path.is_file() and not path.is_symlink():
            text = path.read_text()
            for here, there in neutral.items():
                text = text.replace(str(here), there)
            path.write_text(text)


def home_of_python(bin_folder: Path) -> Path:
    """Where the interpreter behind an environment is installed: its path stands in tracebacks."""
    return Path(os.path.realpath(bin_folder / "python")).parents[1]


def wanted(tool: str, scenarios: Sequence[Any]) -> tuple[list[Any], Path]:
    """The scenarios named on the command line, and where they go. Prints the list and ends where asked to."""
    names = {scenario.name: scenario for scenario in scenarios}
    parser = argparse.ArgumentParser(prog=f"python -m tests.lab.{tool}.make", description="Keep real runs as files.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios, see --list")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="each becomes FOLDER/NAME; one that is there is replaced")
    parser.add_argument("--list", action="store_true", help="print the scenarios and stop")
    given = parser.parse_args()
    if given.list:
        print("\n".join(f"{name:32} {scenario.why}" for name, scenario in names.items()))
        sys.exit()
    if unknown := [name for name in given.names if name not in names]:
        parser.error(f"no such scenario: {', '.join(unknown)}")
    if not given.names or given.into is None:
        parser.error("name the scenarios and --into")
    return [names[name] for name in given.names], given.into
