"""Scoring again what lies on disk: only after every shipped reward was given exactly. And probing the scorer itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from partition.jobs import Bench, permits, without, write
from whyzero.analyses.partition.checks import GraderAudit, Regrade
from whyzero.analyses.partition.regrade import order_preserved
from whyzero.analyses.partition.report import Partition
from whyzero.analyses.partition.scorers import decimals_of
from whyzero.analyses.partition_disputed_rows import partition_disputed_rows
from whyzero.errors import UsageError

ROWS = permits(20)
BAD = ("P-003", "P-008", "P-013", "P-018")

HEAD = """
import json, sys
sent = json.load(open(sys.argv[1])); key = json.load(open(sys.argv[2]))
by_id = {row["id"]: row for row in sent}
right = sum(by_id.get(k["id"], {}).get(f) == k[f] for k in key for f in ("area",))
extra = len(set(by_id) - {k["id"] for k in key})
def say(reward, **more): print(json.dumps({"reward": reward, **more}))
"""
SOUND = HEAD + "say(round(max(0.0, right / len(key) - min(0.1, 0.02 * extra)), 4))"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def program(bench: Bench, code: str) -> list[str]:
    return [sys.executable, str(write(bench.root / "scorer.py", code))]


def swept(bench: Bench, **more: Any) -> Partition:
    """Three models find 14, 8 and 2 of the sixteen sound rows; nobody finds the bad ones. Shipped: found / 20."""
    original, corrected = bench.key(ROWS, "original.json"), bench.key(without(ROWS, *BAD), "corrected.json")
    sound = without(ROWS, *BAD)
    for model, found in (("m/a-1", 14), ("m/b-1", 8), ("m/c-1", 2)):
        bench.trial(model, sound[:found], reward=found / 20)
    return partition_disputed_rows(bench.jobs, corrected, ["id"], original=original, **more)


def regraded(report: Partition) -> Regrade:
    assert report.regrade is not None
    return report.regrade


def test_before_after_order_and_spread(bench: Bench) -> None:
    again = regraded(swept(bench, scorer=program(bench, SOUND)))
    assert (again.validated, again.reproduced, again.mismatches) == (True, 3, ())
    assert again.before == {"a-1": 0.7, "b-1": 0.4, "c-1": 0.1}
    assert again.after == {"a-1": 0.875, "b-1": 0.5, "c-1": 0.125}
    assert again.order_preserved is True
    assert again.spread_before == pytest.approx(0.6)
    assert again.spread_after == pytest.approx(0.75)


def test_one_reward_that_is_not_reproduced_refuses_the_scorer(bench: Bench) -> None:
    bench.trial("m/d-1", ROWS[:5], reward=0.2500001)
    again = regraded(swept(bench, scorer=program(bench, SOUND)))
    assert (again.validated, again.reproduced) == (False, 3)
    (mismatch,) = again.mismatches
    assert (mismatch.shipped, mismatch.scored) == (0.2500001, 0.25)
    assert (again.after, again.order_preserved, again.spread_after) == (None, None, None)
    assert again.note.startswith("Refused")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit('key missing')", "the scorer ended with status 1: key missing"),
        ("print('0.7')", 'the scorer printed no JSON object with a number "reward"'),
        ("print('{\"reward\": NaN}')", 'the scorer printed no JSON object with a number "reward"'),
        ("print('{\"reward\": true}')", 'the scorer printed no JSON object with a number "reward"'),
    ],
)
def test_a_scorer_that_fails_says_so_for_every_trial(bench: Bench, code: str, reason: str) -> None:
    again = regraded(swept(bench, scorer=program(bench, code)))
    assert not again.validated
    assert {mismatch.reason for mismatch in again.mismatches} == {reason}
    assert {mismatch.scored for mismatch in again.mismatches} == {None}


def test_a_scorer_may_talk_before_its_last_line(bench: Bench) -> None:
    assert regraded(swept(bench, scorer=program(bench, "print('loading')\n" + SOUND))).validated


def test_the_built_in_row_scorer_takes_the_place_of_a_program(bench: Bench) -> None:
    again = regraded(swept(bench))
    assert (again.scorer, again.validated) == ("built-in row scorer", True)
    assert again.after == {"a-1": 0.875, "b-1": 0.5, "c-1": 0.125}


def test_the_built_in_row_scorer_caps_what_invented_rows_cost(bench: Bench) -> None:
    oracle = bench.key(ROWS)
    invented = [{**ROWS[0], "id": f"X-{n}"} for n in range(7)]
    bench.trial("m/a-1", [*ROWS, invented[0]], reward=0.95)
    bench.trial("m/b-1", [*ROWS, *invented], reward=0.9)
    again = regraded(partition_disputed_rows(bench.jobs, oracle, ["id"], original=oracle))
    assert (again.validated, again.after) == (True, {"a-1": 0.95, "b-1": 0.9})


def test_without_a_corrected_key_nothing_is_scored_again(bench: Bench) -> None:
    oracle = bench.key(ROWS)
    bench.trial("m/a-1", ROWS[:10], reward=0.5)
    bench.trial("m/b-1", ROWS[:5], reward=0.25)
    again = regraded(partition_disputed_rows(bench.jobs, oracle, ["id"], scorer=program(bench, SOUND)))
    assert (again.validated, again.after) == (True, None)
    assert "original" in again.note


def test_models_that_change_places() -> None:
    assert not order_preserved({"a": 0.6, "b": 0.5}, {"a": 0.5, "b": 0.6})
    assert order_preserved({"a": 0.6, "b": 0.5}, {"a": 0.6, "b": 0.6})
    assert order_preserved({"a": 0.5, "b": 0.5}, {"a": 0.7, "b": 0.6})


def test_decimals_that_rewards_were_rounded_to() -> None:
    assert decimals_of([0.8333, 0.5, 1.0]) == 4
    assert decimals_of([1 / 3, 0.5]) == 15
    assert decimals_of([0.5, 1.0]) == 15


# ---- the audit of the grader

AUDITS: dict[str, tuple[str, set[str]]] = {
    "sound": (SOUND, set()),
    "accuracy of what was sent": (
        HEAD + "say(sum(r in key for r in sent) / max(1, len(sent)))",
        {"3 perfect rows of 20", "the key with a note in every row"},
    ),
    "one invented row zeroes": (HEAD + "say(0.0 if extra else right / len(key))", {"the key and one invented row"}),
    "pays for an empty list": (HEAD + "say(max(0.1, right / len(key)))", {"nothing"}),
    "pays for duplicates": (
        HEAD + "say(min(1.0, sum(r['id'] in {k['id'] for k in key} for r in sent) / len(key)))",
        {"3 rows over and over"},
    ),
    "depends on the order": (
        HEAD + "say(sum(a['id'] == b['id'] for a, b in zip(sent, key)) / len(key))",
        {"the key backwards"},
    ),
    "another dimension now and then": (
        HEAD + "say(right / len(key), **({'bonus': 1.0} if right == len(key) else {}))",
        {"reward dimensions"},
    ),
}


def audited(bench: Bench, code: str, **more: Any) -> GraderAudit:
    oracle = bench.key(ROWS)
    for model, found in (("m/a-1", 14), ("m/b-1", 8)):
        bench.trial(model, ROWS[:found], reward=found / 20, **more)
    report = partition_disputed_rows(bench.jobs, oracle, ["id"], scorer=program(bench, code), audit_grader=True)
    assert report.grader_audit is not None
    return report.grader_audit


@pytest.mark.parametrize("name", AUDITS)
def test_a_defect_of_the_grader_fails_its_probe_and_no_other(name: str, bench: Bench) -> None:
    code, failing = AUDITS[name]
    audit = audited(bench, code)
    assert {probe.name for probe in audit.probes if not probe.passed} == failing
    assert audit.passed is (not failing)


def test_dimensions_are_those_of_the_shipped_rewards(bench: Bench) -> None:
    audit = audited(bench, SOUND, components={"rows_correct": 3})
    (probe,) = [probe for probe in audit.probes if not probe.passed]
    assert (probe.name, probe.expected, probe.got) == ("reward dimensions", "always {reward, rows_correct}", "{reward}")


def test_probes_are_written_outside_the_run(bench: Bench) -> None:
    def files() -> set[Path]:
        return {path for path in bench.root.rglob("*") if path.is_file()}

    oracle = bench.key(ROWS)
    bench.trial("m/a-1", ROWS[:14], reward=0.7)
    scorer = program(bench, SOUND)
    before = files()
    partition_disputed_rows(bench.jobs, oracle, ["id"], scorer=scorer, audit_grader=True)
    assert files() == before


# ---- arguments that do not fit together

WRONG: list[tuple[str, Callable[[Bench], dict[str, Any]], str]] = [
    ("key alone", lambda b: {"key": ["id"]}, "--key goes with --oracle"),
    ("scorer alone", lambda b: {"scorer": ["x"]}, "--scorer goes with --oracle"),
    ("rule without corpus", lambda b: {"oracle": b.key(ROWS), "key": ["id"], "rule": "x"}, "--rule goes with --corpus"),
    (
        "audit without scorer",
        lambda b: {"oracle": b.key(ROWS), "key": ["id"], "audit_grader": True},
        "--audit-grader goes with --scorer",
    ),
    ("no such key file", lambda b: {"oracle": b.root / "no.json", "key": ["id"]}, "no.json"),
    ("no such corpus", lambda b: {"oracle": b.key(ROWS), "key": ["id"], "corpus": b.root / "no"}, "--corpus"),
    ("no key field", lambda b: {"oracle": b.key(ROWS)}, "--key is missing"),
    (
        "original without the key",
        lambda b: {"oracle": b.key(ROWS), "key": ["id"], "original": b.key([{"no": 1}], "o.json")},
        "--original",
    ),
]


@pytest.mark.parametrize(("arguments", "said"), [pytest.param(a, s, id=name) for name, a, s in WRONG])
def test_what_does_not_fit_together_is_refused_by_name(
    bench: Bench, arguments: Callable[[Bench], dict[str, Any]], said: str
) -> None:
    bench.trial("m/a-1", ROWS[:3])
    with pytest.raises(UsageError, match=said):
        partition_disputed_rows(bench.jobs, **arguments(bench))
