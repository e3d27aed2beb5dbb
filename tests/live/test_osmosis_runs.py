"""Real `osmosis eval run` calls, one fault each, and what whyzero makes of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab import processes
from lab.osmosis.runner import MADE_UP_KEY, Made
from lab.osmosis.scenarios import SCENARIOS, Scenario, named
from lab.quotes import stands
from whyzero.analyses.locate_failed_phase import FailedPhase, locate_failed_phase
from whyzero.evidence import dump
from whyzero.readers import open_run

SERVER = Path(__file__).parents[2] / "server"
pytestmark = pytest.mark.live
every_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
Runs = Callable[[str], Made]


def looked_at(made: Made) -> Path:
    """What a user would point at: the run, or the workspace where the CLI refused and only its message tells."""
    return made.workspace if made.scenario.told_on_stderr else made.run


def diagnosed(made: Made) -> FailedPhase:
    error = made.stderr if made.scenario.told_on_stderr else None
    return locate_failed_phase(open_run(looked_at(made), error=error), response_format="detailed")


@every_scenario
def test_the_tool_records_the_fault_as_expected(scenario: Scenario, osmosis_run: Runs) -> None:
    made = osmosis_run(scenario.name)
    assert made.exit_code == scenario.exit_code, made.stderr[-2000:]
    assert made.recorded() == scenario.recorded


@every_scenario
def test_the_fault_is_named(scenario: Scenario, osmosis_run: Runs) -> None:
    report = diagnosed(osmosis_run(scenario.name))
    of_rows = {row: cause for row, cause in scenario.causes.items() if row != "run"}
    first = next((cause for cause in of_rows.values() if cause != "skipped"), None)
    assert (report.phase, report.cause) == (scenario.phase, scenario.causes.get("run", first))
    recorded = scenario.recorded or {}
    assert {trial.row: trial.cause for trial in report.trials if trial.row in recorded} == of_rows


@every_scenario
def test_what_is_quoted_stands_where_it_is_said_to_stand(scenario: Scenario, osmosis_run: Runs) -> None:
    made = osmosis_run(scenario.name)
    report = diagnosed(made)
    assert bool(report.evidence) == bool(report.cause)
    shown = (*report.evidence, *(e for trial in report.trials for e in trial.evidence))
    assert [e for e in shown if not stands(e, open_run(looked_at(made)).root, made.stderr)] == []


@pytest.mark.parametrize("scenario", [named("interrupted"), named("killed")], ids=lambda scenario: scenario.name)
def test_a_run_at_work_is_not_called_interrupted(scenario: Scenario, osmosis_run: Runs) -> None:
    """The same files, moments before the signal."""
    report = osmosis_run(scenario.name).underway
    assert (report.phase, report.cause, report.counts.passed, report.counts.pending) == ("none", None, 2, 2)
    assert "still works on this run" in report.summary


@pytest.mark.parametrize("scenario", [named("killed")], ids=lambda scenario: scenario.name)
def test_a_run_whose_server_outlives_it_is_called_interrupted(scenario: Scenario, osmosis_run: Runs) -> None:
    made = osmosis_run(scenario.name)
    assert (made.orphaned.phase, made.orphaned.cause) == ("dispatch", "interrupted")
    assert {"server.json"} <= {path.name for path in made.run.iterdir()}


@every_scenario
def test_the_key_given_to_the_run_is_in_no_answer(scenario: Scenario, osmosis_run: Runs) -> None:
    assert MADE_UP_KEY not in diagnosed(osmosis_run(scenario.name)).model_dump_json()


@every_scenario
def test_nothing_is_left_running(scenario: Scenario, osmosis_run: Runs) -> None:
    made = osmosis_run(scenario.name)
    assert made.left == ()
    assert bool(made.outlived) == (scenario.name == "killed")
    log = (made.run / "logs.txt").read_text() if made.run.is_dir() else ""
    ports = {int(port) for port in re.findall(r'starting rollout server .*"port":(\d+)', log)}
    assert [port for port in ports if processes.listening(port)] == []


@pytest.mark.parametrize("scenario", [named("grader-raises"), named("port-taken")], ids=lambda scenario: scenario.name)
def test_the_command_line_gives_the_same_answer(scenario: Scenario, osmosis_run: Runs) -> None:
    made = osmosis_run(scenario.name)
    error = ["--error", made.folder / "steps/1/stderr.txt"] if scenario.told_on_stderr else []
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "whyzero",
            "locate-failed-phase",
            looked_at(made),
            *error,
            "--json",
            "--response-format",
            "detailed",
        ],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SERVER)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout) == dump(diagnosed(made))
