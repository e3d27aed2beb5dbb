"""references/staleness.md: every command in it is run, and every line it quotes is in the answer."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import whyzero

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "references" / "staleness.md").read_text(encoding="utf-8")
BLOCKS = [block.strip().split("\n") for block in re.findall(r"```console\n(.*?)```", PAGE, flags=re.S)]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[0].split("--")[-1][:40])
def test_the_walkthrough_shows_what_the_program_says(block: list[str]) -> None:
    command, *quoted = block
    assert command.startswith("$ whyzero check-staleness ")
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command[2:])],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(Path(whyzero.__file__).parent.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = done.stdout.splitlines()
    assert done.returncode == 1
    assert quoted
    assert [line for line in quoted if line not in said] == []


def test_it_shows_all_three_ways_and_the_sweeps() -> None:
    assert len(BLOCKS) == 4
