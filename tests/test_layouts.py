"""What each report shows, and in which order; log text in any field stays on its line."""

from __future__ import annotations

from whyzero.analyses.check_staleness import Reasons, Staleness, StaleTrial
from whyzero.analyses.classify_zero import BookedMeans, ClassifiedTrial, ZeroClassification
from whyzero.analyses.diagnose import Diagnosis
from whyzero.analyses.locate_failed_phase import Affected, FailedTrial, PhaseCounts
from whyzero.analyses.ranking import Pair, Ranking
from whyzero.analyses.report import NextStep, RunInfo
from whyzero.analyses.scores import Score
from whyzero.analyses.staleness.advice import Advice
from whyzero.analyses.staleness.checked import Freshness, Moved
from whyzero.analyses.staleness.sweeps import Sweep
from whyzero.analyses.training_groups import Sibling, TrainingGroup
from whyzero.analyses.verify_fix import FixVerdict, FixVerification, InputsCompared, PairedTest, PairOfTrials, Sameness, Side
from whyzero.evidence import Evidence, Level
from whyzero.findings import Incident, Outcome
from whyzero.model import Phase
from whyzero.render import markdown, plain

NASTY = "x\n# heading\n| a | b |\n\x1b[31m- item\x07"


def evidence(quote: str) -> Evidence:
    return Evidence(path="t/log.txt", line=3, quote=quote)


def trial(name: str, cause: str | None, reward: float | None, quote: str = "said so") -> ClassifiedTrial:
    return ClassifiedTrial(
        id=name,
        task="sums",
        attempt=0,
        outcome=Outcome.GRADED_PASS if cause is None else Outcome.NOT_GRADED if reward is None else Outcome.GRADED_ZERO,
        reward=reward,
        answered=cause in (None, "wrong_answer"),
        cause=cause,
        phase=Phase.NONE if cause in (None, "wrong_answer") else Phase.TRAJECTORY,
        evidence_level=Level.LOG,
        counts_as_score=cause in (None, "wrong_answer"),
        evidence=(evidence(quote),),
        disproving_check="Look again.",
        incidents=(Incident(what="rate_limited", evidence=evidence("429 once")),) if cause == "clock" else (),
    )


def score(model: str, answered: int, mean: float | None) -> Score:
    return Score(
        agent="codex",
        model=model,
        tasks=1,
        trials=4,
        answered=answered,
        completion_rate=answered / 4,
        completion_interval=(0.15, 0.85),
        mean_answered=mean,
        mean_if_missing_is_zero=0.25,
        bounds=(0.25, 0.75),
        harness_mean=0.5,
        harness_rule="ungraded trials are left out",
        enough_samples=False,
        advice="Run more.",
    )


def classification(*trials: ClassifiedTrial) -> ZeroClassification:
    counts: dict[str, int] = {}
    for one in trials:
        counts[one.cause or "passed"] = counts.get(one.cause or "passed", 0) + 1
    return ZeroClassification(
        summary="job: trials.",
        runs=(RunInfo(name="job", format="harbor", writer="harbor 0.26.0"),),
        trials=trials,
        counts=counts,
        outcomes={"graded_zero": len(trials)},
        scores=(score("a", 2, 0.5),),
    )


def test_a_classification_says_which_numbers_are_scores_and_proves_each() -> None:
    shown = markdown(classification(trial("t1", "clock", None), trial("t2", "wrong_answer", 0.0)))
    assert shown == (
        "# whyzero · classification · job · harbor 0.26.0\n\n"
        "**2 of 2 trials without full marks: 1 clock, 1 wrong_answer**\n\n"
        "job: trials.\n\n"
        "## Trials\n\n"
        "| trial | task | attempt | outcome | reward | a score? | cause | phase |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| t1 | sums | 0 | not_graded | absent | no | clock | trajectory |\n"
        "| t2 | sums | 0 | graded_zero | 0 | yes | wrong_answer | none |\n\n"
        "All 2 trials: 1 clock, 1 wrong_answer.\n\n"
        "## t1: clock\n\n"
        "- `t/log.txt:3`\n  > said so\n\n"
        "What could show this wrong: Look again.\n\n"
        "Beside it, not deciding: rate_limited\n\n"
        "- `t/log.txt:3`\n  > 429 once\n\n"
        "## t2: wrong_answer\n\n"
        "- `t/log.txt:3`\n  > said so\n\n"
        "What could show this wrong: Look again.\n\n"
        "## Scores\n\n"
        "| agent | model | answered | completion | mean | missing as 0 | bounds | harness says |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| codex | a | 2 of 4 | 0.5 (0.15 .. 0.85) | 0.5 | 0.25 | 0.25 .. 0.75 | 0.5 |\n\n"
        "- Run more.\n"
        "- The harness's mean: ungraded trials are left out.\n"
    )


def test_an_absent_reward_and_a_zero_look_different() -> None:
    shown = markdown(classification(trial("t1", "clock", None), trial("t2", "clock", 0.0)))
    assert "| t1 | sums | 0 | not_graded | absent |" in shown
    assert "| t2 | sums | 0 | graded_zero | 0 |" in shown


def test_only_undecided_trials_make_an_undecided_headline() -> None:
    shown = markdown(classification(trial("t1", "undetermined", None)))
    assert "**1 of 1 trial without full marks: undetermined**" in shown
    assert "**Nothing failed**" in markdown(classification(trial("t1", None, 1.0)))


def test_a_ranking_and_training_groups_are_shown_with_what_they_mean() -> None:
    report = classification(trial("t1", "clock", 0.0)).model_copy(
        update={
            "ranking": Ranking(
                order=("a", "b"),
                survives=False,
                pairs=(
                    Pair(
                        first="a",
                        second="b",
                        keeps_order=False,
                        missing_as_zero=(0.5, 0.25),
                        dropped=(0.5, 1.0),
                        timeouts_dropped=None,
                        bounds_apart=False,
                    ),
                ),
                note="Do not publish an order.",
            ),
            "booked_means": BookedMeans(comparable=False, why="Two rules."),
            "training_groups": (
                TrainingGroup(
                    task="sums",
                    attempts=4,
                    infrastructure_zeros=1,
                    mean_before=0.25,
                    mean_after=0.333333,
                    siblings=(
                        Sibling(trial="t1", before=-0.5, after=None),
                        Sibling(trial="t2", before=1.5, after=1.2),
                    ),
                ),
            ),
        }
    )
    shown = markdown(report)
    assert "The booked means may not be compared. Two rules." in shown
    assert "## The order does not survive every treatment of the unanswered trials" in shown
    assert "| a | b | no | 0.5 .. 0.25 | 0.5 .. 1 | - |" in shown
    assert "| sums | 4 | 1 | 0.25 | 0.3333 |" in shown
    assert "- t1: advantage -0.5 becomes masked\n- t2: advantage 1.5 becomes 1.2" in shown


def diagnosis(classified: ZeroClassification | None) -> Diagnosis:
    return Diagnosis(
        summary="job: 1 of 2 passed.",
        run=RunInfo(name="job", format="harbor"),
        phase=Phase.TRAJECTORY,
        affected=Affected(trial="t1", task="sums", attempt=0),
        cause="clock",
        likely_cause="Time ran out.",
        evidence=(evidence("said so"),),
        disproving_check="Look again.",
        evidence_level=Level.LOG,
        trials=(FailedTrial(id="t1", task="sums", attempt=0, phase=Phase.TRAJECTORY, cause="clock"),),
        counts=PhaseCounts(by_cause={"clock": 1}),
        classification=classified,
        next_steps=(NextStep(tool="verify_fix", arguments={"before": "job"}, why="After a fix."),),
    )


def test_a_diagnosis_shows_the_report_first_and_each_proof_once() -> None:
    shown = plain(diagnosis(classification(trial("t1", "clock", None), trial("t2", "refusal", 0.0, "declined"))))
    parts = [line for line in shown.splitlines() if line.startswith(("#", "**"))]
    assert parts == [
        "# whyzero · diagnosis · job · harbor",
        "**clock in phase trajectory**",
        "## Evidence (a log line by the one who knows says it)",
        "## What could show this wrong",
        "## Trials",
        "## t1: clock",
        "## t2: refusal",
        "## Scores",
        "## Next",
    ]
    assert shown.count("> said so") == 1
    assert shown.endswith("- `whyzero verify-fix job`: After a fix.\n")


def test_a_diagnosis_of_one_row_keeps_the_table_of_the_located_trials() -> None:
    assert "## Trials without full marks" in plain(diagnosis(None))


def test_text_from_a_run_adds_no_line_of_its_own_in_any_field() -> None:
    hostile = classification(trial(NASTY, "clock", None, NASTY)).model_copy(update={"scores": (score(NASTY, 1, None),)})
    plainer = classification(trial("t", "clock", None, "x\ny\nz\nw")).model_copy(update={"scores": (score("m", 1, None),)})
    shape = [line[:2] for line in markdown(plainer).splitlines()]
    assert [line[:2] for line in markdown(hostile).splitlines()] == shape
    assert "\x1b" not in markdown(hostile)


def side(outcome: Outcome, reward: float | None, cause: str | None) -> Side:
    return Side(outcome=outcome, reward=reward, cause=cause, phase=Phase.NONE)


def test_a_fix_is_judged_by_its_pairs_its_inputs_and_its_chance() -> None:
    pair = PairOfTrials(
        row=2,
        task="sums",
        attempt=0,
        affected=True,
        before=side(Outcome.NOT_GRADED, None, "grader_error"),
        after=side(Outcome.GRADED_PASS, 1.0, None),
    )
    same = dict.fromkeys(InputsCompared.model_fields, Sameness.SAME) | {"grader": Sameness.CHANGED}
    report = FixVerification(
        summary="Verified.",
        verdict=FixVerdict.VERIFIED,
        why="The cause is gone.",
        before=RunInfo(name="old", format="osmosis"),
        after=RunInfo(name="new", format="osmosis"),
        pairs=(pair,),
        inputs=InputsCompared(**same),
        test=PairedTest(fixed=1, broken=0, p_value=1.0, smallest_n_that_could_decide=6),
    )
    assert markdown(report) == (
        "# whyzero · fix · old -> new\n\n"
        "**verified**\n\n"
        "The cause is gone.\n\n"
        "Verified.\n\n"
        "## Pairs\n\n"
        "| row or task | attempt | affected | before | after |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| row 2 | 0 | yes | not_graded: grader_error | graded_pass 1 |\n\n"
        "## Were the inputs the same?\n\n"
        "- dataset: same\n- row: same\n- grader: changed\n- key: same\n- model: same\n- attempts per row: same\n\n"
        "## Could chance have done it?\n\n"
        "Hardly: before, the fault kept every affected attempt from being graded, whatever the model answered. "
        "Exact paired test: 1 fixed, 0 broken, p = 1. At least 6 pairs, all fixed, could decide it.\n"
    )


def test_a_fix_without_a_second_run_names_the_command_that_would_make_it() -> None:
    report = FixVerification(
        summary="Nothing was run.",
        verdict=FixVerdict.INCONCLUSIVE,
        why="Nothing was run.",
        before=RunInfo(name="old", format="osmosis"),
        command="osmosis eval run configs/eval/a.toml --rows 2",
        cost_note="One model call.",
    )
    shown = markdown(report)
    assert shown.count("Nothing was run.") == 1
    assert "## The run that would test it\n\nosmosis eval run configs/eval/a.toml --rows 2\n\nOne model call.\n" in shown


def stale_trial(name: str, window: Freshness, advice: Advice) -> StaleTrial:
    return StaleTrial(
        id=name,
        task="sums",
        attempt=0,
        reward=0.5,
        key=Freshness.FRESH,
        window=window,
        oracle=Freshness.FRESH,
        inputs=Freshness.FRESH,
        advice=advice,
        why="The window moved." if window is Freshness.STALE else "Nothing moved.",
        how=Reasons(key="asked", window="42 days became 43", oracle="after", inputs="same"),
        moved=(Moved(what="days", recorded="42 days", current="43 days"),) if window is Freshness.STALE else (),
    )


def test_a_stale_number_shows_what_moved_and_what_to_do() -> None:
    report = Staleness(
        summary="Two trials.",
        runs=(RunInfo(name="job", format="harbor"),),
        trials=(stale_trial("t1", Freshness.STALE, Advice.RERUN), stale_trial("t2", Freshness.FRESH, Advice.REUSE)),
        sweeps=(
            Sweep(
                name="job",
                path="jobs/job",
                task="sums",
                trials=2,
                answered=2,
                clock_source="recorded",
                current=True,
                note="Only one.",
            ),
        ),
        counts={"window": {"stale": 1, "fresh": 1}, "advice": {"rerun": 1, "reuse": 1}},
    )
    assert markdown(report) == (
        "# whyzero · staleness · job\n\n"
        "**Stale: 1 rerun, 1 reuse**\n\n"
        "Two trials.\n\n"
        "## Trials\n\n"
        "| trial | task | attempt | reward | key | window | oracle | inputs | advice |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| t1 | sums | 0 | 0.5 | fresh | stale | fresh | fresh | rerun |\n"
        "| t2 | sums | 0 | 0.5 | fresh | fresh | fresh | fresh | reuse |\n\n"
        "## t1: rerun\n\n"
        "The window moved.\n\n"
        "- window: 42 days became 43\n\n"
        "| what moved | recorded | today |\n"
        "| --- | --- | --- |\n"
        "| days | 42 days | 43 days |\n\n"
        "## Sweeps, most recent first\n\n"
        "| sweep | task | trials | answered | clock | current | note |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| job | sums | 2 | 2 | recorded | yes | Only one. |\n"
    )
