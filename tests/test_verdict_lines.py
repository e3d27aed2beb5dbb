"""What a verifier says in words of its own: a judgement of the work, its own failure, or nothing that decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harbor_trees import LOOKED, WROTE, cause_of, first_evidence, result, step, trajectory, trial, verdict, write

SUITE = "=== test session starts ===\ncollected 3 items\n\nt.py ...\n\n=== 3 passed in 0.20s ===\n"
TRACE = 'Traceback (most recent call last):\n  File "/tests/check.py", line 9, in <module>\n    {}\n{}\n'


def zero(root: Path, output: str, brief: bool = True, **files: Any) -> Path:
    """A trial that wrote /app/report.json and was graded 0 with these words."""
    steps = trajectory(LOOKED, WROTE) if brief else trajectory(LOOKED, WROTE, brief="Do what the README says.")
    files.setdefault("agent__trajectory_json", steps)
    return trial(
        root,
        result(reward=0.0),
        verifier__test_stdout_txt=output,
        verifier__reward_txt="0\n",
        **files,
    )


@pytest.mark.positive("wrong_answer")
@pytest.mark.parametrize(
    "output",
    [
        "check sums: FAIL (a is 429, want 430)\n",
        "FAIL sums\n",
        "Result: 1/2\n",
        "accuracy 0.61, required 0.90\n",
        "--- expected/report.json\n+++ actual/report.json\n",
        '{"score": 0.0, "checks": {"exists": true, "sums": false}, "error": null}\n',
        '{"passed": false, "details": [{"check": "sums", "ok": false}]}\n',
        TRACE.format("assert total == 430, total", "AssertionError: 429"),
        TRACE.format("totals = json.load(open('/app/report.json'))", "json.decoder.JSONDecodeError: Expecting value: line 1"),
        "+ curl -sf http://localhost:8000/health\ncurl: (22) The requested URL returned error: 500\n",
        "GET http://127.0.0.1:8000/\ncurl: (52) Empty reply from server\n",
        'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused\n',
        "+ node /app/report.json\n/app/run.sh: line 2: cargo: command not found\n",
        "FEHLER: Summe 429, erwartet 430\n",
        "检查失败：a 期望 430，实际 429\n",
        "score=0.41 < 0.80\n",
        "3 tests completed, 1 failed\n",
        "Executed 3 tests, with 1 failure (0 unexpected) in 0.012 seconds\n",
        "assertion `left == right` failed\n",
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n",
        "npm ERR! code ELIFECYCLE\nnpm ERR! ledger@1.0.0 build: `tsc -p .`\n",
    ],
)
@pytest.mark.lookalike("tests_never_ran", "grader_error")
def test_words_that_judge_the_work(output: str, tmp_path: Path) -> None:
    assert cause_of(zero(tmp_path / "t", output)) == "wrong_answer"


@pytest.mark.parametrize(
    ("output", "cause"),
    [
        ("FAILED to load the scoring module\n", None),
        ("install: FAIL (mirror gone)\n", None),
        ("Python 3.8 found, at least 3.10 required: 3.8\n", None),
        ("--- a/tests/data.json\n+++ b/tests/data.json\n", None),
        ('{"score": 0.0, "checks": {"sums": false}, "error": "judge unavailable"}\n', None),
        ('{"score": 0.0, "checks": {"sums": true}}\n', None),
        ('{"runner": {"cache": false, "color": true}}\n', None),
        ("--- a/report.json\n+++ b/report.json\n/tests/test.sh: line 9: pytest: command not found\n", "tests_never_ran"),
        ("+ cat /app/report.json\n/tests/test.sh: line 9: pytest: command not found\n", "tests_never_ran"),
        (TRACE.format("assert KEY", "AssertionError: OPENAI_API_KEY is not set"), "grader_error"),
        (
            TRACE.format("weights = json.load(open('/tests/weights.json'))", "json.decoder.JSONDecodeError: Expecting value"),
            "grader_error",
        ),
        (
            "Traceback (most recent call last):\n  File \"/tests/check.py\", line 9, in <module>\n    print(score(load('/app/report.json')))\n"
            "  File \"/tests/scoring.py\", line 4, in score\n    return CONFIG['weights'][0]\n           ~~~~~~^^^^^^^^^^^\nKeyError: 'weights'\n",
            "grader_error",
        ),
        ("/tests/test.sh: line 9:    41 Killed                  python3 /tests/check.py\n", "grader_error"),
        ("/tests/test.sh: line 9:    41 Killed                  python3 /app/solve.py\n", None),
        ("+ curl -sf https://mirror.example/x.sh\ncurl: (22) The requested URL returned error: 404\n", "tests_never_ran"),
        (
            "POST http://localhost:11434/v1/chat\nhttpx.ConnectError: http://localhost:11434/v1/chat Connection refused\n",
            "grader_error",
        ),
        ("+ pytest --work /app/report.json\n/tests/test.sh: line 3: pytest: command not found\n", "tests_never_ran"),
        ("WARNING Retrying after connection broken by 'http://localhost:8000/': Connection refused\n", None),
        ("curl: (28) Operation timed out\nretrying\nSuccessfully installed checker-1.0\nrunning checks\n", None),
        ("curl: (28) Operation timed out\nretrying\ncurl: (28) Operation timed out\n", "tests_never_ran"),
        ("curl: (28) Operation timed out\ninstalled uv\nt.sh: line 9: pytest: command not found\n", "tests_never_ran"),
        ("sh: 1: vitest: not found\nnpm ERR! code ELIFECYCLE\n", "tests_never_ran"),
        ("npm ERR! code E404\nnpm ERR! 404 Not Found\n", "tests_never_ran"),
        ("Judge error: litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key\n", "grader_error"),
        ("error: rustup could not choose a version of cargo to run\n", "tests_never_ran"),
    ],
)
@pytest.mark.lookalike("wrong_answer")
def test_words_that_judge_nothing(output: str, cause: str | None, tmp_path: Path) -> None:
    assert cause_of(zero(tmp_path / "t", output)) == cause


@pytest.mark.parametrize(("brief", "cause"), [(True, "tests_never_ran"), (False, None)])
@pytest.mark.lookalike("tests_never_ran")
def test_a_file_that_may_be_the_work_decides_nothing_without_the_brief(brief: bool, cause: str | None, tmp_path: Path) -> None:
    output = "+ pip install -r /app/requirements.txt\nERROR: No matching distribution found for pandas==99.1\n"
    assert cause_of(zero(tmp_path / "t", output, brief=brief)) == cause


@pytest.mark.parametrize(
    ("after", "cause"),
    [
        pytest.param("", "grader_error", marks=pytest.mark.positive("grader_error")),
        pytest.param(
            "judge failed: Error code: 429 - {'error': {}}\nscore: 0\n",
            "grader_error",
            marks=pytest.mark.positive("grader_error"),
        ),
        ("Performance: 3.1x of the baseline, 5.0x needed\n", "wrong_answer"),
        ("LLM judge: 2 out of 10 points\n", "wrong_answer"),
        ("diff touches forbidden file /app/README.md\n", "wrong_answer"),
        ("judge attempt 1 failed: Error code: 429 - {'error': {}}\njudge: 2 out of 10 points\n", "wrong_answer"),
    ],
)
def test_another_ground_than_the_tests_behind_a_suite_that_passed(after: str, cause: str, tmp_path: Path) -> None:
    assert cause_of(zero(tmp_path / "t", SUITE + after)) == cause


def missing(*told: str) -> str:
    """A session in which every test met an error at setup."""
    cases = "".join(f"____ ERROR at setup of test_{n} ____\nE       {line}\n\n" for n, line in enumerate(told))
    listed = "".join(f"ERROR ../t.py::test_{n}\n" for n, _ in enumerate(told))
    return f"=== test session starts ===\ncollected {len(told)} items\n\n=== ERRORS ===\n{cases}=== short test summary info ===\n{listed}=== {len(told)} errors in 0.1s ===\n"


@pytest.mark.parametrize(
    ("told", "cause"),
    [
        pytest.param(("fixture 'totals' not found",) * 2, "grader_error", marks=pytest.mark.positive("grader_error")),
        pytest.param(
            ("FileNotFoundError: [Errno 2] No such file or directory: '/tests/data/x.json'",) * 2,
            "grader_error",
            marks=pytest.mark.positive("grader_error"),
        ),
        (
            ("subprocess.CalledProcessError: Command '['python3', '/app/run.py']' returned non-zero exit status 1.",) * 2,
            "wrong_answer",
        ),
        (("fixture 'totals' not found", "AssertionError: 429 != 430"), "wrong_answer"),
    ],
)
@pytest.mark.lookalike("wrong_answer", "grader_error")
def test_tests_that_miss_a_part_of_their_own_suite(told: tuple[str, ...], cause: str, tmp_path: Path) -> None:
    path = zero(tmp_path / "t", missing(*told))
    assert cause_of(path) == cause
    assert verdict(path).answered is (cause == "wrong_answer")


def failing(*told: tuple[str, str]) -> str:
    """A session of failed tests: the `E` line of each and the file in which it was raised; an empty one passed."""
    bad = [(n, line, file) for n, (line, file) in enumerate(told) if line]
    cases = "".join(
        f"____ test_{n} ____\n\n>       ...\n\n/tests/t.py:9: \nE       {line}\n\n{file}:31: Error\n" for n, line, file in bad
    )
    listed = "".join(f"{'FAILED' if line else 'PASSED'} ../t.py::test_{n}\n" for n, (line, _) in enumerate(told))
    counts = f"{len(bad)} failed, {len(told) - len(bad)} passed"
    head = f"=== test session starts ===\ncollected {len(told)} items\n\n=== FAILURES ===\n"
    return f"{head}{cases}=== short test summary info ===\n{listed}=== {counts} in 0.1s ===\n"


KEY = "openai.AuthenticationError: Error code: 401 - {'error': {'code': 'invalid_api_key'}}"
CLIENT = "/usr/lib/python3/site-packages/openai/_base_client.py"
MODULE = "ModuleNotFoundError: No module named 'numpy'"


@pytest.mark.parametrize(
    ("told", "cause"),
    [
        pytest.param((("", ""), (KEY, CLIENT)), "grader_error", marks=pytest.mark.positive("grader_error")),
        pytest.param(((MODULE, "/tests/t.py"),) * 2, "grader_error", marks=pytest.mark.positive("grader_error")),
        (((KEY, "/app/summarise.py"),), "wrong_answer"),
        (((MODULE, "/app/sums.py"),) * 2, "wrong_answer"),
        (((KEY, CLIENT), ("AssertionError: 429 != 430", "/tests/t.py")), "wrong_answer"),
        ((("Failed: DID NOT RAISE <class 'openai.RateLimitError'>", "/tests/t.py"),), "wrong_answer"),
    ],
)
@pytest.mark.lookalike("wrong_answer", "grader_error")
def test_a_suite_that_cannot_ask_its_model_or_import_its_modules(
    told: tuple[tuple[str, str], ...], cause: str, tmp_path: Path
) -> None:
    path = zero(tmp_path / "t", failing(*told))
    assert cause_of(path) == cause
    assert verdict(path).answered is (cause == "wrong_answer")


@pytest.mark.positive("grader_error")
@pytest.mark.lookalike("wrong_answer")
@pytest.mark.parametrize(("file", "cause"), [(CLIENT, "grader_error"), ("/app/summarise.py", "wrong_answer")])
def test_the_same_told_by_a_report(file: str, cause: str, tmp_path: Path) -> None:
    test = {
        "name": "t.py::test_quality",
        "status": "failed",
        "trace": f"/tests/t.py:9: \nE       {KEY}\n\n{file}:31: AuthenticationError",
    }
    report = {
        "results": {"tool": {"name": "pytest"}, "summary": {"tests": 1, "passed": 0, "failed": 1, "skipped": 0}, "tests": [test]}
    }
    assert cause_of(write(zero(tmp_path / "t", ""), {"verifier/ctrf.json": report})) == cause


STOPPED = step("agent", "I will write it next.")


@pytest.mark.positive("early_stop")
@pytest.mark.lookalike("wrong_answer")
@pytest.mark.parametrize(
    "output",
    [
        "Error: agent did not produce report.json",
        "report.json was not created",
        "nothing to grade: /app/report.json absent",
        "expected file /app/report.json but found nothing",
        "[ERROR] /app/report.json not generated",
        "FAIL: no report.json",
        "Error: ENOENT: no such file or directory, open '/app/report.json'",
        "java.io.FileNotFoundException: /app/report.json (No such file or directory)",
        '{"score": 0, "checks": {"exists": false, "sums": false}}',
        "Score: 0/10 (no submission)",
        "+ python3 /tests/check.py /app/report.json\nerror: /app/report.json: not found",
    ],
)
def test_words_for_work_that_is_not_there(output: str, tmp_path: Path) -> None:
    assert cause_of(zero(tmp_path / "t", f"{output}\n", agent__trajectory_json=trajectory(LOOKED, STOPPED))) == "early_stop"


@pytest.mark.lookalike("early_stop")
@pytest.mark.parametrize(
    "words",
    [
        "Failed to write report: /logs/verifier/ctrf.json",
        "pytest did not produce a coverage report",
        "did not write /logs/verifier/ctrf.json",
        "nothing to install",
        "FAIL: no network",
    ],
)
def test_words_for_other_things_that_are_not_there(words: str, tmp_path: Path) -> None:
    assert cause_of(zero(tmp_path / "t", f"{words}\nrow 1: expected 430, got 429\n")) == "wrong_answer"


JUNIT = '<?xml version="1.0"?>\n<testsuites><testsuite name="pytest" tests="2">\n<testcase classname="t" name="test_file" time="0.1"/>\n{}</testsuite></testsuites>\n'


@pytest.mark.parametrize(
    ("case", "cause"),
    [
        pytest.param(
            '<testcase name="test_sums"><failure message="AssertionError: 429 != 430">x</failure></testcase>\n',
            "wrong_answer",
            marks=pytest.mark.positive("wrong_answer"),
        ),
        pytest.param(
            '<testcase name="test_sums"><skipped message="no"/></testcase>\n',
            "grader_error",
            marks=pytest.mark.lookalike("wrong_answer"),
        ),
    ],
)
def test_a_junit_report_is_a_report(case: str, cause: str, tmp_path: Path) -> None:
    path = write(zero(tmp_path / "t", ""), {"verifier/junit.xml": JUNIT.format(case)})
    assert cause_of(path) == cause
    assert first_evidence(path) == ("verifier/junit.xml", 4 if cause == "wrong_answer" else 3)


@pytest.mark.parametrize(
    "text", ["<html><testcase name='x'/></html>", "<testsuites></testsuites>", "<testsuites><testcase", "\x00"]
)
def test_other_xml_is_no_report(text: str, tmp_path: Path) -> None:
    path = write(zero(tmp_path / "t", "sh: 1: vitest: not found\n"), {"verifier/other.xml": text})
    assert cause_of(path) == "tests_never_ran"
