"""Figures over answers: F1, precision, recall, and the two rates that fool people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.zerobench.judging import UNDETERMINED, Answer

MODELS_OWN = frozenset({"wrong_answer", "early_stop", "refusal", "malformed_output", "abandoned_delegation"})
"""Causes that are the model's doing."""
TARGET_F1 = 0.98


@dataclass(frozen=True)
class PerCause:
    """How one cause fared; '' is a pass."""

    cause: str
    cases: int
    hits: int
    named: int

    @property
    def precision(self) -> float:
        return self.hits / self.named if self.named else 0.0

    @property
    def recall(self) -> float:
        return self.hits / self.cases

    @property
    def f1(self) -> float:
        return 2 * self.hits / (self.cases + self.named)


@dataclass(frozen=True)
class Scores:
    """All figures of one run."""

    cases: int
    per_cause: tuple[PerCause, ...]
    excused: int
    """A model's failure called something else (undetermined included)."""
    excusable: int
    blamed: int
    """Something else, or nothing, called a model's failure."""
    blamable: int
    undetermined: int
    evidence: int
    evidence_holds: int
    seconds: float

    @property
    def macro_f1(self) -> float:
        return sum(c.f1 for c in self.per_cause) / len(self.per_cause)

    @property
    def good_enough(self) -> bool:
        return self.macro_f1 >= TARGET_F1 and self.excused == 0 and self.blamed == 0

    def as_json(self) -> dict[str, Any]:
        return {
            "cases": self.cases,
            "macro_f1": self.macro_f1,
            "false_excuse_rate": self.excused / max(self.excusable, 1),
            "false_blame_rate": self.blamed / max(self.blamable, 1),
            "undetermined_rate": self.undetermined / self.cases,
            "evidence_holds": self.evidence_holds,
            "evidence": self.evidence,
            "seconds": round(self.seconds, 2),
            "causes": {
                c.cause or "(pass)": {"cases": c.cases, "precision": c.precision, "recall": c.recall, "f1": c.f1}
                for c in self.per_cause
            },
        }


def score(answers: Sequence[Answer], seconds: float) -> Scores:
    """Macro-F1 is over the truths that occur, a pass among them."""
    truths = sorted({a.case.truth for a in answers})
    per_cause = tuple(
        PerCause(
            truth,
            sum(a.case.truth == truth for a in answers),
            sum(a.case.truth == truth == a.got for a in answers),
            sum(a.got == truth for a in answers),
        )
        for truth in truths
    )
    own = [a for a in answers if a.case.truth in MODELS_OWN]
    other = [a for a in answers if a.case.truth not in MODELS_OWN]
    looked_up = [s for a in answers for s in a.evidence]
    return Scores(
        cases=len(answers),
        per_cause=per_cause,
        excused=sum(a.got not in MODELS_OWN for a in own),
        excusable=len(own),
        blamed=sum(a.got in MODELS_OWN for a in other),
        blamable=len(other),
        undetermined=sum(a.got == UNDETERMINED for a in answers),
        evidence=len(looked_up),
        evidence_holds=sum(s.holds for s in looked_up),
        seconds=seconds,
    )
