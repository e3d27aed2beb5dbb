"""What callers rely on: the names that are always there, the size of a concise answer, and pages without gaps."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harbor_trees import ABSENT, LOOKED, RIGHT, WRONG, exception, graded, result, spans, trajectory, trial, write
from whyzero.analyses.classify_zero import classify_zero
from whyzero.analyses.locate_failed_phase import locate_failed_phase
from whyzero.evidence import dump
from whyzero.readers import open_run

TRIALS = 1000
TOKENS = 1000
CHARACTERS_A_TOKEN = 4
ANALYSES = {"classify_zero": classify_zero, "locate_failed_phase": locate_failed_phase}


@pytest.fixture(scope="module", params=[("claude-sonnet-4-5",), ("claude-sonnet-4-5", "claude-opus-4-1", "gpt-5")], ids=len)
def job(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred tasks, ten tries; of every five trials two pass and one each is wrong, out of time, never started."""
    root: Path = tmp_path_factory.mktemp("job")
    for number in range(TRIALS):
        model = request.param[number % len(request.param)]
        info = {"name": "claude-code", "version": "2", "model_info": {"name": model, "provider": "anthropic"}}
        task = f"org/a-task-with-a-rather-long-name-{number % 100:03d}"
        record = result(name=f"a-task__{number:07d}", task_name=task, agent_info=info, source="some-benchmark@2.0")
        path = root / f"a-task__{number:07d}"
        kind = number // len(request.param) % 5
        if kind < 2:
            graded(path, RIGHT, reward=1.0, record={**record, "verifier_result": {"rewards": {"reward": 1.0}}})
        elif kind == 2:
            graded(path, RIGHT, WRONG, record=record)
        elif kind == 3:
            late = exception("AgentTimeoutError", "Agent execution timed out after 100.0 seconds")
            work = trajectory(LOOKED, LOOKED, LOOKED)
            graded(path, ABSENT, record={**record, "exception_info": late}, agent__trajectory_json=work)
        else:
            broken = exception("RuntimeError", "Docker compose command failed for environment x")
            trial(path, {**record, "verifier_result": None, "exception_info": broken, **spans("environment_setup")})
    stats = {"n_completed_trials": TRIALS, "n_errored_trials": 400, "evals": {}}
    return write(
        root, {"result.json": {"id": "x", "started_at": "2026-03-01T10:00:00", "n_total_trials": TRIALS, "stats": stats}}
    )


def test_a_concise_answer_about_a_thousand_trials_is_short_and_its_counts_exact(job: Path) -> None:
    answer = dump(classify_zero(open_run(job)))
    assert len(json.dumps(answer, indent=2)) <= TOKENS * CHARACTERS_A_TOKEN
    assert set(answer["outcomes"]) == {"graded_pass", "graded_zero", "not_graded"}
    assert sum(answer["counts"].values()) == TRIALS
    assert answer["trials"]
    assert answer["omitted"]["trials"] == TRIALS - answer["counts"]["passed"] - len(answer["trials"])
    rest = next(step for step in answer["next_steps"] if "offset" in step["arguments"])
    assert rest["arguments"]["offset"] == len(answer["trials"])


@pytest.mark.parametrize("analysis", ANALYSES)
def test_pages_have_neither_gap_nor_repeat_and_the_concise_answer_is_their_beginning(analysis: str, job: Path) -> None:
    ask: Any = ANALYSES[analysis]
    whole = [t.id for t in ask(open_run(job), response_format="detailed").trials]
    pages: list[str] = []
    while page := ask(open_run(job), response_format="detailed", offset=len(pages), limit=250).trials:
        pages += [t.id for t in page]
    assert pages == whole
    assert max(Counter(pages).values()) == 1
    concise = [t.id for t in ask(open_run(job)).trials]
    assert concise == whole[: len(concise)]


NAMES = {
    "locate_failed_phase": "summary next_steps problems run phase affected cause likely_cause evidence disproving_check evidence_level "
    "trials counts",
    "classify_zero": "summary next_steps problems trials counts scores",
}
TRIAL_NAMES = {
    "locate_failed_phase": "id task attempt phase native_phase cause first_error evidence",
    "classify_zero": "id task attempt outcome reward answered cause phase evidence_level counts_as_score incidents evidence "
    "disproving_check",
}
SCORE_NAMES = (
    "trials answered completion_rate completion_interval mean_answered mean_if_missing_is_zero bounds harness_mean harness_rule "
    "enough_samples advice"
)


@pytest.mark.parametrize("analysis", ANALYSES)
@pytest.mark.parametrize("tests", [(RIGHT, WRONG), (ABSENT,), ()], ids=["wrong", "undecided", "passed"])
def test_every_name_of_the_interface_is_there_null_included(analysis: str, tests: Any, tmp_path: Path) -> None:
    reward = 0.0 if tests else 1.0
    path = graded(tmp_path, *(tests or (RIGHT,)), record=result(reward=reward), reward=reward)
    (path / "agent" / "trajectory.json").unlink()
    given = {"include": "all"} if analysis == "classify_zero" else {}
    ask: Any = ANALYSES[analysis]
    answer = dump(ask(open_run(path), **given))
    assert set(NAMES[analysis].split()) <= set(answer)
    for one in answer["trials"]:
        assert set(TRIAL_NAMES[analysis].split()) <= set(one)
    for one in answer.get("scores", ()):
        assert set(SCORE_NAMES.split()) <= set(one)
