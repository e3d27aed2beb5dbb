"""A program of the user's: bounded, without a shell, and nothing left behind."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from whyzero.errors import UsageError
from whyzero.processes import run


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


def test_output_status_and_folder(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getcwd()); print('bad', file=sys.stderr); sys.exit(3)"
    done = run(python(code), deadline=20, folder=tmp_path)
    assert (done.status, Path(done.stdout.strip()), done.stderr.strip(), done.stopped) == (3, tmp_path.resolve(), "bad", None)


def test_arguments_reach_the_program_as_they_are() -> None:
    done = run(python("import sys; print(sys.argv[1:])", "$(touch x); *", "a b"), deadline=20)
    assert done.stdout.strip() == "['$(touch x); *', 'a b']"


def test_a_deadline_ends_the_program_and_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    child = f"import time; time.sleep(2); open({str(mark)!r}, 'w')"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(60)"
    started = time.monotonic()
    done = run(python(code), deadline=0.7)
    assert (done.status, done.stopped) == (None, "deadline")
    assert time.monotonic() - started < 10
    time.sleep(2.2)
    assert not mark.exists()


def test_output_without_end_is_cut_and_the_program_ended() -> None:
    done = run(python("while True: print('x' * 1000)"), deadline=30, output_limit=5000)
    assert (done.stopped, len(done.stdout)) == ("output", 5000)
    assert done.seconds < 20


def test_a_program_gets_no_credential_and_writes_no_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-for-you")
    done = run(python("import os; print(sorted(os.environ))"), deadline=20, variables={"MINE": "1"})
    names = done.stdout
    assert "ANTHROPIC_API_KEY" not in names
    assert "PYTHONDONTWRITEBYTECODE" in names
    assert "MINE" in names
    assert "PATH" in names


def test_a_program_that_reads_its_input_meets_its_end() -> None:
    assert run(python("import sys; print(len(sys.stdin.read()))"), deadline=20).stdout.strip() == "0"


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="no-such-program"):
        run(["no-such-program"], deadline=1)
    with pytest.raises(UsageError, match="could not be started"):
        run([os.devnull], deadline=1)
