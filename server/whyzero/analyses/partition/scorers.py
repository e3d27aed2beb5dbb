"""Two ways to score a submission against a key file: the user's own program, or the built-in row scorer."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from whyzero import processes
from whyzero.analyses.partition.compare import Lookup
from whyzero.analyses.partition.key import answer_key
from whyzero.readers.files import Folder
from whyzero.readers.tables import read_table

SECONDS_EACH = 60.0
SECONDS_ALL = 1200.0
"""For all calls of one analysis together."""
PENALTY_CAP = 0.1
"""Most that invented rows may cost: one of them must not zero a perfect answer."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a scorer said."""

    reward: float | None
    dimensions: tuple[str, ...] = ()
    """Names of the numbers beside the reward, the reward's own included."""
    reason: str = ""
    """Why there is no reward."""


class Scorer(Protocol):
    """Scores one submission."""

    @property
    def name(self) -> str:
        """What the report calls it."""

    def score(self, submission: Path, key: Path) -> Score:
        """The reward of a submission against a key file."""


@dataclass
class ProgramScorer:
    """`PROGRAM SUBMISSION KEY` as a bounded subprocess; prints `{"reward": x, ...}` as its last line or as all of its output."""

    program: Sequence[str]
    started: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        """The program as it is called."""
        return " ".join(self.program)

    def score(self, submission: Path, key: Path) -> Score:
        """Run the program once.

        Raises:
            UsageError: it cannot be started.
        """
        left = self.started + SECONDS_ALL - time.monotonic()
        if left <= 0:
            return Score(None, reason=f"not run: the scorer used up its {SECONDS_ALL:g} seconds")
        done = processes.run([*self.program, str(submission), str(key)], deadline=min(SECONDS_EACH, left))
        if done.stopped:
            why = f"ran longer than {SECONDS_EACH:g} seconds" if done.stopped == "deadline" else "printed without end"
            return Score(None, reason=f"the scorer {why} and was ended")
        if done.status != 0:
            last = done.stderr.strip().splitlines()[-1:] or [""]
            return Score(None, reason=f"the scorer ended with status {done.status}: {last[0]}")
        return _parsed(done.stdout)


def _parsed(text: str) -> Score:
    for part in (text, *text.strip().splitlines()[-1:]):
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and _is_number(value.get("reward")):
            return Score(float(value["reward"]), tuple(sorted(name for name, one in value.items() if _is_number(one))))
    return Score(None, reason='the scorer printed no JSON object with a number "reward"')


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass
class RowScorer:
    """Rows found over rows of the key, less at most `PENALTY_CAP` for invented ones; rounded as the shipped rewards are."""

    fields: Sequence[str]
    compared: Sequence[str]
    decimals: int = 15
    _lookups: dict[Path, Lookup] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the report calls it."""
        return "built-in row scorer"

    def score(self, submission: Path, key: Path) -> Score:
        """Compare rows; nothing is run."""
        if key not in self._lookups:
            table = read_table(Folder(key.parent), key.name, self.fields)
            if table is None:
                return Score(None, reason="the key holds no rows")
            self._lookups[key] = Lookup(answer_key(table, self.fields, self.compared, flag="the key"))
        lookup = self._lookups[key]
        folder = Folder(submission.parent)
        sent = read_table(folder, submission.name, self.fields)
        if sent is None:
            return Score(None, reason=folder.problems[0].reason if folder.problems else "no such file")
        answer = lookup.compare(sent, keep=0)
        found, size = answer.found(lookup.key.values).bit_count(), lookup.size
        penalty = min(PENALTY_CAP, len(answer.invented) / size)
        return Score(round(max(0.0, found / size - penalty), self.decimals), ("reward",))


def decimals_of(rewards: Sequence[float]) -> int:
    """Decimals the shipped rewards were rounded to: 15 where they were not."""
    longest = max((len(repr(abs(reward)).partition(".")[2].split("e")[0]) for reward in rewards), default=0)
    return longest if 2 <= longest <= 6 else 15
