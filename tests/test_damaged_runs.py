"""Harbor and Terminal-Bench trees with truncated, replaced, missing and ill-typed parts: read as far as they go, never raised."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import terminal_bench_trees as terminal_bench
from whyzero.causes.engine import judge, run_finding
from whyzero.errors import WhyzeroError
from whyzero.readers import open_run

DATA = Path(__file__).parent / "data" / "harbor"
JUNK: list[Any] = [None, 0, -1, 1e308, True, "", "x" * 50, [], {}, [[]], {"a": [1]}, "2026-13-45", "nan", [None], {"reward": "a"}]


def damaged(value: Any, dice: random.Random) -> Any:
    """The document with one of its parts left out or replaced by something of another kind."""
    if isinstance(value, dict) and value and dice.random() > 0.15:
        key = dice.choice(list(value))
        rest = {k: v for k, v in value.items() if k != key}
        return rest if dice.random() < 0.1 else rest | {key: damaged(value[key], dice)}
    if isinstance(value, list) and value and dice.random() > 0.15:
        index = dice.randrange(len(value))
        return [*value[:index], damaged(value[index], dice), *value[index + 1 :]]
    return dice.choice(JUNK)


def damage(root: Path, dice: random.Random) -> None:
    for path in dice.sample(files := [p for p in sorted(root.rglob("*")) if p.is_file()], k=min(len(files), dice.randint(1, 5))):
        content = path.read_bytes()
        way = dice.random()
        if path.suffix == ".json" and way < 0.7:
            document = json.loads(content)
            for _ in range(dice.randint(1, 6)):
                document = damaged(document, dice)
            path.write_text(json.dumps(document), encoding="utf-8")
        elif way < 0.8:
            path.write_bytes(content[: dice.randrange(len(content) + 1)])
        elif way < 0.9:
            path.unlink()
        else:
            path.write_bytes(dice.randbytes(300))


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_tree_is_read_as_far_as_it_goes(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    root = tmp_path / "run"
    if seed % 4:
        shutil.copytree(dice.choice(sorted(p for p in DATA.iterdir() if p.is_dir())), root)
    else:
        terminal_bench.trial(root / "count-words.1-of-1.run", *terminal_bench.WRONG)
    damage(root, dice)
    try:
        run = open_run(root)
    except WhyzeroError:
        return
    run_finding(run)
    for trial in run.read_trials():
        judge(trial, run)


@pytest.mark.lookalike("interrupted")
@pytest.mark.parametrize(
    "content",
    [b"", b'{"trial_name": "x", ', b"\x00\xff\x00", b"[" * 100_000, b'"a text"'],
    ids=["empty", "cut", "binary", "deep", "text"],
)
def test_a_record_that_is_there_and_cannot_be_read_is_no_killed_trial(content: bytes, tmp_path: Path) -> None:
    """Harbor writes result.json once, at the end: a missing one is a killed trial, a damaged one decides nothing."""
    source = next(
        p.parent
        for p in sorted(DATA.rglob("config.json"))
        if (p.parent / "agent").is_dir() and (p.parent / "result.json").is_file()
    )
    trial = tmp_path / source.name
    shutil.copytree(source, trial)
    (trial / "result.json").write_bytes(content)
    run = open_run(trial)
    (read,) = run.read_trials()
    verdict = judge(read, run)
    assert (verdict.outcome, verdict.finding, verdict.answered) == ("not_graded", None, False)
    assert "cannot be read" in verdict.missing
    assert any(problem.path.endswith("result.json") for problem in (*run.problems, *run.trial_problems))
