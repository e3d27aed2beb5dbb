"""Rollouts that Osmosis ran in a Harbor sandbox: the phase of the fault stands in their diagnostics.

Written from the SDK's source (0.3.8); no such run could be made in the laboratory.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osmosis_trees import Rollout, Tree, rollout_id, trial
from whyzero.causes.engine import judge
from whyzero.findings import Finding, Outcome
from whyzero.model import Phase, Run
from whyzero.readers import open_run


def sandboxed(
    root: Path,
    phase: str,
    exception: str | None,
    *,
    files: dict[str, Any] | None = None,
    told: tuple[str, ...] = (),
    reward: float | None = None,
) -> Run:
    """A run of one rollout with diagnostics; `files` lie in its folder."""
    category = None if reward is not None else "agent_error"
    one = Rollout(0, error=category, reward=reward, trajectory=phase in ("verifier", "grading"), told=told, answer="x")
    run = Tree([one]).write(root / "dev-run")
    every = {
        "diagnostics.json": {"backend": "harbor", "phase": phase, "harbor_exception_type": exception, "category": category},
        **(files or {}),
    }
    for name, content in every.items():
        path = run / "rollout_trials" / rollout_id(0) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return open_run(run)


def of(run: Run) -> Finding | None:
    return judge(trial(run), run).finding


RAISED = [
    pytest.param("environment_setup", "EnvironmentStartTimeoutError", "environment_failure", Phase.ENVIRONMENT,
                 marks=pytest.mark.positive("environment_failure")),
    pytest.param("agent_setup", "AgentSetupTimeoutError", "agent_setup_failure", Phase.ENVIRONMENT,
                 marks=pytest.mark.positive("agent_setup_failure")),
    pytest.param("agent", "AgentTimeoutError", "clock", Phase.TRAJECTORY, marks=pytest.mark.positive("clock")),
    pytest.param("agent", "RuntimeError", "workflow_error", Phase.TRAJECTORY, marks=pytest.mark.positive("workflow_error")),
    pytest.param("verifier", "VerifierTimeoutError", "grader_timeout", Phase.GRADING, marks=pytest.mark.positive("grader_timeout")),
    pytest.param("verifier", "RewardFileNotFoundError", "reward_missing", Phase.GRADING, marks=pytest.mark.positive("reward_missing")),
    pytest.param("verifier", "VerifierOutputParseError", "reward_invalid", Phase.GRADING, marks=pytest.mark.positive("reward_invalid")),
    pytest.param("verifier", "ValueError", "grader_error", Phase.GRADING, marks=pytest.mark.positive("grader_error")),
]  # fmt: skip


@pytest.mark.parametrize(("phase", "exception", "cause", "expected"), RAISED)
def test_the_phase_of_the_diagnostics_is_the_phase_of_the_fault(
    tmp_path: Path, phase: str, exception: str, cause: str, expected: Phase
) -> None:
    finding = of(sandboxed(tmp_path, phase, exception))
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence[0].quote) == (cause, expected, exception)
    assert finding.evidence[0].path == f"rollout_trials/{rollout_id(0)}/diagnostics.json"


def test_harbors_own_result_has_the_message(tmp_path: Path) -> None:
    info = {
        "exception_type": "RuntimeError",
        "exception_message": "no space left",
        "exception_traceback": "",
        "occurred_at": None,
    }
    finding = of(sandboxed(tmp_path, "environment_setup", "RuntimeError", files={"harbor/result.json": {"exception_info": info}}))
    assert finding is not None
    assert (finding.cause, finding.evidence[0].quote) == ("environment_failure", "RuntimeError: no space left")
    assert finding.evidence[0].path.endswith("harbor/result.json")


@pytest.mark.parametrize(
    ("written", "cause"),
    [
        pytest.param({"logs/verifier/reward.txt": "high\n"}, "reward_invalid", marks=pytest.mark.positive("reward_invalid")),
        pytest.param({"logs/verifier/reward.json": '{"reward": NaN}'}, "reward_invalid", marks=pytest.mark.lookalike("reward_missing")),
        pytest.param({"logs/verifier/reward.json": '{"score": 1.0}'}, "reward_missing", marks=pytest.mark.lookalike("reward_invalid")),
        pytest.param({"logs/verifier/reward.txt": ""}, "reward_missing", marks=pytest.mark.positive("reward_missing")),
        pytest.param({}, "reward_missing", marks=pytest.mark.positive("reward_missing")),
    ],
)  # fmt: skip
def test_a_reward_that_the_backend_could_not_use(tmp_path: Path, written: dict[str, str], cause: str) -> None:
    finding = of(sandboxed(tmp_path, "grading", None, files=written))
    assert finding is not None
    assert (finding.cause, finding.phase) == (cause, Phase.GRADING)


@pytest.mark.positive("no_sample")
@pytest.mark.lookalike("wrong_answer")
def test_a_zero_for_want_of_messages_is_no_wrong_answer(tmp_path: Path) -> None:
    said = "starting\nNo messages from the agent phase, skipping grading\n"
    run = sandboxed(tmp_path, "verifier", None, files={"logs/verifier/test-stdout.txt": said}, reward=0.0)
    verdict = judge(trial(run), run)
    assert verdict.finding is not None
    assert (verdict.answered, verdict.finding.cause, verdict.finding.phase) == (False, "no_sample", Phase.TRAJECTORY)


@pytest.mark.lookalike("environment_failure", "grader_error")
def test_diagnostics_are_written_for_rollouts_that_passed_too(tmp_path: Path) -> None:
    run = sandboxed(tmp_path, "verifier", None, reward=1.0)
    assert judge(trial(run), run).outcome is Outcome.GRADED_PASS


def test_a_reference_solution_leaves_no_trajectory_and_passes(tmp_path: Path) -> None:
    run = open_run(Tree([Rollout(0, trajectory=False, calls=())]).write(tmp_path / "dev-run"))
    assert judge(trial(run), run).outcome is Outcome.GRADED_PASS


BRIDGED = "Client error '429 Too Many Requests' for url 'http://host.docker.internal:46633/v1/rollouts/a1/chat/completions'"
NOTHING = "No messages from the agent phase, skipping grading\n"


@pytest.mark.positive("workflow_error", "rate_limited")
@pytest.mark.lookalike("no_sample", "rate_limited")
@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (BRIDGED, "rate_limited"),
        ("Error code: 429 - {'error': {'message': 'slow down'}}", "rate_limited"),
        ("division by zero", "workflow_error"),
        ("weather service: Error code: 429 - slow down", "workflow_error"),
        (BRIDGED.replace("host.docker.internal:46633/v1/rollouts/a1", "api.weather.example"), "workflow_error"),
    ],
)
def test_what_the_program_in_the_container_recorded_of_itself(tmp_path: Path, message: str, cause: str) -> None:
    """run() raised, the verifier ran all the same and found nothing to grade: the message came first."""
    inside = {"status": "failure", "output": None, "sample": None, "err_message": message}
    files = {"logs/agent/container_result.json": inside, "logs/verifier/test-stdout.txt": NOTHING}
    finding = of(sandboxed(tmp_path, "verifier", None, files=files))
    assert finding is not None
    assert (finding.cause, finding.phase) == (cause, Phase.TRAJECTORY)
    shown = finding.evidence[0]
    assert (shown.path.rpartition("/")[2], shown.pointer, shown.quote) == ("container_result.json", "/err_message", message)
