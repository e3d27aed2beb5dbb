"""Keeps real runs as files: `python -m tests.lab.osmosis.make NAME... --into FOLDER`, or `--list`.

Each becomes FOLDER/NAME with `workspace/` (no environment, no Git), `steps/1/` (command, exit code, streams) and
`expected.json` {input, reported_error, phase, causes, why}. Paths of this machine are replaced by neutral ones.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from ..processes import let_children_be_interrupted
from .runner import Laboratory, Made
from .scenarios import SCENARIOS, named

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", "uv.lock")


def keep(made: Made, target: Path, python: str) -> None:
    """Copy a run to the new folder `target`, with neutral paths."""
    shutil.copytree(made.folder, target, ignore=LEFT_OUT, symlinks=True)
    neutral = {str(made.workspace): "/home/user/ws", python: "/opt/python", str(Path(made.folder).parent): "/home/user"}
    for path in target.rglob("*"):
        if path.is_file() and not path.is_symlink():
            text = path.read_text()
            for here, there in neutral.items():
                text = text.replace(here, there)
            path.write_text(text)
    scenario = made.scenario
    expected = {
        "input": "workspace" if scenario.told_on_stderr else "workspace/.osmosis/evals/dev-run",
        "reported_error": "steps/1/stderr.txt" if scenario.told_on_stderr else None,
        "phase": [scenario.phase],
        "causes": {str(where): [cause] for where, cause in scenario.causes.items()},
        "why": scenario.why,
    }
    (target / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.osmosis.make", description="Keep real Osmosis runs as files.")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*(s.name for s in SCENARIOS), []], help="see --list")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="where they go; existing ones are replaced")
    parser.add_argument("--list", action="store_true", help="print the scenarios and stop")
    wanted = parser.parse_args()
    if wanted.list or not wanted.names or wanted.into is None:
        print("\n".join(f"{s.name:30} {s.why}" for s in SCENARIOS))
        sys.exit(0 if wanted.list else "which, and --into where?")
    let_children_be_interrupted()
    with tempfile.TemporaryDirectory() as scratch:
        laboratory = Laboratory(Path(scratch) / "home", constraints=())
        python = str(Path(os.path.realpath(laboratory.bin / "python")).parents[1])
        for number, name in enumerate(wanted.names):
            made = laboratory.make(named(name), Path(scratch) / str(number))
            shutil.rmtree(wanted.into / name, ignore_errors=True)
            keep(made, wanted.into / name, python)
            agrees = (made.exit_code, made.recorded()) == (made.scenario.exit_code, made.scenario.recorded)
            print(
                f"{name}: {made.seconds:.0f} s, {'as expected' if agrees else 'NOT as the table says: look before you keep it'}"
            )


if __name__ == "__main__":
    main()
