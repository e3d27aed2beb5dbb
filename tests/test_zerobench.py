"""ZeroBench: a fixed sample of its cases, its size, its independence from what it measures."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.zerobench.cases import PASS, Case, all_cases
from benchmarks.zerobench.evidence import standing
from benchmarks.zerobench.judging import UNDETERMINED, Answer, ask, ask_all
from benchmarks.zerobench.mutations import mutations
from benchmarks.zerobench.places import Place
from benchmarks.zerobench.scores import score

from whyzero.causes import ORDER
from whyzero.evidence import Evidence

HOME = Path(__file__).parent.parent / "benchmarks" / "zerobench"
ASKING = {"judging.py", "mutations.py"}
"""The only files that may know the product; none of them writes a tree."""
EACH = 2
"""Cases of each truth, format and kind in the sample."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return all_cases()


def sample(cases: list[Case]) -> list[Case]:
    seen: Counter[tuple[str, str, str]] = Counter()
    chosen = []
    for case in cases:
        key = (case.truth, case.format, case.kind)
        seen[key] += 1
        if seen[key] <= EACH:
            chosen.append(case)
    return chosen


def test_the_generators_share_nothing_with_what_they_measure() -> None:
    files = sorted(HOME.rglob("*.py"))
    assert len(files) > 20
    users = set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert not isinstance(node, ast.Call) or ast.unparse(node.func) not in (
                "__import__",
                "import_module",
                "importlib.import_module",
            )
            users |= {
                path.relative_to(HOME).as_posix()
                for name in names
                if name.split(".")[0] in ("whyzero", "harbor_trees", "osmosis_trees")
            }
    assert users == ASKING


def test_its_size_is_what_it_claims(cases: list[Case]) -> None:
    kinds, truths = Counter(c.kind for c in cases), Counter(c.truth for c in cases if c.kind == "fault")
    assert kinds["fault"] >= 200
    assert kinds["decoy"] >= 60
    assert kinds["control"] >= 30
    assert {c.format for c in cases} == {"harbor", "terminal-bench", "osmosis"}
    assert len({c.agent for c in cases if c.format == "harbor"} - {"oracle", "nop"}) == 16
    assert [cause for cause in ORDER if truths[cause] < 4] == []
    assert set(truths) <= set(ORDER)
    assert all(c.truth == PASS for c in cases if c.kind == "control")


def test_the_sample_is_judged_right_and_its_evidence_stands(cases: list[Case], tmp_path: Path) -> None:
    answers = ask_all(sample(cases), tmp_path)
    assert len(answers) > 120
    assert {a.case.name: a.got for a in answers if not a.right} == {}
    assert [(a.case.name, e.where, e.why) for a in answers for e in a.evidence if not e.holds] == []
    assert all(a.evidence for a in answers if a.case.truth != PASS)


def test_a_cause_without_its_evidence_turns_its_cases_red(cases: list[Case]) -> None:
    chosen = ["rate_limited", "wrong_answer", "reward_missing", "run_control"]
    found = list(mutations(sample(cases), chosen))
    assert [(one.cause, one.proves) for one in found] == [(name, True) for name in chosen]


def test_a_tree_is_the_same_every_time(cases: list[Case], tmp_path: Path) -> None:
    def contents(root: Path) -> dict[str, bytes]:
        return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}

    for number, case in enumerate(sample(cases)[::10]):
        first, second = tmp_path / f"{number}a", tmp_path / f"{number}b"
        case.write(first)
        case.write(second)
        assert contents(first) == contents(second)


# ---- the instruments themselves


def answer(truth: str, got: str) -> Answer:
    return Answer(Case("x", truth, "fault", "harbor", "codex", lambda root: Place(root)), got, 0.0)


def test_the_figures_worked_out_by_hand() -> None:
    """Six answers: two of three wrong answers found, one excused; a rate limit found, one blamed on the model; a pass."""
    said = [
        answer("wrong_answer", "wrong_answer"),
        answer("wrong_answer", "wrong_answer"),
        answer("wrong_answer", "rate_limited"),
        answer("rate_limited", "rate_limited"),
        answer("rate_limited", "early_stop"),
        answer(PASS, PASS),
    ]
    scores = score(said, 1.0)
    by_cause = {c.cause: (c.precision, c.recall, c.f1) for c in scores.per_cause}
    assert by_cause == {"": (1.0, 1.0, 1.0), "rate_limited": (0.5, 0.5, 0.5), "wrong_answer": (1.0, 2 / 3, 0.8)}
    assert scores.macro_f1 == pytest.approx((1.0 + 0.5 + 0.8) / 3)
    assert (scores.excused, scores.excusable, scores.blamed, scores.blamable) == (1, 3, 1, 3)
    assert not scores.good_enough


def test_silence_about_a_model_s_failure_counts_as_an_excuse() -> None:
    scores = score([answer("wrong_answer", UNDETERMINED), answer(PASS, "wrong_answer")], 1.0)
    assert (scores.excused, scores.blamed, scores.undetermined) == (1, 1, 1)


@pytest.mark.parametrize(
    ("evidence", "holds"),
    [
        (Evidence(path="log.txt", line=2, quote="HTTP 429 Too Many Requests"), True),
        (Evidence(path="log.txt", line=1, quote="HTTP 429 Too Many Requests"), False),
        (Evidence(path="log.txt", line=9, quote="HTTP 429"), False),
        (Evidence(path="none.txt", line=1, quote="HTTP 429"), False),
        (Evidence(path="r.json", pointer="/a/0/b", quote="told"), True),
        (Evidence(path="r.json", pointer="/a/1/b", quote="told"), False),
        (Evidence(path="r.json", pointer="/a/0/b", quote="never told"), False),
        (Evidence(path="error", line=1, quote="Not logged in"), True),
    ],
)
def test_evidence_is_looked_up_where_it_is_said_to_stand(evidence: Evidence, holds: bool, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("start\nHTTP 429 Too Many Requests\n")
    (tmp_path / "r.json").write_text('{"a": [{"b": "told"}]}')
    assert standing(evidence, Place(tmp_path, error="Error: Not logged in.")).holds is holds


def test_a_wrong_label_is_seen(cases: list[Case], tmp_path: Path) -> None:
    """The runner can fail: a rate limit with another label is wrong."""
    case = next(c for c in cases if c.truth == "rate_limited")
    relabelled = Case(case.name, "wrong_answer", case.kind, case.format, case.agent, case.write)
    assert not ask(relabelled, tmp_path).right
