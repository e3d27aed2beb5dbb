"""What the Harbor reader makes of job and trial folders of every version."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harbor_trees import ABSENT, LOOKED, RIGHT, WRONG, exception, graded, read, result, spans, step, trajectory, trial, write
from whyzero.errors import UnknownFormatError
from whyzero.model import Recorded, Speaker
from whyzero.readers import open_run

DATA = Path(__file__).parent / "data" / "harbor"
JOB = {"id": "j1", "started_at": "2026-03-01T10:00:00", "finished_at": "2026-03-01T10:05:00", "n_total_trials": 2, "stats": {}}


# ---- where a run begins


def test_any_file_inside_a_trial_leads_to_its_job_narrowed_to_that_trial(tmp_path: Path) -> None:
    write(tmp_path / "job", {"result.json": JOB})
    for name in ("a__1", "b__2"):
        graded(tmp_path / "job" / name, WRONG, record=result(name))
    run, trials = read(tmp_path / "job" / "a__1" / "verifier" / "ctrf.json")
    assert (run.root, run.format, run.planned) == (tmp_path / "job", "harbor", None)
    assert [t.id for t in trials] == ["a__1"]
    assert run.read_all is not None
    assert [t.id for t in run.read_all()] == ["a__1", "b__2"]


def test_a_job_is_told_from_a_trial_by_its_keys_whatever_the_folders_are_called(tmp_path: Path) -> None:
    graded(tmp_path / "verifier-logs" / "result", WRONG)
    write(tmp_path / "verifier-logs", {"result.json": JOB})
    run, trials = read(tmp_path / "verifier-logs")
    assert (run.planned, run.found, [t.id for t in trials]) == (2, 1, ["result"])


def test_a_trial_without_a_job_is_a_run_of_its_own(tmp_path: Path) -> None:
    run, trials = read(graded(tmp_path / "orders__abc1234", WRONG))
    assert (run.root.name, [t.id for t in trials]) == ("orders__abc1234", ["orders__abc1234"])
    assert trials[0].spot.path == "result.json"


def test_folders_of_trials_and_of_jobs_are_runs_too(tmp_path: Path) -> None:
    graded(tmp_path / "loose" / "x__1", WRONG, record=result("x__1"))
    write(tmp_path / "jobs" / "monday", {"result.json": JOB})
    graded(tmp_path / "jobs" / "monday" / "y__1", WRONG, record=result("y__1"))
    assert [t.id for t in read(tmp_path / "loose")[1]] == ["x__1"]
    assert [t.id for t in read(tmp_path / "jobs")[1]] == ["y__1"]


def test_a_folder_with_other_json_is_no_harbor_run(tmp_path: Path) -> None:
    write(tmp_path / "site", {"result.json": {"ok": True}, "config.json": {"theme": "dark"}})
    with pytest.raises(UnknownFormatError):
        open_run(tmp_path / "site")


def test_the_writer_comes_from_the_lock_and_the_ids_from_the_folders() -> None:
    run, trials = read(DATA / "no-test-collected")
    assert (run.writer, run.name, run.found, run.recorded_status) == ("harbor 0.26.0", "no-test-collected", 1, "finished")
    assert (trials[0].id, trials[0].task, trials[0].agent, trials[0].model) == (
        "sales-report__9ztWBw4",
        "sales-report",
        "terminus-2",
        "gpt-5-mini",
    )


def test_attempts_are_numbered_by_start_time_within_task_agent_and_model(tmp_path: Path) -> None:
    write(tmp_path, {"result.json": JOB})
    for name, second in (("t__a", "09"), ("t__b", "01"), ("t__c", "05")):
        graded(tmp_path / name, WRONG, record=result(name, started_at=f"2026-03-01T10:00:{second}Z"))
    graded(tmp_path / "u__a", WRONG, record=result("u__a", task_name="other"))
    assert {t.id: t.attempt for t in read(tmp_path)[1]} == {"t__a": 2, "t__b": 0, "t__c": 1, "u__a": 0}


# ---- rewards: absent is not zero


@pytest.mark.parametrize(("reward", "value"), [(0.0, 0.0), (None, None), (0.5, 0.5)])
def test_a_reward_is_what_the_record_says(tmp_path: Path, reward: float | None, value: float | None) -> None:
    assert read(trial(tmp_path / "t", result(reward=reward)))[1][0].reward.value == value


@pytest.mark.parametrize(
    ("rewards", "value", "invalid"),
    [
        ({"reward": 0.0, "partial": 0.9}, 0.0, None),
        ({"accuracy": 0.25}, 0.25, None),
        ({"f2p": 0.5, "p2p": 1.0}, 0.75, None),
        ({"rows": 20, "total": 30}, None, "several dimensions, none of them named reward"),
    ],
)
def test_the_main_dimension_is_found_by_name(
    tmp_path: Path, rewards: dict[str, float], value: float | None, invalid: str | None
) -> None:
    found = read(trial(tmp_path / "t", result(verifier_result={"rewards": rewards})))[1][0].reward
    assert (found.value, found.invalid, found.components) == (value, invalid, {k: float(v) for k, v in rewards.items()})


@pytest.mark.parametrize(
    ("name", "text", "invalid"),
    [
        ("reward.txt", "", "empty file"),
        ("reward.txt", "nan\n", "not a finite number"),
        ("reward.txt", "pass\n", "not a number"),
        ("reward.json", '{"reward": 1e999}', "not a finite number"),
        ("reward.json", '{"reward": "high"}', "not a number"),
        ("reward.json", "[1]", "not a JSON object of numbers"),
    ],
)
def test_a_file_that_is_no_reward_says_why(tmp_path: Path, name: str, text: str, invalid: str) -> None:
    trial(tmp_path / "t", result(reward=None, exception_info=exception("VerifierOutputParseError", "no number")))
    write(tmp_path / "t" / "verifier", {name: text})
    found = read(tmp_path / "t")[1][0].reward
    assert (found.value, found.invalid, found.text) == (None, invalid, text.strip())


@pytest.mark.parametrize(("version", "first"), [("0.6.4", 0.25), ("0.12.0", 0.25), ("0.13.0", 0.75), ("0.26.0", 0.75)])
def test_both_reward_files_are_read_in_the_order_of_that_harbor(tmp_path: Path, version: str, first: float) -> None:
    write(tmp_path, {"result.json": JOB, "lock.json": {"harbor": {"version": version}}})
    trial(tmp_path / "t", result(reward=None), verifier__reward_txt="0.25\n", verifier__reward_json={"reward": 0.75})
    left = read(tmp_path)[1][0].left_reward
    assert left is not None
    assert left.value == first


@pytest.mark.parametrize(
    ("version", "schema", "rule"),
    [
        ("0.26.0", 1, "invalid_dropped"),
        (None, 1, "invalid_dropped"),
        ("0.24.0", None, "missing_as_zero"),
        ("0.3.0", None, "missing_as_zero"),
        (None, None, "missing_as_zero"),
        ("0.3.0", 1, "unknown"),
        ("0.100.0", None, "unknown"),
        ("main", 1, "invalid_dropped"),
    ],
)
def test_how_a_job_booked_its_means_is_told_by_its_version_or_its_keys(
    tmp_path: Path, version: str | None, schema: int | None, rule: str
) -> None:
    job = JOB | {"stats": {"evals": {"codex__m1__adhoc": {"n_trials": 2, "metrics": [{"mean": 0.5}]}}}}
    lock = {"lock.json": {"harbor": {"version": version}}} if version else {}
    write(tmp_path, {"result.json": job | ({"schema_version": schema} if schema else {}), **lock})
    (mean,) = read(tmp_path)[0].booked_means
    assert (mean.value, mean.rule, mean.agent, mean.model) == (0.5, rule, "codex", "m1")


def test_a_number_on_disk_that_was_not_booked_is_left_and_no_grade(tmp_path: Path) -> None:
    found = read(trial(tmp_path / "t", result(reward=None), verifier__reward_txt="1\n"))[1][0]
    assert found.reward.value is None
    assert found.left_reward is not None
    assert found.left_reward.value == 1.0


# ---- phases, times, exceptions


def test_a_null_phase_never_began_and_an_open_one_was_never_closed(tmp_path: Path) -> None:
    phases = spans("agent_execution")
    phases["agent_execution"]["finished_at"] = None
    found = read(trial(tmp_path / "t", result(reward=None, **phases)))[1][0]
    assert [(s.name, s.seconds) for s in found.spans] == [("environment_setup", 10.0), ("agent_setup", 5.0), ("agent", None)]


def test_a_naive_time_is_never_compared_with_one_that_has_a_zone(tmp_path: Path) -> None:
    """0.1.x wrote `occurred_at` in local time without a zone: 18:01 here is 10:01 there."""
    info = exception("RuntimeError", "boom", at="2026-03-01T18:01:00.123456")
    found = read(trial(tmp_path / "t", result(reward=None, exception_info=info, **spans("agent_execution"))))[1][0]
    assert (found.exceptions[0].during, found.exceptions[0].at) == ("agent", datetime(2026, 3, 1, 18, 1, 0, 123456))
    assert found.spans[0].started_at == datetime(2026, 3, 1, 10, 0, tzinfo=UTC)


def test_the_frames_tell_in_which_phase_an_exception_fell(tmp_path: Path) -> None:
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/opt/x/site-packages/harbor/trial/single_step.py", line 77, in _run_agent\n    await run()\n'
        '  File "/home/me/bench/my_agent.py", line 168, in run\n    n = usage.input_tokens\n'
        "AttributeError: 'NoneType' object has no attribute 'input_tokens'\n"
    )
    found = read(trial(tmp_path / "t", result(exception_info=exception("AttributeError", "no attribute", trace, at=""))))[1][0]
    one = found.exceptions[0]
    assert (one.during, one.user_frame and (one.user_frame.path, one.user_frame.line)) == (
        "agent",
        ("/home/me/bench/my_agent.py", 168),
    )


def test_a_second_exception_that_only_the_log_knows_is_masked() -> None:
    found = read(DATA / "masked-verifier-timeout")[1][0]
    assert [(e.type.rsplit(".", 1)[-1], e.during, e.masked) for e in found.exceptions] == [
        ("AgentTimeoutError", "agent", False),
        ("VerifierTimeoutError", "verifier", True),
    ]
    assert found.exceptions[1].spot.line == 7


def test_an_older_job_log_tells_it_too_and_a_repeat_of_the_official_one_is_not_masked(tmp_path: Path) -> None:
    log = "Trial t failed: No reward file found at /x\nTrial u failed: boom\nTrial v failed: No reward file found at /x\n"
    write(tmp_path, {"result.json": JOB, "job.log": log})
    for name, message in (
        ("t", "Agent execution timed out after 100.0 seconds"),
        ("u", "boom"),
        ("v", "No reward file found at /x"),
    ):
        kind = "AgentTimeoutError" if name == "t" else "RuntimeError"
        trial(tmp_path / name, result(name, reward=None, exception_info=exception(kind, message)))
    found = {t.id: [(e.type, e.masked) for e in t.exceptions] for t in read(tmp_path)[1]}
    assert found == {
        "t": [("AgentTimeoutError", False), ("RewardFileNotFoundError", True)],
        "u": [("RuntimeError", False)],
        "v": [("RuntimeError", False)],
    }


def test_a_warning_with_a_traceback_in_the_log_is_no_second_exception(tmp_path: Path) -> None:
    log = 'Trial t failed: boom\nFailed to download artifacts\nTraceback (most recent call last):\n  File "x", line 1, in y\nos.OSError: gone\n'
    found = read(
        trial(tmp_path / "t", result("t", reward=None, exception_info=exception("RuntimeError", "boom")), trial_log=log)
    )[1][0]
    assert [e.type for e in found.exceptions] == ["RuntimeError"]


def test_a_killed_trial_is_planned_and_without_a_record() -> None:
    run, trials = read(DATA / "killed")
    assert (trials[0].recorded, trials[0].reward.value, trials[0].spot.path.rsplit("/", 1)[-1]) == (
        Recorded.PENDING,
        None,
        "config.json",
    )
    assert (run.recorded_status, run.logs[0].kind, run.logs[0].spot.pointer) == ("unfinished", "unfinished", "/finished_at")


# ---- limits


def test_the_deadline_in_the_message_is_the_effective_one(tmp_path: Path) -> None:
    info = exception("AgentTimeoutError", "Agent execution timed out after 900.0 seconds")
    assert read(trial(tmp_path / "t", result(exception_info=info)))[1][0].limits.agent == 900.0


@pytest.mark.parametrize(
    ("agent", "config", "seconds"),
    [
        ({"override_timeout_sec": 60}, {}, 60.0),
        ({"override_timeout_sec": 60}, {"timeout_multiplier": 2.0}, 120.0),
        ({"override_timeout_sec": 60}, {"timeout_multiplier": 2.0, "agent_timeout_multiplier": 3.0}, 180.0),
        ({"override_timeout_sec": 60, "max_timeout_sec": 30}, {"timeout_multiplier": 2.0}, 60.0),
        ({}, {"timeout_multiplier": 2.0}, None),
    ],
)
def test_overrides_caps_and_multipliers(
    tmp_path: Path, agent: dict[str, float], config: dict[str, float], seconds: float | None
) -> None:
    record = result()
    record["config"] |= config
    record["config"]["agent"] |= agent
    assert read(trial(tmp_path / "t", record))[1][0].limits.agent == seconds


def test_the_limits_of_a_task_that_lies_inside_the_run_are_used(tmp_path: Path) -> None:
    write(
        tmp_path / "job",
        {"result.json": JOB, "tasks/orders/task.toml": "[agent]\ntimeout_sec = 75.0\n[verifier]\ntimeout_sec = 8\n"},
    )
    trial(tmp_path / "job" / "t", result("t"))
    limits = read(tmp_path / "job")[1][0].limits
    assert (limits.agent, limits.grader) == (75.0, 8.0)


# ---- steps, forks, what was asked


def test_the_exception_of_a_step_stands_in_its_step() -> None:
    found = read(DATA / "ungraded-second-step")[1][0]
    assert (found.exceptions, found.reward.value) == ((), 1.0)
    first, second = found.steps
    assert (first.id, first.reward.value, first.exceptions) == ("two-step-report__o7ANQpw/inspect", 1.0, ())
    assert (second.reward.value, second.exceptions[0].type) == (None, "RewardFileNotFoundError")
    assert second.exceptions[0].spot.pointer == "/step_results/1/exception_info"
    assert second.logs[0].agent == "terminus-2"


def test_keys_that_forks_add_do_no_harm(tmp_path: Path) -> None:
    record = result(agent_result={"peak_context_tokens": 1, "summarization_count": 0}, n_agent_steps=3, reward_valid=True)
    found = read(trial(tmp_path / "t", record))[1][0]
    assert (found.reward.value, found.reward.claimed_valid) == (0.0, True)


def test_an_agent_by_import_path_has_its_own_name(tmp_path: Path) -> None:
    record = result(agent_info={"name": "my-agent", "version": "1", "model_info": None})
    record["config"]["agent"] = {"name": None, "import_path": "bench.agent:MyAgent", "model_name": "anthropic/claude-x"}
    found = read(trial(tmp_path / "t", record))[1][0]
    assert (found.agent, found.model) == ("my-agent", "claude-x")


def test_the_brief_names_the_deliverable_and_all_user_messages_are_given(tmp_path: Path) -> None:
    steps = trajectory(LOOKED, step("user", "Round to two decimals."))
    found = read(graded(tmp_path / "t", WRONG, agent__trajectory_json=steps))[1][0]
    assert found.deliverable.names == ("/app/report.json",)
    assert found.brief is not None
    assert found.brief.speaker is Speaker.INSTRUCTION
    assert [u.text for u in found.given][1:] == ["Round to two decimals."]


def test_only_what_the_brief_names_is_a_submission() -> None:
    found = read(DATA / "scratch-only")[1][0]
    assert found.deliverable.names == ("/app/labels.json",)
    assert found.deliverable.submitted == ()
    assert [p.rsplit("/", 1)[-1] for p in found.deliverable.scratch] == ["submitted-draft.json", "submitted-notes.json"]


@pytest.mark.parametrize(("copies", "submitted"), [(["submitted-a.json"], 1), (["submitted-a.json", "submitted-b.json"], 0)])
def test_without_a_brief_one_copy_is_the_submission_and_several_tell_nothing(
    tmp_path: Path, copies: list[str], submitted: int
) -> None:
    path = trial(tmp_path / "t", result(), agent__trajectory_json=trajectory(brief="Do it."))
    write(path, {f"verifier/{name}": "[]" for name in copies})
    assert len(read(path)[1][0].deliverable.submitted) == submitted


def test_a_test_that_missed_a_file_is_told_from_one_that_judged_it(tmp_path: Path) -> None:
    found = read(graded(tmp_path / "t", RIGHT, WRONG, ("test_other", "failed", ABSENT[2])))[1][0]
    assert [(t.name.rsplit("::", 1)[-1], t.passed, t.absent) for t in found.grading.tests] == [
        ("test_exists", True, False),
        ("test_totals", False, False),
        ("test_other", False, True),
    ]
    assert (found.grading.collected, found.grading.passed) == (3, 1)


def test_a_sibling_with_a_report_tells_that_this_task_writes_one(tmp_path: Path) -> None:
    write(tmp_path, {"result.json": JOB})
    graded(tmp_path / "a", WRONG, record=result("a"))
    trial(tmp_path / "b", result("b"))
    trial(tmp_path / "c", result("c", task_name="other", task_checksum="beef"))
    assert {t.id: t.grading.expects_report for t in read(tmp_path)[1]} == {"a": True, "b": True, "c": None}


# ---- hostile and damaged input


def test_a_damaged_record_is_noted_and_the_others_are_read(tmp_path: Path) -> None:
    shutil.copytree(DATA / "no-test-collected", tmp_path / "job")
    write(tmp_path / "job", {"broken__1/result.json": '{"trial_name": ', "list__1/result.json": "[]"})
    run, trials = read(tmp_path / "job")
    assert [t.id for t in trials] == ["sales-report__9ztWBw4"]
    assert [p.path for p in run.trial_problems if "parse" in p.reason] == ["broken__1/result.json"]


def test_a_step_name_cannot_lead_outside_the_run(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"secret/agent/trajectory.json": trajectory(brief="write /app/stolen.json"), "secret/verifier/test-stdout.txt": "stolen"},
    )
    outside = {"step_name": "../../secret", "verifier_result": {"rewards": {"reward": 0.0}}, "exception_info": None}
    found = read(trial(tmp_path / "job" / "t", result("t", step_results=[outside])))[1][0]
    assert (found.steps[0].grading.output, found.steps[0].deliverable.names) == ((), ())


@pytest.mark.parametrize(
    ("result_of_it", "value", "text", "pointer"),
    [
        ({"reward": 0.0}, 0.0, "0.0", "/verifier_result/reward"),
        ({"rewards": {"reward": False}}, 0.0, "false", "/verifier_result/rewards/reward"),
        ({"rewards": {"reward": 1}}, 1.0, "1", "/verifier_result/rewards/reward"),
        ({"rewards": None}, None, "null", "/verifier_result/rewards"),
    ],
    ids=["before there were dimensions", "a truth value", "a whole number", "none"],
)
def test_the_reward_is_quoted_as_the_record_writes_it(
    tmp_path: Path, result_of_it: dict[str, object], value: float | None, text: str, pointer: str
) -> None:
    reward = read(trial(tmp_path, result(verifier_result=result_of_it)))[1][0].reward
    assert (reward.value, reward.text, reward.spot and reward.spot.pointer) == (value, text, pointer)
