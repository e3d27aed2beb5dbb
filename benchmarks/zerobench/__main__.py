"""python -m benchmarks.zerobench [--cause NAME] [--mutate] [--keep DIR] [--json FILE]

Writes every case, asks whyzero about it, prints the figures and the wrong cases. Exit code 1 under the targets.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "server"))

from benchmarks.zerobench.cases import all_cases  # noqa: E402
from benchmarks.zerobench.judging import Answer, ask_all  # noqa: E402
from benchmarks.zerobench.mutations import mutate  # noqa: E402
from benchmarks.zerobench.scores import Scores, score  # noqa: E402


def main() -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.zerobench", description=__doc__.split("\n\n")[1])
    parser.add_argument("--cause", help="only cases of this cause ('' = healthy)")
    parser.add_argument("--keep", type=Path, help="write the trees here and keep them")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--mutate", action="store_true", help="disable each cause in turn and see its cases turn red")
    parser.add_argument("--shift", type=int, default=0, help="pair the stories with other tasks and releases, 1 to 5")
    chosen = parser.parse_args()
    cases = [c for c in all_cases(chosen.shift) if chosen.cause is None or c.truth == chosen.cause]
    if not cases:
        parser.error(f"no case of {chosen.cause!r}")
    if chosen.mutate:
        return mutate(cases)
    begun = time.perf_counter()
    answers = ask_all(cases, chosen.keep)
    scores = score(answers, time.perf_counter() - begun)
    _print(scores, answers)
    if chosen.json:
        chosen.json.write_text(json.dumps(scores.as_json(), indent=1) + "\n", encoding="utf-8")
    return 0 if scores.good_enough else 1


def _print(scores: Scores, answers: list[Answer]) -> None:
    print(f"{'cause':24}{'cases':>6}{'precision':>11}{'recall':>8}{'F1':>7}")
    for one in scores.per_cause:
        print(f"{one.cause or '(pass)':24}{one.cases:6}{one.precision:11.3f}{one.recall:8.3f}{one.f1:7.3f}")
    for answer in answers:
        if not answer.right:
            print(
                f"wrong: {answer.case.name}: {answer.got or '(pass)'}, not {answer.case.truth or '(pass)'}  [{answer.note[:110]}]"
            )
    for answer in answers:
        for found in answer.evidence:
            if not found.holds:
                print(f"evidence: {answer.case.name}: {found.where} {found.why}")
    kinds = Counter(a.case.kind for a in answers)
    formats = Counter(a.case.format for a in answers)
    agents = len({a.case.agent for a in answers})
    print(
        f"\n{scores.cases} cases: {kinds['fault']} faults, {kinds['decoy']} decoys, {kinds['control']} healthy; {dict(formats)}; {agents} agents"
    )
    print(
        f"macro-F1 {scores.macro_f1:.4f}, false excuse {scores.excused}/{scores.excusable}, false blame {scores.blamed}/{scores.blamable}, "
        f"undetermined {scores.undetermined}/{scores.cases}, evidence that stands {scores.evidence_holds}/{scores.evidence}, {scores.seconds:.1f} s"
    )


if __name__ == "__main__":
    raise SystemExit(main())
