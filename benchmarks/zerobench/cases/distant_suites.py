"""Suites that ask a model, miss a tool of their own, die, or speak other languages and other runners' words."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench.cases.case import Case, in_harbor, in_terminal_bench, task
from benchmarks.zerobench.harbor_verifier import Tests, nothing, wrong
from benchmarks.zerobench.places import Place
from benchmarks.zerobench.story import TASKS, Said, finished, looked

AGENTS = ("terminus-2", "codex", "claude-code", "mini-swe-agent", "opencode")
RELEASES = ("0.26.0", "0.24.0", "0.13.0")
CLOSING = " short test summary info "


def session(*tests: tuple[str, str, str]) -> str:
    """A session; each test is its name, the `E` line of its failure, and the file in which that was raised."""
    bad = [t for t in tests if t[1]]
    lines = [f"{' test session starts ':=^80}", f"collected {len(tests)} items", "", f"{' FAILURES ':=^80}"]
    for name, said, file in bad:
        lines += [f"{' ' + name + ' ':_^80}", "", f"    def {name}():", ">       ...", "", "/tests/test_outputs.py:21: ", f"E       {said}", "", f"{file}:31: {said.split(':')[0].rpartition('.')[2]}"]  # fmt: skip
    lines += [f"{CLOSING:=^80}", *(f"PASSED ../tests/test_outputs.py::{n}" for n, m, _ in tests if not m)]
    lines += [f"FAILED ../tests/test_outputs.py::{n} - {m[:60]}" for n, m, _ in bad]
    told = f"{len(bad)} failed" + (f", {len(tests) - len(bad)} passed" if len(tests) > len(bad) else "")
    return "\n".join([*lines, f"{' ' + told + ' in 0.9s ':=^80}"]) + "\n"


KEY = "openai.AuthenticationError: Error code: 401 - {'error': {'message': 'Incorrect API key provided', 'code': 'invalid_api_key'}}"
LIMIT = "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached', 'code': 'rate_limit_exceeded'}}"
CLIENT = "/usr/lib/python3/site-packages/openai/_base_client.py"
BROWSER = "playwright._impl._errors.Error: BrowserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1091/chrome"
OWN = "/tests/test_outputs.py"

SESSIONS = (
    ("judge-key", "grader_error", session(("test_file", "", ""), ("test_quality", KEY, CLIENT))),
    ("judge-limit", "grader_error", session(("test_quality", LIMIT, CLIENT), ("test_style", LIMIT, CLIENT))),
    ("browser", "grader_error", session(("test_page", BROWSER, "/usr/lib/python3/site-packages/playwright/_impl/_connection.py"))),
    ("module", "grader_error", session(("test_a", "ModuleNotFoundError: No module named 'numpy'", OWN), ("test_b", "ModuleNotFoundError: No module named 'numpy'", OWN))),
    ("work-s-module", "wrong_answer", session(("test_a", "ModuleNotFoundError: No module named 'numpy'", "/app/sums.py"), ("test_b", "ModuleNotFoundError: No module named 'numpy'", "/app/sums.py"))),
    ("judge-key-and-wrong", "wrong_answer", session(("test_sums", "AssertionError: 429 != 430", OWN), ("test_quality", KEY, CLIENT))),
    ("expects-the-limit", "wrong_answer", session(("test_raises", "Failed: DID NOT RAISE <class 'openai.RateLimitError'>", OWN))),
    ("page-too-slow", "wrong_answer", session(("test_page", "playwright._impl._errors.TimeoutError: Page.goto: Timeout 30000ms exceeded.", OWN))),
)  # fmt: skip

SAID = (
    ("german", "wrong_answer", "FEHLER: Summe von a ist 429, erwartet war 430\n"),
    ("chinese", "wrong_answer", "检查失败：a 期望 430，实际 429\n"),
    ("french", "wrong_answer", "ÉCHEC : attendu 430, obtenu 429\n"),
    ("coloured", "wrong_answer", "\x1b[31mFAIL\x1b[0m sums\r\n\x1b[32mPASS\x1b[0m file\r\n"),
    ("counted", "wrong_answer", "Passed: 2\nFailed: 1\n"),
    ("gradle", "wrong_answer", "LedgerTest > sums FAILED\n    org.opentest4j.AssertionFailedError at LedgerTest.java:12\n\n3 tests completed, 1 failed\n"),
    ("swift", "wrong_answer", "Executed 3 tests, with 1 failure (0 unexpected) in 0.012 (0.014) seconds\n"),
    ("prove", "wrong_answer", "t/sums.t .. Failed 1/3 subtests\nResult: FAIL\n"),
    ("rust-check", "wrong_answer", "thread 'main' panicked at tests/check.rs:9:5:\nassertion `left == right` failed\n  left: 429\n right: 430\n"),
    ("node-assert", "wrong_answer", "node:assert:126\n  throw new AssertionError(obj);\n  ^\n\nAssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n429 !== 430\n\n    at Object.<anonymous> (/tests/check.js:4:8)\n"),
    ("killed-grader", "grader_error", "/tests/test.sh: line 9:    41 Killed                  python3 /tests/check.py\n"),
    ("config-in-the-way", "grader_error", "Traceback (most recent call last):\n  File \"/tests/check.py\", line 9, in <module>\n    print(score(load('/app/totals.json')))\n  File \"/tests/scoring.py\", line 4, in score\n    return CONFIG['weights'][0]\nKeyError: 'weights'\n"),
    ("work-raises", "wrong_answer", "Traceback (most recent call last):\n  File \"/tests/check.py\", line 9, in <module>\n    out = check(totals)\n  File \"/tests/check.py\", line 4, in check\n    return json.loads(Path(\"/app/totals.json\").read_text())['a']\nKeyError: 'a'\n"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    for number, (name, truth, output) in enumerate((*SESSIONS, *SAID)):
        kind = "decoy" if truth == "wrong_answer" else "fault"
        tests = Tests(None, 0.0, output, ctrf=False)
        trial = harbor.Trial(finished(TASKS[0]), AGENTS[number % 5] if number < 18 else "terminus-2", RELEASES[number % 3], tests)
        yield in_harbor(f"distant-suite-{name}", truth, trial, kind)
    yield from _terminals()
    yield from _plain()


def _terminals() -> Iterator[Case]:
    """A phrase about the provider at the end of a terminal, after the file was written."""
    pane = "root@2f1c:/app# aider --message 'Do it' --yes\nAider v0.86.1\n\nsum.py\n<<<<<<< SEARCH\n=======\nprint(1)\n>>>>>>> REPLACE\n\nApplied edit to sum.py\nRunning python3 sum.py > /app/totals.json\n\nlitellm.RateLimitError: RateLimitError: OpenAIException - slow down\nThe API provider has rate limited you.\nRetrying in 32.0 seconds...\nroot@2f1c:/app#\n"
    trial = terminal_bench.Trial(finished(TASKS[0]), "aider", wrong(TASKS[0]), pane=pane)
    yield in_terminal_bench("distant-aider-after-work", "wrong_answer", trial, "decoy")
    said = "root@2f1c:/app# goose run --recipe ~/recipe.yaml; tmux wait -S done\nstarting session | provider: openai model: gpt-5\n\ncommand: cat notes\nRan into this error: Rate limit exceeded.\n\nPlease retry if you think this is a transient or recoverable error.\n\nThe notes speak of a limit. The file is written.\nroot@2f1c:/app#\n"
    trial = terminal_bench.Trial(finished(task(2)), "goose", wrong(task(2)), pane=said)
    yield in_terminal_bench("distant-goose-quotes", "wrong_answer", trial, "decoy")


def _plain() -> Iterator[Case]:
    """A run whose other trial fails alike for another reason."""
    stop = looked(task(1)).then(Said("I see 401 and 429 in the log. I will count them next."))
    other = harbor.Trial(
        finished(task(1)), "codex", "0.26.0", Tests(None, 0.0, "sh: 1: jest: not found\n", ctrf=False), name="other__Q1"
    )
    trial = harbor.Trial(stop, "codex", "0.26.0", nothing(task(1)))
    yield in_harbor("distant-beside-unrun-tests", "early_stop", trial, "decoy", beside=[other])
    half = in_harbor("distant-beside-half-a-record", "wrong_answer", harbor.Trial(finished(task(2)), "claude-code", "0.24.0", wrong(task(2)), name="whole__A1"), "decoy", beside=[harbor.Trial(finished(task(2)), "claude-code", "0.24.0", wrong(task(2)), name="half__B1")])  # fmt: skip

    def write(root: object, case: Case = half) -> Place:
        place = case.write(root)  # type: ignore[arg-type]
        record = place.path / "half__B1/result.json"
        record.write_text(record.read_text(encoding="utf-8")[:300], encoding="utf-8")
        return place

    yield Case(half.name, half.truth, half.kind, half.format, half.agent, write)
