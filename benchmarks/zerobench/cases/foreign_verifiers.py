"""Test runners, graders and ends of grading in shapes the rest of the cases does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import Case, in_harbor, task
from benchmarks.zerobench.harbor_verifier import Tests, wrong
from benchmarks.zerobench.story import Ran, delivered, finished, looked, untouched


def cases() -> Iterator[Case]:
    yield from _runners()
    yield from _before_the_tests()
    yield from _contradicted()
    yield from _after_the_grade()
    yield from _compilers()
    yield from _short()
    yield from _named_alike()


RUNNERS = (
    "=== RUN   TestSums\n    sums_test.go:21: got 429, want 430\n--- FAIL: TestSums (0.00s)\nFAIL\nFAIL\texample.com/ledger\t0.004s\nFAIL\n",
    '1..3\nok 1 file is there\nok 2 every account is there\nnot ok 3 sums are right\n# (in test file /tests/sums.bats, line 12)\n#   `[ "$(jq .a totals.json)" = 430 ]\' failed\n',
    "Test project /tests/build\n    Start 1: sums\n1/2 Test #1: sums .............................***Failed    0.01 sec\n2/2 Test #2: exists ...........................   Passed    0.00 sec\n\n50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  1 - sums (Failed)\nErrors while running CTest\n",
    "✖ sums are right (1.2ms)\nℹ tests 3\nℹ suites 0\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\nℹ duration_ms 61.2\n",
    "[==========] Running 3 tests from 1 test suite.\n[ RUN      ] Sums.Right\n/tests/sums_test.cc:12: Failure\n[  FAILED  ] Sums.Right (0 ms)\n[==========] 3 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n",
    "..F\n\n  1) test sums are right (SumsTest)\n\nFinished in 0.05 seconds\n3 tests, 1 failure\n",
)
"""go, bats, ctest, node, googletest, ExUnit."""


def _runners() -> Iterator[Case]:
    for number, output in enumerate(RUNNERS):
        agent = ("codex", "claude-code", "opencode", "terminus-2", "mini-swe-agent", "gemini-cli")[number]
        trial = harbor.Trial(
            finished(task(number)), agent, ("0.26.0", "0.20.0")[number % 2], Tests(None, 0.0, output, ctrf=False)
        )
        yield in_harbor(f"foreign-runner-{number}", "wrong_answer", trial, "decoy")


def _before_the_tests() -> Iterator[Case]:
    """What looks like a script that died before its tests, and what is one."""
    judged = (
        "/tests/test.sh: line 3: git: command not found\nFAIL: account a is 429, want 430\nscore 0\n",
        "curl: (7) Failed to connect to localhost port 8080 after 0 ms: Connection refused\n",
        "Traceback (most recent call last):\n  File \"/tests/check.py\", line 9, in <module>\n    r = requests.get('http://localhost:5000/health')\nrequests.exceptions.ConnectionError: HTTPConnectionPool(host='localhost', port=5000): Max retries exceeded with url: /health\n",
    )
    for number, output in enumerate(judged):
        trial = harbor.Trial(
            finished(task(number)), ("claude-code", "codex", "opencode")[number], "0.26.0", Tests(None, 0.0, output, ctrf=False)
        )
        yield in_harbor(f"foreign-judged-{number}", "wrong_answer", trial, "decoy")
    died = (
        "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\npytest: error: unrecognized arguments: --ctrf /logs/verifier/ctrf.json\n  inifile: None\n  rootdir: /app\n",
        "ImportError while loading conftest '/tests/conftest.py'.\n/tests/conftest.py:3: in <module>\n    import yaml\nE   ModuleNotFoundError: No module named 'yaml'\n",
        "npm error code ENOTFOUND\nnpm error syscall getaddrinfo\nnpm error network request to https://registry.example/vitest failed\n",
        "curl: (28) Failed to connect to mirrors.example port 443 after 30001 ms: Timeout was reached\nbash: line 7: /opt/runner/bin/pytest: No such file or directory\n",
    )
    for number, output in enumerate(died):
        trial = harbor.Trial(
            finished(task(number)),
            ("codex", "claude-code", "terminus-2", "opencode")[number],
            "0.24.0",
            Tests(None, 0.0, output, ctrf=False),
        )
        yield in_harbor(f"foreign-not-run-{number}", "tests_never_ran", trial)


def _contradicted() -> Iterator[Case]:
    """A zero beside a suite that passed whole."""
    for number, agent in enumerate(("claude-code", "terminus-2")):
        passed = Tests(len(task(number).tests), 0.0, ctrf=number == 0)
        yield in_harbor(
            f"foreign-passed-zero-{number}", "grader_error", harbor.Trial(finished(task(number)), agent, "0.26.0", passed)
        )
    about = replace(wrong(task(3)), failures=("AssertionError: test_timeout: fetch() took 31.2 s, limit 30 s: TimeoutError",))
    yield in_harbor("foreign-test-timeout", "wrong_answer", harbor.Trial(finished(task(3)), "codex", "0.20.0", about), "decoy")


def _after_the_grade() -> Iterator[Case]:
    """What came when the grade had been given, or when the work was done."""
    stopped = harbor.Trial(finished(task(1)), "codex", "0.24.0", wrong(task(1)), exception=("CancelledError", "", "verifier"))
    yield in_harbor("foreign-cancelled-after-grade", "wrong_answer", stopped, "decoy", finished=False)
    memory = ("SandboxLikelyOutOfMemoryError", "The sandbox was likely killed for using too much memory", "agent_execution")
    done = replace(wrong(task(2)), submitted=("submitted-match.csv",))
    yield in_harbor(
        "foreign-memory-after-answer",
        "wrong_answer",
        harbor.Trial(
            delivered(task(2)).then(Ran("python3 check.py"), ends="killed"), "claude-code", "0.26.0", done, exception=memory
        ),
        "decoy",
    )
    lost = harbor.Trial(looked(task(4), 2).then(Ran("sleep 90"), ends="killed"), "codex", "0.24.0", result=False, name="lost__A1")
    yield in_harbor(
        "foreign-beside-a-lost-one",
        "wrong_answer",
        harbor.Trial(finished(task(4)), "codex", "0.24.0", wrong(task(4))),
        "decoy",
        beside=[lost],
    )


BUILDS = (
    "   Compiling ledger v0.1.0 (/app)\nerror[E0308]: mismatched types\n  --> src/lib.rs:12:5\n   |\nerror: could not compile `ledger` (lib test) due to 1 previous error\n",
    "# example.com/ledger\n./sums.go:14:9: undefined: total\nFAIL\texample.com/ledger [build failed]\n",
    "/app/main.c: In function 'main':\n/app/main.c:12:5: error: expected ';' before 'return'\nmake: *** [Makefile:3: main] Error 1\n",
    "src/client.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\n",
)


def _compilers() -> Iterator[Case]:
    for number, output in enumerate(BUILDS):
        agent = ("claude-code", "codex", "terminus-2", "opencode")[number]
        trial = harbor.Trial(finished(task(number)), agent, "0.26.0", Tests(None, 0.0, output, ctrf=False))
        yield in_harbor(f"foreign-build-{number}", "wrong_answer", trial, "decoy")
    judge = "judge: attempt 5 of 5\njudge failed: Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-5-mini', 'code': 'rate_limit_exceeded'}}\nscore: 0\n"
    trial = harbor.Trial(finished(task(4)), "claude-code", "0.24.0", Tests(None, 0.0, judge, ctrf=False))
    yield in_harbor("foreign-judge-gave-up", "grader_error", trial)
    own = "Traceback (most recent call last):\n  File \"/opt/grader/run.py\", line 31, in <module>\n    weights = CONFIG['weights']\nKeyError: 'weights'\n"
    trial = harbor.Trial(finished(task(5)), "codex", "0.26.0", Tests(None, 0.0, own, ctrf=False))
    yield in_harbor("foreign-grader-elsewhere", "grader_error", trial)


PRINTED = (
    ("wrong_answer", "..F                                                    [100%]\n1 failed, 2 passed in 0.21s\n"),
    ("wrong_answer", "[gw0] [ 50%] PASSED t.py::test_a\n[gw1] [100%] FAILED t.py::test_b\n===== 1 failed, 1 passed in 2.10s =====\n"),
    ("wrong_answer", "FAIL: test_b (t.T)\nAssertionError: 429 != 430\n------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n"),
    ("wrong_answer", "=== test session starts ===\r\ncollected 2 items\r\n=== FAILURES ===\r\n____ test_sums ____\r\nE   assert 429 == 430\r\n=== 1 failed, 1 passed in 0.1s ===\r\n"),
    ("grader_error", "...\n------\nRan 3 tests in 0.002s\n\nOK\n/tests/test.sh: line 9: uv: command not found\n"),
    ("grader_error", "=== test session starts ===\ncollected 5 items\n\nt.py ..Fatal Python error: Segmentation fault\n/tests/test.sh: line 3:    41 Segmentation fault (core dumped) pytest /tests\n"),
)  # fmt: skip


def _short() -> Iterator[Case]:
    for number, (truth, output) in enumerate(PRINTED):
        agent = ("claude-code", "codex", "opencode")[number % 3]
        trial = harbor.Trial(
            finished(task(number)), agent, ("0.26.0", "0.24.0")[number % 2], Tests(None, 0.0, output, ctrf=False)
        )
        yield in_harbor(f"foreign-printed-{number}", truth, trial, "decoy" if truth == "wrong_answer" else "fault")


def _named_alike() -> Iterator[Case]:
    """Harbor's or a client's class for a provider's refusal, of another phase."""
    registry = "Command failed (exit 1): npm install -g opencode-ai\nstdout: npm ERR! 401 Unauthorized - GET https://registry.example/opencode-ai\nstderr: None"
    install = harbor.Trial(
        untouched(task(1)),
        "opencode",
        "0.24.0",
        exception=("AgentAuthenticationError", registry, "agent_setup"),
        no_agent_files=True,
    )
    yield in_harbor("foreign-install-401", "agent_setup_failure", install, "decoy")
    judge = ("openai.RateLimitError", "Error code: 429 - {'error': {'message': 'Rate limit reached'}}", "verifier")
    frames = ("/opt/harbor/site-packages/harbor/verifier/verifier.py:304 verify",)
    trial = harbor.Trial(finished(task(2)), "claude-code", "0.24.0", exception=judge, frames=frames)
    yield in_harbor("foreign-verifier-429", "grader_error", trial, "decoy")
