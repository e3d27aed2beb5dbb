"""Tasks of several steps, rewards of several names, trials without their job, deliverables kept as artifacts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import PASS, Case, in_harbor, task
from benchmarks.zerobench.cases.logged import edited
from benchmarks.zerobench.harbor_verifier import Tests, nothing, right, wrong
from benchmarks.zerobench.places import Place, write_json
from benchmarks.zerobench.refusals import REFUSALS
from benchmarks.zerobench.story import TASKS, Ran, delivered, finished, looked, untouched

KEPT = ("step_name", "agent_result", "verifier_result", "exception_info", "agent_execution", "verifier")


def cases() -> Iterator[Case]:
    yield from _steps()
    yield from _names()
    yield from _alone()
    yield from _artifacts()


def in_steps(name: str, truth: str, steps: list[harbor.Trial], kind: str, total: float | None) -> Case:
    """One trial of several steps: each is written as a trial of its own and laid below `steps/`."""

    def write(root: Path) -> Place:
        whole = harbor.Trial(
            untouched(steps[0].story.task), steps[0].agent, steps[0].version, no_agent_files=True, name="steps__Ab12cd3"
        )
        harbor.write_job(root / "job", [whole])
        folder = root / "job" / whole.name
        record = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        record |= {"agent_result": None, "agent_execution": None, "verifier": None, "step_results": []}
        record["verifier_result"] = None if total is None else {"rewards": {"reward": total}}
        for number, step in enumerate(steps):
            harbor.write_job(root / "part", [replace(step, name="part")])
            part = root / "part/part"
            found: dict[str, Any] = json.loads((part / "result.json").read_text(encoding="utf-8"))
            found["step_name"] = f"step-{number}"
            record["step_results"].append({key: found.get(key) for key in KEPT})
            for place in ("agent", "verifier"):
                if (part / place).is_dir():
                    (folder / f"steps/step-{number}").mkdir(parents=True, exist_ok=True)
                    (part / place).rename(folder / f"steps/step-{number}/{place}")
            shutil.rmtree(root / "part")
        write_json(folder / "result.json", record)
        return Place(root / "job", whole.name)

    return Case(f"harbor-distant-{name}", truth, kind, "harbor", steps[0].agent, write)


def _steps() -> Iterator[Case]:
    good = harbor.Trial(finished(task(0)), "claude-code", "0.26.0", right(task(0)))
    bad = harbor.Trial(finished(task(1)), "claude-code", "0.26.0", wrong(task(1)))
    yield in_steps("steps-wrong", "wrong_answer", [good, bad], "decoy", 0.5)
    yield in_steps("steps-stopped-below-minimum", "wrong_answer", [bad], "decoy", 0.0)
    limited = REFUSALS["rate_limited"][0]
    overcome = looked(task(0)).then(replace(limited, retried=True), Ran(task(0).write))
    yield in_steps("steps-overcome", "wrong_answer", [replace(good, story=overcome), bad], "decoy", 0.5)
    late = delivered(task(0)).then(Ran("python3 more.py"), ends="timeout")
    yield in_steps("steps-late-but-right", "wrong_answer", [replace(good, story=late), bad], "decoy", 0.5)
    refused = replace(bad, story=looked(task(1)).then(limited, ends="refused"), tests=nothing(task(1)))
    yield in_steps("steps-refused", "rate_limited", [good, refused], "fault", 0.5)
    after = finished(task(1)).then(limited, ends="refused")
    yield in_steps("steps-refused-after-answer", "wrong_answer", [good, replace(bad, story=after)], "decoy", 0.5)
    gone = ("RuntimeError", "Docker compose command failed for environment x. Command: docker compose exec main. Return code: 1. Stdout: . Stderr: Error response from daemon: No such container: x-main-1. ", "agent_execution")  # fmt: skip
    lost = replace(bad, story=looked(task(1)), tests=None, exception=gone, version="0.24.0")
    yield in_steps("steps-container", "environment_failure", [good, lost], "fault", 1.0)
    unrun = replace(bad, tests=Tests(None, 0.0, "/tests/test.sh: line 2: uvx: command not found\n", ctrf=False))
    yield in_steps("steps-unrun-tests", "tests_never_ran", [good, unrun], "fault", 0.5)


def _rewards(name: str, truth: str, rewards: object, tests: Tests, agent: str, kind: str = "decoy") -> Case:
    """The rewards of result.json in other words."""
    trial = harbor.Trial(finished(task(len(name))), agent, "0.24.0", tests)

    def other(text: str) -> str:
        record = json.loads(text)
        record["verifier_result"] = {"rewards": rewards}
        return json.dumps(record)

    return edited(name, truth, trial, "result.json", other, kind)


def _names() -> Iterator[Case]:
    yield _rewards(
        "parts-zero", "wrong_answer", {"reward": 0.0, "f2p": 0.0, "p2p": 1.0, "apply_failed": 0}, wrong(task(10)), "codex"
    )
    yield _rewards("no-main-name", "wrong_answer", {"format": 1.0, "correctness": 0.0}, wrong(task(12)), "claude-code")
    yield _rewards("minus-one", "wrong_answer", {"reward": -1.0}, wrong(task(9)), "opencode")
    yield _rewards("pass-and-style", PASS, {"reward": 1.0, "style": 0.2, "errors": 3}, right(task(14)), "codex")
    yield _rewards("more-than-one", PASS, {"reward": 1.25}, right(task(13)), "terminus-2")
    passed = right(task(17))
    yield _rewards("suite-right-style-low", "wrong_answer", {"reward": 0.0, "tests": 1.0, "judge": 0.1}, passed, "claude-code")


def _alone() -> Iterator[Case]:
    """A trial's folder handed over without its job."""
    for name, truth, story, tests, kind in (
        ("wrong", "wrong_answer", finished(task(2)), wrong(task(2)), "decoy"),
        (
            "refused",
            "quota_exhausted",
            looked(task(3)).then(REFUSALS["quota_exhausted"][0], ends="refused"),
            nothing(task(3)),
            "fault",
        ),
    ):
        trial = harbor.Trial(story, "claude-code", "0.6.1" if kind == "decoy" else "0.26.0", tests, name=f"alone__{name}1")
        case = in_harbor(f"distant-alone-{name}", truth, trial, kind)

        def write(root: Path, case: Case = case, trial: harbor.Trial = trial) -> Place:
            case.write(root)
            (root / "job" / trial.name).rename(root / trial.name)
            shutil.rmtree(root / "job")
            return Place(root / trial.name, trial.name)

        yield replace(case, write=write)


def _artifacts() -> Iterator[Case]:
    """The work was kept; what the grader made of it is another matter."""
    kept = {
        "artifacts/app/totals.json": '{"a": 429}\n',
        "artifacts/manifest.json": '[{"source": "/app", "destination": "artifacts/app"}]',
    }
    gone = ("RewardFileNotFoundError", "No reward file found at /x/verifier/reward.txt or /x/verifier/reward.json", "verifier")
    trial = harbor.Trial(
        finished(task(0)), "codex", "0.24.0", Tests(None, None, "grading\n", ctrf=False), exception=gone, extra_files=kept
    )
    yield in_harbor("distant-artifact-no-reward", "reward_missing", trial)
    trial = harbor.Trial(finished(TASKS[0]), "terminus-2", "0.26.0", Tests(None, 0.0, "", ctrf=False), extra_files=kept)
    yield in_harbor("distant-artifact-silent", "wrong_answer", trial, "decoy")
    own = harbor.Trial(finished(TASKS[0]), "opencode", "0.26.0", wrong(TASKS[0]), extra_files=kept | {"artifacts/app/error.log": "openai.RateLimitError: Error code: 429 - {'error': 'rate_limit_exceeded'}\n"})  # fmt: skip
    yield in_harbor("distant-artifact-log", "wrong_answer", own, "decoy")
