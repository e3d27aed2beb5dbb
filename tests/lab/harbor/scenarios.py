"""The scenarios: what is wrong, what Harbor records of it, and what whyzero has to say. Worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .stub_model import Turn
from .task import RIGHT, RUN_TESTS, TEST_SCRIPT, WRONG, Task

LOOK = Turn("head -5 /app/orders.csv; wc -l /app/orders.csv")
DONE = Turn()


@dataclass(frozen=True)
class Scenario:
    """One task, one agent, one trial by `harbor run`."""

    name: str
    why: str
    agent: str
    reward: float | None
    """As Harbor records it; None = no verifier result."""
    exception: str | None
    """Class that Harbor records."""
    outcome: str
    phase: str
    cause: str | None
    """Expected of the trial; None = it passed."""
    script: Sequence[Turn] = (DONE,)
    task: Task = field(default_factory=Task)
    idle: bool = False
    """It waits nearly all of its time: it may run beside any others."""


SCENARIOS = (
    Scenario(
        name="oracle",
        why="The reference solution passes.",
        agent="oracle",
        reward=1.0,
        exception=None,
        outcome="graded_pass",
        phase="none",
        cause=None,
    ),
    Scenario(
        name="oracle-crashes",
        why="The reference solution stops with an error: the task is at fault.",
        agent="oracle",
        reward=0.0,
        exception=None,
        outcome="graded_zero",
        phase="none",
        cause="oracle_failed",
        task=Task(solution="python3 /app/nosuch.py"),
    ),
    Scenario(
        name="nop",
        why="The agent that does nothing scores zero, as it should.",
        agent="nop",
        reward=0.0,
        exception=None,
        outcome="graded_zero",
        phase="none",
        cause="no_agent",
    ),
    Scenario(
        name="right-answer",
        why="The agent writes the right file; the tests pass.",
        agent="terminus-2",
        reward=1.0,
        exception=None,
        outcome="graded_pass",
        phase="none",
        cause=None,
        script=(LOOK, Turn(RIGHT, 1), DONE),
    ),
    Scenario(
        name="wrong-answer",
        why="Pending orders are counted as paid; the tests run and reject the totals.",
        agent="terminus-2",
        reward=0.0,
        exception=None,
        outcome="graded_zero",
        phase="none",
        cause="wrong_answer",
        script=(LOOK, Turn(WRONG, 1), DONE),
    ),
    Scenario(
        name="rate-limited",
        why="After one command every request gets 429; the agent waits and tries again until it gives up. Graded all the same.",
        agent="terminus-2",
        reward=0.0,
        exception="RateLimitError",
        outcome="graded_zero",
        phase="trajectory",
        cause="rate_limited",
        script=(LOOK, Turn(error="rate_limit")),
        idle=True,
    ),
    Scenario(
        name="key-rejected",
        why="The provider refuses the key on the first request.",
        agent="terminus-2",
        reward=None,
        exception="AuthenticationError",
        outcome="not_graded",
        phase="trajectory",
        cause="agent_auth",
        script=(Turn(error="auth"),),
    ),
    Scenario(
        name="out-of-time",
        why="Steady work, a command every two seconds, until the limit; nothing gradable is written.",
        agent="terminus-2",
        reward=0.0,
        exception="AgentTimeoutError",
        outcome="graded_zero",
        phase="trajectory",
        cause="clock",
        script=tuple(Turn(f"sleep 1; sed -n {line}p /app/orders.csv", 2) for line in range(2, 40)),
        task=Task(agent_timeout=15),
    ),
    Scenario(
        name="wrong-answer-then-out-of-time",
        why="A wrong report is written, then the agent's own command hangs until the limit: graded all the same.",
        agent="terminus-2",
        reward=0.0,
        exception="AgentTimeoutError",
        outcome="graded_zero",
        phase="none",
        cause="wrong_answer",
        script=(LOOK, Turn(WRONG, 1), Turn("sleep 600", 60)),
        task=Task(agent_timeout=15),
    ),
    Scenario(
        name="verifier-writes-no-reward",
        why="The answer is right; the test script ends without a reward.",
        agent="terminus-2",
        reward=None,
        exception="RewardFileNotFoundError",
        outcome="not_graded",
        phase="grading",
        cause="reward_missing",
        script=(Turn(RIGHT, 1), DONE),
        task=Task(test_script="#!/bin/bash\ncd /app\necho 'collecting results'\n"),
    ),
    Scenario(
        name="verifier-out-of-time",
        why="The answer is right; the tests hang.",
        agent="oracle",
        reward=None,
        exception="VerifierTimeoutError",
        outcome="not_graded",
        phase="grading",
        cause="grader_timeout",
        task=Task(verifier_timeout=4, test_script="#!/bin/bash\nsleep 300\n"),
    ),
    Scenario(
        name="tests-never-ran",
        why="The answer is right; the test runner is not installed and the script writes 0 all the same.",
        agent="terminus-2",
        reward=0.0,
        exception=None,
        outcome="not_graded",
        phase="grading",
        cause="tests_never_ran",
        script=(Turn(RIGHT, 1), DONE),
        task=Task(test_script=TEST_SCRIPT.replace(RUN_TESTS, "uvx " + RUN_TESTS)),
    ),
    Scenario(
        name="image-does-not-build",
        why="A step of the image's build fails.",
        agent="terminus-2",
        reward=None,
        exception="RuntimeError",
        outcome="not_graded",
        phase="environment",
        cause="environment_failure",
        task=Task(
            dockerfile="FROM python:3.12-slim\nWORKDIR /app\nRUN echo 'E: Unable to locate package libfoo-dev' >&2; exit 100\n"
        ),
    ),
)
