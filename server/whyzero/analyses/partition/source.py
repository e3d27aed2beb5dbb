"""The net wider than the rule: what the corpus says about the rows, without looking at any trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyzero.analyses.partition.chance import binomial_tail
from whyzero.analyses.partition.checks import RuleCandidate, SecondPartition, Sentence, SupersetCheck
from whyzero.analyses.partition.grid import Grid
from whyzero.analyses.partition.key import AnswerKey
from whyzero.analyses.partition.labels import shown
from whyzero.analyses.partition.masks import rows_of
from whyzero.analyses.partition.sentences import Findings, Nets, compiled, search
from whyzero.analyses.partition.unanimity import LEVEL
from whyzero.model import Problem
from whyzero.readers.corpus import Line, read_corpus
from whyzero.readers.files import Folder

KEYS_SHOWN = 200
"""Keys listed in one place."""


@dataclass(frozen=True)
class Source:
    """What was found in the corpus."""

    findings: Findings
    nets: Nets
    problems: list[Problem]

    @property
    def refused(self) -> bool:
        return self.findings.counterexample is not None and self.nets.wide is not None

    def sentences(self, row: int) -> tuple[Sentence, ...]:
        return tuple(sentence(line) for line in self.findings.sentences.get(row, ()))

    def superset_check(self) -> SupersetCheck | None:
        """Whether the wide net held, with the first counterexample."""
        if self.nets.rule is None or self.nets.wide is None:
            return None
        line = self.findings.counterexample
        return SupersetCheck(held=line is None, lines=self.findings.lines, counterexample=sentence(line) if line else None)

    def unsound(self, size: int) -> list[int] | None:
        """Rows none of whose sentences matches the rule; None without a rule or where the check was refused."""
        if self.nets.rule is None or self.refused:
            return None
        return [row for row in range(size) if row not in self.findings.sound]

    def silence(self, grid: Grid) -> str:
        """Why the source cannot decide; empty where it can.

        Rows declined by all have to lack a sentence by the rule beyond what is usual among the rows that trials found:
        a rule that matches little would confirm every suspicion.
        """
        if self.nets.rule is None:
            return "Without a rule the source does not decide."
        if self.refused:
            return "The source check is refused: the wide net misses a line that the rule matches."
        found, declined = list(rows_of(grid.found_by_any)), list(rows_of(grid.declined_by_all))
        usual = sum(row not in self.findings.sound for row in found)
        lacking = sum(row not in self.findings.sound for row in declined)
        if lacking and found and binomial_tail(len(declined), usual / len(found), lacking) > LEVEL:
            return f"The source does not decide: {usual} of the {len(found)} rows that trials found have no sentence by the rule either."
        return ""

    def second_partition(self, grid: Grid) -> SecondPartition | None:
        """The rows without a sound sentence, against the rows declined by all."""
        unsound = self.unsound(grid.size)
        if unsound is None:
            return None
        declined = set(rows_of(grid.declined_by_all))

        def keys(rows: list[int]) -> tuple[Any, ...]:
            return tuple(shown(grid.labels[row]) for row in rows[:KEYS_SHOWN])

        return SecondPartition(
            rows=keys(unsound),
            total=len(unsound),
            agrees=set(unsound) == declined,
            only_here=keys([row for row in unsound if row not in declined]),
            only_declined=keys(sorted(declined - set(unsound))),
        )

    def candidates(self, grid: Grid) -> tuple[RuleCandidate, ...]:
        """Each candidate rule in both directions."""
        defects, sound = list(rows_of(grid.declined_by_all)), list(rows_of(grid.found_by_all))
        return tuple(
            RuleCandidate(
                name=name,
                defects_removed=sum(row not in kept for row in defects),
                defects_left=tuple(shown(grid.labels[row]) for row in defects if row in kept)[:KEYS_SHOWN],
                sound_rows_kept=sum(row in kept for row in sound),
                sound_rows_lost=tuple(shown(grid.labels[row]) for row in sound if row not in kept)[:KEYS_SHOWN],
            )
            for name, kept in self.findings.kept.items()
        )


def read_source(
    corpus: Path, key: AnswerKey, wanted: set[int], rule: str | None, wide: str | None, rules: Mapping[str, str]
) -> Source:
    """Search the corpus once with all nets.

    Raises:
        UsageError: a pattern does not compile.
    """
    nets = Nets(
        compiled("--rule", rule) if rule is not None else None,
        compiled("--wide", wide) if wide is not None else None,
        {name: compiled(f"--rules {name}", pattern) for name, pattern in rules.items()},
    )
    folder = Folder(corpus)
    return Source(search(read_corpus(folder), key, nets, wanted), nets, folder.problems)


def sentence(line: Line) -> Sentence:
    return Sentence(path=line.path, line=line.number, quote=line.text)
