"""Labels that look like their answers and are others, rows without labels by design, and zeros beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.zerobench.cases.case import PASS, Case, in_osmosis
from benchmarks.zerobench.osmosis import Eval, Row

WRONG: tuple[tuple[str, Sequence[tuple[str, str]]], ...] = (
    ("units", [("84 km", "It is 84 miles."), ("12 km", "It is 12 miles."), ("5 km", "It is 5 miles.")]),
    ("currency", [("$84", "It costs 84 €."), ("$12", "It costs 12 €."), ("$5", "It costs 5 €.")]),
    ("half-of-the-day", [("5 pm", "At 5 am."), ("7 pm", "At 7 am."), ("9 pm", "At 9 am.")]),
    ("things", [("5 apples", "There are 5 oranges."), ("6 apples", "There are 6 oranges."), ("7 apples", "There are 7 plums.")]),
    ("variable", [("x = 5", "y = 5"), ("x = 7", "y = 7"), ("x = 9", "y = 9")]),
    ("denied", [("Paris", "It is certainly not PARIS"), ("Rome", "It was never ROME"), ("Oslo", "Anything but OSLO")]),
    ("sign", [("-84", "The answer is 84."), ("-12", "The answer is 12."), ("-5", "The answer is 5.")]),
    ("percent", [("84%", "The answer is 0.84."), ("12%", "The answer is 0.12."), ("5%", "The answer is 0.05.")]),
    ("power", [("10^3", "The answer is 103."), ("10^2", "The answer is 102."), ("10^4", "The answer is 104.")]),
    ("rounding", [("3.14159", "About 3.14."), ("2.71828", "About 2.72."), ("1.41421", "About 1.41.")]),
    ("options", [("B", "The answer is A."), ("C", "The answer is A."), ("D", "The answer is A.")]),
    ("day", [("2026-03-04", "On March 5, 2026."), ("2026-03-06", "On March 7, 2026."), ("2026-03-08", "On March 9, 2026.")]),
    ("said-on-the-way", [("84", "12 * 7 is 84, plus one makes 85."), ("42", "42 less one is 41."), ("225", "225, no: 226.")]),
)
FORM: tuple[tuple[str, Sequence[tuple[str, str]]], ...] = (
    ("integer-as-float", [("84.0", "The answer is 84."), ("42.0", "The answer is 42."), ("225.0", "The answer is 225.")]),
    ("same-unit", [("84km", "It is 84 km."), ("12km", "It is 12 km."), ("5km", "It is 5 km.")]),
    ("latex", [("$84$", "The answer is 84."), ("$42$", "The answer is 42."), ("$225$", "The answer is 225.")]),
    ("quoted", [('"Paris"', "The capital is Paris."), ('"Rome"', "The capital is Rome."), ('"Oslo"', "The capital is Oslo.")]),
    ("option-brackets", [("(B)", "The answer is B."), ("(C)", "The answer is C."), ("(D)", "The answer is D.")]),
    ("trailing-newline", [("84\n", "The answer is 84."), ("42\n", "The answer is 42."), ("225\n", "The answer is 225.")]),
    ("exponent", [("1e3", "The answer is 1000."), ("1e2", "The answer is 100."), ("1e4", "The answer is 10000.")]),
    (
        "list",
        [("['Paris']", "The capital is Paris."), ("['Rome']", "The capital is Rome."), ("['Oslo']", "The capital is Oslo.")],
    ),
)


def cases() -> Iterator[Case]:
    for name, pairs in WRONG:
        yield in_osmosis(f"hostile-wrong-{name}", "wrong_answer", Eval(_rows(pairs)), "1.0", "decoy")
    for name, pairs in FORM:
        yield in_osmosis(f"hostile-form-{name}", "label_format", Eval(_rows(pairs)), "1.0")
    yield from _without_labels()
    yield from _mixed()


def _rows(pairs: Sequence[tuple[str, str]]) -> list[Row]:
    return [Row(n, reward=0.0, label=label, answer=answer) for n, (label, answer) in enumerate(pairs)]


def _without_labels() -> Iterator[Case]:
    """Rows that are graded by their metadata, beside rows that have labels."""
    by_metadata = Row(0, label=None, metadata={"answer": "84"}, answer="The answer is 82.", reward=0.0)
    beside = [replace(by_metadata, row=1, reward=1.0, answer="The answer is 84."), Row(2)]
    yield in_osmosis("hostile-graded-by-metadata", "wrong_answer", Eval([by_metadata, *beside]), "0.0", "decoy")
    yield in_osmosis("hostile-passed-by-metadata", PASS, Eval([by_metadata, *beside]), "1.0", "decoy")
    without = replace(by_metadata, metadata=None)
    yield in_osmosis("hostile-no-label-at-all", "label_missing", Eval([without, Row(1), Row(2)]), "0.0")


def _mixed() -> Iterator[Case]:
    """One row of a form that cannot match, in a run in which that form does match."""
    rows = [*_rows([("84.0", "The answer is 84."), ("42.0", "The answer is 41.")]), Row(2, label="225.0", answer="It is 225.0.")]
    yield in_osmosis("hostile-form-that-passes", "wrong_answer", Eval(rows), "1.0", "decoy")
    repeated = [Row(0, n, reward=0.0, label="84", answer=f"The answer is {80 + n}.") for n in range(3)]
    yield in_osmosis("hostile-three-attempts-wrong", "wrong_answer", Eval(repeated, attempts=3), "0.2", "decoy")
    partly = [Row(n, reward=r, answer=f"It is {n}.") for n, r in enumerate((0.2, 0.0, 1.0))]
    yield in_osmosis("hostile-part-of-a-point", "below_pass_threshold", Eval(partly), "0.0")
    yield in_osmosis("hostile-zero-beside-parts", "wrong_answer", Eval(partly), "1.0", "decoy")
