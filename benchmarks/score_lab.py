"""Phase and cause accuracy on the labelled runs that lie beside the project in `../shared/cases`.

    python benchmarks/score_lab.py [SET ...] [--cases DIR] [--all]

Sets: harbor-lab, harbor-lab-0.24, osmosis-lab, real-harbor. Prints the failing rows and one line of totals a set; `--all` prints every
row and, for real-harbor, the rows of medium confidence too (never scored). Exit code 1 where a row of a scored set is wrong.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "server"))

from whyzero.analyses.locate_failed_phase import locate_failed_phase  # noqa: E402
from whyzero.causes.engine import judge  # noqa: E402
from whyzero.findings import Outcome  # noqa: E402
from whyzero.model import Trial  # noqa: E402
from whyzero.readers import open_run  # noqa: E402

MODEL_CAUSES = frozenset({"wrong_answer", "early_stop", "refusal", "malformed_output", "abandoned_delegation"})
"""Causes that blame the model."""


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled trial and what was said of it."""

    name: str
    scored: bool
    causes: tuple[str, ...]
    phase: str
    reward: float | None
    got_cause: str
    got_phase: str
    got_reward: float | None
    note: str = ""

    @property
    def cause_right(self) -> bool:
        return self.got_cause in self.causes

    @property
    def phase_right(self) -> bool:
        """Several accepted phases have a bar between; an empty one is not labelled."""
        return not self.phase or self.got_phase in self.phase.split("|")

    @property
    def excused(self) -> bool:
        """A wrong answer called something else."""
        return self.causes == ("wrong_answer",) and self.got_cause != "wrong_answer"

    @property
    def blamed(self) -> bool:
        """A fault that is not the model's, called the model's."""
        return not MODEL_CAUSES & set(self.causes) and self.got_cause in MODEL_CAUSES

    def __str__(self) -> str:
        marks = [word for word, on in (("EXCUSED", self.excused), ("BLAMED", self.blamed)) if on]
        reward = "" if self.got_reward == self.reward else f"  reward {self.got_reward} (want {self.reward})"
        want = "|".join(c or "(pass)" for c in self.causes)
        return (
            f"  {self.name}: {self.got_phase}/{self.got_cause or '(pass)'} (want {self.phase}/{want}){reward} "
            f"{' '.join(marks)} {self.note}"
        ).rstrip()


def verdict_of(trial: Trial, run: object) -> tuple[str, str, float | None, str]:
    """Cause ('' on a pass, `undetermined` on silence), phase, reward, first evidence."""
    verdict = judge(trial, run)  # type: ignore[arg-type]
    if verdict.outcome is Outcome.GRADED_PASS:
        return "", verdict.phase.value, trial.reward.value, ""
    if verdict.finding is None:
        return "undetermined", verdict.phase.value, trial.reward.value, verdict.missing
    first = verdict.finding.evidence[0]
    return verdict.finding.cause, verdict.phase.value, trial.reward.value, f"[{first.path}: {first.quote[:70]!r}]"


def harbor_lab(cases: Path, name: str = "harbor-lab") -> Iterator[Row]:
    for expected in sorted((cases / name).glob("*/expected.json")):
        case = json.loads(expected.read_text())
        run = open_run(expected.parent / case["input"])
        seen = set()
        for trial in run.read_trials():
            label = case["trials"].get(trial.id)
            if label is None:
                continue
            seen.add(trial.id)
            cause, phase, reward, note = verdict_of(trial, run)
            wanted = tuple(label["cause"]) if isinstance(label["cause"], list) else (label["cause"],)
            yield Row(
                f"{expected.parent.name}/{trial.id}", True, wanted, label["phase"], label["reward"], cause, phase, reward, note
            )
        for trial_id in case["trials"].keys() - seen:
            label = case["trials"][trial_id]
            yield Row(
                f"{expected.parent.name}/{trial_id}",
                True,
                tuple(label["cause"]),
                label["phase"],
                label["reward"],
                "not read",
                "-",
                None,
            )


def osmosis_lab(cases: Path) -> Iterator[Row]:
    """One row for the run (its phase, and its cause where labelled), and one for each trial: a pass has no cause."""
    for expected in sorted((cases / "osmosis-lab").glob("*/expected.json")):
        case = json.loads(expected.read_text())
        error = _seen(expected.parent / case["reported_error"]) if case["reported_error"] else None
        run = open_run(expected.parent / case["input"], error)
        located = locate_failed_phase(run)
        labels = case["causes"]
        got = located.cause or ""
        note = f"[{located.evidence[0].path}: {located.evidence[0].quote[:70]!r}]" if located.evidence else ""
        wanted = tuple(labels.get("run", [got]))
        name = expected.parent.name
        yield Row(f"{name}/run", True, wanted, "|".join(case["phase"]), None, got, located.phase.value, None, note)
        for trial in run.read_trials():
            accepted = labels.get(f"{trial.row_index}.{trial.attempt}") or labels.get(str(trial.row_index))
            value = trial.reward.value
            passed = value is not None and value >= (run.threshold or 1.0)
            if accepted is None and "*" in labels and not passed:
                accepted = labels["*"]
            if accepted is None and not passed:
                continue
            cause, phase, reward, note = verdict_of(trial, run)
            causes = tuple(accepted or [""])
            yield Row(f"{name}/{trial.row_index}.{trial.attempt}", True, causes, "", reward, cause, phase, reward, note)


def _seen(path: Path) -> str:
    """What the user saw; where two calls ran at once, the words of the one that was refused."""
    text = path.read_text()
    other = path.with_name(f"second-{path.name}")
    return text if text.strip() or not other.is_file() else other.read_text()


def real_harbor(cases: Path) -> Iterator[Row]:
    with (cases / "real-harbor/expected.tsv").open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    for row in rows:
        run = open_run(cases / "real-harbor" / row["trial"])
        trial = next(iter(run.read_trials()), None)
        cause, phase, reward, note = ("not read", "-", None, "") if trial is None else verdict_of(trial, run)
        wanted = float(row["reward"]) if row["reward"] else None
        yield Row(
            row["trial"],
            row["confidence"] == "high",
            tuple(row["cause"].split("|")),
            row["phase"],
            wanted,
            cause,
            phase,
            reward,
            note,
        )


SETS: dict[str, Callable[[Path], Iterator[Row]]] = {
    "harbor-lab": harbor_lab,
    "harbor-lab-0.24": lambda cases: harbor_lab(cases, "harbor-lab-0.24"),
    "osmosis-lab": osmosis_lab,
    "real-harbor": real_harbor,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help=f"of {', '.join(SETS)}; all that exist")
    parser.add_argument("--cases", type=Path, default=ROOT.parent / "shared/cases")
    parser.add_argument("--all", action="store_true", help="print every row")
    chosen = parser.parse_args()
    failed = False
    for name in [n for n in SETS if n not in chosen.sets and not (chosen.cases / n).is_dir()]:
        print(f"{name}: not there, skipped")
    for name in chosen.sets or [n for n in SETS if (chosen.cases / n).is_dir()]:
        rows = list(SETS[name](chosen.cases))
        scored = [row for row in rows if row.scored]
        for row in rows:
            wrong = not (row.cause_right and row.phase_right and row.reward == row.got_reward)
            if chosen.all or (wrong and row.scored):
                print(("" if row.scored else "  (medium)") + str(row) + (" <-" if wrong else ""))
        causes, phases = sum(r.cause_right for r in scored), sum(r.phase_right for r in scored)
        excused, blamed = sum(r.excused for r in scored), sum(r.blamed for r in scored)
        total = len(scored)
        print(
            f"{name}: phase {phases}/{total} ({phases / total:.1%}), cause {causes}/{total} ({causes / total:.1%}), "
            f"wrong answers excused {excused}, other faults blamed on the model {blamed}"
        )
        failed |= causes < total or phases < total
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
