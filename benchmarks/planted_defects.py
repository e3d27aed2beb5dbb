"""How well unanimous misses give away defects of an answer key: recall and false alarms, on sweeps drawn at random.

A sweep has R rows and T trials. Trial t misses row r with log-odds a_t + b_r: a_t differs between trials, b_r is the row's
difficulty, normal with the spread named in the table (0 = all rows alike, 1 = moderate, 2 = some rows ten times harder than others).
A defect is a row that every trial misses because the key is wrong. Printed is a Markdown table; a cell holds for one setting

  suspected     share of sweeps whose verdict is `suspect_key`: recall where defects were planted, false alarms where none were
  stand out     share of sweeps suspected and still beyond chance once the rows' difficulty is counted in (the second opinion)
  precision     share of planted rows among the rows declined by all, over the suspected sweeps

    python benchmarks/planted_defects.py [--sweeps 200] [--rows 60] [--seed 1]
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))

from whyzero.analyses.partition.difficulty import difficulty
from whyzero.analyses.partition.grid import Attempt, Grid
from whyzero.analyses.partition.masks import mask_of
from whyzero.analyses.partition.report import Verdict
from whyzero.analyses.partition.unanimity import LEVEL, unanimity
from whyzero.analyses.partition.verdict import Signs, decide

SPREADS = (0.0, 1.0, 2.0)
TRIALS = (2, 3, 6, 9, 12)
DEFECTS = (0, 1, 2, 4, 8)
MISSES = 0.2
"""Share of the rows that a middling trial misses."""
BETWEEN_TRIALS = 0.4


@dataclass
class Tally:
    """Counts over the sweeps of one setting."""

    sweeps: int = 0
    suspected: int = 0
    stand_out: int = 0
    declined: int = 0
    planted: int = 0


def sweep(dice: random.Random, rows: int, trials: int, defects: int, spread: float) -> Grid:
    """One sweep; the first `defects` rows are the planted ones."""
    hard = [dice.gauss(0.0, spread) for _ in range(rows)]
    middle = math.log(MISSES / (1 - MISSES)) * math.sqrt(1 + 0.35 * spread**2)
    found = []
    for _ in range(trials):
        level = dice.gauss(middle, BETWEEN_TRIALS)
        sound = (r for r in range(defects, rows) if dice.random() >= 1 / (1 + math.exp(-(level + hard[r]))))
        found.append(mask_of(sound, rows))
    attempts = [Attempt(f"t{n}", "run", "task", f"model-{n % 3}") for n in range(trials)]
    return Grid([f"R{r}" for r in range(rows)], attempts, found)


def weigh(grid: Grid, defects: int, tally: Tally) -> None:
    """Add one sweep to its setting."""
    u = unanimity(grid)
    verdict, _ = decide(
        Signs(
            answered=len(grid.attempts),
            models=3,
            families=3,
            unanimity=u,
            disputed=grid.missed_by_any.bit_count(),
            saturated=all(rate == 1 for rate in grid.rates),
        )
    )
    tally.sweeps += 1
    if verdict is not Verdict.SUSPECT_KEY:
        return
    hard = difficulty(grid)
    tally.suspected += 1
    tally.stand_out += hard is None or hard.p_value <= LEVEL
    tally.declined += u.seen
    tally.planted += (grid.declined_by_all & ((1 << defects) - 1)).bit_count()


def cell(tally: Tally, defects: int) -> str:
    shares = [tally.suspected / tally.sweeps, tally.stand_out / tally.sweeps]
    if defects and tally.declined:
        shares.append(tally.planted / tally.declined)
    return " / ".join(f"{share:.2f}" for share in shares)


def main() -> None:
    parser = argparse.ArgumentParser(description="Recall and false alarms of unanimous misses on planted defects.")
    parser.add_argument("--sweeps", type=int, default=200)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print("| spread of difficulty | trials | " + " | ".join(f"{n} defect{'s' * (n != 1)}" for n in DEFECTS) + " |")
    print("| --- | --- |" + " --- |" * len(DEFECTS))
    for spread, trials in product(SPREADS, TRIALS):
        cells = []
        for defects in DEFECTS:
            dice = random.Random(f"{asked.seed} {spread} {trials} {defects}")
            tally = Tally()
            for _ in range(asked.sweeps):
                weigh(sweep(dice, asked.rows, trials, defects, spread), defects, tally)
            cells.append(cell(tally, defects))
        print(f"| {spread:g} | {trials} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
