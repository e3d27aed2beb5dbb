"""Stopped runs, environments that were not there, agents that never started, adapters that broke."""

from __future__ import annotations

from pathlib import Path

import pytest

import terminal_bench_trees as terminal_bench
from harbor_trees import (
    ABSENT,
    LOOKED,
    RIGHT,
    WRONG,
    WROTE,
    cause_of,
    ctrf,
    exception,
    first_evidence,
    graded,
    read,
    result,
    spans,
    trajectory,
    trial,
    verdict,
    write,
)
from whyzero.causes.engine import run_finding
from whyzero.findings import Outcome

DATA = Path(__file__).parent / "data" / "harbor"
DEADLINE = "Agent execution timed out after 100.0 seconds"
COMPOSE = "Docker compose command failed for environment orders. Command: docker compose build. Return code: 1. Stdout: {}. Stderr: None. "
CAP = exception("RuntimeError", "Command timed out after 300 seconds")


def crashed(root: Path, info: dict[str, str], last: str = "agent_execution", reward: float | None = None, **more: object) -> Path:
    """A trial that ended with this exception in this phase."""
    seconds = more.pop("seconds", {})
    record = result(reward=reward, exception_info=info, **spans(last, **seconds))  # type: ignore[arg-type]
    return trial(root, record, **more)


def episode(root: Path, *commands: str) -> Path:
    """The last answer of an agent that saves each in a folder of its own: calls without results."""
    calls = [{"type": "tool_use", "id": f"c{n}", "name": "bash", "input": {"command": c}} for n, c in enumerate(commands)]
    message = {
        "role": "assistant",
        "type": "message",
        "stop_reason": "tool_use",
        "content": [{"type": "text", "text": "Next."}, *calls],
    }
    return write(root, {"agent/episodes/episode-0/response.json": message})


# ---- interrupted


@pytest.mark.positive("interrupted")
def test_a_cancelled_trial_was_stopped(tmp_path: Path) -> None:
    path = crashed(tmp_path / "t", exception("CancelledError"))
    assert (cause_of(path), first_evidence(path), verdict(path).outcome) == (
        "interrupted",
        ("result.json", "/exception_info"),
        Outcome.NOT_GRADED,
    )


@pytest.mark.positive("interrupted")
def test_a_killed_job_leaves_a_trial_without_a_record_and_no_end() -> None:
    run, trials = read(DATA / "killed")
    assert (cause_of(DATA / "killed"), verdict(DATA / "killed").outcome) == ("interrupted", Outcome.PENDING)
    assert first_evidence(DATA / "killed") == (f"{trials[0].id}/config.json", "/trial_name")
    own = run_finding(run)
    assert own is not None
    assert (own.cause, own.evidence[0].pointer) == ("interrupted", "/finished_at")


@pytest.mark.lookalike("interrupted")
def test_a_real_exception_with_an_empty_message_was_not_a_stop(tmp_path: Path) -> None:
    assert cause_of(crashed(tmp_path / "t", exception("ProcessLookupError"))) == "harness_crash"


# ---- environment


@pytest.mark.positive("environment_failure")
def test_setup_that_failed_before_the_agent_s(tmp_path: Path) -> None:
    path = crashed(tmp_path / "t", exception("RuntimeError", COMPOSE.format("E: Unable to locate package")), "environment_setup")
    assert (cause_of(path), first_evidence(path)) == ("environment_failure", ("result.json", "/exception_info"))


@pytest.mark.positive("environment_failure")
@pytest.mark.lookalike("rate_limited", "provider_error")
def test_a_429_of_an_image_registry_is_the_environment_s(tmp_path: Path) -> None:
    message = COMPOSE.format("toomanyrequests: You have reached your pull rate limit. 429 Too Many Requests")
    assert cause_of(crashed(tmp_path / "t", exception("RuntimeError", message), "environment_setup")) == "environment_failure"


@pytest.mark.positive("environment_failure")
def test_a_killed_command_and_a_verifier_with_nothing_to_run_in(tmp_path: Path) -> None:
    """The recorded class says that the reward file is missing: a symptom of the dead container."""
    info = exception("RewardFileNotFoundError", "No reward file found at /x")
    path = crashed(tmp_path / "t", info, "verifier", seconds={"verifier": 0.4}, agent__command_0__return_code_txt="137\n")
    write(path, {"agent/command-0/return-code.txt": "137\n"})
    assert (cause_of(path), first_evidence(path)) == ("environment_failure", ("agent/command-0/return-code.txt", 1))


@pytest.mark.positive("environment_failure")
def test_a_look_that_does_not_return_is_the_sandbox_s(tmp_path: Path) -> None:
    path = episode(crashed(tmp_path / "t", CAP), "which python3 && python3 --version && cat notes.txt")
    assert (cause_of(path), first_evidence(path)) == ("environment_failure", ("result.json", "/exception_info"))


@pytest.mark.lookalike("environment_failure")
@pytest.mark.positive("harness_crash")
def test_a_cap_on_a_long_command_is_the_harness_s(tmp_path: Path) -> None:
    path = episode(crashed(tmp_path / "t", CAP), "apt-get install -y r-base && cat log.txt")
    assert (cause_of(path), first_evidence(path)) == ("harness_crash", ("result.json", "/exception_info"))


@pytest.mark.lookalike("environment_failure")
def test_a_reward_that_is_missing_after_a_normal_agent_is_the_grader_s(tmp_path: Path) -> None:
    info = exception("RewardFileNotFoundError", "No reward file found at /x")
    assert cause_of(crashed(tmp_path / "t", info, "verifier")) == "reward_missing"


@pytest.mark.lookalike("environment_failure")
def test_words_of_docker_in_the_output_of_an_agent_s_command_prove_nothing(tmp_path: Path) -> None:
    info = exception(
        "NonZeroAgentExitCodeError",
        "Command failed (exit 1): my-agent\nstdout: Cannot connect to the Docker daemon\nstderr: None",
    )
    assert cause_of(graded(tmp_path / "t", ABSENT, record=result(exception_info=info))) != "environment_failure"


@pytest.mark.positive("environment_failure")
@pytest.mark.parametrize(
    ("printed", "said", "cause"),
    [
        ("", "No such container: c1", "environment_failure"),
        ("No such container: c1", "", "harness_crash"),
        ("Error response from daemon: container 3fa91c is not running\n", "None", "environment_failure"),
        ("$ docker ps\nError response from daemon: container 3fa91c is not running\n", "None", "harness_crash"),
    ],
)
def test_the_engine_s_words_count_where_the_engine_speaks(tmp_path: Path, printed: str, said: str, cause: str) -> None:
    message = f"Docker compose command failed for environment orders. Command: docker compose exec main. Return code: 1. Stdout: {printed}. Stderr: {said}. "
    assert cause_of(crashed(tmp_path / "t", exception("RuntimeError", message))) == cause


# ---- agent setup


@pytest.mark.positive("agent_setup_failure")
@pytest.mark.parametrize(
    "info",
    [
        exception("ProcessLookupError"),
        exception(
            "NetworkConnectionError", "Command failed (exit 6): curl …\nstdout: curl: (6) Could not resolve host: example.test"
        ),
        exception("RuntimeError", "Agent setup failed with exit code 100. See logs in agent/setup"),
        exception("AgentSetupTimeoutError", "Agent setup timed out after 360.0 seconds"),
    ],
)
def test_setup_began_and_the_agent_never_did(tmp_path: Path, info: dict[str, str]) -> None:
    path = crashed(tmp_path / "t", info, "agent_setup")
    assert (cause_of(path), first_evidence(path)) == ("agent_setup_failure", ("result.json", "/exception_info"))


@pytest.mark.positive("agent_setup_failure")
@pytest.mark.lookalike("wrong_answer")
def test_a_program_that_dies_at_launch_is_rewarded_0_all_the_same() -> None:
    path, where = DATA / "broken-program", first_evidence(DATA / "broken-program")
    assert (cause_of(path), where[0].rsplit("/", 1)[-1], where[1]) == ("agent_setup_failure", "codex.txt", 1)
    assert verdict(path).answered is False


@pytest.mark.positive("agent_setup_failure")
@pytest.mark.parametrize(
    ("mode", "resolved", "last"),
    [
        ("unset", False, "bash: mini: command not found"),
        ("parse_error", None, "/usr/local/bin/mini: line 2: /app/.venv/bin/python: No such file or directory"),
        ("test_timeout", None, "bash: mini: command not found"),
        ("agent_timeout", False, "bash: mini: Permission denied"),
    ],
)
def test_a_shell_that_does_not_find_the_agent_whatever_was_recorded(
    tmp_path: Path, mode: str, resolved: bool | None, last: str
) -> None:
    pane = terminal_bench.NOT_FOUND.replace("bash: mini: command not found", last)
    tests = terminal_bench.WRONG if resolved is False else ()
    path = terminal_bench.trial(tmp_path / "t", *tests, pane=pane, mode=mode, resolved=resolved)
    assert (cause_of(path), first_evidence(path)) == ("agent_setup_failure", ("panes/post-agent.txt", 3))
    assert verdict(path).answered is False


@pytest.mark.positive("agent_setup_failure")
def test_an_installer_that_left_nothing_to_start(tmp_path: Path) -> None:
    path = terminal_bench.trial(
        tmp_path / "t",
        *terminal_bench.WRONG,
        commands=terminal_bench.INSTALL + terminal_bench.TESTS,
        pane="fatal: write error: No space left on device\nroot@box:/app#\n",
        mode="agent_installation_failed",
    )
    assert (cause_of(path), first_evidence(path)) == ("agent_setup_failure", ("results.json", "/failure_mode"))


@pytest.mark.lookalike("agent_setup_failure")
def test_a_command_the_agent_itself_did_not_find_is_its_own_affair(tmp_path: Path) -> None:
    pane = terminal_bench.WORKED + "bash: jq: command not found\nroot@box:/app#\n"
    assert cause_of(terminal_bench.trial(tmp_path / "t", *terminal_bench.WRONG, pane=pane)) == "wrong_answer"


@pytest.mark.lookalike("agent_setup_failure")
def test_an_agent_that_failed_after_it_began_was_set_up(tmp_path: Path) -> None:
    assert cause_of(crashed(tmp_path / "t", exception("ProcessLookupError"), "agent_execution")) == "harness_crash"


# ---- the harness itself


@pytest.mark.positive("harness_crash")
@pytest.mark.parametrize("kind", ["AttributeError", "TypeError", "JSONDecodeError", "SomeOwnError"])
def test_an_adapter_that_raised(tmp_path: Path, kind: str) -> None:
    path = crashed(tmp_path / "t", exception(kind, "'NoneType' object has no attribute 'usage'"))
    assert (cause_of(path), first_evidence(path)) == ("harness_crash", ("result.json", "/exception_info"))


@pytest.mark.positive("harness_crash")
def test_a_deadline_that_was_not_due_is_a_timeout_inside_the_adapter(tmp_path: Path) -> None:
    info = exception("AgentTimeoutError", "Agent execution timed out after 900.0 seconds")
    path = graded(tmp_path / "t", ABSENT, record=result(exception_info=info, **spans(agent_execution=60.0)))
    assert cause_of(path) == "harness_crash"


@pytest.mark.lookalike("harness_crash")
def test_a_deadline_that_was_due_is_the_clock(tmp_path: Path) -> None:
    info = exception("AgentTimeoutError", DEADLINE)
    path = graded(tmp_path / "t", ABSENT, record=result(exception_info=info), agent__trajectory_json=trajectory(LOOKED))
    assert cause_of(path) == "clock"


@pytest.mark.lookalike("harness_crash")
def test_an_adapter_that_raised_after_the_answer_was_graded_leaves_the_score(tmp_path: Path) -> None:
    path = graded(
        tmp_path / "t", WRONG, ("test_rows", "passed", ""), record=result(exception_info=exception("AttributeError", "late"))
    )
    assert (cause_of(path), [i.what for i in verdict(path).incidents]) == ("wrong_answer", ["exception"])


@pytest.mark.positive("harness_crash")
def test_terminal_bench_recorded_that_the_agent_raised(tmp_path: Path) -> None:
    path = terminal_bench.trial(
        tmp_path / "t",
        *terminal_bench.MISSING,
        commands=terminal_bench.IDLE + terminal_bench.TESTS,
        pane="root@box:/app#\n",
        mode="unknown_agent_error",
    )
    assert (cause_of(path), first_evidence(path)) == ("harness_crash", ("results.json", "/failure_mode"))


# ---- exceptions inside exceptions, and exceptions after the grade


def _raised(kind: str, message: str, trace: str, seconds: float = 66.0) -> dict[str, object]:
    return result(
        reward=None, exception_info=exception(kind, message, trace), **spans("agent_execution", agent_execution=seconds)
    )


GROUP = (
    "  + Exception Group Traceback (most recent call last):\n"
    '  |   File "/home/op/agents/loop.py", line 88, in run\n'
    "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n"
    "  +-+---------------- 1 ----------------\n"
    "    | Traceback (most recent call last):\n"
    '    |   File "/home/op/agents/loop.py", line 51, in ask\n'
    "    | {inner}\n"
    "    +------------------------------------\n"
)


@pytest.mark.parametrize(
    ("inner", "cause"),
    [
        (
            "openai.APIStatusError: Error code: 402 - {'error': {'message': 'Insufficient credits', 'code': 402}}",
            "quota_exhausted",
        ),
        ("KeyError: 'insufficient_quota'", "harness_crash"),
    ],
)
def test_the_exception_in_a_group_speaks_not_the_group(tmp_path: Path, inner: str, cause: str) -> None:
    info = _raised("ExceptionGroup", "unhandled errors in a TaskGroup (1 sub-exception)", GROUP.replace("{inner}", inner))
    assert cause_of(trial(tmp_path, info)) == cause


@pytest.mark.parametrize(
    ("trace", "seconds", "cause"),
    [
        ('  File "/usr/lib/python3.12/subprocess.py", line 1955, in _execute_child\n', 0.1, "agent_setup_failure"),
        ('  File "/home/op/agents/loop.py", line 20, in read_prompt\n', 0.1, "harness_crash"),
        ('  File "/usr/lib/python3.12/subprocess.py", line 1955, in _execute_child\n', 90.0, "harness_crash"),
    ],
    ids=["the program", "a file of the adapter's", "a program wanted later"],
)
def test_a_program_the_system_does_not_know(tmp_path: Path, trace: str, seconds: float, cause: str) -> None:
    info = _raised("FileNotFoundError", "[Errno 2] No such file or directory: 'opencode'", trace, seconds)
    assert cause_of(trial(tmp_path, info)) == cause


@pytest.mark.parametrize("kind", ["CancelledError", "SandboxLikelyOutOfMemoryError"])
def test_what_came_after_the_grade_does_not_take_it_back(tmp_path: Path, kind: str) -> None:
    told = ctrf(("test_exists", "passed", ""), ("test_totals", "failed", "AssertionError: assert 503 == 401.5"))
    record = result(reward=0.0, exception_info=exception(kind, "", at="2026-03-01T10:02:14Z"))
    made = trial(tmp_path, record, agent__trajectory_json=trajectory(LOOKED, WROTE), verifier__ctrf_json=told)
    assert cause_of(made) == "wrong_answer"


def _closed_by(line: str) -> dict[str, object]:
    kind, _, message = line.partition(": ")
    trace = f'Traceback (most recent call last):\n  File "/x/harbor/environments/any.py", line 88, in exec\n{line}\n'
    return _raised(kind.rsplit(".", 1)[-1], message, trace)


@pytest.mark.positive("environment_failure")
@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("daytona.common.errors.DaytonaNotFoundError: Sandbox with ID 7f2c not found", "environment_failure"),
        ("e2b.exceptions.TimeoutException: The sandbox was not found: likely due to sandbox timeout", "environment_failure"),
        ("modal.exception.NotFoundError: Sandbox sb-9a has already shut down", "environment_failure"),
        ("daytona.common.errors.DaytonaError: bad request: Sandbox is not running", "environment_failure"),
        ("e2b.exceptions.AuthenticationException: 401: Invalid API key, please visit the dashboard", "environment_failure"),
        ("e2b.sandbox.commands.CommandExitException: Command exited with code 1", "harness_crash"),
        ("clever.sandbox.GoneError: not found", "harness_crash"),
    ],
)
def test_a_sandbox_service_s_client_says_that_it_is_gone(tmp_path: Path, line: str, cause: str) -> None:
    assert cause_of(trial(tmp_path, _closed_by(line))) == cause


def _screen(root: Path, text: str) -> Path:
    """A program without a grammar of ours, done in 20 s, with work that was graded."""
    record = result(agent_info={"name": "goose", "version": "1", "model_info": None}, **spans(agent_execution=20.0))
    path = graded(root, RIGHT, WRONG, record=record)
    (path / "agent/trajectory.json").unlink()
    return write(path, {"agent/goose.txt": text})


@pytest.mark.lookalike("agent_setup_failure")
@pytest.mark.parametrize(
    "text",
    [
        "starting session\ncommand: jq . a.json\nbash: line 1: jq: command not found\nDone.\n",
        "step 1: which node\n/bin/sh: 1: node: not found\nstep 2: done\n",
        "starting session\nTraceback (most recent call last):\n  File \"/app/a.py\", line 1, in <module>\nModuleNotFoundError: No module named 'pandas'\nDone.\n",
    ],
)
def test_a_tool_s_complaint_on_the_screen_of_a_program_at_work(tmp_path: Path, text: str) -> None:
    assert cause_of(_screen(tmp_path, text)) == "wrong_answer"


@pytest.mark.positive("agent_setup_failure")
@pytest.mark.parametrize(
    "text",
    [
        "bash: line 1: goose: command not found\n",
        "loading the profile\nbash: line 1: goose: command not found\n",
        "node:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\nError: Cannot find module '/opt/goose/cli.js'\n    at Function.load\n",
        "Traceback (most recent call last):\n  File \"/opt/goose/cli.py\", line 1, in <module>\n    import httpx\nModuleNotFoundError: No module named 'httpx'\n",
    ],
)
def test_the_complaint_with_which_a_program_opens_its_screen(tmp_path: Path, text: str) -> None:
    assert cause_of(_screen(tmp_path, text)) == "agent_setup_failure"
