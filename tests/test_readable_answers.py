"""What a person reads in an answer: nothing twice, nothing cut in the middle, one thing in the singular, and a way on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import harbor_trees as harbor
from osmosis_trees import Rollout, Tree, envelope, opened, until
from whyzero.analyses.classify_zero import classify_zero
from whyzero.analyses.diagnose import diagnose
from whyzero.analyses.locate_failed_phase import Affected, FailedPhase, PhaseCounts, locate_failed_phase
from whyzero.analyses.partition_disputed_rows import Partition, partition_disputed_rows
from whyzero.analyses.ranking import rank
from whyzero.analyses.report import RunInfo
from whyzero.analyses.scores import Scored, score
from whyzero.analyses.verify_fix import FixVerdict, FixVerification, verify_fix
from whyzero.cli.app import main
from whyzero.cli.exit_codes import exit_code
from whyzero.findings import Outcome
from whyzero.model import Phase
from whyzero.readers import open_run
from whyzero.render import markdown, plain
from whyzero.render.parts import closing_parts

EXAMPLES = Path(__file__).parent.parent / "examples"


def job(root: Path, trials: int, **files: object) -> Path:
    """A job of wrong answers."""
    for number in range(trials):
        name = f"orders-{number}__abc{number:04d}"
        record = harbor.result(name, task_name=f"orders-{number}")
        harbor.graded(root / name, ("test_sums", "failed", "AssertionError: 3 != 4"), record=record)
    return harbor.write(root, {"config.json": {"job_name": root.name}, **files})


def one(name: str, value: float | None, model: str = "a") -> Scored:
    return Scored(
        id=name,
        task="sums",
        dataset=None,
        agent="codex",
        model=model,
        attempt=0,
        version=0,
        value=value,
        booked=value,
        cause=None if value else "clock",
        whose=None,
        is_score=value is not None,
        skipped=False,
        pending=False,
        timed_out=False,
        seconds=10.0,
    )


# ------------------------------------------------------------- nothing twice


def test_that_nothing_failed_is_said_in_the_headline_and_once_more() -> None:
    report = FailedPhase(
        summary="job: 4 trials read, 4 passed. Nothing failed.",
        run=RunInfo(name="job", format="harbor"),
        phase=Phase.NONE,
        affected=Affected(),
        cause=None,
        likely_cause="Nothing failed.",
        counts=PhaseCounts(trials=4, passed=4),
    )
    assert markdown(report) == (
        "# whyzero · diagnosis · job · harbor\n\n**Nothing failed**\n\njob: 4 trials read, 4 passed. Nothing failed.\n"
    )


def test_a_reason_why_nothing_failed_stays() -> None:
    said = "Nothing failed: every trial read has full marks, was skipped on purpose, or had no agent to measure."
    run, counts = RunInfo(name="job", format="harbor"), PhaseCounts(trials=4, passed=3)
    report = FailedPhase(
        summary="job: 4 trials read, 3 passed. Nothing failed.",
        run=run,
        phase=Phase.NONE,
        affected=Affected(),
        cause=None,
        likely_cause=said,
        counts=counts,
    )
    assert said in markdown(report)


def test_the_verdict_on_a_fix_gives_its_reason_once() -> None:
    why = "Nothing was run after the fix, so nothing was tested."
    report = FixVerification(
        summary=f"Inconclusive: {why}", verdict=FixVerdict.INCONCLUSIVE, why=why, before=RunInfo(name="old", format="osmosis")
    )
    assert markdown(report) == f"# whyzero · fix · old\n\n**inconclusive**\n\n{why}\n"


# ------------------------------------------------------- one, and more than one


@pytest.mark.parametrize(
    ("omitted", "said"),
    [
        ({"trials": 1}, "1 trial"),
        ({"trials": 85, "training_groups": 12, "ranking_pairs": 1}, "85 trials, 12 training groups, 1 ranking pair"),
        ({"rows of a single answered trial": 1}, "1 row of a single answered trial"),
        ({"evidence": 1, "disproving_check": 4}, "1 piece of evidence, 4 disproving checks"),
        ({"evidence": 8, "disproving_check": 1}, "8 pieces of evidence, 1 disproving check"),
        ({"not_answered": 54, "how": 1}, "54 unanswered trials, 1 ground of checks"),
        ({"not_answered": 1}, "1 unanswered trial"),
    ],
)
def test_what_was_left_out_is_counted_in_words(omitted: dict[str, int], said: str) -> None:
    [block] = closing_parts((), (), omitted)
    assert getattr(block, "text", None) == f"Left out of this answer: {said}."


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([None], "The only trial is unanswered, with no grade"),
        ([1.0, 1.0, None], "1 of 3 trials is unanswered, with no grade"),
        ([1.0, None, None], "2 of 3 trials are unanswered, with no grade"),
    ],
)
def test_unanswered_trials_are_counted_in_words(values: list[float | None], said: str) -> None:
    assert said in score([one(f"t{n}", value) for n, value in enumerate(values)]).advice


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (0.5, "The only pair keeps its order whatever the unanswered trials would have scored. Compared on 1 shared task."),
        (None, "1 of 1 pair changes or ties under some treatment of the unanswered trials"),
    ],
)
def test_a_single_pair_is_one_pair(second: float | None, said: str) -> None:
    ranking = rank([one("t1", 1.0), one("t2", second, "b")])
    assert ranking is not None
    assert ranking.note.startswith(said)


def test_one_number_carries_nothing() -> None:
    report = classify_zero(open_run(EXAMPLES / "harbor-job"), trial="sales-memo__BtyaPho")
    assert "1 carries a number that measures nothing about the model." in report.summary


def test_a_task_that_one_trial_answered_says_so() -> None:
    report = partition_disputed_rows([open_run(EXAMPLES / "harbor-job")])
    assert [task.why for task in report.tasks if task.task == "paid-totals"] == ["The only answered trial got full marks."]


# ----------------------------------------------------------- said as it is


def test_where_no_task_has_two_answers_the_program_could_not_tell() -> None:
    """Nothing is disputed there, but nothing was compared either."""
    report = partition_disputed_rows([open_run(EXAMPLES / "harbor-job")])
    assert (report.of, report.verdict) == ("tests", "cannot_tell")
    assert exit_code(report)[0] == 2


def test_where_answers_were_compared_and_nothing_is_disputed_nothing_is_wrong(tmp_path: Path) -> None:
    for number in range(2):
        name = f"orders__abc000{number}"
        harbor.graded(tmp_path / "job" / name, ("test_sums", "passed", ""), record=harbor.result(name, reward=1.0))
    report = partition_disputed_rows([open_run(harbor.write(tmp_path / "job", {"config.json": {"job_name": "job"}}))])
    assert (report.of, report.verdict, report.rows) == ("tests", "cannot_tell", ())
    assert exit_code(report)[0] == 0


def test_trials_without_an_answer_are_all_counted_where_only_some_are_listed() -> None:
    report = partition_disputed_rows([open_run(EXAMPLES / "harbor-job")])
    silent = len(report.not_answered)
    assert silent > 1
    shorter = report.model_copy(update={"not_answered": report.not_answered[:1], "omitted": {"not_answered": silent - 1}})
    assert isinstance(shorter, Partition)
    shown = markdown(shorter)
    assert f"## Not answered: {silent} trials, no misses" in shown
    assert f"1 of {silent} shown." in shown


def test_a_value_on_record_is_no_error(tmp_path: Path) -> None:
    """Where only the pattern tells, the label that can never match is evidence, and nobody raised it."""
    tree = Tree([Rollout(row, reward=0.0, label="84.0", answer="The answer is 84.") for row in range(3)])
    [trial, *_] = locate_failed_phase(opened(tree, tmp_path)).trials
    assert (trial.cause, trial.evidence[0].quote, trial.first_error) == ("label_format", "84.0", None)


def test_what_a_program_said_is_an_error() -> None:
    located = {trial.id: trial for trial in locate_failed_phase(open_run(EXAMPLES / "harbor-job")).trials}
    assert (located["sales-memo__BtyaPho"].first_error or "").startswith("openai.AuthenticationError")


def test_the_mean_of_a_whole_job_is_not_set_beside_one_trial() -> None:
    run = open_run(EXAMPLES / "harbor-job")
    assert [one.harness_mean for one in classify_zero(run).scores] == [0.25]
    assert [one.harness_mean for one in classify_zero(run, trial="sales-memo__BtyaPho").scores] == [None]
    alone = open_run(EXAMPLES / "harbor-job" / "sales-memo__BtyaPho")
    for report in (diagnose(run, trial="sales-memo__BtyaPho"), diagnose(alone)):
        assert report.classification is not None
        assert [one.harness_mean for one in report.classification.scores] == [None]


def test_of_a_failed_test_its_message_is_shown_and_not_called_a_field(tmp_path: Path) -> None:
    for number in range(2):
        name = f"orders__abc000{number}"
        harbor.graded(
            tmp_path / "job" / name, ("test_sums", "failed", f"AssertionError: {number} != 4"), record=harbor.result(name)
        )
    report = partition_disputed_rows([open_run(harbor.write(tmp_path / "job", {"config.json": {"job_name": "job"}}))])
    shown = plain(report)
    assert "| key | missed by | found by | said | by accident |" in shown
    assert "AssertionError: 0 != 4 x1" in shown
    assert "message AssertionError" not in shown


# -------------------------------------------------------------- a way on


def test_a_diagnosis_of_many_trials_shows_many_and_asks_for_the_rest_of_the_same_list(tmp_path: Path) -> None:
    run = open_run(job(tmp_path / "job", 40))
    report = diagnose(run)
    assert report.classification is not None
    assert len(report.classification.trials) == 25
    assert report.classification.omitted["trials"] == 15
    assert [(step.tool, step.arguments.get("offset")) for step in report.next_steps] == [
        ("partition_disputed_rows", None),
        ("classify_zero", 25),
    ]
    rest = classify_zero(run, response_format="detailed", offset=25)
    shown = [trial.id for trial in (*report.classification.trials, *rest.trials)]
    assert len(shown) == len(set(shown)) == 40


@pytest.mark.parametrize("command", ["classify-zero", "locate-failed-phase"])
def test_a_person_is_shown_more_trials_than_a_model(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the object is the tool's own; so is what a person asks for with --limit."""
    root = job(tmp_path / "job", 40)

    def listed(*more: str) -> int:
        with pytest.raises(SystemExit):
            main([command, str(root), *more])
        said = capsys.readouterr().out
        return len(json.loads(said)["trials"]) if "--json" in more else len(re.findall(r"^\| orders-\d+__", said, re.M))

    assert listed() == 25
    assert listed("--limit", "3") == 3
    assert listed("--response-format", "detailed") == 40
    assert listed("--json") <= 6


def test_several_wrong_answers_lead_to_the_key_and_a_single_one_does_not(tmp_path: Path) -> None:
    assert [step.tool for step in diagnose(open_run(job(tmp_path / "two", 2))).next_steps] == ["partition_disputed_rows"]
    assert diagnose(open_run(job(tmp_path / "one", 1))).next_steps == ()


def test_no_advice_is_cut_in_the_middle_of_a_sentence(tmp_path: Path) -> None:
    """Many trials of two models: the advice of each is shortened to whole sentences."""
    for number in range(30):
        record = harbor.result(f"orders-{number}__abc{number:04d}", reward=None, **harbor.spans("agent_execution"))
        record["agent_info"]["model_info"]["name"] = f"model-{number % 2}"
        record["exception_info"] = harbor.exception("AgentTimeoutError", "Agent execution timed out after 900.0 seconds")
        harbor.trial(tmp_path / "job" / record["trial_name"], record)
    report = classify_zero(open_run(harbor.write(tmp_path / "job", {"config.json": {"job_name": "job"}})))
    assert len(report.trials) < 30
    assert report.scores
    for one in report.scores:
        assert one.advice.endswith(".")
        assert "…" not in one.advice


def test_an_order_of_which_no_pair_is_shown_has_no_table() -> None:
    report = classify_zero(open_run(EXAMPLES / "harbor-job"))
    ranking = rank([one("t1", 1.0), one("t2", None, "b")])
    assert ranking is not None
    bare = report.model_copy(update={"ranking": ranking.model_copy(update={"pairs": ()})})
    assert "keeps order" not in markdown(bare)
    assert "1 of 1 pair changes or ties" in markdown(bare)


def test_a_cause_that_is_nearly_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["explain", "Rate-Limit"])
    assert end.value.code == 2
    assert "Did you mean 'rate_limited'?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["explain", "zzz"])
    assert "Did you mean" not in capsys.readouterr().err


def test_a_wrong_choice_names_the_choices_and_no_class_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["install", "emacs"])
    said = capsys.readouterr().err
    assert re.search(r"'HOST': 'emacs' is not one of 'claude-code'", said)
    assert "Value error" not in said


def test_an_error_that_nothing_goes_with_is_not_passed_over() -> None:
    workspace = EXAMPLES / "fix" / "after"
    seen = locate_failed_phase(open_run(workspace, error="segfault in module foo, core dumped"), row=0)
    assert (seen.cause, seen.likely_cause.startswith("Nothing failed. That is said of the files alone")) == (None, True)
    assert "the error that was reported (`error`) is of no kind that is known here" in plain(seen)
    unseen = locate_failed_phase(open_run(workspace), row=0)
    assert unseen.likely_cause == "Nothing failed."
    assert locate_failed_phase(open_run(workspace, error=" \n"), row=0).likely_cause == "Nothing failed."


def test_where_the_run_s_own_fault_decides_nothing_is_said_to_be_missing(tmp_path: Path) -> None:
    """The planned trials never began: what a log of theirs could tell is no open question."""
    tree = Tree(rows=2, before=until("server"))
    said = "rollout server exited with code 1 before becoming healthy: KeyError: 'ARITH_TABLE'"
    report = classify_zero(opened(tree, tmp_path, error=envelope(said)))
    assert [(trial.cause, trial.missing) for trial in report.trials] == [("server_start_failure", "")] * 2
    assert "Would decide it" not in plain(report)


def test_of_several_scores_each_note_says_whose_it_is() -> None:
    """And one that holds for all is said once, without a name."""
    few, many = score([one("t1", 1.0), one("t2", None)]), score([one("t3", 1.0, "b")])
    report = classify_zero(open_run(EXAMPLES / "harbor-job")).model_copy(update={"scores": (few, many)})
    assert f"- codex/a: {few.advice}" in plain(report)
    assert f"- codex/b: {many.advice}" in plain(report)
    alike = report.model_copy(update={"scores": (few, few.model_copy(update={"model": "c"}))})
    assert f"- {few.advice}" in plain(alike)
    assert plain(alike).count(few.advice) == 1
    later = few.model_copy(update={"version": 1, "advice": "Run more."})
    two = report.model_copy(update={"scores": (few, later)})
    assert "| task version 1 | codex | a |" in plain(two)
    assert "| task version 2 | codex | a |" in plain(two)
    assert "- codex/a (task version 2): Run more." in plain(two)


def test_what_is_no_failure_is_not_counted_as_one_in_the_summary(tmp_path: Path) -> None:
    root = job(tmp_path / "job", 2)
    record = harbor.result("orders-9__abc0009", reward=None, **harbor.spans("agent_execution"))
    record["config"]["verifier"]["disable"] = True
    harbor.trial(root / "orders-9__abc0009", record)
    report = locate_failed_phase(open_run(root))
    assert "3 trials read, 0 passed; 2 without full marks (2 wrong_answer); 1 skipped." in report.summary
    assert "**2 of 3 trials without full marks, all wrong_answer**" in plain(report)


# -------------------------------------------------------------- chance


def test_a_fault_that_kept_trials_from_being_graded_leaves_nothing_to_chance() -> None:
    said = "Hardly: before, the fault kept every affected attempt from being graded, whatever the model answered."
    before, after = open_run(EXAMPLES / "fix" / "before"), open_run(EXAMPLES / "fix" / "after")
    report = verify_fix(before, after)
    assert report.verdict is FixVerdict.VERIFIED
    assert said in plain(report)
    graded = tuple(
        pair.model_copy(update={"before": pair.before.model_copy(update={"outcome": Outcome.GRADED_ZERO})})
        for pair in report.pairs
    )
    assert said not in plain(report.model_copy(update={"pairs": graded}))
    assert said not in plain(report.model_copy(update={"verdict": FixVerdict.REFUTED}))


def test_the_same_run_twice_says_that_a_workspace_stands_for_its_newest_run() -> None:
    before = EXAMPLES / "fix" / "before"
    report = verify_fix(open_run(before), open_run(before / ".osmosis" / "evals" / "dev-run"))
    assert report.verdict is FixVerdict.NOT_COMPARABLE
    assert report.why.endswith("A workspace stands for its newest run: where it holds both, name the folder of each run.")


def test_one_pair_that_got_worse_is_one_pair() -> None:
    """Turned around, the fix is a fault: row 2 passed and is not graded any more."""
    report = verify_fix(open_run(EXAMPLES / "fix" / "after"), open_run(EXAMPLES / "fix" / "before"))
    assert (report.verdict, report.why) == (FixVerdict.REFUTED, "1 pair went from a pass to less.")
