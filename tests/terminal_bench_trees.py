"""Terminal-Bench trial folders as the harness wrote them, made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harbor_trees import write

BRIEF = "Count the words of notes.txt and write the number to /app/count.txt."
INSTALL = """['asciinema rec --stdin /logs/agent.cast', 'Enter']
['clear', 'Enter']
['source /installed-agent/setup-env.sh', 'Enter']
["source /installed-agent/install-agent.sh && echo 'INSTALL_SUCCESS'", 'Enter']
"""
TESTS = """['asciinema rec --stdin /logs/tests.cast', 'Enter']
['clear', 'Enter']
['bash ', '/tests/run-tests.sh', 'Enter']
['C-d']
"""
LAUNCH = """["mini -m some/model -t 'Count the words' -y --exit-immediately", 'Enter']\n"""
TYPED = """['asciinema rec --stdin /logs/agent.cast', 'Enter']
['clear', 'Enter']
['wc -w notes.txt', 'Enter']
['wc -w notes.txt > /app/count.txt', 'Enter']
"""
IDLE = """['asciinema rec --stdin /logs/agent.cast', 'Enter']
['clear', 'Enter']
"""
NOT_FOUND = """INSTALL_SUCCESS
root@box:/app# mini -m some/model -t 'Count the words' -y --exit-immediately; tmux wait -S done
bash: mini: command not found
root@box:/app#
"""
WORKED = """INSTALL_SUCCESS
root@box:/app# mini -m some/model -t 'Count the words' -y --exit-immediately; tmux wait -S done
mini-swe-agent (step 1, $0.00):

THOUGHT: I count the words.

```bash
wc -w < notes.txt > count.txt
```

User:
<returncode>0</returncode>
<output>
</output>
"""


def pytest_pane(*tests: tuple[str, str]) -> str:
    """What pytest prints with -rA; each test is (name, the message of its failure or '')."""
    failed = [(n, m) for n, m in tests if m]
    lines = ["=" * 20 + " test session starts " + "=" * 20, f"collected {len(tests)} items", ""]
    if failed:
        lines.append("=" * 30 + " FAILURES " + "=" * 30)
    for name, message in failed:
        lines += [f"{'_' * 20} {name} {'_' * 20}", "", ">       assert something", f"E       {message}", ""]
    lines.append("=" * 20 + " short test summary info " + "=" * 20)
    lines += [f"PASSED ../tests/test_outputs.py::{n}" for n, m in tests if not m]
    lines += [f"FAILED ../tests/test_outputs.py::{n} - {m[:60]}" for n, m in failed]
    counts = ", ".join(
        p
        for p in (f"{len(failed)} failed" * bool(failed), f"{len(tests) - len(failed)} passed" * (len(tests) > len(failed)))
        if p
    )
    lines.append(f"{'=' * 20} {counts} in 0.10s {'=' * 20}")
    return "\n".join(lines) + "\n"


MISSING = (
    ("test_exists", "AssertionError: File /app/count.txt does not exist"),
    ("test_count", "FileNotFoundError: [Errno 2] No such file or directory: '/app/count.txt'"),
)
WRONG = (("test_exists", ""), ("test_count", "AssertionError: assert '41' == '42'"))


def record(*tests: tuple[str, str], mode: str = "unset", resolved: bool | None = False, **changes: Any) -> dict[str, Any]:
    """A trial's results.json; without tests nothing was parsed."""
    found = {
        "id": "00000000-0000-4000-8000-000000000002",
        "trial_name": "count-words.1-of-1.run",
        "task_id": "count-words",
        "instruction": BRIEF,
        "is_resolved": resolved,
        "failure_mode": mode,
        "parser_results": {n: "failed" if m else "passed" for n, m in tests} or None,
        "total_input_tokens": 0,
        "total_output_tokens": 0,
        "trial_started_at": "2026-03-01T10:00:00+00:00",
        "trial_ended_at": "2026-03-01T10:05:00+00:00",
        "agent_started_at": "2026-03-01T10:01:00+00:00",
        "agent_ended_at": "2026-03-01T10:04:00+00:00",
        "test_started_at": "2026-03-01T10:04:00+00:00",
        "test_ended_at": "2026-03-01T10:05:00+00:00",
    }
    return {**found, **changes}


def trial(
    root: Path, *tests: tuple[str, str], commands: str = INSTALL + LAUNCH + TESTS, pane: str = WORKED, **changes: Any
) -> Path:
    """A trial folder; pass `results=None` for one that was killed."""
    results = changes.pop("results", record(*tests, **changes))
    files = {
        "commands.txt": commands,
        "panes/pre-agent.txt": "root@box:/app#\n",
        "panes/post-agent.txt": pane,
        "panes/post-test.txt": pytest_pane(*tests) if tests else "root@box:/app#\n",
        "sessions/agent.log": pane,
    }
    return write(root, files | ({} if results is None else {"results.json": results}))
