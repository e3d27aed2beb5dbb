"""Keeps real runs as files: `python -m tests.lab.osmosis.make NAME... --into FOLDER`, or `--list`.

Each becomes FOLDER/NAME with `workspace/` (no environment, no Git), `steps/1/` (command, exit code, streams) and
`expected.json` {input, reported_error, phase, causes, why}.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from ..keeping import home_of_python, keep, wanted
from ..processes import let_children_be_interrupted
from .runner import RUN, Laboratory
from .scenarios import SCENARIOS, Scenario


def expected(scenario: Scenario) -> dict[str, object]:
    """In the form of the labelled cases: where the tool is pointed at, and what it has to find."""
    return {
        "input": "workspace" if scenario.told_on_stderr else f"workspace/{RUN}",
        "reported_error": "steps/1/stderr.txt" if scenario.told_on_stderr else None,
        "phase": [scenario.phase],
        "causes": {str(where): [cause] for where, cause in scenario.causes.items()},
        "why": scenario.why,
    }


def main() -> None:
    scenarios, into = wanted("osmosis", SCENARIOS)
    let_children_be_interrupted()
    with tempfile.TemporaryDirectory() as scratch:
        laboratory = Laboratory(Path(scratch) / "home", constraints=())
        for scenario in scenarios:
            made = laboratory.make(scenario, Path(scratch) / scenario.name)
            neutral = {made.workspace: "/home/user/ws", scratch: "/home/user", home_of_python(laboratory.bin): "/opt/python"}
            keep(made.folder, into / scenario.name, neutral)
            (into / scenario.name / "expected.json").write_text(json.dumps(expected(scenario), indent=1) + "\n")
            as_told = (made.exit_code, made.recorded()) == (scenario.exit_code, scenario.recorded)
            print(f"{scenario.name}: {made.seconds:.0f} s, {'as the table says' if as_told else 'NOT as the table says'}")


if __name__ == "__main__":
    main()
