"""Why one Osmosis rollout has no grade, or a low one: each cause beside what is easily taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from osmosis_trees import (
    BRIDGE,
    CAUSED,
    CHECKED,
    HEAD,
    RUN_WORKFLOW,
    SDK,
    Rollout,
    Tree,
    cause,
    deadline,
    found,
    frame,
    in_grader,
    in_workflow,
    opened,
    rollout_id,
    sdk,
    trial,
    user,
    verdict,
)
from whyzero.causes import grader_error
from whyzero.causes.engine import judge, run_finding
from whyzero.evidence import Level
from whyzero.findings import Outcome
from whyzero.model import Phase
from whyzero.readers import open_run

NO_REWARD = f"{HEAD}{CHECKED}ValueError: Sample has no reward after grading\n"
KEY_ERROR = in_workflow(user(71, "run", 'text = message["text"]'), error="KeyError: 'text'")
BAD_JSON = frame(
    "/usr/local/lib/python3.12/json/decoder.py", 355, "raw_decode", 'raise JSONDecodeError("Expecting value", s, err.value)'
)
JSON_ERROR = "json.decoder.JSONDecodeError: Expecting value: line 1 column 26 (char 25)"
AWAITED = user(48, "ask_policy", "reply = await client.post(")


def refused(status: int, word: str, row: int = 0) -> str:
    """httpx's exception on the bridge, with its second line."""
    kind = "Client" if status < 500 else "Server"
    url = BRIDGE.format(id=rollout_id(row))
    return in_workflow(
        user(54, "ask_policy", "reply.raise_for_status()"),
        frame(
            f"{SDK}httpx/_models.py", 829, "raise_for_status", "raise HTTPStatusError(message, request=request, response=self)"
        ),
        error=f"httpx.HTTPStatusError: {kind} error '{status} {word}' for url '{url}'\nFor more information check: https://example.invalid/{status}",
    )


# ---- the provider


@pytest.mark.positive("quota_exhausted")
@pytest.mark.lookalike("rate_limited")
def test_the_words_of_an_answer_come_before_its_status(tmp_path: Path) -> None:
    """The log of requests shows a 429 first; the client's exception for the same answer says that it was about money."""
    said = "{'error': {'message': 'You exceeded your current quota.', 'code': 'insufficient_quota'}}"
    raised = in_workflow(AWAITED, error=f"openai.RateLimitError: Error code: 429 - {said}")
    tree = Tree([Rollout(0, error="agent_error", traceback=raised, calls=(429,)), Rollout(1)])
    finding = found(tree, tmp_path)
    assert (finding.cause, finding.evidence[0].quote) == ("quota_exhausted", f"openai.RateLimitError: Error code: 429 - {said}")


# ---- graded


@pytest.mark.positive("wrong_answer")
def test_a_zero_that_the_grader_gave_is_a_wrong_answer(tmp_path: Path) -> None:
    tree = Tree([Rollout(0), Rollout(1, reward=0.0, answer="The answer is 43.", label="42")])
    said = verdict(tree, tmp_path, row=1)
    assert said.outcome is Outcome.GRADED_ZERO
    assert said.answered
    assert said.finding is not None
    assert (said.finding.cause, said.finding.phase, said.finding.evidence_level) == ("wrong_answer", Phase.NONE, Level.RECORD)
    assert (said.finding.evidence[0].path, said.finding.evidence[0].line, said.finding.evidence[0].quote) == (
        "events.jsonl",
        2,
        "0.0",
    )


@pytest.mark.lookalike("wrong_answer", "reward_missing")
def test_a_pass_has_no_cause_whatever_happened_on_the_way(tmp_path: Path) -> None:
    broken = {"tool_call_id": "c1", "function_name": "calculator", "arguments": {"_raw": '{"a": 15, "op": "*", "b":'}}
    said = verdict(Tree([Rollout(0, calls=(429, 200), calls_made=(broken,))]), tmp_path)
    assert (said.outcome, said.finding) == (Outcome.GRADED_PASS, None)


@pytest.mark.positive("below_pass_threshold")
def test_ninety_percent_is_under_a_threshold_of_one(tmp_path: Path) -> None:
    finding = found(Tree([Rollout(0, reward=0.9)]), tmp_path)
    assert (finding.cause, finding.phase, finding.evidence[0].quote) == ("below_pass_threshold", Phase.NONE, "0.9")


@pytest.mark.lookalike("below_pass_threshold")
def test_ninety_percent_passes_a_threshold_of_a_half(tmp_path: Path) -> None:
    assert verdict(Tree([Rollout(0, reward=0.9)], threshold=0.5), tmp_path).outcome is Outcome.GRADED_PASS


@pytest.mark.positive("skipped")
@pytest.mark.lookalike("reward_missing", "grader_error")
def test_a_row_that_the_grader_took_out_is_skipped(tmp_path: Path) -> None:
    said = verdict(Tree([Rollout(0, status="skipped", reward=None)]), tmp_path)
    assert said.finding is not None
    assert (said.outcome, said.finding.cause, said.phase) == (Outcome.SKIPPED, "skipped", Phase.NONE)


@pytest.mark.positive("early_stop")
@pytest.mark.lookalike("wrong_answer")
def test_a_zero_on_an_empty_reply_is_no_wrong_answer(tmp_path: Path) -> None:
    said = verdict(Tree([Rollout(0, reward=0.0, answer="")]), tmp_path)
    assert said.finding is not None
    assert not said.answered
    assert (said.finding.cause, said.finding.phase) == ("early_stop", Phase.TRAJECTORY)
    assert said.finding.evidence[0].pointer == "/steps/1"


@pytest.mark.lookalike("early_stop")
def test_a_model_that_says_it_does_not_know_has_answered(tmp_path: Path) -> None:
    assert cause(Tree([Rollout(0, reward=0.0, answer="I am not sure.")]), tmp_path) == "wrong_answer"


# ---- labels


@pytest.mark.positive("label_format")
@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("84.0", "The answer is 84."),
        ("['84']", "The answer is 84."),
        (" 84 ", "The answer is 84."),
        ("1,234", "It is 1234"),
        ("True", "The statement is true."),
        ("True", "Yes"),
        ("PARIS", "The capital is Paris."),
    ],
)
def test_the_same_value_in_another_form_is_the_labels_fault(tmp_path: Path, label: str, answer: str) -> None:
    tree = Tree([Rollout(row, reward=0.0, label=label, answer=answer) for row in range(3)])
    finding = found(tree, tmp_path, row=2)
    assert (finding.cause, finding.phase) == ("label_format", Phase.DATA)
    assert finding.evidence[0].pointer == "/extra/osmosis/label"
    assert finding.evidence[0].quote == label.strip()


@pytest.mark.lookalike("label_format")
def test_labels_of_that_form_that_pass_elsewhere_are_sound(tmp_path: Path) -> None:
    tree = Tree([Rollout(0, label="84.0", answer="84.0"), Rollout(1, reward=0.0, label="84.0", answer="The answer is 84.")])
    assert cause(tree, tmp_path, row=1) == "wrong_answer"


@pytest.mark.lookalike("label_format")
def test_one_pass_among_many_shows_that_labels_can_match(tmp_path: Path) -> None:
    lost = [Rollout(row, reward=0.0, label="84.0", answer="The answer is 84.") for row in range(25)]
    assert cause(Tree([*lost, Rollout(25, label="84.0", answer="84.0")]), tmp_path) == "wrong_answer"


@pytest.mark.lookalike("label_format")
@pytest.mark.parametrize(("label", "answer"), [("84.0", "The answer is 85."), ("84", "The answer is 84."), ("Paris", "Lyon")])
def test_another_value_or_the_same_text_is_no_matter_of_form(tmp_path: Path, label: str, answer: str) -> None:
    tree = Tree([Rollout(row, reward=0.0, label=label, answer=answer) for row in range(3)])
    assert cause(tree, tmp_path) == "wrong_answer"


@pytest.mark.lookalike("label_format")
def test_one_odd_row_among_wrong_ones_is_no_rule(tmp_path: Path) -> None:
    wrong = [Rollout(row, reward=0.0, label="42", answer="The answer is 43.") for row in (1, 2, 3)]
    tree = Tree([Rollout(0, reward=0.0, label="84.0", answer="The answer is 84."), *wrong])
    assert cause(tree, tmp_path) == "wrong_answer"


@pytest.mark.positive("label_missing")
def test_a_row_without_label_and_metadata_was_never_graded(tmp_path: Path) -> None:
    tree = Tree([Rollout(0), Rollout(1, error="rollout_failed", trajectory=True, label=None)])
    finding = found(tree, tmp_path, row=1)
    assert (finding.cause, finding.phase, finding.evidence_level) == ("label_missing", Phase.DATA, Level.RECORD)
    assert (finding.evidence[0].path, finding.evidence[0].line) == ("events.jsonl", 2)


@pytest.mark.positive("label_missing")
@pytest.mark.lookalike("grader_error")
@pytest.mark.parametrize(
    ("source", "error", "word"),
    [
        ("reward = answer == ctx.label.strip()", "AttributeError: 'NoneType' object has no attribute 'strip'", "agent_error"),
        (
            "reward = int(answer) == int(ctx.label)",
            "TypeError: int() argument must be a string, not 'NoneType'",
            "validation_error",
        ),
    ],
)
def test_a_grader_that_meets_none_for_a_label_is_not_to_blame(tmp_path: Path, source: str, error: str, word: str) -> None:
    broken = in_grader(user(85, "grade", source), error=error)
    tree = Tree([Rollout(0), Rollout(1, error=word, traceback=broken, label=None, metadata=True)])
    finding = found(tree, tmp_path, row=1)
    assert (finding.cause, finding.phase, finding.evidence[0].path) == ("label_missing", Phase.DATA, "logs.txt")


@pytest.mark.lookalike("label_missing")
def test_a_row_graded_by_its_metadata_needs_no_label(tmp_path: Path) -> None:
    broken = in_grader(user(86, "grade", 'tolerance = ctx.metadata["tolerance"]'), error="KeyError: 'tolerance'")
    tree = Tree([Rollout(0, error="agent_error", traceback=broken, label=None, metadata=True)])
    assert cause(tree, tmp_path) == "grader_error"


@pytest.mark.positive("label_missing")
def test_a_zero_against_nothing_where_other_rows_have_labels(tmp_path: Path) -> None:
    tree = Tree([Rollout(0), Rollout(1, reward=0.0, label=None, metadata=True)])
    finding = found(tree, tmp_path, row=1)
    assert (finding.cause, finding.evidence_level) == ("label_missing", Level.INFERENCE)


@pytest.mark.lookalike("label_missing")
def test_a_zero_in_a_run_that_has_no_labels_by_design(tmp_path: Path) -> None:
    tree = Tree([Rollout(0, label=None, metadata=True), Rollout(1, reward=0.0, label=None, metadata=True)])
    assert cause(tree, tmp_path, row=1) == "wrong_answer"


# ---- the grader


@pytest.mark.positive("grader_error")
def test_an_exception_in_the_grader_is_the_graders(tmp_path: Path) -> None:
    broken = in_grader(user(86, "grade", 'tolerance = (ctx.metadata or {})["tolerance"]'), error="KeyError: 'tolerance'")
    finding = found(Tree([Rollout(0, error="agent_error", traceback=broken)]), tmp_path)
    assert (finding.cause, finding.phase, finding.evidence_level) == ("grader_error", Phase.GRADING, Level.LOG)
    assert (finding.evidence[0].path, finding.evidence[0].quote) == ("logs.txt", "KeyError: 'tolerance'")
    assert "rollouts/arith/main.py, line 86" in finding.likely_cause


@pytest.mark.lookalike("grader_error")
def test_the_same_exception_in_the_workflow_is_the_workflows(tmp_path: Path) -> None:
    assert cause(Tree([Rollout(0, error="agent_error", traceback=KEY_ERROR)]), tmp_path) == "workflow_error"


@pytest.mark.positive("grader_error")
def test_a_reward_that_was_set_before_the_grader_raised_is_told_and_no_grade(tmp_path: Path) -> None:
    broken = in_grader(error="TypeError: object NoneType can't be used in 'await' expression")
    said = verdict(Tree([Rollout(0, error="validation_error", traceback=broken, left=1.0)]), tmp_path)
    assert said.finding is not None
    assert (said.outcome, said.finding.cause) == (Outcome.NOT_GRADED, "grader_error")
    assert said.finding.evidence[-1].pointer == "/extra/osmosis/reward"
    assert "is no grade" in said.finding.likely_cause


@pytest.mark.positive("grader_error")
def test_with_the_logging_replaced_the_category_and_the_trajectory_still_tell_a_raising_grader(tmp_path: Path) -> None:
    finding = found(Tree([Rollout(0, error="agent_error", trajectory=True, silent_log=True)]), tmp_path)
    assert (finding.cause, finding.phase, finding.evidence_level) == ("grader_error", Phase.GRADING, Level.INFERENCE)


@pytest.mark.lookalike("grader_error", "workflow_error")
def test_with_the_logging_replaced_nothing_tells_a_workflow_from_its_provider(tmp_path: Path) -> None:
    said = verdict(Tree([Rollout(0, error="agent_error", silent_log=True)]), tmp_path)
    assert (said.finding, said.phase) == (None, Phase.TRAJECTORY)


@pytest.mark.positive("reward_missing")
@pytest.mark.lookalike("grader_error")
def test_a_grader_that_returns_without_setting_a_reward(tmp_path: Path) -> None:
    finding = found(Tree([Rollout(0, error="validation_error", traceback=NO_REWARD)]), tmp_path)
    assert (finding.cause, finding.phase) == ("reward_missing", Phase.GRADING)
    assert finding.evidence[0].quote == "ValueError: Sample has no reward after grading"


@pytest.mark.positive("reward_missing")
@pytest.mark.lookalike("label_missing")
def test_a_labelled_row_that_nobody_graded_has_a_backend_without_grader(tmp_path: Path) -> None:
    finding = found(Tree([Rollout(0, error="rollout_failed", trajectory=True)]), tmp_path)
    assert (finding.cause, finding.evidence_level) == ("reward_missing", Level.RECORD)


@pytest.mark.positive("reward_missing")
@pytest.mark.lookalike("label_missing")
def test_a_row_that_could_be_graded_by_its_metadata_and_was_not(tmp_path: Path) -> None:
    tree = Tree([Rollout(0, error="rollout_failed", trajectory=True, label=None, metadata=True)])
    assert cause(tree, tmp_path) == "reward_missing"


@pytest.mark.positive("reward_invalid")
@pytest.mark.parametrize("problem", ["Input should be a finite number [type=finite_number]", "Input should be a valid number"])
def test_a_reward_that_the_sample_refuses(tmp_path: Path, problem: str) -> None:
    broken = in_grader(
        user(86, "grade", 'ctx.set_reward(float("nan"))'),
        sdk("context.py", 120, "set_reward", "self.sample.reward = reward"),
        error=f"pydantic_core._pydantic_core.ValidationError: 1 validation error for RolloutSample\nreward\n  {problem}",
    )
    finding = found(Tree([Rollout(0, error="validation_error", traceback=broken)]), tmp_path)
    assert (finding.cause, finding.phase, finding.evidence[0].path) == ("reward_invalid", Phase.GRADING, "logs.txt")


@pytest.mark.lookalike("reward_invalid")
def test_a_validation_error_of_the_graders_own_model_is_the_graders(tmp_path: Path) -> None:
    broken = in_grader(
        user(87, "grade", 'ctx.set_reward(Judge.model_validate({"score": "good"}).score)'),
        error="pydantic_core._pydantic_core.ValidationError: 1 validation error for Judge\nscore\n  Input should be a valid number",
    )
    assert cause(Tree([Rollout(0, error="validation_error", traceback=broken)]), tmp_path) == "grader_error"


@pytest.mark.positive("grader_timeout")
@pytest.mark.lookalike("clock", "event_loop_blocked")
def test_a_grader_that_waits_past_its_deadline(tmp_path: Path) -> None:
    late = deadline("run_grader", user(85, "grade", "await judge(answer)"))
    finding = found(Tree([Rollout(0, error="timeout", traceback=late, seconds=2.3)], limits=(20.0, 2.0)), tmp_path)
    assert (finding.cause, finding.phase) == ("grader_timeout", Phase.GRADING)
    assert finding.evidence[0].quote == "TimeoutError"


@pytest.mark.lookalike("grader_timeout")
def test_a_timeout_that_the_grader_raised_itself_is_an_error_of_its_own(tmp_path: Path) -> None:
    raised = in_grader(user(85, "grade", "await asyncio.wait_for(judge(answer), 0.5)"), error="TimeoutError")
    assert cause(Tree([Rollout(0, error="timeout", traceback=raised, seconds=0.7)]), tmp_path) == "grader_error"


# ---- the workflow


@pytest.mark.positive("workflow_error")
def test_an_exception_in_the_workflow_names_the_users_line(tmp_path: Path) -> None:
    finding = found(Tree([Rollout(0, error="agent_error", traceback=KEY_ERROR)]), tmp_path)
    assert (finding.cause, finding.phase, finding.evidence[0].quote) == ("workflow_error", Phase.TRAJECTORY, "KeyError: 'text'")
    assert "rollouts/arith/main.py, line 71" in finding.likely_cause


@pytest.mark.positive("workflow_error")
@pytest.mark.lookalike("clock")
def test_a_timeout_raised_by_user_code_below_both_limits(tmp_path: Path) -> None:
    raised = in_workflow(user(68, "run", "await asyncio.wait_for(warm_up(), 0.5)"), error="TimeoutError")
    assert cause(Tree([Rollout(0, error="timeout", traceback=raised, seconds=0.5)]), tmp_path) == "workflow_error"


@pytest.mark.positive("workflow_error")
@pytest.mark.lookalike("rate_limited")
def test_a_limit_that_was_overcome_does_not_explain_a_later_exception(tmp_path: Path) -> None:
    assert cause(Tree([Rollout(0, error="agent_error", traceback=KEY_ERROR, calls=(429, 200))]), tmp_path) == "workflow_error"


@pytest.mark.positive("workflow_error")
def test_the_first_exception_of_a_group_counts(tmp_path: Path) -> None:
    inside = "".join(f"    | {line}\n" for line in (HEAD + user(66, "fetch", "raise LookupError(name)")).splitlines())
    outside = "".join(
        f"  | {line}\n" for line in (RUN_WORKFLOW + user(71, "run", "async with TaskGroup() as group:")).splitlines()
    )
    group = f"  + Exception Group {HEAD}{outside}  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n"
    group += f"  +-+---------------- 1 ----------------\n{inside}    | LookupError: inside\n    +------------------------------------\n"
    finding = found(Tree([Rollout(0, error="agent_error", traceback=group)]), tmp_path)
    assert (finding.cause, finding.evidence[0].quote) == ("workflow_error", "LookupError: inside")
    assert "line 66" in finding.likely_cause


@pytest.mark.positive("clock")
def test_a_workflow_that_waits_past_its_deadline(tmp_path: Path) -> None:
    late = deadline("run_workflow", AWAITED)
    finding = found(Tree([Rollout(0, error="timeout", traceback=late, seconds=2.3, calls=())], limits=(2.0, 2.0)), tmp_path)
    assert (finding.cause, finding.phase, finding.evidence[0].path) == ("clock", Phase.TRAJECTORY, "logs.txt")


@pytest.mark.positive("clock")
@pytest.mark.lookalike("event_loop_blocked")
def test_a_busy_machine_cancels_late_and_nothing_was_blocked(tmp_path: Path) -> None:
    """Nobody else was at work while the model was waited for, and the deadline fired 0.7 s late."""
    late = deadline("run_workflow", AWAITED)
    assert (
        cause(Tree([Rollout(0, error="timeout", traceback=late, seconds=5.7, calls=())], limits=(5.0, 5.0)), tmp_path) == "clock"
    )


@pytest.mark.positive("clock")
def test_an_hour_without_limits_is_the_supervisors(tmp_path: Path) -> None:
    halt = (
        f'ERROR [dispatch] halting dispatch {{"reason":"TimeoutError: ","rollout":"{rollout_id(1)}","row_index":1,"run_index":0}}'
    )
    tree = Tree([Rollout(0), Rollout(1, seconds=3600.0, finishes=False)], limits=(None, None), after=(halt,))
    said = verdict(tree, tmp_path, row=1)
    assert said.finding is not None
    assert (said.outcome, said.finding.cause, said.finding.evidence[0].path) == (Outcome.PENDING, "clock", "logs.txt")


@pytest.mark.positive("event_loop_blocked")
@pytest.mark.lookalike("clock")
def test_a_block_is_reported_at_an_innocent_await(tmp_path: Path) -> None:
    late = deadline("run_workflow", user(72, "run", "message = await ask_policy(client, messages)"), AWAITED)
    tree = Tree([Rollout(0, error="timeout", traceback=late, seconds=4.2, calls=())], limits=(2.0, 2.0))
    finding = found(tree, tmp_path)
    assert (finding.cause, finding.phase) == ("event_loop_blocked", Phase.TRAJECTORY)
    assert (finding.evidence[0].path, finding.evidence[0].line) == ("events.jsonl", 1)


@pytest.mark.positive("event_loop_blocked")
def test_a_block_that_returns_late_leaves_no_traceback(tmp_path: Path) -> None:
    tree = Tree([Rollout(0, error="timeout", seconds=4.2, trajectory=False)], limits=(2.0, 2.0))
    finding = found(tree, tmp_path)
    assert (finding.cause, finding.phase) == ("event_loop_blocked", Phase.TRAJECTORY)


@pytest.mark.positive("event_loop_blocked")
@pytest.mark.lookalike("grader_timeout")
def test_a_grader_that_blocks_is_late_with_its_reward(tmp_path: Path) -> None:
    tree = Tree([Rollout(0, error="timeout", seconds=4.1, trajectory=True, left=1.0)], limits=(2.0, 2.0))
    finding = found(tree, tmp_path)
    assert (finding.cause, finding.phase) == ("event_loop_blocked", Phase.GRADING)


@pytest.mark.lookalike("event_loop_blocked")
def test_a_workflow_that_swallows_its_cancellation_while_the_server_prints(tmp_path: Path) -> None:
    """Ended at 4.2 s of 2 s, but the server spoke at the deadline: the loop was alive."""
    tree = Tree([Rollout(0, error="timeout", seconds=4.2, trajectory=False)], limits=(2.0, 2.0))
    root = tree.write(tmp_path / "dev-run")
    lines = (root / "logs.txt").read_text().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if "finished with status" in line)
    alive = [f"2026-03-01T10:00:{second:06.3f}000Z INFO [rollout-server] still here\n" for second in (2.7, 3.0, 3.9, 4.4, 4.9)]
    (root / "logs.txt").write_text("".join([*lines[:at], *alive, *lines[at:]]))
    run = open_run(root)
    finding = judge(trial(run), run).finding
    assert finding is not None
    assert finding.cause == "clock"


@pytest.mark.positive("event_loop_blocked")
@pytest.mark.lookalike("server_died", "interrupted")
def test_a_block_past_both_limits_halts_the_run_and_leaves_the_row_pending(tmp_path: Path) -> None:
    late = deadline("run_workflow", AWAITED)
    halt = 'ERROR [dispatch] halting dispatch {"reason":"TimeoutError: ","row_index":1,"run_index":0}'
    stuck = Rollout(1, error="timeout", traceback=late, seconds=75.0, calls=())
    tree = Tree([Rollout(0), stuck, Rollout(2, finishes=False)], rows=4, limits=(2.0, 2.0), after=(halt,))
    root = tree.write(tmp_path / "dev-run")
    journal = (root / "events.jsonl").read_text().splitlines(keepends=True)
    (root / "events.jsonl").write_text(journal[0])
    run = open_run(root)
    said = judge(trial(run, 1), run)
    assert said.finding is not None
    assert (said.outcome, said.finding.cause, said.finding.phase) == (Outcome.PENDING, "event_loop_blocked", Phase.TRAJECTORY)
    assert "halting dispatch" in said.finding.evidence[0].quote
    assert run_finding(run) is None
    assert judge(trial(run, 3), run).finding is None


@pytest.mark.positive("clock")
@pytest.mark.lookalike("event_loop_blocked")
def test_a_row_that_waited_in_the_queue_ends_late_and_nothing_was_blocked(tmp_path: Path) -> None:
    """The queue took the whole limit; the server spoke when others were cancelled at it, and again at this row's end."""
    late = deadline("run_workflow", AWAITED)
    tree = Tree([Rollout(0, error="timeout", traceback=late, seconds=6.0, calls=())], limits=(2.0, 2.0))
    root = tree.write(tmp_path / "dev-run")
    lines = (root / "logs.txt").read_text().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if "ERROR osmosis_ai" in line)
    others = '2026-03-01T10:00:02.910000Z INFO [rollout-server] INFO:     127.0.0.1:5 - "GET /rollout/x/result HTTP/1.1" 200 OK\n'
    (root / "logs.txt").write_text("".join([*lines[:at], others, *lines[at:]]))
    run = open_run(root)
    finding = judge(trial(run), run).finding
    assert finding is not None
    assert finding.cause == "clock"


@pytest.mark.positive("interrupted")
@pytest.mark.lookalike("event_loop_blocked")
def test_a_row_at_work_when_the_run_was_stopped_shares_the_run_s_cause(tmp_path: Path) -> None:
    stopped = ("WARNING [cancel] supervisor cancellation requested",)
    run = opened(Tree([Rollout(0), Rollout(1, seconds=75.0, finishes=False)], rows=3, limits=(2.0, 2.0), after=stopped), tmp_path)
    for finding in (judge(trial(run, 1), run).finding, run_finding(run)):
        assert finding is not None
        assert (finding.cause, finding.evidence[0].path) == ("interrupted", "logs.txt")


# ---- the sample


@pytest.mark.positive("no_sample")
@pytest.mark.lookalike("grader_error")
@pytest.mark.parametrize(
    "broken",
    [
        in_grader(
            user(84, "grade", "last = ctx.sample.messages[-1]"),
            error="AttributeError: 'NoneType' object has no attribute 'messages'",
        ),
        in_grader(error="ValueError: No sample to grade. The workflow must register a sample source"),
    ],
)
def test_a_grader_without_a_sample_shows_a_fault_of_the_workflow(tmp_path: Path, broken: str) -> None:
    run = opened(Tree([Rollout(0, error="agent_error", traceback=broken, trajectory=False)]), tmp_path)
    finding = judge(trial(run), run).finding
    assert finding is not None
    assert (finding.cause, finding.phase, finding.evidence[0].path) == ("no_sample", Phase.TRAJECTORY, "logs.txt")
    assert grader_error.find(trial(run), run) is None


@pytest.mark.positive("no_sample")
@pytest.mark.lookalike("workflow_error")
@pytest.mark.parametrize(
    "broken",
    [
        in_workflow(
            sdk("types/output.py", 43, "coerce_output", "raise TypeError("),
            error="TypeError: run() must return a message list; got dict",
        ),
        in_workflow(
            user(71, "run", "draft, final = History(messages), History(messages)"),
            sdk("context.py", 210, "set_sample_source", "raise ValueError("),
            error="ValueError: RolloutContext already has a sample source registered.",
        ),
        in_workflow(
            user(46, "run", "await Runner.run(agent, question)"),
            sdk("integrations/agents/openai_agents.py", 260, "_merge_headers", "raise RuntimeError("),
            error="RuntimeError: OsmosisLitellmModel was called without an active OsmosisMemorySession.\nPass `session=…`",
        ),
    ],
)
def test_what_the_sdk_refuses_as_a_sample(tmp_path: Path, broken: str) -> None:
    assert cause(Tree([Rollout(0, error="validation_error", traceback=broken)]), tmp_path) == "no_sample"


@pytest.mark.lookalike("no_sample")
def test_a_sample_without_trajectory_by_choice_was_there(tmp_path: Path) -> None:
    broken = in_grader(user(84, "grade", 'tolerance = table["tolerance"]'), error="KeyError: 'tolerance'")
    chosen = f"2026-03-01 10:00:01,000 INFO osmosis_ai.rollout.trajectory.save: Skipping trajectory for rollout {rollout_id(0)}: no trajectory messages"
    tree = Tree([Rollout(0, error="agent_error", traceback=broken, trajectory=False, told=(chosen,))])
    assert cause(tree, tmp_path) == "grader_error"


# ---- the model's output


@pytest.mark.positive("malformed_output")
@pytest.mark.lookalike("workflow_error")
@pytest.mark.parametrize(
    "broken",
    [
        in_workflow(user(77, "run", 'arguments = json.loads(call["function"]["arguments"])'), BAD_JSON, error=JSON_ERROR),
        in_workflow(user(77, "run", 'result = TOOLS[call["function"]["name"]](**arguments)'), error="KeyError: 'web_search'"),
        in_workflow(
            user(77, "run", "result = calculate(**arguments)"),
            error="TypeError: calculate() got an unexpected keyword argument 'x'",
        ),
        in_workflow(
            user(45, "run", "await Runner.run(agent)"),
            error="agents.exceptions.ModelBehaviorError: Tool web_search not found in agent arith",
        ),
    ],
)
def test_output_of_the_model_that_the_workflow_could_not_use(tmp_path: Path, broken: str) -> None:
    finding = found(Tree([Rollout(0), Rollout(1, error="validation_error", traceback=broken)]), tmp_path, row=1)
    assert (finding.cause, finding.phase, finding.evidence[0].path) == ("malformed_output", Phase.TRAJECTORY, "logs.txt")


@pytest.mark.lookalike("malformed_output")
@pytest.mark.parametrize(
    "broken",
    [
        in_workflow(user(68, "run", 'settings = json.loads(Path("settings.json").read_text())'), BAD_JSON, error=JSON_ERROR),
        in_workflow(user(71, "run", 'text = message["text"]'), error="KeyError: 'text'"),
        in_workflow(user(72, "run", "prices = load_prices(table)"), error="KeyError: 'web_search'"),
        in_workflow(user(72, "run", 'schema = tools["calculator"]["parameters"]'), error="KeyError: 'calculator'"),
    ],
)
def test_the_same_exceptions_over_the_workflows_own_data(tmp_path: Path, broken: str) -> None:
    assert cause(Tree([Rollout(0, error="validation_error", traceback=broken)]), tmp_path) == "workflow_error"


@pytest.mark.lookalike("malformed_output")
def test_broken_json_of_the_graders_own_is_the_graders(tmp_path: Path) -> None:
    broken = in_grader(user(84, "grade", 'score = json.loads(judge["arguments"])'), BAD_JSON, error=JSON_ERROR)
    assert cause(Tree([Rollout(0, error="validation_error", traceback=broken)]), tmp_path) == "grader_error"


# ---- the provider, through the bridge


@pytest.mark.parametrize(
    ("status", "word", "expected"),
    [
        pytest.param(401, "Unauthorized", "agent_auth", marks=pytest.mark.positive("agent_auth")),
        pytest.param(403, "Forbidden", "agent_auth", marks=pytest.mark.positive("agent_auth")),
        pytest.param(404, "Not Found", "model_not_found", marks=pytest.mark.positive("model_not_found")),
        pytest.param(429, "Too Many Requests", "rate_limited", marks=pytest.mark.positive("rate_limited")),
        pytest.param(502, "Bad Gateway", "provider_error", marks=pytest.mark.positive("provider_error")),
    ],
)
def test_the_status_of_the_bridge_is_the_providers_word(tmp_path: Path, status: int, word: str, expected: str) -> None:
    finding = found(Tree([Rollout(0, error="agent_error", traceback=refused(status, word), calls=(status,))]), tmp_path)
    assert (finding.cause, finding.phase, finding.evidence[0].path) == (expected, Phase.TRAJECTORY, "logs.txt")


@pytest.mark.positive("rate_limited")
@pytest.mark.lookalike("workflow_error")
def test_the_inner_exception_comes_before_the_one_made_of_it(tmp_path: Path) -> None:
    inner = refused(429, "Too Many Requests")
    outer = (
        f"{HEAD}{RUN_WORKFLOW}{user(57, 'ask_policy', 'raise RuntimeError(reason) from error')}RuntimeError: the policy failed\n"
    )
    tree = Tree([Rollout(0, error="agent_error", traceback=inner + CAUSED + outer, calls=(429,))])
    assert cause(tree, tmp_path) == "rate_limited"


@pytest.mark.positive("rate_limited")
@pytest.mark.lookalike("wrong_answer")
def test_a_zero_that_the_workflow_wrote_after_a_refused_call_is_not_the_models(tmp_path: Path) -> None:
    said = verdict(Tree([Rollout(0, reward=0.0, calls=(429,), answer="The model could not be reached.")]), tmp_path)
    assert said.finding is not None
    assert (said.answered, said.finding.cause, said.finding.evidence[0].path) == (False, "rate_limited", "logs.txt")


@pytest.mark.lookalike("rate_limited")
def test_a_wrong_answer_after_a_limit_that_was_overcome(tmp_path: Path) -> None:
    assert cause(Tree([Rollout(0, reward=0.0, calls=(429, 200), answer="The answer is 85.")]), tmp_path) == "wrong_answer"


@pytest.mark.lookalike("agent_auth", "rate_limited", "provider_error")
def test_another_service_that_refuses_is_not_the_provider(tmp_path: Path) -> None:
    broken = in_workflow(
        user(69, "search", "reply.raise_for_status()"),
        error="httpx.HTTPStatusError: Client error '401 Unauthorized' for url 'https://search.example.invalid/v1/query'",
    )
    assert cause(Tree([Rollout(0, error="agent_error", traceback=broken)]), tmp_path) == "workflow_error"


@pytest.mark.lookalike("agent_auth")
def test_a_judge_that_is_refused_is_the_graders_error(tmp_path: Path) -> None:
    broken = in_grader(
        user(85, "grade", "verdict = await judge(answer)"), error="openai.AuthenticationError: Error code: 401 - {'error': {}}"
    )
    assert cause(Tree([Rollout(0, error="agent_error", traceback=broken)]), tmp_path) == "grader_error"


# ---- refused before it began


@pytest.mark.positive("version_mismatch")
def test_a_server_that_refuses_the_request_speaks_another_protocol(tmp_path: Path) -> None:
    refusal = (
        'ERROR [result] work item failed before a terminal result {"error":"RolloutProtocolError: POST /rollout returned 422",'
        f'"rollout_id":"{rollout_id(0)}","row_index":0,"run_index":0}}'
    )
    tree = Tree([Rollout(0, error="rollout_protocol_error", calls=(), silent_log=True)], after=(refusal,))
    finding = found(tree, tmp_path)
    assert (finding.cause, finding.phase, finding.evidence[0].path) == ("version_mismatch", Phase.DISPATCH, "logs.txt")


@pytest.mark.lookalike("version_mismatch")
def test_a_warning_about_two_versions_alone_is_no_failure(tmp_path: Path) -> None:
    warning = 'WARNING [server] rollout server uses osmosis-ai 0.3.7, but this CLI uses 0.3.8 {"server_sdk_version":"0.3.7"}'
    run = opened(Tree([Rollout(0)], after=(warning,)), tmp_path)
    assert (run_finding(run), judge(trial(run), run).finding) == (None, None)


@pytest.mark.positive("harness_crash")
@pytest.mark.lookalike("workflow_error", "grader_error")
def test_a_task_of_the_server_that_crashed_is_nobodys_workflow(tmp_path: Path) -> None:
    finding = found(Tree([Rollout(0, error="internal_error", silent_log=True)]), tmp_path)
    assert (finding.cause, finding.evidence[0].path, finding.evidence[0].line) == ("harness_crash", "events.jsonl", 1)


@pytest.mark.positive("environment_failure")
def test_http_error_is_kept_for_the_sandboxs_provider(tmp_path: Path) -> None:
    finding = found(Tree([Rollout(0, error="http_error", silent_log=True)]), tmp_path)
    assert (finding.cause, finding.phase, finding.evidence[0].path) == ("environment_failure", Phase.ENVIRONMENT, "events.jsonl")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("grader_failed", "grader_error", marks=pytest.mark.positive("grader_error")),
        pytest.param("grader_timeout", "grader_timeout", marks=pytest.mark.positive("grader_timeout")),
        pytest.param("workflow_failed", "workflow_error", marks=pytest.mark.positive("workflow_error")),
        pytest.param("missing_grader_callback", "reward_missing", marks=pytest.mark.positive("reward_missing")),
    ],
)
def test_the_words_of_older_builds_name_the_phase_themselves(tmp_path: Path, word: str, expected: str) -> None:
    finding = found(Tree([Rollout(0, error=word, trajectory=True, silent_log=True)]), tmp_path)
    assert (finding.cause, finding.evidence_level, finding.evidence[0].path) == (expected, Level.RECORD, "events.jsonl")
