"""Keeps real jobs as files: `python -m tests.lab.harbor.make NAME... --into FOLDER`, or `--list`.

Each becomes FOLDER/NAME with `job/` (Harbor's job directory), `tasks/`, `harbor.log` (what the CLI printed) and
`expected.json` {input, trials: {name: {cause, phase, reward}}, why}.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from ..keeping import home_of_python, keep, wanted
from .runner import TESTS, Laboratory, Made
from .scenarios import SCENARIOS


def expected(made: Made) -> dict[str, object]:
    """In the form of the labelled cases: where the tool is pointed at, and what it has to find."""
    scenario = made.scenario
    verdict = {"cause": [scenario.cause] if scenario.cause else None, "phase": scenario.phase, "reward": scenario.reward}
    return {"input": "job", "trials": {made.result()["trial_name"]: verdict}, "why": scenario.why}


def main() -> None:
    scenarios, into = wanted("harbor", SCENARIOS)
    with tempfile.TemporaryDirectory() as scratch:
        laboratory = Laboratory(Path(scratch) / "home")
        neutral = {
            laboratory.bin.parent: "/opt/harbor",
            TESTS.parent: "/opt/whyzero",
            home_of_python(laboratory.bin): "/opt/python",
        }
        for scenario in scenarios:
            made = laboratory.make(scenario, Path(scratch) / scenario.name)
            keep(made.job.parent, into / scenario.name, {made.job.parent: "/srv/lab", scratch: "/home/user", **neutral})
            (into / scenario.name / "expected.json").write_text(json.dumps(expected(made), indent=1) + "\n")
            as_told = made.recorded() == (scenario.reward, scenario.exception)
            print(f"{scenario.name}: {made.seconds:.0f} s, {'as the table says' if as_told else 'NOT as the table says'}")


if __name__ == "__main__":
    main()
