"""`whyzero causes`: one line a cause in a pipe; on a terminal of any width no name of a cause is broken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import whyzero
from whyzero.causes import ORDER

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(whyzero.__file__).parent.parent)}
pty = pytest.importorskip("pty", reason="no terminals to open here")


def on_a_terminal(columns: int, *command: str) -> list[str]:
    """What the command writes to a terminal of that width, without colours."""
    ours, its = pty.openpty()
    environment = {**ENVIRONMENT, "COLUMNS": str(columns), "LINES": "50", "NO_COLOR": "1", "TERM": "dumb"}
    with subprocess.Popen([sys.executable, "-m", "whyzero", *(command or ("causes",))], stdout=its, env=environment) as process:
        os.close(its)
        said = b""
        while piece := _read(ours):
            said += piece
    os.close(ours)
    assert process.returncode == 0
    return [line.rstrip() for line in said.decode().splitlines()]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux: the other end was closed
        return b""


@pytest.mark.parametrize("columns", [40, 80, 99, 100, 140])
def test_on_a_terminal_every_name_is_whole_and_no_line_too_long(columns: int) -> None:
    lines = on_a_terminal(columns)
    assert max(map(len, lines)) <= columns
    first_words = [line.split()[0] for line in lines if line.strip()]
    assert [word for word in first_words if word in (*ORDER, "undetermined")] == [*ORDER, "undetermined"]


def test_on_a_narrow_one_each_cause_is_told_below_the_other() -> None:
    assert on_a_terminal(40)[:3] == [
        "not_logged_in  publish, operator",
        "  The platform was asked without a valid",
        "  login.",
    ]


def test_on_a_wide_one_it_is_a_table() -> None:
    title, _, head, rule, first, *_ = on_a_terminal(140)
    assert title == "whyzero · causes"
    assert head.split() == ["cause", "phase", "whose", "what", "it", "means"]
    assert set(rule) == {"─"}
    assert first.split()[:3] == ["not_logged_in", "publish", "operator"]


def test_in_a_pipe_each_cause_is_one_line() -> None:
    command = [sys.executable, "-m", "whyzero", "causes"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == [*ORDER, "undetermined"]


@pytest.mark.parametrize("columns", [40, 80, 140])
def test_a_page_breaks_between_words_and_says_the_same(columns: int) -> None:
    piped = subprocess.run(
        [sys.executable, "-m", "whyzero", "explain", "clock"], env=ENVIRONMENT, capture_output=True, text=True, check=True
    ).stdout
    lines = on_a_terminal(columns, "explain", "clock")
    assert max(map(len, lines)) <= min(columns, 100)
    assert " ".join(lines).split() == piped.split()
    assert [line for line in lines if line.startswith("#")] == [line for line in piped.splitlines() if line.startswith("#")]
