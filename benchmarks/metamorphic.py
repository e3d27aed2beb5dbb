"""Changes that must not change a verdict, and changes that must, on the runs of our laboratories.

    python benchmarks/metamorphic.py [--cases DIR] [--more FOLDER]... [--only WORD] [--verbose]

Takes every Harbor job and Osmosis run below the folders, changes a copy in one way at a time and compares the verdicts with those of
the untouched run. Prints each violation; exit code 1 where there is one, 0 with a word on stderr where there is nothing to read.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "server"), str(ROOT / "benchmarks")]

from tree_changes import MAY_WEAKEN, SURVIVED, trial_folders  # noqa: E402
from turned_verdicts import TURNED  # noqa: E402

from whyzero.causes.engine import judge, run_finding  # noqa: E402
from whyzero.readers import open_run  # noqa: E402

UNDETERMINED = "undetermined"
FROM_RUN = "(the run)"


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of one trial."""

    outcome: str
    cause: str | None
    phase: str

    def __str__(self) -> str:
        return f"{self.outcome}/{self.cause}/{self.phase}"


@dataclass(frozen=True, slots=True)
class Source:
    """One run: the folder that is copied, and where in it the run lies."""

    name: str
    root: Path
    inside: str


def sources(cases: Path, more: list[Path]) -> Iterator[Source]:
    for kind in ("harbor-lab", "osmosis-lab"):
        for expected in sorted((cases / kind).glob("*/expected.json")):
            for job in sorted(p for p in expected.parent.iterdir() if p.name.startswith("job")):
                yield Source(expected.parent.name, job, ".")
            for run in sorted(expected.parent.glob("workspace/.osmosis/evals/*/manifest.json")):
                yield Source(
                    expected.parent.name,
                    expected.parent / "workspace",
                    str(run.parent.relative_to(expected.parent / "workspace")),
                )
    for folder in more:
        for job in sorted(folder.glob("*/job*")):
            if job.is_dir():
                yield Source(job.parent.name, job, ".")


def verdicts(path: Path) -> dict[str, Said]:
    run = open_run(path)
    found = {}
    for trial in run.read_trials():
        verdict = judge(trial, run)
        cause = verdict.finding.cause if verdict.finding else (None if verdict.outcome == "graded_pass" else UNDETERMINED)
        found[trial.id] = Said(verdict.outcome.value, cause, verdict.phase.value)
    whole = run_finding(run)
    if whole is not None:
        found[FROM_RUN] = Said("", whole.cause, whole.phase.value)
    return found


def differences(before: dict[str, Said], after: dict[str, Said], renamed: dict[str, str], weaker: bool) -> Iterator[str]:
    for name, old in before.items():
        new = after.get(renamed.get(name, name))
        if new == old:
            continue
        if weaker and _no_more_than_weaker(old, new):
            continue
        yield f"{name}: {old} became {new}"
    extra = after.keys() - {renamed.get(name, name) for name in before}
    yield from (f"{name}: new, {after[name]}" for name in sorted(extra) if not (weaker and name == FROM_RUN))


def _no_more_than_weaker(old: Said, new: Said | None) -> bool:
    """`undetermined`, the deadline on record where it hid another cause, or the verifier's failure without its ground."""
    if new is None or new.outcome not in (old.outcome, "not_graded", "pending"):
        return new is None
    return new.cause in (UNDETERMINED, "clock") or (new.cause == "grader_error" and old.phase == new.phase == "grading")


def alone(root: Path) -> Iterator[tuple[str, Path]]:
    """Each trial's folder without its job."""
    for folder in trial_folders(root):
        if folder != root and folder.parent == root:
            yield folder.name, folder


def check(source: Source, scratch: Path, only: str, count: Counter[str]) -> Iterator[str]:
    before = verdicts(source.root / source.inside)
    for name, change in SURVIVED.items():
        if only and only not in name:
            continue
        copy = scratch / "run 429"
        shutil.copytree(source.root, copy, symlinks=True)
        try:
            renamed = change(copy / source.inside)
            if renamed is not None:
                count[name] += 1
                after = verdicts(copy / source.inside)
                for text in differences(before, after, renamed, name in MAY_WEAKEN):
                    yield f"{source.name}: {name}: {text}"
        finally:
            shutil.rmtree(copy)
    if not only or only in "alone":
        for trial, folder in alone(source.root):
            copy = scratch / trial
            shutil.copytree(folder, copy, symlinks=True)
            count["a trial alone"] += 1
            own = {k: v for k, v in before.items() if k == trial}
            for text in differences(own, verdicts(copy), {}, weaker=True):
                yield f"{source.name}: a trial alone: {text}"
            shutil.rmtree(copy)
    for name, turn in TURNED.items():
        if only and only not in name:
            continue
        copy = scratch / "turned"
        shutil.copytree(source.root, copy, symlinks=True)
        wanted = turn(copy / source.inside, {k: (v.outcome, v.cause) for k, v in before.items()})
        if wanted:
            count[name] += 1
            after = verdicts(copy / source.inside)
            for trial, allowed in wanted.items():
                said = after.get(trial)
                if said is None or not allowed(said.outcome, said.cause):
                    yield f"{source.name}: {name}: {trial}: {before[trial]} became {said}"
        shutil.rmtree(copy)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=Path, default=ROOT.parent / "shared" / "cases")
    parser.add_argument("--more", type=Path, action="append", default=[])
    parser.add_argument("--only", default="", help="changes whose name holds this word")
    parser.add_argument("--source", default="", help="runs whose name holds this word")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    count: Counter[str] = Counter()
    wrong = runs = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="whyzero-metamorphic-") as scratch:
        for source in sources(given.cases, given.more):
            if given.source and given.source not in source.name:
                continue
            runs += 1
            for text in check(source, Path(scratch), given.only, count):
                wrong += 1
                print(text, flush=True)
    if not runs:
        print(f"no runs below {given.cases}: nothing checked", file=sys.stderr)
        return 0
    if given.verbose:
        for name, number in sorted(count.items()):
            print(f"  {number:4d}  {name}")
    print(f"{runs} runs, {sum(count.values())} changes, {wrong} violations, {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
