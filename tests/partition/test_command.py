"""`partition-disputed-rows` as it is typed, what it prints, and how it ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from partition.jobs import Bench, permits, without, write
from whyzero.cli import main

ROWS = permits(24)
DECLINED = ("P-002", "P-005", "P-009", "P-011")
SCATTERED = ("P-001", "P-007", "P-013", "P-006", "P-016", "P-022")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Six trials that miss four rows alike, a corpus without sentences for these, and a working directory beside it all."""
    bench = Bench(tmp_path)
    bench.key(ROWS)
    for number in range(6):
        bench.trial(("m/a-1", "m/b-1", "m/c-1")[number % 3], without(ROWS, *DECLINED, SCATTERED[number]), reward=19 / 24)
    lines = [f"[{r['id']}] {'no permit' if r['id'] in DECLINED else 'permit covers 1 square'}" for r in ROWS]
    bench.corpus({"part-01.txt": "\n".join(lines) + "\n"})
    monkeypatch.chdir(tmp_path)
    return bench


def typed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as ended:
        main(["partition-disputed-rows", *words])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


KEY = ("jobs", "--oracle", "keys/expected.json", "--key", "id")


def test_a_suspected_key_ends_with_one(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = typed(capsys, *KEY, "--json")
    answer = json.loads(out)
    assert (code, answer["verdict"]) == (1, "suspect_key")
    assert [step["tool"] for step in answer["next_steps"]] == [
        "partition_disputed_rows",
        "partition_disputed_rows",
        "check_staleness",
    ]
    assert answer["next_steps"][0]["arguments"]["oracle"] == "keys/expected.json"


def test_all_flags_at_once(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    write(bench.root / "rules.json", {"loose": "permit"})
    code = "import json,sys; s=json.load(open(sys.argv[1])); k=json.load(open(sys.argv[2])); print(json.dumps({'reward': len(s)/len(k)}))"
    scorer = write(bench.root / "scorer.py", code)
    words = ("--deliverable", "permits.json", "--field", "area", "--field", "site", "--corpus", "corpus", "--rule", r"covers \d")
    more = (
        "--wide",
        "permit",
        "--rules",
        "rules.json",
        "--scorer",
        f"'{sys.executable}' {scorer.name}",
        "--original",
        "keys/expected.json",
    )
    status, out, _ = typed(
        capsys, *KEY, *words, *more, "--audit-grader", "--response-format", "detailed", "--limit", "2", "--json"
    )
    answer = json.loads(out)
    assert status == 1
    assert answer["compared"] == ["area", "site"]
    assert (answer["second_partition"]["agrees"], answer["superset_check"]["held"]) == (True, True)
    assert [one["name"] for one in answer["rule_candidates"]] == ["loose"]
    assert (answer["regrade"]["validated"], answer["regrade"]["reproduced"]) == (True, 6)
    assert answer["grader_audit"]["passed"] is False
    assert (len(answer["rows"]), answer["omitted"]["rows declined by all"]) == (4, 2)


def test_what_is_printed_shows_the_disputed_rows_first_with_their_sentences(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = typed(capsys, *KEY, "--corpus", "corpus", "--rule", r"covers \d", "--wide", "permit")
    headings = [line for line in out.splitlines() if line.startswith("#")]
    assert headings[:3] == ["# whyzero · disputed rows · 3 runs", "## Declined by all: 4 rows", "## Against the source"]
    assert out.splitlines()[2] == "**suspect_key**"
    assert "| P-002 | 6 of 6 | - | left out x6 |" in out
    assert "- `part-01.txt:2`\n  > [P-002] no permit" in out
    assert out.index("P-002") < out.index("P-001")
    assert "4 rows have no sentence that the rule matches: the same as the rows declined by all." in out


def test_a_web_page(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(capsys, *KEY, "--html", "page.html")[0] == 1
    assert "Declined by all: 4 rows" in (bench.root / "page.html").read_text()


def test_one_answer_cannot_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)
    bench.key(ROWS)
    bench.trial("m/a-1", ROWS[1:])
    monkeypatch.chdir(tmp_path)
    code, out, err = typed(capsys, *KEY)
    assert code == 2
    assert "**cannot_tell**" in out
    assert "could not tell" in err


def test_nothing_disputed_is_nothing_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path)
    bench.key(ROWS)
    bench.trial("m/a-1", ROWS, reward=1.0)
    bench.trial("m/b-1", ROWS, reward=1.0)
    monkeypatch.chdir(tmp_path)
    code, out, _ = typed(capsys, *KEY)
    assert code == 0
    assert "Never audited" not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("jobs", "--oracle", "keys/expected.json"), "--key is missing"),
        (("jobs", "--oracle", "keys/expected.json", "--key", "nosuch"), "'nosuch'"),
        (("jobs", "--key", "id"), "--key goes with --oracle"),
        ((*KEY, "--scorer", "'open"), "--scorer"),
        ((*KEY, "--corpus", "corpus", "--rules", "keys/expected.json"), "--rules"),
        ((*KEY, "--corpus", "corpus", "--rule", "("), "--rule"),
        ((*KEY, "--key"), "--key"),
        (("nowhere",), "nowhere"),
        ((*KEY, "--scorer", "no-such-program"), "no-such-program"),
    ],
)
def test_bad_usage_ends_with_two_and_names_the_culprit(
    bench: Bench, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    code, out, err = typed(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
