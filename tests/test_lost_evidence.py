"""Where evidence was lost, added or moved, the verdict gets weaker or stays: it never becomes another one."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_log_trees import Claude
from ended_trials import TIMEOUT, cause, ended
from harbor_trees import ABSENT, LOOKED, START, WROTE, graded, result, trajectory, trial, verdict
from whyzero.evidence import Level
from whyzero.findings import Outcome


@pytest.mark.lookalike("wrong_answer")
def test_a_verifier_whose_output_was_not_kept_is_not_a_silent_one(tmp_path: Path) -> None:
    path = trial(tmp_path / "t", result(), verifier__reward_txt="0\n", agent__trajectory_json=trajectory(LOOKED, WROTE))
    assert (verdict(path).finding, verdict(path).answered) == (None, False)


@pytest.mark.lookalike("early_stop")
def test_a_missing_file_without_a_word_of_the_agent_blames_nobody(tmp_path: Path) -> None:
    """A broken tool bridge, refused sub-agents and an early stop look alike where the agent's log is gone."""
    path = graded(tmp_path / "t", ABSENT)
    (path / "agent" / "trajectory.json").unlink()
    found = verdict(path)
    assert (found.finding, found.outcome) == (None, Outcome.GRADED_ZERO)
    assert "an agent log" in found.missing


@pytest.mark.lookalike("agent_auth", "rate_limited")
def test_a_fork_s_own_field_in_an_event_is_not_what_the_provider_said(tmp_path: Path) -> None:
    log = Claude().runs("ls", "x").retry(500, "server_error").retry(500, "server_error", 2)
    lines = [json.dumps({**json.loads(line), "fork_hint": "401 unauthorized, rate limit"}) for line in log.lines]
    log.lines[:] = lines
    assert cause(ended(tmp_path, {"claude-code.txt": log.text()}, info=TIMEOUT)) == "provider_error"


def _stalled_after(seconds: int, *, open_call: bool = False, agent: str = "claude-code") -> dict[str, Any]:
    """A trajectory whose last tool result came so long after the agent's start (10:00:15, limit 100 s)."""
    steps = trajectory(LOOKED, agent=agent)
    steps["steps"][-1]["timestamp"] = (START + timedelta(seconds=15 + seconds)).isoformat()
    if open_call:
        del steps["steps"][-1]["observation"]
    return steps


@pytest.mark.positive("provider_error")
def test_a_model_that_owes_its_answer_for_almost_all_the_time(tmp_path: Path) -> None:
    found = verdict(graded(tmp_path, ABSENT, record=result(exception_info=TIMEOUT), agent__trajectory_json=_stalled_after(5)))
    assert found.finding is not None
    assert (found.finding.cause, found.finding.evidence_level) == ("provider_error", Level.INFERENCE)
    assert found.finding.evidence[0].path == "agent/trajectory.json"
    assert "waited 95 s of 100 s" in found.finding.likely_cause


@pytest.mark.parametrize(
    "steps",
    [_stalled_after(30), _stalled_after(5, open_call=True), _stalled_after(5, agent="terminus-2")],
    ids=["a long thought", "a slow tool", "a program that loops unseen"],
)
@pytest.mark.lookalike("provider_error")
def test_an_agent_at_work_when_its_time_ran_out_is_the_clocks(steps: dict[str, Any], tmp_path: Path) -> None:
    found = verdict(graded(tmp_path, ABSENT, record=result(exception_info=TIMEOUT), agent__trajectory_json=steps))
    assert cause(found) == "clock"


@pytest.mark.lookalike("reward_invalid")
def test_an_empty_reward_file_with_a_byte_order_mark_is_empty(tmp_path: Path) -> None:
    found = verdict(trial(tmp_path, result(reward=None), verifier__reward_txt="\ufeff\n"))
    assert cause(found) == "reward_missing"


def test_a_first_event_behind_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    log = Claude()
    log.lines[:] = []
    text = "\ufeff" + log.result("API Error: Request rejected (429) · rate limit", error=True, status=429).text()
    assert cause(ended(tmp_path, {"claude-code.txt": text})) == "rate_limited"
