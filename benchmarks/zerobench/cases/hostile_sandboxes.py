"""Rollouts that Osmosis ran in a Harbor sandbox: what the program in the container recorded of itself, and zeros that say nothing of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.zerobench.cases.case import PASS, Case
from benchmarks.zerobench.osmosis import BRIDGE, Eval, Row, write_eval
from benchmarks.zerobench.places import Place, write_json, write_text

ID = Row().id
URL = BRIDGE.format(id=ID).replace("127.0.0.1", "host.docker.internal")
NOTHING = "No messages from the agent phase, skipping grading\n"


def cases() -> Iterator[Case]:
    yield from _failed_inside()
    yield from _around()
    yield from _graded()


def _case(
    name: str,
    truth: str,
    phase: str,
    *,
    error: str | None = "agent_error",
    exception: tuple[str, str] | None = None,
    inside: dict[str, Any] | None = None,
    files: dict[str, str] | None = None,
    row: Row | None = None,
    kind: str = "fault",
) -> Case:
    def write(root: Path) -> Place:
        one = row or Row(error=error, block="workflow", trajectory=False, statuses=())
        folder = write_eval(root / ".osmosis/evals/dev-run", Eval([one, Row(1)]))
        own = folder / "rollout_trials" / one.id
        timings = {"environment_setup": 9.1, "agent_setup": 4.0, "agent": 30.2, "total": 46.0}
        known = {"backend": "harbor", "phase": phase, "harbor_exception_type": exception[0] if exception else None}
        write_json(own / "diagnostics.json", {**known, "category": error, "timings_sec": timings})
        info = None
        if exception:
            trace = f'Traceback (most recent call last):\n  File "/opt/harbor/trial/trial.py", line 300, in run\n{exception[0]}: {exception[1]}\n'
            info = {"exception_type": exception[0], "exception_message": exception[1], "exception_traceback": trace}
            info["occurred_at"] = "2026-09-03T07:15:58Z"
            write_text(own / "logs/exception.txt", trace)
        if inside is not None:
            write_text(own / "logs/agent/container_result.json", json.dumps(inside))
        for path, text in (files or {}).items():
            write_text(own / path, text)
        result = {"task_name": "sums", "trial_name": f"osmosis-{one.id}", "exception_info": info, "verifier_result": None}
        write_json(own / "harbor/result.json", result)
        return Place(folder, "0.0")

    return Case(f"osmosis-{name}", truth, kind, "osmosis", "rollout", write)


def _inside(message: str) -> dict[str, Any]:
    return {"status": "failure", "output": None, "sample": None, "err_message": message}


INSIDE = (
    ("rate_limited", f"Client error '429 Too Many Requests' for url '{URL}'\nFor more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/429"),
    ("provider_error", f"Server error '502 Bad Gateway' for url '{URL}'"),
    ("agent_auth", f"Client error '401 Unauthorized' for url '{URL}'"),
    ("rate_limited", "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached for gpt-5-mini"),
    ("quota_exhausted", "Error code: 429 - {'error': {'message': 'You exceeded your current quota.', 'code': 'insufficient_quota'}}"),
    ("workflow_error", "division by zero"),
    ("workflow_error", "'tolerance'"),
    ("workflow_error", "weather service: Error code: 429 - slow down"),
    ("workflow_error", "Client error '429 Too Many Requests' for url 'https://api.weather.example/v2/forecast'"),
    ("workflow_error", "[Errno 2] No such file or directory: '/app/tables/units.json'"),
)  # fmt: skip


def _failed_inside() -> Iterator[Case]:
    """run() raised in the container: its program records the message, and the verifier then finds nothing to grade."""
    for number, (truth, message) in enumerate(INSIDE):
        files = {"logs/verifier/test-stdout.txt": NOTHING, "logs/verifier/reward.json": '{"reward": 0.0}'} if number % 2 else {}
        kind = "decoy" if truth == "workflow_error" else "fault"
        yield _case(
            f"hostile-inside-{number}",
            truth,
            "verifier" if number % 2 else "agent",
            inside=_inside(message),
            files=files,
            kind=kind,
        )


def _around() -> Iterator[Case]:
    """What Harbor recorded around it."""
    pulled = "Docker compose command failed for environment sums. Return code: 18. Stdout: toomanyrequests: You have reached your pull rate limit."
    yield _case(
        "hostile-image-registry", "environment_failure", "environment_setup", exception=("RuntimeError", pulled), kind="decoy"
    )
    installed = "Command failed (exit 1): uv pip install osmosis-ai\nstdout: error: Failed to fetch: HTTP status client error (401 Unauthorized)"
    yield _case(
        "hostile-package-index",
        "agent_setup_failure",
        "agent_setup",
        exception=("NonZeroAgentExitCodeError", installed),
        kind="decoy",
    )
    yield _case(
        "hostile-sandbox-service",
        "environment_failure",
        "environment_setup",
        error="http_error",
        exception=("SandboxApiException", "429 Too Many Requests: max_sandboxes"),
        kind="decoy",
    )
    yield _case(
        "hostile-sandbox-gone",
        "environment_failure",
        "agent",
        error="http_error",
        exception=("SandboxNotFoundException", "sandbox not found"),
    )
    yield _case(
        "hostile-agent-limit",
        "rate_limited",
        "agent",
        exception=(
            "litellm.exceptions.RateLimitError",
            "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached",
        ),
    )
    yield _case(
        "hostile-agent-deadline",
        "clock",
        "agent",
        error="timeout",
        exception=("AgentTimeoutError", "Agent execution timed out after 600.0 seconds"),
    )
    judged = "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached'}}"
    yield _case("hostile-verifier-judge", "grader_error", "verifier", exception=("RuntimeError", judged), kind="decoy")
    unset = {"logs/verifier/reward.json": '{"accuracy": 0.5}'}
    yield _case("hostile-other-dimension", "reward_missing", "grading", error="validation_error", files=unset)
    words = {"logs/verifier/reward.json": '{"reward": "high"}'}
    yield _case("hostile-reward-in-words", "reward_invalid", "grading", error="validation_error", files=words)
    raised = "Traceback (most recent call last):\n  File \"/app/grader.py\", line 9, in grade\nKeyError: 'tolerance'\n"
    yield _case(
        "hostile-no-reward-file",
        "reward_missing",
        "verifier",
        exception=("RewardFileNotFoundError", "No reward file"),
        files={"logs/verifier/test-stdout.txt": raised},
    )


def _graded() -> Iterator[Case]:
    """Graded rows; what their programs printed is no fault."""
    wrong = Row(reward=0.0, answer="HTTP 429. The answer is 12.", statuses=())
    done = {"status": "success", "output": None, "sample": None, "err_message": None}
    printed = {
        "logs/agent/run.log": "openai.RateLimitError: Error code: 429, trying again\n",
        "logs/verifier/test-stdout.txt": "expected 84, got 12\n",
    }
    yield _case(
        "hostile-inside-wrong", "wrong_answer", "verifier", error=None, inside=done, files=printed, row=wrong, kind="decoy"
    )
    right = Row(statuses=())
    yield _case("hostile-inside-right", PASS, "verifier", error=None, inside=done, files=printed, row=right, kind="decoy")
    skipped = {"logs/verifier/test-stdout.txt": "expected 84, got 12\n", "logs/agent/run.log": NOTHING}
    yield _case(
        "hostile-agent-prints-the-graders-words",
        "wrong_answer",
        "verifier",
        error=None,
        inside=done,
        files=skipped,
        row=wrong,
        kind="decoy",
    )
