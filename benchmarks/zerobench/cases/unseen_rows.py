"""The rows and old runs among the cases that were written last (unseen.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.zerobench import osmosis, terminal_bench
from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import Case, in_osmosis, in_terminal_bench, one_row, task
from benchmarks.zerobench.harbor_verifier import nothing
from benchmarks.zerobench.osmosis import Eval, Row
from benchmarks.zerobench.places import Place, write_json, write_text
from benchmarks.zerobench.story import (
    Ran,
    Refusal,
    looked,
)


def cases() -> Iterator[Case]:
    yield from _sandboxed_rows()
    yield from _osmosis()
    yield from _old_runs()


def _sandboxed(
    name: str, truth: str, phase: str, exception: tuple[str, str] | None, error: str, rewards: dict[str, object] | None = None
) -> Case:
    """An Osmosis row that ran in a Harbor sandbox: its diagnostics and Harbor's own record."""

    def write(root: Path) -> Place:
        row = Row(error=error, block="workflow", trajectory=False, statuses=())
        folder = osmosis.write_eval(root / ".osmosis/evals/dev-run", Eval([row, Row(1)]))
        own = folder / "rollout_trials" / row.id
        timings = {"environment_setup": 9.1, "agent_setup": 4.0, "agent": 30.2, "verifier": 3.0, "total": 46.0}
        write_json(
            own / "diagnostics.json",
            {
                "backend": "harbor",
                "phase": phase,
                "harbor_exception_type": exception[0] if exception else None,
                "category": error,
                "timings_sec": timings,
            },
        )
        info = None
        if exception:
            trace = f'Traceback (most recent call last):\n  File "/opt/harbor/trial/trial.py", line 300, in run\n{exception[0]}: {exception[1]}\n'
            info = {
                "exception_type": exception[0],
                "exception_message": exception[1],
                "exception_traceback": trace,
                "occurred_at": "2026-09-03T07:15:58Z",
            }
            write_text(own / "logs/exception.txt", trace)
        verifier = None if rewards is None else {"rewards": {k: str(v) for k, v in rewards.items()}}
        if rewards is not None:
            write_text(own / "logs/verifier/reward.json", json.dumps(rewards))
        write_json(
            own / "harbor/result.json",
            {"task_name": "sums", "trial_name": "sums__a1", "exception_info": info, "verifier_result": verifier},
        )
        write_json(
            own / "harbor/manifest.json",
            {"schema_version": "harbor-evidence-v1", "rollout_id": row.id, "complete": True, "files": [], "errors": []},
        )
        return Place(folder, "0.0")

    return Case(f"osmosis-unseen-{name}", truth, "fault", "osmosis", "rollout", write)


def _sandboxed_rows() -> Iterator[Case]:
    yield _sandboxed(
        "sandbox-build",
        "environment_failure",
        "environment_setup",
        ("RuntimeError", "Docker compose command failed for environment sums. Return code: 1."),
        "agent_error",
    )
    yield _sandboxed(
        "sandbox-install",
        "agent_setup_failure",
        "agent_setup",
        ("NonZeroAgentExitCodeError", "Command failed (exit 127): pip install agent\nstdout: bash: pip: command not found"),
        "agent_error",
    )
    yield _sandboxed(
        "sandbox-clock", "clock", "agent", ("AgentTimeoutError", "Agent execution timed out after 20.0 seconds"), "timeout"
    )
    yield _sandboxed(
        "sandbox-verifier-clock",
        "grader_timeout",
        "verifier",
        ("VerifierTimeoutError", "Verifier execution timed out after 10.0 seconds"),
        "timeout",
    )
    yield _sandboxed("sandbox-reward-nan", "reward_invalid", "grading", None, "validation_error", {"reward": float("nan")})


def _osmosis() -> Iterator[Case]:
    socket = tb.in_workflow(
        tb.user(71, "run", "table = await fetch_table(url)"),
        tb.library("asyncpg/connect_utils.py", 901, "_connect"),
        error="ConnectionRefusedError: [Errno 111] Connect call failed ('127.0.0.1', 5432)",
    )
    yield one_row("unseen-own-database", "workflow_error", Row(error="agent_error", block="workflow", traceback=socket), "decoy")
    judge = tb.in_grader(
        tb.user(90, "grade", "verdict = await self.judge(answer)"),
        tb.library("openai/_base_client.py", 1594, "request"),
        error="openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached', 'code': 'rate_limit_exceeded'}}",
    )
    yield one_row("unseen-judge-throttled", "grader_error", Row(error="agent_error", block="grader", traceback=judge), "decoy")
    rows = [Row(n, k, reward=float(k)) if n else Row(0, k, reward=0.0, answer="It is 12.") for n in range(2) for k in range(2)]
    yield in_osmosis("unseen-attempts-wrong", "wrong_answer", Eval(rows, attempts=2), "0.1", "decoy")
    yield in_osmosis(
        "unseen-empty-label-string", "label_missing", Eval([Row(0, error="rollout_failed", label=None), Row(1)]), "0.0"
    )
    assertion = tb.in_grader(
        tb.user(88, "grade", "assert ctx.sample.messages, 'empty conversation'"), error="AssertionError: empty conversation"
    )
    yield one_row(
        "unseen-nothing-to-grade",
        "no_sample",
        Row(error="validation_error", block="workflow", traceback=assertion, trajectory=False),
    )


def _old_runs() -> Iterator[Case]:
    overload = Refusal("provider_error", 500, "server_error", "The server had an error while processing your request", "openai")
    story = looked(task(0), 2).then(overload, ends="refused")
    yield in_terminal_bench(
        "unseen-openhands-500", "provider_error", terminal_bench.Trial(story, "openhands", nothing(task(0)), seconds=(70.0, 30.0))
    )
    story = looked(task(1), 3).then(Ran("apt-get install -y gcc"), ends="timeout")
    yield in_terminal_bench(
        "unseen-mini-clock",
        "clock",
        terminal_bench.Trial(story, "mini-swe-agent", nothing(task(1)), "agent_timeout", seconds=(900.0, 30.0)),
    )
