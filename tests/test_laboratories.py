"""The tables of the live tests, as far as they can be checked without a run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from lab.harbor import scenarios as harbor
from lab.osmosis import scenarios as osmosis
from lab.osmosis.stub_model import ERRORS
from lab.osmosis.workspace import HEALTHY, Workspace, locked_versions
from whyzero.causes import ORDER
from whyzero.findings import Outcome
from whyzero.model import Phase

LAB = Path(__file__).parent / "lab"


@pytest.mark.parametrize("tool", ["osmosis", "harbor"])
def test_the_tools_are_pinned_by_hash_and_no_host_is_named(tool: str) -> None:
    wanted = (LAB / tool / "requirements.in").read_text().split()
    lock = (LAB / tool / "requirements.lock").read_text()
    pins = re.findall(r"^([a-z0-9-]+==\S+).*\\$", lock, flags=re.M)
    assert len(re.findall(r"^\S", lock, flags=re.M)) == len(pins)
    assert "://" not in lock
    assert {re.sub(r"\[.*\]", "", need) for need in wanted if "==" in need} <= set(pins)


def test_the_rollouts_speak_the_version_of_the_command_line() -> None:
    assert "osmosis-ai==0.3.8" in locked_versions()
    assert "osmosis-ai[server]==0.3.8" in Workspace()._pyproject(())


@pytest.mark.parametrize("scenario", osmosis.SCENARIOS, ids=lambda scenario: scenario.name)
def test_an_edited_rollout_differs_from_the_healthy_one_and_parses(scenario: osmosis.Scenario) -> None:
    source = scenario.workspace.source()
    assert (source == HEALTHY) == (scenario.workspace.edits == ())
    ast.parse(source)


def test_an_edit_that_finds_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="stands 0 times"):
        Workspace(edits=(("no such text", ""),)).source()


def test_the_tables_use_the_public_words() -> None:
    causes = {cause for scenario in osmosis.SCENARIOS for cause in scenario.causes.values()}
    causes |= {scenario.cause for scenario in harbor.SCENARIOS if scenario.cause}
    assert causes <= set(ORDER)
    assert {scenario.phase for scenario in (*osmosis.SCENARIOS, *harbor.SCENARIOS)} <= set(Phase)
    assert {scenario.outcome for scenario in harbor.SCENARIOS} <= set(Outcome)


def test_every_name_stands_once_and_every_error_has_its_words() -> None:
    for table in (osmosis.SCENARIOS, harbor.SCENARIOS):
        names = [scenario.name for scenario in table]
        assert len(names) == len(set(names))
    played = {part for s in osmosis.SCENARIOS for play in s.model.for_prompts_with.values() for part in play.split("|")}
    played |= {s.model.preflight for s in osmosis.SCENARIOS}
    assert {int(p.removeprefix("http_")) for p in played if p.startswith("http_")} <= set(ERRORS)
