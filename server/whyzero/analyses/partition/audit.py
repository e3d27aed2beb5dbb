"""Is the grader sound? Inputs whose right reward is known without knowing the task, put to the user's scorer."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from whyzero.analyses.partition.checks import GraderAudit, Probe
from whyzero.analyses.partition.key import AnswerKey, RowKey
from whyzero.analyses.partition.scorers import Score, Scorer
from whyzero.readers.tables import VALUE, Row
from whyzero.values import plain

A_FEW = 3
CLOSE = 0.005
EXACT = 1e-9
KEPT_BY_INVENTION = 0.5
"""A perfect answer with one invented row has to keep more than this."""
NOTE = "whyzero_probe_note"
MEMBER = ""
"""Field that holds a member's name while its row is on its way into a JSON object of rows."""


class Auditor:
    """Writes probes in the format of a real submission, in a folder that is thrown away, and scores them."""

    def __init__(self, scorer: Scorer, key: AnswerKey, oracle: Path, like: str, dimensions: Sequence[tuple[str, ...]]) -> None:
        self.scorer = scorer
        self.key = key
        self.oracle = oracle
        self.like = like
        """Format of the probes: that of the submissions."""
        self.shipped = {names for names in dimensions if names}
        self.seen: list[tuple[str, ...]] = []
        self.probes: list[Probe] = []

    def run(self) -> GraderAudit:
        """All probes, in the order of the page that explains them."""
        rows = [self._as_sent(row, name) for row, name in zip(self.key.rows, self.key.keys, strict=True)]
        with tempfile.TemporaryDirectory(prefix="whyzero-") as folder:
            self.folder = Path(folder)
            whole = self._score("key", rows)
            self._expect("the key itself", "1", whole, lambda r: abs(r - 1) <= EXACT)
            self._expect("nothing", "0", self._score("nothing", []), lambda r: abs(r) <= EXACT)
            self._part(rows)
            self._invented(rows)
            self._same("the key backwards", whole, self._score("backwards", rows[::-1]))
            self._repeated(rows, whole)
            self._same("the key with a note in every row", whole, self._score("note", [{**row, NOTE: "sure"} for row in rows]))
            self._same("the key once more", whole, self._score("again", rows))
        self._dimensions()
        return GraderAudit(passed=all(probe.passed for probe in self.probes), probes=tuple(self.probes))

    def _part(self, rows: list[Row]) -> None:
        few = min(A_FEW, max(1, len(rows) // 2))
        share = few / len(rows)
        score = self._score("few", rows[:few])
        self._expect(
            f"{few} perfect rows of {len(rows)}", f"about {share:.2g}", score, lambda r: abs(r - share) <= CLOSE + share / 10
        )

    def _invented(self, rows: list[Row]) -> None:
        score = self._score("invented", [*rows, self._made_up(rows)])
        self._expect(
            "the key and one invented row", f"more than {KEPT_BY_INVENTION}", score, lambda r: KEPT_BY_INVENTION < r <= 1 + EXACT
        )

    def _repeated(self, rows: list[Row], whole: Score) -> None:
        top = whole.reward if whole.reward is not None else 1.0
        self._expect(
            "every row of the key twice", f"no more than {top:g}", self._score("twice", rows + rows), lambda r: r <= top + EXACT
        )
        few = rows[: min(A_FEW, max(1, len(rows) // 2))]
        once = self._score("few", few).reward
        if once is not None:
            many = self._score("many", few * max(2, len(rows) // len(few)))
            self._expect(f"{len(few)} rows over and over", f"no more than {once:g}", many, lambda r: r <= once + EXACT)

    def _dimensions(self) -> None:
        kinds = sorted(set(self.seen))
        wanted = sorted(self.shipped) or kinds[:1]
        self.probes.append(
            Probe(
                name="reward dimensions",
                passed=len(kinds) == 1 and set(kinds) == set(wanted),
                expected=f"always {_names(wanted)}",
                got=_names(kinds) or "nothing",
            )
        )

    def _expect(self, name: str, expected: str, score: Score, holds: Callable[[float], bool]) -> None:
        got = score.reason if score.reward is None else f"{score.reward:g}"
        passed = score.reward is not None and holds(score.reward)
        self.probes.append(Probe(name=name, passed=passed, expected=expected, got=got))

    def _same(self, name: str, whole: Score, score: Score) -> None:
        if whole.reward is None:
            return
        top = whole.reward
        self._expect(name, f"{top:g}, as for the key", score, lambda r: abs(r - top) <= EXACT)

    def _score(self, name: str, rows: list[Row]) -> Score:
        path = self.folder / f"{name}{'.' + self.like if self.like != 'json-object' else '.json'}"
        path.write_text(self._spelled(rows), encoding="utf-8")
        score = self.scorer.score(path, self.oracle)
        if score.reward is not None:
            self.seen.append(score.dimensions)
        return score

    def _as_sent(self, row: Row, name: RowKey) -> Row:
        """A row of the key as a submission would hold it: a CSV has only texts, JSON has numbers."""
        sent = dict(row) if self.like == "csv" else {n: plain(v) if isinstance(v, str) else v for n, v in row.items()}
        return {**sent, MEMBER: name} if self.like == "json-object" else sent | {n: row[n] for n in self.key.fields if n in row}

    def _made_up(self, rows: list[Row]) -> Row:
        row = dict(rows[0])
        names = [MEMBER] if self.like == "json-object" else self.key.fields
        for name in names:
            row[name] = _other(row.get(name), [one.get(name) for one in rows])
        return row

    def _spelled(self, rows: list[Row]) -> str:
        if self.like == "csv":
            names = list(dict.fromkeys(name for row in (*self.key.rows, *rows) for name in row))
            text = io.StringIO()
            writer = csv.DictWriter(text, names)
            writer.writeheader()
            writer.writerows(rows)
            return text.getvalue()
        if self.like == "jsonl":
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if self.like == "json-object":
            members = {row[MEMBER]: {name: value for name, value in row.items() if name != MEMBER} for row in rows}
            bare = all(set(row) <= {VALUE} for row in self.key.rows)
            return json.dumps({n: row.get(VALUE) if bare else row for n, row in members.items()}, ensure_ascii=False)
        return json.dumps(rows, ensure_ascii=False)


def _other(value: Any, taken: list[Any]) -> Any:
    """A value of the same type that no row of the key has."""
    if isinstance(value, int) and not isinstance(value, bool):
        return max((one for one in taken if isinstance(one, int)), default=0) + 1
    other = f"{value}-0"
    while other in taken:
        other += "0"
    return other


def _names(kinds: Sequence[tuple[str, ...]]) -> str:
    return " or ".join("{" + ", ".join(kind) + "}" for kind in kinds)
