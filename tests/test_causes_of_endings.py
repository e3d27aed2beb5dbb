"""How an attempt ends without a fault of the machinery: out of time, too early, wrong, by design, on purpose, unknown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import terminal_bench_trees as terminal_bench
from harbor_trees import (
    ABSENT,
    LOOKED,
    RIGHT,
    WRONG,
    WROTE,
    cause_of,
    exception,
    first_evidence,
    graded,
    read,
    result,
    spans,
    step,
    trajectory,
    trial,
    verdict,
)
from whyzero.causes._answered import answered
from whyzero.causes.engine import judge
from whyzero.evidence import Level
from whyzero.findings import Outcome

DATA = Path(__file__).parent / "data" / "harbor"
DEADLINE = exception("AgentTimeoutError", "Agent execution timed out after 100.0 seconds")
IDLE = {"agent__trajectory_json": trajectory(LOOKED)}
EDIT = "The script /app/total.py counts refunded orders too. Fix it."


def by(agent: str, **changes: object) -> dict[str, object]:
    """A record of Harbor's own oracle or nop agent."""
    record = result(agent_info={"name": agent, "version": "1.0.0", "model_info": None}, **changes)
    record["config"]["agent"] = {"name": agent}
    return record


# ---- out of time


@pytest.mark.positive("clock")
def test_the_deadline_passed_and_nothing_was_delivered(tmp_path: Path) -> None:
    path = graded(tmp_path / "t", ABSENT, record=result(exception_info=DEADLINE), **IDLE)
    assert (cause_of(path), first_evidence(path), verdict(path).answered) == ("clock", ("result.json", "/exception_info"), False)


@pytest.mark.lookalike("clock")
@pytest.mark.positive("wrong_answer")
def test_a_timeout_after_the_answer_is_an_incident(tmp_path: Path) -> None:
    path = graded(tmp_path / "t", RIGHT, WRONG, record=result(exception_info=DEADLINE))
    found = verdict(path)
    assert (cause_of(path), found.answered, [i.what for i in found.incidents]) == ("wrong_answer", True, ["clock"])
    assert first_evidence(path) == ("verifier/ctrf.json", "/results/tests/1/trace")


@pytest.mark.positive("clock")
def test_a_test_that_passes_on_the_untouched_box_is_no_answer(tmp_path: Path) -> None:
    path = graded(tmp_path / "t", ("test_input_unchanged", "passed", ""), ABSENT, record=result(exception_info=DEADLINE), **IDLE)
    assert (cause_of(path), verdict(path).answered) == ("clock", False)


@pytest.mark.positive("clock")
def test_an_edit_under_way_is_no_answer_although_its_old_content_was_judged(tmp_path: Path) -> None:
    steps = trajectory(step("agent", "I look.", "cat /app/total.py\n", "print(sum(…))"), brief=EDIT)
    path = graded(tmp_path / "t", WRONG, record=result(exception_info=DEADLINE), agent__trajectory_json=steps)
    assert cause_of(path) == "clock"


@pytest.mark.positive("clock")
def test_terminal_bench_ended_the_agent_at_its_deadline(tmp_path: Path) -> None:
    path = terminal_bench.trial(tmp_path / "t", *terminal_bench.MISSING, mode="agent_timeout")
    assert (cause_of(path), first_evidence(path)) == ("clock", ("results.json", "/failure_mode"))


@pytest.mark.positive("malformed_output", "output_length", "context_length", "harness_crash")
@pytest.mark.lookalike("harness_crash")
@pytest.mark.parametrize(
    ("mode", "cause"),
    [
        ("fatal_llm_parse_error", "malformed_output"),
        ("output_length_exceeded", "output_length"),
        ("context_length_exceeded", "context_length"),
        ("unknown_agent_error", "harness_crash"),
    ],
)
def test_terminal_bench_has_its_own_word_for_the_end(mode: str, cause: str, tmp_path: Path) -> None:
    path = terminal_bench.trial(tmp_path / "t", *terminal_bench.MISSING, mode=mode, commands=terminal_bench.TYPED, pane="$\n")
    assert (cause_of(path), first_evidence(path)) == (cause, ("results.json", "/failure_mode"))
    answered_before = terminal_bench.trial(
        tmp_path / "u", *terminal_bench.WRONG, mode=mode, commands=terminal_bench.TYPED, pane="$\n"
    )
    assert cause_of(answered_before) == "wrong_answer"


# ---- too early


@pytest.mark.positive("early_stop")
def test_the_turn_ended_and_the_file_was_not_there(tmp_path: Path) -> None:
    said = step("agent", "I have everything I need. Next I will write /app/report.json.")
    path = graded(tmp_path / "t", ABSENT, agent__trajectory_json=trajectory(LOOKED, said))
    found = verdict(path).finding
    assert found is not None
    assert (found.cause, first_evidence(path)) == ("early_stop", ("verifier/ctrf.json", "/results/tests/0/trace"))
    assert found.evidence[-1].quote == said["message"]


@pytest.mark.positive("early_stop")
@pytest.mark.lookalike("wrong_answer")
def test_scratch_files_are_no_submission() -> None:
    path = DATA / "scratch-only"
    assert (cause_of(path), verdict(path).answered) == ("early_stop", False)


@pytest.mark.positive("early_stop")
@pytest.mark.lookalike("wrong_answer")
def test_an_agent_that_typed_nothing_left_the_box_as_it_was(tmp_path: Path) -> None:
    path = terminal_bench.trial(
        tmp_path / "t",
        ("test_server", "AssertionError: nginx is not running"),
        commands=terminal_bench.IDLE + terminal_bench.TESTS,
        pane="#\n",
    )
    assert (cause_of(path), first_evidence(path)) == ("early_stop", ("results.json", "/is_resolved"))


@pytest.mark.positive("early_stop")
@pytest.mark.lookalike("wrong_answer")
def test_tests_that_pass_without_the_one_file_that_was_asked_for(tmp_path: Path) -> None:
    kept = [("test_input_unchanged", "passed", ""), ("test_no_secret_printed", "passed", "")]
    path = graded(tmp_path / "t", *kept, ABSENT, reward=0.0, **IDLE)
    assert (cause_of(path), verdict(path).answered) == ("early_stop", False)


@pytest.mark.lookalike("early_stop")
def test_most_of_the_work_delivered_and_a_part_forgotten_is_a_wrong_answer(tmp_path: Path) -> None:
    brief = "Write /app/report.json and /app/README.md."
    steps = trajectory(LOOKED, WROTE, brief=brief)
    forgot = ("test_readme", "failed", "AssertionError: /app/README.md does not exist")
    assert (
        cause_of(graded(tmp_path / "t", RIGHT, ("test_totals", "passed", ""), forgot, agent__trajectory_json=steps))
        == "wrong_answer"
    )


# ---- wrong


@pytest.mark.positive("wrong_answer")
def test_a_failed_assertion_about_content(tmp_path: Path) -> None:
    path = graded(tmp_path / "t", RIGHT, WRONG)
    found = verdict(path)
    assert found.finding is not None
    assert (found.finding.cause, found.finding.evidence_level, found.answered, found.phase.value) == (
        "wrong_answer",
        Level.RECORD,
        True,
        "none",
    )
    assert "429.9" in found.finding.evidence[0].quote


@pytest.mark.positive("wrong_answer")
def test_a_silent_verifier_s_zero_on_a_file_the_agent_wrote(tmp_path: Path) -> None:
    kept = {"verifier__reward_txt": "0\n", "verifier__test_stdout_txt": ""}
    path = trial(tmp_path / "t", result(), agent__trajectory_json=trajectory(LOOKED, WROTE), **kept)
    assert (cause_of(path), first_evidence(path)) == (
        "wrong_answer",
        ("agent/trajectory.json", "/steps/2/tool_calls/0/arguments"),
    )


def test_a_silent_verifier_s_zero_with_no_sign_of_a_file_decides_nothing(tmp_path: Path) -> None:
    found = verdict(trial(tmp_path / "t", result(), verifier__reward_txt="0\n", **IDLE))
    assert (found.finding, found.outcome) == (None, Outcome.GRADED_ZERO)
    assert "proof that tests ran" in found.missing


@pytest.mark.lookalike("wrong_answer")
def test_a_patch_that_was_never_submitted_graded_the_base(tmp_path: Path) -> None:
    output = "[verifier] no model.patch submitted — grading pristine base state\nP2P 128/128 pass 0 fail; F2P 0/71 pass 71 fail\n"
    rewards = {"reward": 0, "f2p_passed": 0, "p2p": 1.0, "partial": 0.64}
    path = trial(tmp_path / "t", result(verifier_result={"rewards": rewards}), verifier__test_stdout_txt=output, **IDLE)
    assert (cause_of(path), first_evidence(path)) == ("early_stop", ("verifier/test-stdout.txt", 1))


@pytest.mark.positive("below_pass_threshold")
def test_a_reward_under_the_run_s_own_mark(tmp_path: Path) -> None:
    run, trials = read(graded(tmp_path / "t", RIGHT, WRONG, reward=0.5))
    found = judge(trials[0], replace(run, threshold=0.8)).finding
    assert found is not None
    assert (found.cause, found.evidence[0].pointer) == ("below_pass_threshold", "/verifier_result/rewards/reward")


@pytest.mark.lookalike("below_pass_threshold")
def test_the_same_reward_in_a_run_without_a_mark_is_partial(tmp_path: Path) -> None:
    path = graded(tmp_path / "t", RIGHT, WRONG, reward=0.5)
    assert (cause_of(path), verdict(path).outcome) == ("wrong_answer", Outcome.GRADED_PARTIAL)


# ---- by design


@pytest.mark.positive("no_agent")
@pytest.mark.lookalike("early_stop", "wrong_answer")
def test_the_do_nothing_agent_scores_nothing(tmp_path: Path) -> None:
    path = trial(tmp_path / "t", by("nop"))
    assert (cause_of(path), first_evidence(path), verdict(path).answered) == (
        "no_agent",
        ("result.json", "/agent_info/name"),
        False,
    )


def test_a_do_nothing_agent_that_is_paid_shows_a_defect_of_the_task(tmp_path: Path) -> None:
    found = verdict(trial(tmp_path / "t", by("nop", reward=1.0)))
    assert [(i.what, i.evidence.pointer) for i in found.incidents] == [("task_defect", "/verifier_result/rewards/reward")]


@pytest.mark.lookalike("no_agent")
def test_a_real_agent_that_did_nothing_is_not_the_do_nothing_agent(tmp_path: Path) -> None:
    assert cause_of(graded(tmp_path / "t", ABSENT, agent__trajectory_json=trajectory(step("agent", "Done.")))) == "early_stop"


@pytest.mark.positive("oracle_failed")
@pytest.mark.lookalike("wrong_answer")
def test_the_reference_solution_below_full_marks() -> None:
    path = DATA / "oracle-below-full-marks"
    assert (cause_of(path), first_evidence(path)[1]) == ("oracle_failed", "/verifier_result/rewards/reward")


@pytest.mark.positive("oracle_failed")
def test_the_reference_solution_out_of_time(tmp_path: Path) -> None:
    assert cause_of(trial(tmp_path / "t", by("oracle", exception_info=DEADLINE))) == "oracle_failed"


@pytest.mark.lookalike("oracle_failed")
def test_a_reference_run_whose_environment_failed_says_that(tmp_path: Path) -> None:
    record = by(
        "oracle", reward=None, exception_info=exception("HealthcheckError", "Healthcheck failed"), **spans("environment_setup")
    )
    assert cause_of(trial(tmp_path / "t", record)) == "environment_failure"


@pytest.mark.lookalike("oracle_failed")
def test_the_reference_solution_with_full_marks_has_no_cause(tmp_path: Path) -> None:
    found = verdict(trial(tmp_path / "t", by("oracle", reward=1.0)))
    assert (found.outcome, found.finding) == (Outcome.GRADED_PASS, None)


# ---- on purpose


@pytest.mark.positive("skipped")
def test_verification_was_switched_off(tmp_path: Path) -> None:
    record = result(reward=None, **spans("agent_execution"))
    record["config"]["verifier"]["disable"] = True
    path = trial(tmp_path / "t", record, agent__trajectory_json=trajectory(LOOKED, WROTE))
    assert (cause_of(path), first_evidence(path), verdict(path).outcome) == (
        "skipped",
        ("result.json", "/config/verifier/disable"),
        Outcome.SKIPPED,
    )


@pytest.mark.lookalike("skipped")
def test_an_agent_out_of_time_in_a_run_without_verification_is_out_of_time(tmp_path: Path) -> None:
    record = result(reward=None, exception_info=DEADLINE, **spans("agent_execution"))
    record["config"]["verifier"]["disable"] = True
    assert cause_of(trial(tmp_path / "t", record, **IDLE)) == "clock"


@pytest.mark.lookalike("skipped")
def test_a_verifier_that_was_meant_to_run_and_left_nothing_was_not_skipped(tmp_path: Path) -> None:
    assert cause_of(trial(tmp_path / "t", result(reward=None), **IDLE)) == "grader_error"


@pytest.mark.lookalike("skipped")
def test_a_trial_that_nothing_explains_was_not_skipped(tmp_path: Path) -> None:
    found = verdict(trial(tmp_path / "t", result(reward=None, **spans("agent_execution")), **IDLE))
    assert (found.finding, found.outcome) == (None, Outcome.NOT_GRADED)


# ---- was it answered?


@pytest.mark.parametrize(
    ("tests", "yes"),
    [
        ([RIGHT, WRONG], True),
        ([WRONG], True),
        ([ABSENT], False),
        ([ABSENT, ("test_b", "failed", "FileNotFoundError: [Errno 2] No such file or directory: '/app/report.json'")], False),
        (
            [ABSENT, ("test_compiles", "failed", "subprocess.CalledProcessError: Command 'cp /app/report.json x' returned 1")],
            False,
        ),
        ([("test_rows", "failed", "KeyError: column 'total' does not exist in report.json")], True),
        ([("test_tool", "failed", "FileNotFoundError: [Errno 2] No such file or directory: 'sqlite3'")], True),
        ([("test_log", "failed", "AssertionError: Custom log format is missing required fields")], True),
    ],
)
def test_a_judgement_of_content_is_an_answer_and_a_missing_file_is_none(
    tmp_path: Path, tests: list[tuple[str, str, str]], yes: bool
) -> None:
    run, trials = read(graded(tmp_path / "t", *tests))
    assert answered(trials[0], run)[0] is yes


def test_a_pass_has_no_cause_whatever_was_recorded(tmp_path: Path) -> None:
    found = verdict(graded(tmp_path / "t", RIGHT, reward=1.0, record=result(reward=1.0, exception_info=DEADLINE)))
    assert (found.outcome, found.finding, [i.what for i in found.incidents]) == (Outcome.GRADED_PASS, None, ["clock"])


# ---- what stood on a Terminal-Bench terminal

CODEX = (
    terminal_bench.INSTALL
    + """["codex exec --dangerously-bypass-approvals-and-sandbox -- 'Count the words'", 'Enter']\n"""
    + terminal_bench.TESTS
)
CLAUDE = (
    terminal_bench.INSTALL
    + """["claude --verbose --output-format stream-json -p 'Count the words'", 'Enter']\n"""
    + terminal_bench.TESTS
)
REFUSED = "ERROR: exceeded retry limit, last status: 429 Too Many Requests\n"
CREDIT = '{"type":"result","subtype":"success","is_error":true,"result":"Credit balance is too low","session_id":"s"}'


@pytest.mark.positive("rate_limited", "quota_exhausted")
@pytest.mark.lookalike("early_stop")
@pytest.mark.parametrize(
    ("commands", "pane", "cause"),
    [
        (
            CODEX,
            f"[2025-08-14T20:12:20] exec ls\n[2025-08-14T20:12:20] {REFUSED}tokens used: 1,204\nroot@box:/app#\n",
            "rate_limited",
        ),
        (
            CODEX,
            f"[2025-08-14T20:12:20] exec cat old.log\n{REFUSED}[2025-08-14T20:12:22] codex\nI stop here.\nroot@box:/app#\n",
            None,
        ),
        (CLAUDE, f"{CREDIT[:60]}\n{CREDIT[60:]}\nroot@box:/app#\n", "quota_exhausted"),
        (CLAUDE, f"cat old.log shows {CREDIT}\nroot@box:/app#\n", None),
    ],
    ids=["codex closes", "codex shows", "claude, wrapped", "claude shows"],
)
def test_a_program_s_own_last_words_on_the_terminal(tmp_path: Path, commands: str, pane: str, cause: str | None) -> None:
    path = terminal_bench.trial(tmp_path / "t", *terminal_bench.MISSING, commands=commands, pane=pane)
    assert cause_of(path) == cause


@pytest.mark.positive("early_stop")
def test_an_agent_of_the_harness_that_stopped_by_itself_is_told_by_its_record(tmp_path: Path) -> None:
    typed = terminal_bench.TYPED.replace("wc -w notes.txt > /app/count.txt", "cat notes.txt")
    path = terminal_bench.trial(
        tmp_path / "t", *terminal_bench.MISSING, commands=typed + terminal_bench.TESTS, pane="root@box:/app#\n"
    )
    assert cause_of(path) == "early_stop"


# ---- a brief in another language


@pytest.mark.lookalike("clock")
@pytest.mark.parametrize(
    "brief",
    [
        "读取 /app/orders.csv，并将结果写入 /app/report.json。",
        "Lies /app/orders.csv und schreibe die Summen nach /app/report.json.",
        "/app/orders.csv を読み、結果を /app/report.json に保存してください。",
    ],
)
def test_a_timeout_after_the_answer_where_the_brief_is_not_in_english(tmp_path: Path, brief: str) -> None:
    timeout = exception("AgentTimeoutError", "Agent execution timed out after 100.0 seconds")
    done = graded(
        tmp_path / "a",
        RIGHT,
        WRONG,
        record=result(exception_info=timeout),
        agent__trajectory_json=trajectory(LOOKED, WROTE, brief=brief),
    )
    idle = graded(
        tmp_path / "b", ABSENT, record=result(exception_info=timeout), agent__trajectory_json=trajectory(LOOKED, brief=brief)
    )
    assert (cause_of(done), cause_of(idle)) == ("wrong_answer", "clock")
