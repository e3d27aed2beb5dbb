"""The last questions of the second round: noise around graders and agents, each of which looks like something else."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench.cases.case import PASS, Case, in_harbor, in_terminal_bench, task
from benchmarks.zerobench.cases.logged import logged
from benchmarks.zerobench.harbor_verifier import Tests, nothing, right, wrong
from benchmarks.zerobench.story import TASKS, Ran, Said, Story, closing, finished, looked

FIRST = TASKS[0]
SAID = (
    ("versions", "tests_never_ran", "Python 3.8 found, 3.10 required\n/tests/test.sh: line 4: uv: command not found\n"),
    ("patch-shown", "tests_never_ran", "--- a/totals.json\n+++ b/totals.json\n@@ -1 +1 @@\n-{}\n+{\"a\": 429}\n/tests/test.sh: line 9: pytest: command not found\n"),
    ("config-echoed", "tests_never_ran", '{"runner": {"cache": false, "color": true}}\n/tests/test.sh: line 9: npx: command not found\n'),
    ("score-announced", "tests_never_ran", "grading 12 tests, 10 required to pass\ncurl: (6) Could not resolve host: mirror.example\n/tests/test.sh: line 9: uvx: command not found\n"),
    ("judge-json", "wrong_answer", '{"verdict": "incorrect", "reason": "total of a is off by one; see RateLimitError section", "score": 0}\n'),
    ("judge-words", "wrong_answer", "The judge found the answer wrong: expected 430 but got 429.\n[judge] tokens used: 429, retries: 0, status 200\n"),
    ("xml-noise", "wrong_answer", "<error code=\"429\">quoted from the work's own log</error>\nrow 1: expected 430, got 429\n"),
    ("apt-then-tests", "wrong_answer", "E: Unable to fetch some archives, maybe run apt-get update\nW: Some index files failed to download\n============================= test session starts ==============================\ncollected 2 items\n\n../tests/test_outputs.py .F\n=========================== short test summary info ============================\nPASSED ../tests/test_outputs.py::test_file\nFAILED ../tests/test_outputs.py::test_sums - AssertionError: 7 != 6\n========================= 1 failed, 1 passed in 0.20s ==========================\n/tests/test.sh: line 30: jq: command not found\n"),
    ("rc-127", "wrong_answer", "$ python3 /app/totals.json --help\nrc=127\nFAIL: program left with 127 (command not found)\n"),
    ("import-of-the-tests", "grader_error", "Traceback (most recent call last):\n  File \"/tests/check.py\", line 3, in <module>\n    import numpy as np\nModuleNotFoundError: No module named 'numpy'\n"),
    ("type-error-of-the-tests", "grader_error", "Traceback (most recent call last):\n  File \"/tests/check.py\", line 31, in <module>\n    main()\n  File \"/tests/check.py\", line 12, in main\n    return rubric['items'] + 1\nTypeError: can only concatenate list (not \"int\") to list\n"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    for number, (name, truth, output) in enumerate(SAID):
        trial = harbor.Trial(
            finished(FIRST), "terminus-2", ("0.26.0", "0.20.0")[number % 2], Tests(None, 0.0, output, ctrf=False)
        )
        yield in_harbor(f"distant-noise-{name}", truth, trial, "decoy" if truth == "wrong_answer" else "fault")
    yield from _agents()


def _agents() -> Iterator[Case]:
    traced = 'starting session | provider: openai model: gpt-5\n\n─── shell | developer ───\ncommand: python3 sum.py\n\nTraceback (most recent call last):\n  File "/app/sum.py", line 1, in <module>\nopenai.RateLimitError: Error code: 429\n\nThe script needs a key. I wrote the totals by hand.\n'
    yield logged("goose-own-script", "wrong_answer", "goose", "goose.txt", traced, 0, wrong(task(0)), False, "decoy")
    late = harbor.Trial(
        Story(FIRST, (), "timeout"), "goose", "0.24.0", wrong(FIRST), no_agent_files=True, extra_files={"agent/goose.txt": traced}
    )
    yield in_harbor("distant-goose-late", "wrong_answer", late, "decoy")
    for number, agent in enumerate(("opencode", "gemini-cli", "mini-swe-agent")):
        tried = looked(FIRST).then(Ran("apt-get update", "E: Failed to fetch http://deb.example/dists/stable/InRelease  403  Forbidden", failed=True), Said("The mirror answers 403 Forbidden, so this environment is broken. Stopping."))  # fmt: skip
        yield in_harbor(f"distant-blames-mirror-{agent}", "early_stop", harbor.Trial(tried, agent, ("0.26.0", "0.13.0", "0.20.0")[number], nothing(FIRST)), "decoy")  # fmt: skip
    both = looked(FIRST).then(Ran("docker ps", "Cannot connect to the Docker daemon"), Ran(FIRST.write), closing(FIRST))
    yield in_harbor("distant-no-docker-inside-pass", PASS, harbor.Trial(both, "claude-code", "0.24.0", right(FIRST)), "decoy")
    pane = "root@2f1c:/app# goose run --recipe ~/recipe.yaml; tmux wait -S done\nstarting session | provider: openai model: gpt-5\n\n─── shell | developer ───\ncommand: jq . totals.json\n\nbash: jq: command not found\n\nThe totals are written.\nroot@2f1c:/app#\n"
    yield in_terminal_bench(
        "distant-goose-jq", "wrong_answer", terminal_bench.Trial(finished(FIRST), "goose", wrong(FIRST), pane=pane), "decoy"
    )
