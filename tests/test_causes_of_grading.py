"""Verifiers that timed out, raised, wrote nothing, wrote no number, wrote a zero without a test, or an old one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import terminal_bench_trees as terminal_bench
from harbor_trees import (
    ABSENT,
    LOOKED,
    RIGHT,
    START,
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
)
from whyzero.findings import Outcome

DATA = Path(__file__).parent / "data" / "harbor"
WORK = {"agent__trajectory_json": trajectory(LOOKED, WROTE)}
DEADLINE = exception("AgentTimeoutError", "Agent execution timed out after 100.0 seconds")


def zero(root: Path, output: str, reward: float = 0.0, **files: object) -> Path:
    """A trial graded without a test report; `output` is what the verifier printed."""
    return trial(
        root, result(reward=reward), verifier__test_stdout_txt=output, verifier__reward_txt=f"{reward:g}\n", **(WORK | files)
    )


# ---- the verifier's deadline


@pytest.mark.positive("grader_timeout")
def test_the_verifier_s_own_deadline(tmp_path: Path) -> None:
    info = exception("VerifierTimeoutError", "Verifier execution timed out after 20.0 seconds")
    path = trial(tmp_path / "t", result(reward=None, exception_info=info), **WORK)
    assert (cause_of(path), first_evidence(path)) == ("grader_timeout", ("result.json", "/exception_info"))


@pytest.mark.positive("grader_timeout")
@pytest.mark.lookalike("clock")
def test_an_agent_s_deadline_masks_the_verifier_s() -> None:
    where = first_evidence(DATA / "masked-verifier-timeout")
    assert (cause_of(DATA / "masked-verifier-timeout"), where[0].rsplit("/", 1)[-1], where[1]) == (
        "grader_timeout",
        "trial.log",
        7,
    )


@pytest.mark.positive("grader_timeout")
def test_terminal_bench_ended_the_tests_at_their_deadline(tmp_path: Path) -> None:
    path = terminal_bench.trial(tmp_path / "t", mode="test_timeout", resolved=None)
    assert (cause_of(path), first_evidence(path)) == ("grader_timeout", ("results.json", "/failure_mode"))


@pytest.mark.positive("grader_timeout")
def test_a_verifier_that_ran_twice_its_deadline_behind_an_agent_s(tmp_path: Path) -> None:
    """0.1 to 0.6 tried twice: 2403 s for a limit of 1200, and no log kept the verifier's exception."""
    path = trial(tmp_path / "t", result(reward=None, exception_info=DEADLINE, **spans(verifier=2403.0)), **WORK)
    assert (cause_of(path), first_evidence(path)) == ("grader_timeout", ("result.json", "/verifier_result"))


@pytest.mark.lookalike("grader_timeout")
def test_an_agent_s_deadline_with_a_verifier_that_ran_is_the_clock(tmp_path: Path) -> None:
    assert cause_of(graded(tmp_path / "t", ABSENT, record=result(exception_info=DEADLINE))) == "clock"


# ---- no reward, no number


@pytest.mark.positive("reward_missing")
@pytest.mark.parametrize("kind", ["RewardFileNotFoundError", "RewardFileEmptyError"])
def test_grading_that_left_no_reward(tmp_path: Path, kind: str) -> None:
    path = trial(tmp_path / "t", result(reward=None, exception_info=exception(kind, "No reward file")), **WORK)
    assert (cause_of(path), first_evidence(path), verdict(path).outcome) == (
        "reward_missing",
        ("result.json", "/exception_info"),
        Outcome.NOT_GRADED,
    )


@pytest.mark.positive("reward_missing")
def test_a_step_without_a_reward_is_left_out_of_a_mean_that_looks_full() -> None:
    path = DATA / "ungraded-second-step"
    assert (cause_of(path), first_evidence(path)[1]) == ("reward_missing", "/step_results/1/exception_info")
    assert (verdict(path).outcome, verdict(path).answered) == (Outcome.GRADED_PARTIAL, False)


@pytest.mark.lookalike("reward_missing")
def test_a_zero_that_was_written_is_not_missing(tmp_path: Path) -> None:
    assert cause_of(graded(tmp_path / "t", RIGHT, WRONG)) == "wrong_answer"


@pytest.mark.positive("reward_invalid")
@pytest.mark.lookalike("reward_missing")
def test_nan_is_no_reward(tmp_path: Path) -> None:
    info = exception("VerifierOutputParseError", "Non-finite reward nan in text file /x/reward.txt")
    path = trial(tmp_path / "t", result(reward=None, exception_info=info), verifier__reward_txt="nan\n", **WORK)
    assert (cause_of(path), first_evidence(path)) == ("reward_invalid", ("verifier/reward.txt", 1))


@pytest.mark.positive("reward_invalid")
def test_dimensions_without_a_main_one_are_no_reward(tmp_path: Path) -> None:
    path = trial(tmp_path / "t", result(verifier_result={"rewards": {"rows": 20, "total": 30}}), **WORK)
    assert (cause_of(path), verdict(path).outcome) == ("reward_invalid", Outcome.NOT_GRADED)


@pytest.mark.lookalike("reward_invalid")
def test_a_fraction_is_a_reward(tmp_path: Path) -> None:
    assert cause_of(graded(tmp_path / "t", RIGHT, WRONG, reward=0.5)) == "wrong_answer"


# ---- the verifier broke


@pytest.mark.positive("grader_error")
@pytest.mark.lookalike("agent_auth")
def test_a_judge_without_a_key_writes_a_zero(tmp_path: Path) -> None:
    path = zero(
        tmp_path / "t",
        "judge: calling model\nopenai.AuthenticationError: Error code: 401 - {'error': {'code': 'invalid_api_key'}}\n",
    )
    assert (cause_of(path), first_evidence(path)) == ("grader_error", ("verifier/test-stdout.txt", 2))
    assert verdict(path).answered is False


@pytest.mark.positive("grader_error")
def test_a_verifier_that_misses_a_file_of_its_own(tmp_path: Path) -> None:
    output = (
        'Traceback (most recent call last):\n  File "/tests/grade.py", line 2, in <module>\n    key = json.load(open("/tests/key.json"))\n'
        "FileNotFoundError: [Errno 2] No such file or directory: '/tests/key.json'\n"
    )
    path = zero(tmp_path / "t", output)
    assert (cause_of(path), first_evidence(path)) == ("grader_error", ("verifier/test-stdout.txt", 4))


@pytest.mark.lookalike("grader_error")
@pytest.mark.parametrize(("brief_known", "cause"), [(True, "grader_error"), (False, None)])
def test_a_module_that_may_be_the_work_s_own_decides_nothing_without_the_brief(
    tmp_path: Path, brief_known: bool, cause: str | None
) -> None:
    output = "Traceback (most recent call last):\n  File \"/tests/check.py\", line 1, in <module>\nModuleNotFoundError: No module named 'client'\n"
    path = zero(tmp_path / "t", output)
    if not brief_known:
        (path / "agent/trajectory.json").unlink()
    assert cause_of(path) == cause


@pytest.mark.positive("grader_error")
@pytest.mark.parametrize(
    "info",
    [
        exception("AddTestsDirError", "Failed to add tests directory"),
        exception("ValueError", "Environment variable 'JUDGE_KEY' not found in host environment"),
    ],
)
def test_an_exception_of_the_verifier_phase(tmp_path: Path, info: dict[str, str]) -> None:
    info["exception_traceback"] = (
        'Traceback (most recent call last):\n  File "/x/harbor/trial/single_step.py", line 52, in _run_verifier\n    await v\n'
    )
    path = trial(tmp_path / "t", result(reward=None, exception_info=info), **WORK)
    assert (cause_of(path), first_evidence(path)) == ("grader_error", ("result.json", "/exception_info"))


@pytest.mark.positive("grader_error")
@pytest.mark.lookalike("clock")
def test_a_verifier_that_began_and_left_nothing_failed_whatever_the_record_says(tmp_path: Path) -> None:
    path = trial(tmp_path / "t", result(reward=None, exception_info=DEADLINE), **WORK)
    assert (cause_of(path), first_evidence(path)) == ("grader_error", ("result.json", "/verifier_result"))


@pytest.mark.positive("grader_error")
def test_a_grader_that_could_not_apply_the_patch(tmp_path: Path) -> None:
    record = result(verifier_result={"rewards": {"reward": 0.0, "apply_failed": 1}})
    path = trial(tmp_path / "t", record, verifier__test_stdout_txt="error: patch failed: src/a.ts:10\n", **WORK)
    assert (cause_of(path), first_evidence(path)) == ("grader_error", ("verifier/test-stdout.txt", 1))


@pytest.mark.lookalike("grader_error")
@pytest.mark.parametrize("name", ["openai.AuthenticationError: Error code: 401", "KeyError: 'south'"])
def test_an_error_of_the_work_under_test_is_a_judgement(tmp_path: Path, name: str) -> None:
    path = graded(tmp_path / "t", ("test_runs", "failed", name), RIGHT)
    assert cause_of(path) == "wrong_answer"


@pytest.mark.lookalike("grader_error")
def test_a_verifier_that_judged_before_it_stumbled_has_graded(tmp_path: Path) -> None:
    output = "0 of 30 rows correct\nTraceback (most recent call last):\n  File \"/tests/grade.py\", line 9, in <module>\n    upload()\nKeyError: 'TOKEN'\n"
    assert cause_of(zero(tmp_path / "t", output)) == "wrong_answer"


@pytest.mark.lookalike("grader_error", "tests_never_ran")
@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            "requests.exceptions.ConnectionError: HTTPConnectionPool(host='localhost', port=5000): Max retries exceeded",
            "wrong_answer",
        ),
        (
            "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='judge.example', port=443): Max retries exceeded",
            "grader_error",
        ),
        ("curl: (7) Failed to connect to localhost port 8080 after 0 ms: Connection refused", "wrong_answer"),
        ("curl: (7) Failed to connect to localhost.mirrors.example port 443: Connection refused", "tests_never_ran"),
    ],
)
def test_a_verifier_that_calls_a_service_of_the_work_s_own_machine_judges_the_work(tmp_path: Path, said: str, cause: str) -> None:
    trace = 'Traceback (most recent call last):\n  File "/tests/check.py", line 9, in <module>\n'
    assert cause_of(zero(tmp_path / "t", f"{'' if said.startswith('curl') else trace}{said}\n")) == cause


@pytest.mark.positive("grader_error")
@pytest.mark.lookalike("rate_limited", "wrong_answer")
@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("judge failed: Error code: 429 - {'error': {'message': 'Rate limit reached'}}", "grader_error"),
        ("  File \"/opt/grader/run.py\", line 31, in <module>\nKeyError: 'weights'", "grader_error"),
        ("row 12: expected Error code: 429 - {}, got 500", "wrong_answer"),
        ("  File \"/app/ledger.py\", line 31, in total\nKeyError: 'weights'", None),
        ("/usr/include/x.h:1:2: error: Python.h is broken", None),
        ("=== test session starts ===\ncollected 5 items\nt.py ..Fatal Python error: Segmentation fault", "grader_error"),
        (
            "=== test session starts ===\ncollected 5 items\nt.py ..\n/tests/test.sh: line 3:    41 Killed     pytest /tests",
            "grader_error",
        ),
        ("/app/run.sh: line 3:    41 Segmentation fault (core dumped) ./solver", None),
    ],
)
def test_errors_of_the_verifier_s_own_and_of_others(tmp_path: Path, said: str, cause: str | None) -> None:
    assert cause_of(zero(tmp_path / "t", f"Traceback (most recent call last):\n{said}\n")) == cause


@pytest.mark.positive("grader_error")
@pytest.mark.parametrize("form", ["report", "words of pytest", "words of cargo", "words of unittest"])
def test_a_zero_although_every_test_passed(tmp_path: Path, form: str) -> None:
    printed = {
        "words of pytest": terminal_bench.pytest_pane(("test_a", "")),
        "words of cargo": "test result: ok. 3 passed; 0 failed; 0 ignored\n",
        "words of unittest": "...\nRan 3 tests in 0.002s\n\nOK\n/tests/test.sh: line 9: uv: command not found\n",
    }
    path = graded(tmp_path / "t", RIGHT) if form == "report" else zero(tmp_path / "t", printed[form])
    assert (cause_of(path), verdict(path).answered) == ("grader_error", False)


@pytest.mark.lookalike("grader_error")
@pytest.mark.parametrize(
    ("output", "cause"),
    [
        ("Ran 3 tests in 0.002s\n\nFAILED (failures=1)\n", "wrong_answer"),
        ("..F    [100%]\n1 failed, 2 passed in 0.21s\n", "wrong_answer"),
        ("FFF    [100%]\n3 failed in 0.21s\n", None),
    ],
)
def test_counts_without_a_word_about_single_tests(tmp_path: Path, output: str, cause: str | None) -> None:
    assert cause_of(zero(tmp_path / "t", output)) == cause


@pytest.mark.lookalike("grader_error")
def test_a_zero_beside_passing_tests_and_another_measure(tmp_path: Path) -> None:
    slow = graded(tmp_path / "a", RIGHT, verifier__test_stdout_txt="1 passed\nspeedup 0.8 is below the threshold of 1.5\n")
    parts = graded(tmp_path / "b", RIGHT, record=result(verifier_result={"rewards": {"reward": 0.0, "speedup": 0.8}}))
    assert (cause_of(slow), cause_of(parts)) == ("wrong_answer", "wrong_answer")
    chatter = "server log: RateLimitError: 429\n" + terminal_bench.pytest_pane(("test_exists", ""))
    assert cause_of(graded(tmp_path / "c", RIGHT, verifier__test_stdout_txt=chatter)) == "grader_error"


@pytest.mark.lookalike("wrong_answer", "tests_never_ran")
@pytest.mark.parametrize(
    "words",
    [
        "cat: /app/report.json: Datei oder Verzeichnis nicht gefunden",
        "cat: /app/report.json: 没有那个文件或目录",
        "файл /app/report.json не найден",
        "report.json missing",
    ],
)
def test_a_file_that_is_not_there_in_other_words(tmp_path: Path, words: str) -> None:
    assert cause_of(zero(tmp_path / "t", f"{words}\n", agent__trajectory_json=trajectory(LOOKED))) == "early_stop"


@pytest.mark.lookalike("tests_never_ran")
def test_a_coloured_session_is_read_like_a_plain_one(tmp_path: Path) -> None:
    red, plain = "\x1b[31m", "\x1b[0m"
    output = (
        f"\x1b[1m===== test session starts =====\x1b[0m\ncollected 2 items\n{red}_____ test_totals _____{plain}\n"
        f"{red}E       AssertionError: assert 429.9 == 330.0{plain}\n"
        f"{red}FAILED{plain} test_outputs.py::\x1b[1mtest_totals{plain} - AssertionError: assert 429.9 == 330.0\n"
        f"{red}===== {red}1 failed{plain}, \x1b[32m1 passed{plain}{red} in 0.12s{plain}{red} ====={plain}\n"
    )
    path = zero(tmp_path / "t", output)
    assert (cause_of(path), verdict(path).finding.evidence[-1].quote) == ("wrong_answer", "0.0")
    assert read(path)[1][0].grading.collected == 2


# ---- a zero without a test

BOOTSTRAP = (
    "curl: (6) Could not resolve host: astral.sh\n/tests/test.sh: line 3: /root/.local/bin/env: No such file or directory\n/tests/test.sh: line 4: uvx: command not found\n",
    "installing to /root/.local/bin\nerror: Request failed after 3 retries\n  Caused by: Failed to download https://example.test/cpython.tar.gz\n",
    "/usr/local/bin/pytest: line 2: /opt/python/bin/python3: No such file or directory\n",
    "/usr/bin/python3: No module named pytest\n",
    "E: Unable to locate package python3-pytest\nbash: pytest: command not found\n",
    "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --ctrf /logs/verifier/ctrf.json\n",
    "ImportError while loading conftest '/tests/conftest.py'.\nE   ModuleNotFoundError: No module named 'yaml'\n",
    "npm error code ENOTFOUND\nnpm error network request to https://registry.example/vitest failed\n",
    "uvx: command not found\nFAIL: could not install pytest\n",
)


@pytest.mark.positive("tests_never_ran")
@pytest.mark.lookalike("wrong_answer", "early_stop")
@pytest.mark.parametrize("output", BOOTSTRAP)
def test_a_script_that_failed_before_its_tests(tmp_path: Path, output: str) -> None:
    path = zero(tmp_path / "t", output)
    assert (cause_of(path), first_evidence(path)[0], verdict(path).outcome) == (
        "tests_never_ran",
        "verifier/test-stdout.txt",
        Outcome.NOT_GRADED,
    )
    assert verdict(path).answered is False


@pytest.mark.positive("tests_never_ran")
def test_a_report_that_counts_no_test() -> None:
    path = DATA / "no-test-collected"
    assert (cause_of(path), first_evidence(path)[1], verdict(path).answered) == ("tests_never_ran", "/results/summary", False)


@pytest.mark.lookalike("tests_never_ran")
def test_noise_of_a_bootstrap_before_tests_that_ran(tmp_path: Path) -> None:
    noise = (
        "debconf: delaying package configuration\nbash: nvcc: command not found\ncurl: (6) Could not resolve host: mirror.test\n"
    )
    path = graded(
        tmp_path / "t",
        RIGHT,
        WRONG,
        verifier__test_stdout_txt=noise + terminal_bench.pytest_pane(("test_a", ""), ("test_b", "AssertionError: no")),
    )
    assert cause_of(path) == "wrong_answer"


@pytest.mark.lookalike("tests_never_ran")
def test_a_collection_that_broke_on_the_work_is_a_judgement_of_it(tmp_path: Path) -> None:
    brief = "Write /app/solution.py with a function total."
    output = (
        "=== test session starts ===\ncollected 0 items / 1 error\n\n=== ERRORS ===\n____ ERROR collecting test_outputs.py ____\n"
        "E   ImportError: cannot import name 'total' from 'solution' (/app/solution.py)\n=== short test summary info ===\n"
        "ERROR ../tests/test_outputs.py - ImportError: cannot import name 'total'\n=== 1 error in 0.10s ===\n"
    )
    write_it = trajectory(
        {
            "source": "agent",
            "message": "",
            "tool_calls": [{"function_name": "bash", "arguments": {"c": "echo x > /app/solution.py"}}],
        },
        brief=brief,
    )
    path = zero(tmp_path / "t", output, agent__trajectory_json=write_it, verifier__ctrf_json=ctrf())
    assert cause_of(path) == "wrong_answer"


@pytest.mark.lookalike("tests_never_ran")
def test_a_verifier_without_pytest_that_counts_rows_ran(tmp_path: Path) -> None:
    assert cause_of(zero(tmp_path / "t", "0 of 30 rows correct\n")) == "wrong_answer"


@pytest.mark.lookalike("tests_never_ran")
@pytest.mark.parametrize(
    "line",
    [
        "Tests:       1 failed, 3 passed, 4 total",
        "      Tests  1 failed | 3 passed (4)",
        "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
        "[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0",
        "4 examples, 1 failure",
        "--- FAIL: TestTotals (0.00s)",
        "not ok 3 - totals are right",
        "50% tests passed, 1 tests failed out of 2",
        "ℹ fail 1",
        "[  FAILED  ] 1 test, listed below:",
        "3 tests, 1 failure",
        "3 runs, 5 assertions, 1 failures, 0 errors, 0 skips",
        "FAILED | 3 passed | 1 failed (12ms)",
        " 1 fail",
        "  1 failing",
        "3 successes / 1 failures / 0 errors / 0 pending : 0.01 seconds",
        "FAIL: south is 429.9, want 330.0",
        "[FAIL] totals",
        "✗ totals are right",
        "error[E0308]: mismatched types",
        "./sums.go:14:9: undefined: total",
        "/app/main.c:12:5: error: expected ';' before 'return'",
        "src/client.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    ],
)
def test_other_runners_count_too(tmp_path: Path, line: str) -> None:
    path = zero(tmp_path / "t", f"bash: nvm: command not found\n{line}\n")
    assert (cause_of(path), first_evidence(path)) == ("wrong_answer", ("verifier/test-stdout.txt", 2))


@pytest.mark.positive("tests_never_ran")
def test_a_runner_that_ran_no_test(tmp_path: Path) -> None:
    path = zero(tmp_path / "t", "Ran 0 tests in 0.000s\n\nOK\n")
    assert (cause_of(path), first_evidence(path)) == ("tests_never_ran", ("verifier/test-stdout.txt", 1))


# ---- an old reward


@pytest.mark.positive("stale_reward")
def test_a_report_from_before_the_agent_began() -> None:
    path = DATA / "stale-report"
    assert (cause_of(path), first_evidence(path)[1], verdict(path).outcome) == (
        "stale_reward",
        "/results/summary/start",
        Outcome.NOT_GRADED,
    )


@pytest.mark.lookalike("stale_reward")
def test_clocks_that_differ_by_seconds_prove_nothing(tmp_path: Path) -> None:
    report = ctrf(RIGHT, WRONG, start=START - timedelta(seconds=20))
    path = trial(tmp_path / "t", result(), verifier__ctrf_json=report, verifier__reward_txt="0\n", **WORK)
    assert cause_of(path) == "wrong_answer"


@pytest.mark.lookalike("stale_reward")
def test_file_times_of_a_copied_tree_prove_nothing(tmp_path: Path) -> None:
    """Everything was written long after the trial: the record too, so times did not survive."""
    assert cause_of(graded(tmp_path / "t", RIGHT, WRONG, record=result(**spans()))) == "wrong_answer"
