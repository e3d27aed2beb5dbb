"""Graders that judge in words of their own, and graders that break: shell scripts, judges, other runners, services of the work."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import PASS, Case, in_harbor, task
from benchmarks.zerobench.harbor_verifier import Tests, right
from benchmarks.zerobench.story import TASKS, Said, Story, Task, delivered, finished, looked

AGENTS = ("codex", "claude-code", "opencode", "terminus-2", "mini-swe-agent", "gemini-cli")
RELEASES = ("0.26.0", "0.24.0", "0.20.0", "0.13.0")

SERVER = Task(
    "health-server",
    "Start an HTTP server on port 8000 of this machine. GET /health must answer 200 with the body ok. Write its code to /app/server.py.",
    "/app/server.py",
    ("ls /app", "README.md"),
    "cat > /app/server.py <<'PY'\nimport http.server\nPY",
    "AssertionError: 500 != 200",
    ("test_health",),
)
BUILD = Task(
    "build-script",
    "Write /app/build.sh. It must build the program and leave it at /app/out/ledger.",
    "/app/build.sh",
    ("ls /app", "src"),
    "cat > /app/build.sh <<'SH'\ncargo build\nSH",
    "AssertionError: no program",
    ("test_build",),
)
WHEEL = Task(
    "requirements",
    "Write /app/requirements.txt so that the program in /app/src can be installed and started.",
    "/app/requirements.txt",
    ("ls /app/src", "main.py"),
    "echo 'pandas==99.1' > /app/requirements.txt",
    "AssertionError: not installed",
    ("test_install",),
)
OWN_TESTS = Task(
    "own-tests",
    "Write tests for the client and save them as /app/tests/test_client.py.",
    "/app/tests/test_client.py",
    ("ls /app", "client.py"),
    "cat > /app/tests/test_client.py <<'PY'\ndef test_one(): ...\nPY",
    "AssertionError: no tests",
    ("test_written",),
)


def cases() -> Iterator[Case]:
    for number, (name, truth, output) in enumerate(JUDGED):
        yield _graded(f"judged-{name}", truth, finished(task(number)), output, number)
    for number, (name, truth, about, output) in enumerate(ABOUT):
        yield _graded(f"called-{name}", truth, finished(about), output, 3 + number % 2)
    for number, (name, truth, output) in enumerate(BROKE):
        yield _graded(f"broke-{name}", truth, finished(task(number)), output, number)
    yield from _after_a_whole_suite()
    yield from _elsewhere()


def _graded(name: str, truth: str, story: Story, output: str, number: int, reward: float = 0.0) -> Case:
    """A trial with nothing but the verifier's own words."""
    tests = Tests(None, reward, output, ctrf=False)
    kind = "decoy" if truth in ("wrong_answer", "early_stop", PASS) else "fault"
    trial = harbor.Trial(story, AGENTS[number % 6], RELEASES[number % 4], tests)
    return in_harbor(f"distant-{name}", truth, trial, kind)


JUDGED = (
    ("checks", "wrong_answer", "check file: ok\ncheck sums: FAIL (a is 429, want 430)\nResult: 1/2\n"),
    ("json", "wrong_answer", '{"score": 0.0, "checks": {"file_exists": true, "sums_match": false}, "error": null}\n'),
    (
        "judge-retried",
        "wrong_answer",
        "judge attempt 1 failed: Error code: 429 - {'error': {'message': 'Rate limit reached', 'code': 'rate_limit_exceeded'}}\n"
        "retrying in 5 s\njudge attempt 2: answered\nverdict: INCORRECT. Row 7 of the table is not in the submission.\nscore: 0\n",
    ),
    (
        "judge-speaks-of-limits",
        "wrong_answer",
        "Judge verdict: INCORRECT\nReasoning: The report says 'litellm.RateLimitError: 429' is an authentication problem; it is a rate limit.\nFinal score: 0.0\n",
    ),
    ("go-panic", "wrong_answer", "--- FAIL: TestSums (0.00s)\npanic: runtime error: index out of range [3] with length 3 [recovered]\n\ngoroutine 7 [running]:\nexample.com/ledger.Sum(...)\n\t/app/sums.go:14\nFAIL\texample.com/ledger\t0.004s\nFAIL\n"),
    ("cargo", "wrong_answer", "running 3 tests\ntest exists ... ok\ntest accounts ... ok\ntest sums ... FAILED\n\nthread 'sums' panicked at tests/sums.rs:9:5:\nassertion `left == right` failed\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\nerror: test failed, to rerun pass `--test sums`\n"),
    ("jest", "wrong_answer", "FAIL tests/client.test.js\n  ✓ exports fetch (2 ms)\n  ✕ retries on 429 (5003 ms)\n    connect ECONNREFUSED 127.0.0.1:3000\n    thrown: \"Exceeded timeout of 5000 ms for a test.\"\n\nTests:       1 failed, 1 passed, 2 total\nTime:        6.1 s\n"),
    ("slow", "wrong_answer", "case 1: ok\ncase 2: ok\ncase 3: Time limit exceeded (2.0 s)\n5 of 8 cases passed\n"),
    ("words-without-colon", "wrong_answer", "PASS file exists\nFAIL sums\n  wanted 430\n  found  429\n"),
    ("diff", "wrong_answer", "--- expected/totals.json\n+++ actual/totals.json\n@@ -1 +1 @@\n-{\"a\": 430}\n+{\"a\": 429}\nfiles differ\n"),
    ("share", "wrong_answer", "accuracy 0.61, required 0.90: not good enough\n"),
    ("plain-assert", "wrong_answer", "Traceback (most recent call last):\n  File \"/tests/check.py\", line 12, in <module>\n    assert total == 430, total\n           ^^^^^^^^^^^^\nAssertionError: 429\n"),
    ("fixture-ran-the-work", "wrong_answer", "============================= test session starts ==============================\ncollected 2 items\n\n../tests/test_outputs.py EE\n\n==================================== ERRORS ====================================\n__________________________ ERROR at setup of test_sums __________________________\n\n>       subprocess.run([\"python3\", \"/app/run.py\"], check=True)\nE       subprocess.CalledProcessError: Command '['python3', '/app/run.py']' returned non-zero exit status 1.\n\n/tests/test_outputs.py:9: CalledProcessError\n=========================== short test summary info ============================\nERROR ../tests/test_outputs.py::test_sums - subprocess.CalledProcessError: Command '['python3', '/app/run.py']' returned non-zero exit status 1.\nERROR ../tests/test_outputs.py::test_accounts - subprocess.CalledProcessError: Command '['python3', '/app/run.py']' returned non-zero exit status 1.\n============================== 2 errors in 0.31s ===============================\n"),
    ("log-after-the-tests", "wrong_answer", "============================= test session starts ==============================\ncollected 2 items\n\n../tests/test_outputs.py .F\n=========================== short test summary info ============================\nPASSED ../tests/test_outputs.py::test_file\nFAILED ../tests/test_outputs.py::test_counts - AssertionError: 7 != 6\n========================= 1 failed, 1 passed in 0.20s ==========================\nuploading report\nTraceback (most recent call last):\n  File \"/tests/upload.py\", line 3, in <module>\nrequests.exceptions.ConnectionError: HTTPSConnectionPool(host='reports.example', port=443): Max retries exceeded\n"),
    ("two-sessions", "wrong_answer", "============================= test session starts ==============================\ncollected 0 items\n\n============================ no tests ran in 0.01s =============================\n============================= test session starts ==============================\ncollected 2 items\n\n../tests/test_outputs.py .F\n=========================== short test summary info ============================\nPASSED ../tests/test_outputs.py::test_file\nFAILED ../tests/test_outputs.py::test_counts - AssertionError: 7 != 6\n========================= 1 failed, 1 passed in 0.20s ==========================\n"),
    ("flood", "wrong_answer", "check 1: ok\nFAIL: a is 429, want 430\n" + "[server log] ERROR 429 Too Many Requests, openai.RateLimitError is handled\n" * 900 + "done\n"),
    ("killed-work", "wrong_answer", "/tests/test.sh: line 8:    57 Killed                  python3 /app/solve.py < case3.in > case3.out\ncase 3: expected 430, got nothing\n2 of 3 cases passed\n"),
)  # fmt: skip
"""(name, truth, what the verifier printed) of a trial that delivered."""

ABOUT = (
    ("answers-500", "wrong_answer", SERVER, "+ sleep 2\n+ curl -sf http://localhost:8000/health\ncurl: (22) The requested URL returned error: 500\n"),
    ("empty-reply", "wrong_answer", SERVER, "GET http://127.0.0.1:8000/health\ncurl: (52) Empty reply from server\n"),
    ("wget", "wrong_answer", SERVER, "wget: can't connect to remote host (127.0.0.1): Connection refused\nreward 0\n"),
    ("psql", "wrong_answer", SERVER, "psql: error: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n"),
    ("build-needs-cargo", "wrong_answer", BUILD, "+ bash /app/build.sh\n/app/build.sh: line 2: cargo: command not found\nbuild left with 127\n"),
    ("npm-build", "wrong_answer", BUILD, "> ledger@1.0.0 build\n> tsc -p .\n\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 2\nnpm ERR! ledger@1.0.0 build: `tsc -p .`\nnpm ERR! Exit status 2\n"),
    ("requirements", "wrong_answer", WHEEL, "+ pip install -r /app/requirements.txt\nERROR: Could not find a version that satisfies the requirement pandas==99.1 (from versions: 2.2.3)\nERROR: No matching distribution found for pandas==99.1\n"),
    ("installer-404", "tests_never_ran", SERVER, "+ curl -LsSf https://mirror.example/uv/0.9.5/install.sh\ncurl: (22) The requested URL returned error: 404\n/tests/test.sh: line 6: uvx: command not found\n"),
    ("no-json", "wrong_answer", TASKS[0], "Traceback (most recent call last):\n  File \"/tests/check.py\", line 9, in <module>\n    totals = json.load(open('/app/totals.json'))\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  File \"/usr/lib/python3.12/json/__init__.py\", line 293, in load\n    return loads(fp.read(),\njson.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n"),
)  # fmt: skip
"""(name, truth, task, what the verifier printed): calls of the work, and of what the verifier itself needs."""

BROKE = (
    ("vitest", "tests_never_ran", "> test\n> vitest run\n\nsh: 1: vitest: not found\n"),
    ("cargo", "tests_never_ran", "/tests/test.sh: 5: cargo: not found\n"),
    ("toolchain", "tests_never_ran", "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.\n"),
    ("plugin", "tests_never_ran", "Traceback (most recent call last):\n  File \"/usr/local/lib/python3.12/site-packages/_pytest/config/__init__.py\", line 868, in import_plugin\n    __import__(importspec)\nImportError: Error importing plugin \"pytest_json_ctrf\": No module named 'pytest_json_ctrf'\n"),
    ("docker", "tests_never_ran", "+ docker run --rm -v /app:/app checker:1\ndocker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n"),
    ("judge-unreachable", "grader_error", "asking the judge\nopenai.APIConnectionError: Connection error.\ndefaulting to score 0\n"),
    ("judge-key", "grader_error", "Judge error: litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided\nAssigning score 0.0\n"),
    ("fixture-file", "grader_error", "============================= test session starts ==============================\ncollected 2 items\n\n../tests/test_outputs.py EE\n\n==================================== ERRORS ====================================\n__________________________ ERROR at setup of test_sums __________________________\n\n>       return json.loads(Path('/tests/data/expected.json').read_text())\nE       FileNotFoundError: [Errno 2] No such file or directory: '/tests/data/expected.json'\n\n/tests/conftest.py:9: FileNotFoundError\n=========================== short test summary info ============================\nERROR ../tests/test_outputs.py::test_sums - FileNotFoundError: [Errno 2] No such file or directory: '/tests/data/expected.json'\nERROR ../tests/test_outputs.py::test_accounts - FileNotFoundError: [Errno 2] No such file or directory: '/tests/data/expected.json'\n============================== 2 errors in 0.11s ===============================\n"),
    ("fixture-unknown", "grader_error", "============================= test session starts ==============================\ncollected 2 items\n\n../tests/test_outputs.py EE\n\n==================================== ERRORS ====================================\n__________________________ ERROR at setup of test_sums __________________________\nfile /tests/test_outputs.py, line 4\n  def test_sums(totals):\nE       fixture 'totals' not found\n>       available fixtures: cache, capfd, tmp_path\n\n/tests/test_outputs.py:4\n_______________________ ERROR at setup of test_accounts ________________________\nfile /tests/test_outputs.py, line 9\n  def test_accounts(totals):\nE       fixture 'totals' not found\n\n/tests/test_outputs.py:9\n=========================== short test summary info ============================\nERROR ../tests/test_outputs.py::test_sums\nERROR ../tests/test_outputs.py::test_accounts\n============================== 2 errors in 0.01s ===============================\n"),
)  # fmt: skip


def _after_a_whole_suite() -> Iterator[Case]:
    """Every test passed, and the zero has another ground than a broken grader, which the verifier names."""
    for number, words in enumerate(
        (
            "Performance: 3.1x of the baseline, 5.0x needed\nreward: 0\n",
            "LLM judge: 2 out of 10 points for style and completeness\nreward: 0\n",
            "diff touches forbidden file /app/README.md, reward set to 0\n",
        )
    ):
        about = task(number)
        suite = f"============================= test session starts ==============================\ncollected 3 items\n\n../tests/test_outputs.py ...\n\n============================== 3 passed in 0.20s ===============================\n{words}"
        yield _graded(f"passed-but-{number}", "wrong_answer", finished(about), suite, number)
    output = "============================= test session starts ==============================\ncollected 3 items\n\n../tests/test_outputs.py ...\n\n============================== 3 passed in 0.20s ===============================\njudge failed: Error code: 429 - {'error': {'message': 'Rate limit reached', 'code': 'rate_limit_exceeded'}}\nscore: 0\n"
    yield _graded("passed-judge-gave-up", "grader_error", finished(task(3)), output, 3)
    about = task(4)
    noisy = right(about)
    noisy.output = "judge attempt 1 failed: Error code: 401 - {'error': 'no key'}\nskipping the judge\n"
    yield in_harbor("distant-pass-with-noise", PASS, harbor.Trial(finished(about), "codex", "0.24.0", noisy), "decoy")


def _elsewhere() -> Iterator[Case]:
    """Words on stderr, in a report of another format, and of a suite that the agent was to write."""
    said = 'F.\n======================================================================\nFAIL: test_sums (test_outputs.Outputs)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File "/tests/test_outputs.py", line 9, in test_sums\nAssertionError: 429 != 430\n\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n'
    trial = harbor.Trial(finished(task(0)), "codex", "0.24.0", Tests(None, 0.0, "", ctrf=False))
    trial.extra_files = {"verifier/test-stderr.txt": said}
    yield in_harbor("distant-on-stderr", "wrong_answer", trial, "decoy")
    junit = '<?xml version="1.0" encoding="utf-8"?>\n<testsuites><testsuite name="pytest" errors="0" failures="1" skipped="0" tests="2" time="0.2">\n<testcase classname="tests.test_outputs" name="test_file" time="0.001" />\n<testcase classname="tests.test_outputs" name="test_sums" time="0.002"><failure message="AssertionError: 429 != 430">trace</failure></testcase>\n</testsuite></testsuites>\n'
    trial = harbor.Trial(finished(task(0)), "claude-code", "0.26.0", Tests(None, 0.0, "", ctrf=False))
    trial.extra_files = {"verifier/junit.xml": junit}
    yield in_harbor("distant-junit", "wrong_answer", trial, "decoy")
    report = {"passed": False, "details": [{"check": "sums", "ok": False, "note": "429 instead of 430"}]}
    trial = harbor.Trial(delivered(task(0)), "terminus-2", "0.20.0", Tests(None, 0.0, json.dumps(report) + "\n", ctrf=False))
    yield in_harbor("distant-details", "wrong_answer", trial, "decoy")
    output = "============================= test session starts ==============================\ncollected 0 items\n\n============================ no tests ran in 0.00s =============================\nERROR: file or directory not found: /app/tests/test_client.py\n"
    story = looked(OWN_TESTS).then(Said("I have a plan for the tests and will write them next."))
    trial = harbor.Trial(story, "claude-code", "0.24.0", Tests(None, 0.0, output, ctrf=False))
    yield in_harbor("distant-own-tests", "early_stop", trial, "decoy")
