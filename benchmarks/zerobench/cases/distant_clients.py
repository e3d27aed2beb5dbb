"""Agents of the operator's own: cloud clients that ask a model and cloud clients that do not, trajectories alone, closing lines of programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench.cases.case import Case, in_harbor, in_terminal_bench, task
from benchmarks.zerobench.cases.distant_layouts import in_steps
from benchmarks.zerobench.cases.logged import ADAPTER, RUNNER, logged
from benchmarks.zerobench.harbor_verifier import Tests, nothing, right, wrong
from benchmarks.zerobench.story import Ran, Said, finished, looked

BEDROCK = 'File "/opt/venv/site-packages/botocore/client.py", line 1078, in _make_api_call\n'
GENAI = 'File "/opt/venv/site-packages/google/genai/errors.py", line 105, in raise_for_response\n'
CREDENTIALS = 'File "/opt/venv/site-packages/google/genai/_api_client.py", line 190, in load_auth\n'
DAILY = "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'You exceeded your current quota, please check your plan and billing details.', 'status': 'RESOURCE_EXHAUSTED', 'details': [{'violations': [{'quotaId': 'GenerateRequestsPerDayPerProjectPerModel'}]}]}}"
MINUTE = "429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'You exceeded your current quota, please check your plan and billing details.', 'status': 'RESOURCE_EXHAUSTED', 'details': [{'violations': [{'quotaId': 'GenerateRequestsPerMinutePerProjectPerModel'}]}, {'retryDelay': '31s'}]}}"

RAISED = (
    ("bedrock-throttled", "rate_limited", "botocore.errorfactory.ThrottlingException", "An error occurred (ThrottlingException) when calling the ConverseStream operation (reached max retries: 4): Too many tokens, please wait before trying again.", BEDROCK),
    ("bedrock-window", "context_length", "botocore.errorfactory.ValidationException", "An error occurred (ValidationException) when calling the Converse operation: The model returned the following errors: Input is too long for requested model.", BEDROCK),
    ("s3-denied", "harness_crash", "botocore.exceptions.ClientError", "An error occurred (AccessDenied) when calling the GetObject operation: Access Denied", BEDROCK),
    ("dynamo-throttled", "harness_crash", "botocore.errorfactory.ThrottlingException", "An error occurred (ThrottlingException) when calling the PutItem operation: Rate of requests exceeds the allowed throughput.", BEDROCK),
    ("bucket-gone", "harness_crash", "google.api_core.exceptions.NotFound", "404 GET https://storage.example/storage/v1/b/runs: The specified bucket does not exist.", ""),
    ("vertex-credentials", "agent_auth", "google.auth.exceptions.DefaultCredentialsError", "Your default credentials were not found. To set up Application Default Credentials, see the documentation.", CREDENTIALS),
    ("genai-daily", "quota_exhausted", "google.genai.errors.ClientError", DAILY, GENAI),
    ("genai-minute", "rate_limited", "google.genai.errors.ClientError", MINUTE, GENAI),
    ("anthropic-529", "provider_error", "anthropic.APIStatusError", "Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}", ""),
    ("litellm-timeout", "provider_error", "litellm.exceptions.Timeout", "litellm.Timeout: Connection timed out. Timeout passed=600.0, time taken=600.1 seconds", ""),
    ("pull-request", "harness_crash", "github.GithubException.RateLimitExceededException", "403 {'message': 'API rate limit exceeded for user ID 1.'}", ""),
    ("weights", "harness_crash", "huggingface_hub.errors.GatedRepoError", "401 Client Error. Cannot access gated repo for url https://hub.example/org/tokenizer/resolve/main/tokenizer.json.", ""),
)  # fmt: skip
"""(name, truth, class, message, frame of the library)."""


def cases() -> Iterator[Case]:
    for number, (name, truth, kind, message, frame) in enumerate(RAISED):
        trial = harbor.Trial(
            looked(task(number), 3),
            "terminus-2",
            ("0.24.0", "0.26.0", "0.20.0")[number % 3],
            exception=(kind, message, "agent_execution"),
            seconds={"agent_execution": 66.0},
        )
        trial.trace = f'Traceback (most recent call last):\n  File "{RUNNER}", line 654, in run\n  File "{ADAPTER}", line 88, in run\n{"  " + frame if frame else ""}{kind}: {message}\n'
        yield in_harbor(f"distant-client-{name}", truth, trial, "decoy" if truth == "harness_crash" else "fault")
    yield from _trajectories()
    yield from _lines()
    yield from _late()
    yield from _parts()


def _trajectory(number: int, every: int, *steps: tuple[str, str, str]) -> str:
    """ATIF 1.2 of an agent of the operator's own; each step is a message, a command and its output."""
    listed: list[dict[str, object]] = [
        {"step_id": 1, "timestamp": "2026-05-11T09:30:17Z", "source": "user", "message": task(number).brief}
    ]
    begun = datetime(2026, 5, 11, 9, 30, 17, tzinfo=UTC)
    for index, (said, command, output) in enumerate(steps, 2):
        at = (begun + timedelta(seconds=every * (index - 1))).isoformat().replace("+00:00", "Z")
        step: dict[str, object] = {
            "step_id": index,
            "timestamp": at,
            "source": "agent",
            "message": said,
        }
        if command:
            step["tool_calls"] = [{"tool_call_id": f"c{index}", "function_name": "bash", "arguments": {"command": command}}]
            step["observation"] = {"results": [{"source_call_id": f"c{index}", "content": output}]}
        listed.append(step)
    agent = {"name": "clever", "version": "0.1", "model_name": "gpt-5"}
    return json.dumps({"schema_version": "ATIF-v1.2", "session_id": "s", "agent": agent, "steps": listed})


def _trajectories() -> Iterator[Case]:
    shown = "litellm.exceptions.AuthenticationError: litellm.AuthenticationError: OpenAIException - Incorrect API key provided"
    for number, (name, truth, last, late) in enumerate(
        (
            ("says-limit", "early_stop", "Rate limit reached (429). I stop here and hope for the best.", False),
            ("shows-key", "clock", "", True),
        )
    ):
        steps = [("I look.", task(number).look[0], task(number).look[1]), ("I read the log.", "cat app.log", shown)]
        text = _trajectory(number, 299 if late else 20, *steps, *([(last, "", "")] if last else []))
        story = looked(task(number))
        trial = harbor.Trial(
            story,
            "agents.clever:Clever",
            "0.13.0",
            nothing(task(number)),
            exception=("AgentTimeoutError", "Agent execution timed out after 600.0 seconds", "agent_execution") if late else None,
            seconds={"agent_execution": 600.3 if late else 70.0},
            no_agent_files=True,
            extra_files={"agent/trajectory.json": text},
        )
        yield in_harbor(f"distant-trajectory-{name}", truth, trial, "decoy")


def _lines() -> Iterator[Case]:
    result = {"type": "result", "subtype": "error_during_execution", "is_error": True, "error": {"message": "[API Error: 402 Insufficient Balance]"}, "session_id": "q"}  # fmt: skip
    begun = {"type": "system", "subtype": "init", "session_id": "q", "model": "qwen3-coder-plus", "qwen_code_version": "0.6.0"}
    text = "".join(json.dumps(e) + "\n" for e in (begun, result))
    yield logged("qwen-balance", "quota_exhausted", "qwen-code", "qwen-code.txt", text, 0)
    shut = "ConnectError: [unavailable] read ECONNRESET\n"
    yield logged("cursor-unavailable", "provider_error", "cursor-cli", "cursor-cli.txt", shut, 1)
    locked = (
        "NonZeroAgentExitCodeError",
        "Command failed (exit 1): run opencode\nstdout: Error: database is locked\nstderr: None",
        "agent_execution",
    )
    trial = harbor.Trial(finished(task(2)), "opencode", "0.26.0", wrong(task(2)), exception=locked)
    yield in_harbor("distant-locked-after-answer", "wrong_answer", trial, "decoy")


def _late() -> Iterator[Case]:
    """The sandbox was lost when the agent was done, or the tests themselves were not there."""
    for number, (kind, message) in enumerate(
        (
            ("daytona.common.errors.DaytonaNotFoundError", "Failed to execute command: Sandbox with ID 7f2c not found"),
            ("RuntimeError", "Docker compose command failed for environment x. Command: docker compose cp /srv/tests main:/tests. Return code: 1. Stdout: Error response from daemon: No such container: 91ab\n. Stderr: None. "),
        )
    ):  # fmt: skip
        trial = harbor.Trial(finished(task(number)), "codex", "0.24.0", exception=(kind, message, "verifier"))
        trial.trace = f'Traceback (most recent call last):\n  File "{RUNNER}", line 654, in run\n{kind}: {message}\n'
        yield in_harbor(f"distant-lost-before-tests-{number}", "environment_failure", trial)
    pane = "root@2f1c:/app# bash /tests/run-tests.sh; tmux wait -S done\nbash: /tests/run-tests.sh: No such file or directory\nroot@2f1c:/app#\n"
    old = terminal_bench.Trial(finished(task(2)), "terminus-1", Tests(None, 0.0), tokens=(9000, 800), pane_tests=pane)
    yield in_terminal_bench("distant-no-tests", "tests_never_ran", old)
    noise = "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\ncurl: (28) Operation timed out after 30001 milliseconds\nretrying\nSuccessfully installed checker-1.0\nscore=0.41 < 0.80\n"
    trial = harbor.Trial(finished(task(3)), "terminus-2", "0.26.0", Tests(None, 0.0, noise, ctrf=False))
    yield in_harbor("distant-score-below", "wrong_answer", trial, "decoy")


def _parts() -> Iterator[Case]:
    good = harbor.Trial(finished(task(0)), "codex", "0.26.0", right(task(0)))
    stop = looked(task(1)).then(Said("401 Unauthorized was in the log. I will go on later."))
    yield in_steps("steps-early", "early_stop", [good, harbor.Trial(stop, "codex", "0.26.0", nothing(task(1)))], "decoy", 0.5)
    slow = looked(task(1), 3).then(Ran("make all", "429 Too Many Requests"), Ran("make more"), ends="timeout")
    yield in_steps("steps-clock", "clock", [harbor.Trial(slow, "codex", "0.26.0", nothing(task(1)))], "decoy", 0.0)
