"""Sandboxes that are gone, kills, and deadlines of every phase; programs whose own output only looks like one."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import Case, in_harbor, task
from benchmarks.zerobench.cases.logged import RUNNER
from benchmarks.zerobench.harbor_verifier import Tests, nothing, wrong
from benchmarks.zerobench.story import Ran, closing, delivered, finished, looked, untouched

COMPOSE = "Docker compose command failed for environment x. Command: docker compose --project-name x__env exec -T main bash -c 'ls'. Return code: 1. Stdout: {said}\n. Stderr: None. "
LOST = (
    ("runloop-gone", "runloop_api_client.NotFoundError", "Error code: 404 - {'message': 'Devbox dbx_31 not found'}"),
    ("runloop-down", "runloop_api_client.ConflictError", "Error code: 409 - {'message': 'Devbox is shutdown and can not run commands'}"),
    ("e2b-busy", "e2b.exceptions.RateLimitException", "429: Rate limit exceeded, please try again later."),
    ("e2b-key", "e2b.exceptions.AuthenticationException", "401: Invalid API key, please visit the dashboard"),
    ("modal-down", "modal.exception.ConnectionError", "Could not connect to the Modal server."),
    ("modal-timeout", "modal.exception.SandboxTimeoutError", "Sandbox timed out"),
    ("daytona-stopped", "daytona.common.errors.DaytonaError", "Failed to execute command: bad request: Sandbox is not running"),
    ("docker-stopped", "RuntimeError", COMPOSE.format(said="Error response from daemon: container 3fa91c is not running")),
    ("docker-daemon", "RuntimeError", COMPOSE.format(said="Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?")),
)  # fmt: skip
"""(name, class, message) raised in the agent's phase, after work."""


def cases() -> Iterator[Case]:
    yield from _lost()
    yield from _before()
    yield from _killed()
    yield from _deadlines()
    yield from _oracle()


def _lost() -> Iterator[Case]:
    for number, (name, kind, message) in enumerate(LOST):
        trial = harbor.Trial(
            looked(task(number), 3),
            "terminus-2",
            ("0.24.0", "0.20.0", "0.26.0")[number % 3],
            exception=(kind, message, "agent_execution"),
            seconds={"agent_execution": 140.0},
        )
        trial.trace = f'Traceback (most recent call last):\n  File "{RUNNER}", line 654, in run\n{kind}: {message}\n'
        yield in_harbor(f"distant-lost-{name}", "environment_failure", trial)
    told = "Command failed (exit 1): set -euo pipefail; run codex 2>&1 | tee /logs/agent/codex.txt\nstdout: Error response from daemon: container ledger_db is not running\nstderr: None"
    story = looked(task(1), 2).then(Ran("docker start ledger_db", "Error response from daemon: container ledger_db is not running"), Ran(task(1).write), closing(task(1)))  # fmt: skip
    trial = harbor.Trial(
        story, "codex", "0.26.0", wrong(task(1)), exception=("NonZeroAgentExitCodeError", told, "agent_execution")
    )
    yield in_harbor("distant-own-container", "wrong_answer", trial, "decoy")


def _before() -> Iterator[Case]:
    """Raised while the sandbox was to come up."""
    for number, (kind, message) in enumerate(
        (
            ("runloop_api_client.RateLimitError", "Error code: 429 - {'message': 'Too many devboxes'}"),
            ("modal.exception.AuthError", "Token missing. Could not authenticate client."),
            ("e2b.exceptions.SandboxException", "500: Failed to place sandbox"),
            (
                "daytona.common.errors.DaytonaError",
                "Failed to create sandbox: Total memory limit exceeded. Maximum allowed: 20GiB.",
            ),
            ("asyncio.TimeoutError", ""),
        )
    ):
        trial = harbor.Trial(
            untouched(task(number)),
            ("claude-code", "codex", "gemini-cli")[number % 3],
            ("0.24.0", "0.26.0", "0.20.0")[number % 3],
            exception=(kind, message, "environment_setup"),
            no_agent_files=True,
        )
        yield in_harbor(f"distant-not-up-{number}", "environment_failure", trial)


def _killed() -> Iterator[Case]:
    said = "Command failed (exit 137): set -euo pipefail; run {agent} 2>&1 | tee /logs/agent/log.txt\nstdout: \nstderr: Killed"
    for number, agent in enumerate(("opencode", "mini-swe-agent")):
        exception = ("NonZeroAgentExitCodeError", said.format(agent=agent), "agent_execution")
        early = harbor.Trial(looked(task(number), 2), agent, "0.24.0", nothing(task(number)), exception=exception)
        yield in_harbor(f"distant-137-{agent}", "environment_failure", early)
        done = harbor.Trial(finished(task(number)), agent, "0.24.0", wrong(task(number)), exception=exception)
        yield in_harbor(f"distant-137-after-{agent}", "wrong_answer", done, "decoy")


def _deadlines() -> Iterator[Case]:
    """Harbor's deadlines phase by phase, and work whose own deadlines look like them."""
    start = ("EnvironmentStartTimeoutError", "Environment start timed out after 900.0 seconds", "environment_setup")
    trial = harbor.Trial(
        untouched(task(0)), "opencode", "0.20.0", exception=start, no_agent_files=True, seconds={"environment_setup": 900.3}
    )
    yield in_harbor("distant-late-start", "environment_failure", trial)
    setup = ("AgentSetupTimeoutError", "Agent setup timed out after 360.0 seconds", "agent_setup")
    trial = harbor.Trial(
        untouched(task(1)), "gemini-cli", "0.13.0", exception=setup, no_agent_files=True, seconds={"agent_setup": 360.2}
    )
    yield in_harbor("distant-late-setup", "agent_setup_failure", trial)
    waits = looked(task(2), 3).then(Ran("curl -s http://rates.internal", "HTTP/1.1 429 Too Many Requests\nRetry-After: 3600"), Ran("sleep 3600"), ends="timeout")  # fmt: skip
    yield in_harbor(
        "distant-waits-for-a-service", "clock", harbor.Trial(waits, "claude-code", "0.26.0", nothing(task(2))), "decoy"
    )
    tests = Tests(1, 0.0, failures=("TimeoutError: Command '/app/run.sh' timed out after 30 seconds",))
    yield in_harbor("distant-work-times-out", "wrong_answer", harbor.Trial(finished(task(3)), "codex", "0.24.0", tests), "decoy")
    late = ("VerifierTimeoutError", "Verifier execution timed out after 300.0 seconds", "verifier")
    trial = harbor.Trial(delivered(task(4)), "mini-swe-agent", "0.20.0", exception=late, seconds={"verifier": 300.1})
    yield in_harbor("distant-late-verifier", "grader_timeout", trial)
    again = delivered(task(5)).then(Ran("python3 slow.py"), ends="timeout")
    trial = harbor.Trial(again, "mini-swe-agent", "0.13.0", wrong(task(5)))
    yield in_harbor("distant-late-but-written", "wrong_answer", trial, "decoy")


def _oracle() -> Iterator[Case]:
    """The reference solution speaks of keys and limits too, and is no agent of a provider."""
    said = "curl: (22) The requested URL returned error: 401\n"
    trial = harbor.Trial(
        untouched(task(0)),
        "oracle",
        "0.26.0",
        wrong(task(0)),
        extra_files={"agent/oracle.txt": said, "agent/exit-code.txt": "22\n"},
    )
    yield in_harbor("distant-oracle-401", "oracle_failed", trial)
    late = ("AgentTimeoutError", "Agent execution timed out after 600.0 seconds", "agent_execution")
    trial = harbor.Trial(
        untouched(task(1)),
        "oracle",
        "0.24.0",
        nothing(task(1)),
        exception=late,
        seconds={"agent_execution": 600.3},
        extra_files={"agent/oracle.txt": "downloading\n"},
    )
    yield in_harbor("distant-oracle-late", "oracle_failed", trial)
    broken = Tests(None, 0.0, "/tests/test.sh: line 3: uvx: command not found\n", ctrf=False)
    trial = harbor.Trial(untouched(task(2)), "oracle", "0.24.0", broken, extra_files={"agent/oracle.txt": ""})
    yield in_harbor("distant-oracle-unverified", "tests_never_ran", trial)
    trial = harbor.Trial(untouched(task(3)), "nop", "0.20.0", nothing(task(3)))
    yield in_harbor("distant-nop", "no_agent", trial)
