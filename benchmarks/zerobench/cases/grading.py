"""The grader's side, in Harbor and Terminal-Bench."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench.cases.case import Case, in_harbor, in_terminal_bench, task, version
from benchmarks.zerobench.harbor_verifier import Tests, right, wrong
from benchmarks.zerobench.story import Ran, delivered, finished

VERIFIER = "/opt/harbor/site-packages/harbor/verifier/verifier.py:304 verify"
RAISED = (
    ("AddTestsDirError", "Failed to add tests directory to environment.", "0.24.0"),
    ("DownloadVerifierDirError", "Failed to download verifier directory from environment", "0.20.0"),
    ("ValueError", "Environment variable 'OPENAI_API_KEY' not found in host environment", "0.13.0"),
    ("FileNotFoundError", "[Errno 2] No such file or directory: '/srv/tasks/x/tests/test.sh'", "0.6.1"),
)
MISSING = (
    (
        "RewardFileNotFoundError",
        "No reward file found at /srv/jobs/j/x/verifier/reward.txt or /srv/jobs/j/x/verifier/reward.json",
        None,
    ),
    ("RewardFileEmptyError", "Reward file is empty at /srv/jobs/j/x/verifier/reward.txt", ""),
)
INVALID = ("nan\n", "inf\n", "0.5 of 1\n")
NOT_RUN = (
    ("/tests/test.sh: line 12: uvx: command not found\n", "claude-code"),
    ("error: Failed to install: cpython-3.13.1\n  Caused by: Request failed after 3 retries\n  Caused by: 502 Bad Gateway\n/tests/test.sh: line 9: uvx: command not found\n", "codex"),
    ("/usr/bin/python3: No module named pytest\n", "opencode"),
    ("curl: (6) Could not resolve host: astral.example\n/tests/test.sh: line 4: /root/.local/bin/env: No such file or directory\n/tests/test.sh: line 6: uv: command not found\n", "terminus-2"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    yield from _raised()
    yield from _late()
    yield from _no_reward()
    yield from _not_run()
    yield from _stale()
    yield from _skipped()


def _raised() -> Iterator[Case]:
    for number, (name, message, release) in enumerate(RAISED):
        trial = harbor.Trial(
            finished(task(number)),
            ("codex", "claude-code", "terminus-2", "opencode")[number],
            release,
            exception=(name, message, "verifier"),
            frames=(VERIFIER,),
        )
        yield in_harbor(f"grader-error-{number}", "grader_error", trial)
    pane = "root@2f1c:/app# bash /tests/run-tests.sh; tmux wait -S done\ncollected 5 items\n../tests/test_outputs.py .Fatal Python error: Segmentation fault\nroot@2f1c:/app#\n"
    old = terminal_bench.Trial(
        finished(task(1)), "terminus-1", None, "parse_error", resolved=None, pane_tests=pane, tokens=(9000, 800)
    )
    yield in_terminal_bench("grader-error", "grader_error", old)


def _late() -> Iterator[Case]:
    for number, release in enumerate(("0.26.0", "0.24.0", "0.1.40")):
        message = f"Verifier execution timed out after {(120.0, 600.0, 900.0)[number]} seconds"
        trial = harbor.Trial(
            finished(task(number)),
            ("codex", "gemini-cli", "claude-code")[number],
            release,
            exception=("VerifierTimeoutError", message, "verifier"),
            seconds={"verifier": (120.3, 600.2, 1801.0)[number]},
        )
        yield in_harbor(f"grader-timeout-{number}", "grader_timeout", trial)
    story = delivered(task(2)).then(Ran("python3 verify.py"), ends="timeout")
    masked = harbor.Trial(
        story,
        "claude-code",
        "0.26.0",
        masked=("harbor.trial.errors.VerifierTimeoutError", "Verifier execution timed out after 60.0 seconds"),
        seconds={"verifier": 60.4},
    )
    yield in_harbor("grader-timeout-masked", "grader_timeout", masked)
    pane = "root@2f1c:/app# bash /tests/run-tests.sh; tmux wait -S done\ncollected 3 items\n../tests/test_outputs.py ..\n"
    old = terminal_bench.Trial(
        finished(task(4)),
        "terminus-1",
        None,
        "test_timeout",
        resolved=None,
        pane_tests=pane,
        seconds=(90.0, 180.0),
        tokens=(9000, 800),
    )
    yield in_terminal_bench("grader-timeout", "grader_timeout", old)


def _no_reward() -> Iterator[Case]:
    for number, (name, message, text) in enumerate((*MISSING, *MISSING)):
        tests = Tests(len(task(number).tests) if number > 1 else None, None, "checking\n", ctrf=False, reward_text=text)
        trial = harbor.Trial(
            finished(task(number)),
            ("claude-code", "codex", "mini-swe-agent", "terminus-2")[number],
            version(number),
            tests,
            exception=(name, message, "verifier"),
            frames=(VERIFIER,),
        )
        yield in_harbor(f"reward-missing-{number}", "reward_missing", trial)
    for number, text in enumerate(INVALID):
        message = f"Failed to parse reward from text file /srv/jobs/j/x/verifier/reward.txt: {text.strip()!r}"
        tests = Tests(None, None, "scored\n", reward_text=text)
        trial = harbor.Trial(
            finished(task(number)),
            ("codex", "claude-code", "opencode")[number],
            ("0.24.0", "0.20.0", "0.26.0")[number],
            tests,
            exception=("VerifierOutputParseError", message, "verifier"),
            frames=(VERIFIER,),
        )
        yield in_harbor(f"reward-invalid-{number}", "reward_invalid", trial)


def _not_run() -> Iterator[Case]:
    for number, (output, agent) in enumerate(NOT_RUN):
        beside = [harbor.Trial(finished(task(number)), agent, version(number), right(task(number)))] if number % 2 else []
        trial = harbor.Trial(finished(task(number)), agent, version(number), Tests(None, 0.0, output, ctrf=False))
        yield in_harbor(f"not-run-{number}", "tests_never_ran", trial, beside=beside)
    empty = harbor.Trial(finished(task(5)), "gemini-cli", "0.24.0", Tests(0, 0.0, collected=False))
    yield in_harbor("not-run-none-collected", "tests_never_ran", empty)


def _stale() -> Iterator[Case]:
    for number, before in enumerate((timedelta(hours=3), timedelta(days=2), timedelta(minutes=20), timedelta(days=40))):
        tests = replace(wrong(task(number)), began=harbor.START - before)
        trial = harbor.Trial(
            finished(task(number)), ("claude-code", "codex", "terminus-2", "opencode")[number], version(number), tests
        )
        yield in_harbor(f"stale-{number}", "stale_reward", trial)


def _skipped() -> Iterator[Case]:
    for number, agent in enumerate(("claude-code", "terminus-2")):
        trial = harbor.Trial(finished(task(number)), agent, version(number * 3), config={"verifier": {"disable": True}})
        yield in_harbor(f"skipped-{number}", "skipped", trial)
