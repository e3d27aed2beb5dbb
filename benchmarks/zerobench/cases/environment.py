"""Before the agent's work: image, container, sandbox, install; and what stops a whole trial."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench.cases.case import Case, in_harbor, in_terminal_bench, task, version
from benchmarks.zerobench.harbor_verifier import Tests, nothing
from benchmarks.zerobench.story import Ran, looked, untouched

COMPOSE = "Docker compose command failed for environment {task}. Command: docker compose --project-name {task}__env {verb}. Return code: {code}. Stdout: {said}\n. Stderr: None. "
BROKEN = (
    ("RuntimeError", COMPOSE, ("build", 100, "E: Unable to locate package libfoo-dev")),
    (
        "RuntimeError",
        COMPOSE,
        (
            "up --detach --wait",
            1,
            "Error response from daemon: toomanyrequests: You have reached your pull rate limit. HTTP 429 Too Many Requests",
        ),
    ),
    ("RuntimeError", COMPOSE, ("up --detach --wait", 125, "unknown flag: --project-name")),
    ("HealthcheckError", "Healthcheck failed after 3 consecutive retries: test -f /app/ready", ()),
    ("EnvironmentStartTimeoutError", "Environment start timed out after 600.0 seconds", ()),
    (
        "SandboxBuildFailedError",
        'Sandbox build failed: failed to solve: process "/bin/sh -c pip install -r req.txt" did not complete successfully: exit code: 1',
        (),
    ),
)
INSTALLS = (
    (
        "NetworkConnectionError",
        "Command failed (exit 6): curl -fsSL https://agents.example/install.sh | bash\nstdout: curl: (6) Could not resolve host: agents.example\n\nstderr: None",
        "0.26.0",
    ),
    (
        "NonZeroAgentExitCodeError",
        "Command failed (exit 127): npm install -g @openai/codex\nstdout: bash: npm: command not found\n\nstderr: None",
        "0.20.0",
    ),
    ("RuntimeError", "Agent setup failed with exit code 100. See logs in /srv/jobs/j/x/agent/setup", "0.1.40"),
    ("AgentSetupTimeoutError", "Agent setup timed out after 360.0 seconds", "0.24.0"),
    ("ProcessLookupError", "", "0.1.17"),
)
PANES = (
    ("mini-swe-agent", "agent_timeout", "INSTALL_SUCCESS\nroot@2f1c:/app# mini -m some/model -t 'x' -y; tmux wait -S done\nbash: mini: command not found\nroot@2f1c:/app#\n", True),
    ("openhands", "agent_installation_failed", "bash: /root/.local/bin/uv: Permission denied\nbash: /opt/openhands-venv/bin/activate: No such file or directory\nroot@2f1c:/app#\n", False),
    ("goose", "unset", "INSTALL_SUCCESS\nroot@2f1c:/app# goose run --recipe ~/recipe.yaml; tmux wait -S done\nbash: goose: command not found\nroot@2f1c:/app#\n", True),
    ("openhands", "agent_installation_failed", "fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output\n(openhands-venv) root@58:/app#\n", False),
)  # fmt: skip


def cases() -> Iterator[Case]:
    yield from _environment()
    yield from _setup()
    yield from _interrupted()


def _environment() -> Iterator[Case]:
    for number, (name, message, words) in enumerate(BROKEN):
        story = untouched(task(number))
        if words:
            message = message.format(task=story.task.name, verb=words[0], code=words[1], said=words[2])
        trial = harbor.Trial(
            story,
            ("claude-code", "terminus-2", "codex")[number % 3],
            version(number),
            exception=(name, message, "environment_setup"),
            no_agent_files=True,
        )
        yield in_harbor(f"environment-{number}", "environment_failure", trial)


def _setup() -> Iterator[Case]:
    for number, (name, message, release) in enumerate(INSTALLS):
        trial = harbor.Trial(
            untouched(task(number)),
            ("claude-code", "codex", "gemini-cli", "opencode", "mini-swe-agent")[number],
            release,
            exception=(name, message, "agent_setup"),
            no_agent_files=True,
            seconds={"agent_setup": 362.0 if "Timeout" in name else 14.0},
        )
        yield in_harbor(f"setup-{number}", "agent_setup_failure", trial)
    broken = harbor.Trial(
        untouched(task(1)),
        "codex",
        "0.26.0",
        nothing(task(1)),
        no_agent_files=True,
        seconds={"agent_execution": 0.4},
        extra_files={"agent/codex.txt": "bash: line 1: codex: command not found\n"},
    )
    yield in_harbor("setup-not-found", "agent_setup_failure", broken)
    for number, (agent, mode, pane, typed) in enumerate(PANES):
        tests = (
            nothing(task(number))
            if number % 2 == 0
            else Tests(1, 0.0, failures=(f"AssertionError: {task(number).deliverable} does not exist",))
        )
        old = terminal_bench.Trial(untouched(task(number)), agent, tests, mode, pane=pane, typed=typed)
        yield in_terminal_bench(f"setup-{number}", "agent_setup_failure", old)


def _interrupted() -> Iterator[Case]:
    for number, agent in enumerate(("claude-code", "terminus-2", "codex")):
        story = looked(task(number), 2).then(Ran("sleep 100"), ends="killed")
        trial = harbor.Trial(story, agent, version(number), seconds={"agent_execution": 11.0}, result=number != 2)
        yield in_harbor(f"interrupted-{agent}", "interrupted", trial, finished=False)
    story = looked(task(3), 3).then(Ran("make"), ends="killed")
    yield in_terminal_bench("interrupted", "interrupted", terminal_bench.Trial(story, "terminus-1", None, results=False))
