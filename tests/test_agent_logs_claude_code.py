"""claude-code: who speaks in which event, how a log ends, and what became of sub-agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_log_trees import DATA, TASK, Claude, lab, put, read, said
from whyzero.model import End, Speaker
from whyzero.readers.agent_logs import read_agent_logs
from whyzero.readers.files import Folder

LIMIT = "This request would exceed your account's rate limit. Please try again later."
ECHOED = '{"type":"error","error":{"type":"rate_limit_error","message":"API Error: 429"}}'


# ---- real logs of the laboratory


def test_a_throttled_run_ends_failed_with_each_attempt_on_record() -> None:
    log = lab("claude-rate-limited")
    assert (log.agent, log.end, log.tool_calls, log.tool_results, log.steps) == ("claude-code", End.FAILED, 3, 3, 3)
    assert said(log.errors) == [
        ("api_retry", 429, "rate_limit", "main"),
        ("api_retry", 429, "rate_limit", "main"),
        ("api_error", None, "rate_limit", "main"),
        ("result", 429, "rate_limit", "main"),
    ]
    assert [e.speaker for e in log.errors] == [Speaker.PROVIDER] * 3 + [Speaker.AGENT_RESULT]
    assert [e.retried for e in log.errors] == [True, True, False, False]
    assert not any(e.overcome for e in log.errors)
    assert log.end_event is not None
    assert log.end_event.text == f"API Error: Request rejected (429) · {LIMIT}"
    assert (log.last_work.kind, log.last_work.spot.line) == ("tool_result", 8) if log.last_work else False


@pytest.mark.parametrize("name", ["claude-transient-429", "claude-cut-once"])
def test_what_was_retried_and_then_answered_is_overcome(name: str) -> None:
    log = lab(name)
    assert log.end is End.COMPLETED
    assert all(e.overcome and e.retried for e in log.errors)
    assert len(log.errors) == (2 if name == "claude-transient-429" else 0)


def test_an_error_inside_the_stream_carries_no_status_and_is_still_the_end() -> None:
    log = lab("claude-overloaded-in-stream")
    assert (
        (log.end, log.end_event.status, log.end_event.text) == (End.FAILED, None, "API Error: Overloaded")
        if log.end_event
        else False
    )


def test_no_login_is_the_programs_word_before_any_turn() -> None:
    log = lab("claude-not-logged-in")
    assert (log.end, log.steps, log.tool_calls) == (End.FAILED, 0, 0)
    assert said(log.errors)[0] == ("api_error", None, "authentication_failed", "main")


def test_a_refusal_is_a_typed_stop() -> None:
    assert (lab("claude-refusal").end, lab("claude-refusal").stop_reason) == (End.FAILED, "refusal")


def test_a_call_written_as_text_is_kept_and_counts_as_no_call() -> None:
    log = lab("claude-call-as-text")
    assert (log.end, log.tool_calls, len(log.calls_as_text)) == (End.COMPLETED, 0, 1)
    assert log.calls_as_text[0].text.startswith("<tool_call>")


# ---- sub-agents


def test_a_background_agent_nobody_collected() -> None:
    log = lab("claude-background-agent")
    assert log.end is End.CUT
    (handed,) = log.delegations
    assert (handed.kind, handed.background, handed.collected, handed.error) == ("agent", True, False, None)
    assert handed.text == "Delegate a part"
    assert log.last_message is not None
    assert log.last_message.text.startswith("The agent is working in the background.")


def test_events_after_the_result_line_are_read() -> None:
    log = lab("claude-background-shell")
    assert log.end is End.COMPLETED
    (handed,) = log.delegations
    assert (handed.kind, handed.background, handed.collected, handed.status) == ("shell", True, False, "stopped")
    assert handed.last is not None
    assert handed.last.spot.line == 11


def test_a_background_agent_that_ended_unseen_is_not_collected() -> None:
    (handed,) = lab("claude-async-own-work").delegations
    assert (handed.collected, handed.status, handed.tokens) == (False, "completed", 44)


def test_refused_subagents_speak_through_their_own_transcripts() -> None:
    log = lab("claude-subagents-refused")
    assert log.end is End.COMPLETED
    assert not [e for e in log.errors if e.actor == "main"]
    assert len(log.delegations) == 2
    for handed in log.delegations:
        assert (handed.status, handed.tokens, handed.collected) == ("completed", 0, True)
        assert handed.error is not None
        assert (handed.error.speaker, handed.error.status, handed.error.code) == (Speaker.PROVIDER, 401, "authentication_failed")
        assert "/subagents/agent-" in handed.error.spot.path
        assert handed.started_at is not None
        assert handed.ended_at is not None
        assert (handed.ended_at - handed.started_at).total_seconds() < 2


def test_without_a_transcript_a_subagents_answer_of_no_tokens_is_the_programs_word(tmp_path: Path) -> None:
    log = Claude().calls("Agent", "toolu_a", prompt="SUBTASK", description="part", subagent_type="general-purpose")
    refused = "Failed to authenticate. API Error: 401 Missing Authentication header"
    log.gets("toolu_a", refused, status="completed", agentId="a1", totalTokens=0).says("They could not run.").result("no")
    (handed,) = log.read(tmp_path).delegations
    assert handed.error is not None
    assert (handed.error.speaker, handed.error.text) == (Speaker.AGENT_RESULT, refused)


def test_what_a_subagent_wrote_is_its_own_text_even_when_it_speaks_of_401(tmp_path: Path) -> None:
    log = Claude().calls("Agent", "toolu_a", prompt="SUBTASK", description="part", subagent_type="general-purpose")
    log.gets("toolu_a", "The gateway log has API Error: 401 six times.", status="completed", agentId="a1", totalTokens=812)
    (handed,) = log.result("done").read(tmp_path).delegations
    assert (handed.error, handed.tokens) == (None, 812)


def test_a_notification_that_the_main_agent_answered_collects_the_result(tmp_path: Path) -> None:
    log = Claude().calls("Agent", "toolu_a", prompt="SUBTASK", subagent_type="x", run_in_background=True)
    log.add(type="system", subtype="task_started", task_id="t1", tool_use_id="toolu_a", task_type="local_agent")
    log.gets("toolu_a", "Async agent launched successfully.", isAsync=True, status="async_launched", agentId="t1")
    log.says("I wait.").add(type="system", subtype="task_notification", task_id="t1", tool_use_id="toolu_a", status="completed")
    (handed,) = log.says("The sub-agent is done.").result("done").read(tmp_path).delegations
    assert (handed.background, handed.collected) == (True, True)


def test_the_ceiling_for_background_tasks_is_a_line_of_the_programs_own(tmp_path: Path) -> None:
    log = Claude().calls("Agent", "toolu_a", prompt="SUBTASK", subagent_type="x", run_in_background=True)
    log.gets("toolu_a", "Async agent launched successfully.", status="async_launched", agentId="t1").says("I'll be notified.")
    log.raw("Background tasks still running after 600s; terminating. Set CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS=0 to wait.")
    (handed,) = log.result("I'll be notified.").read(tmp_path).delegations
    assert (handed.collected, handed.status) == (False, "stopped")
    assert handed.last is not None
    assert handed.last.speaker is Speaker.HARNESS


# ---- what never counts as the provider's speech


@pytest.mark.parametrize(
    "decoy",
    [
        pytest.param(Claude().runs("cat gateway.log", ECHOED), id="tool output that looks like an error event"),
        pytest.param(Claude().says(ECHOED), id="model text that looks like an error event"),
        pytest.param(Claude().says("API Error: 429 rate limit"), id="model text that begins like the program's"),
        pytest.param(Claude().raw(f"DEBUG {ECHOED}"), id="a dump on stderr"),
        pytest.param(Claude().raw(ECHOED), id="an error event without an envelope"),
        pytest.param(Claude().calls("Bash", "toolu_1", command=f"echo '{ECHOED}'"), id="a command"),
        pytest.param(
            Claude().add(type="user", message={"role": "user", "content": ECHOED}, parent_tool_use_id=None), id="the brief"
        ),
    ],
)
def test_no_error_is_read_from(decoy: Claude, tmp_path: Path) -> None:
    log = decoy.says("The report is written.").result("The report is written.").read(tmp_path)
    assert (log.errors, log.end) == ((), End.COMPLETED)


def test_the_text_of_a_good_result_stays_the_models_and_is_no_error(tmp_path: Path) -> None:
    log = Claude().says("429 Too Many Requests: six lines.").result("429 Too Many Requests: six lines.").read(tmp_path)
    assert (log.errors, log.end) == ((), End.COMPLETED)


# ---- ends


@pytest.mark.parametrize(
    ("log", "end"),
    [
        pytest.param(Claude().says("x").result("", stop="tool_use"), End.CUT, id="success in the middle of a turn"),
        pytest.param(Claude().says("x").result("", subtype="error_max_turns", error=False), End.FAILED, id="no turns left"),
        pytest.param(
            Claude()
            .says("The answer.")
            .result("[ede_diagnostic] late notification", error=True, subtype="error_during_execution"),
            End.COMPLETED,
            id="a late notification after the answer",
        ),
        pytest.param(
            Claude().runs("ls", "x").result("[Request interrupted by user]", error=True, subtype="error_during_execution"),
            End.FAILED,
            id="an interruption without an answer",
        ),
        pytest.param(Claude().says("one").result("one").runs("ls", "x"), End.CUT, id="a second segment that never closed"),
        pytest.param(Claude().says("one").result("one").says("two").result("two"), End.COMPLETED, id="two segments"),
        pytest.param(Claude().runs("ls", "x"), End.CUT, id="no result at all"),
    ],
)
def test_how_a_log_ends(log: Claude, end: End, tmp_path: Path) -> None:
    assert log.read(tmp_path).end is end


def test_an_unknown_tool_is_the_programs_word_and_its_look_alike_is_not(tmp_path: Path) -> None:
    log = (
        Claude()
        .calls("Sh", "toolu_1")
        .gets("toolu_1", "<tool_use_error>Error: No such tool available: Sh</tool_use_error>", error=True)
    )
    log.runs("cat notes", "<tool_use_error>Error: No such tool available</tool_use_error>", "toolu_2")
    assert [m.spot.line for m in log.result("x").read(tmp_path).malformed] == [3]


# ---- damaged and foreign files


def test_a_half_written_last_line_and_carriage_returns(tmp_path: Path) -> None:
    whole = Claude().runs("ls", "x").retry(429, "rate_limit").text("\r\n")
    cut = json.dumps({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "Now"}]}})[:-20]
    log = read(put(tmp_path, {"claude-code.txt": whole + cut}))
    assert (log.end, log.tool_results, len(log.errors), log.errors[0].overcome) == (End.CUT, 1, 1, False)


def test_a_tool_result_too_long_to_parse_still_answers_its_call(tmp_path: Path) -> None:
    log = Claude().calls("Bash", "toolu_1", command="cat big").gets("toolu_1", ECHOED + "x" * 3_000_000).says("ok").result("ok")
    got = log.read(tmp_path)
    assert (got.tool_results, got.errors, got.end) == (1, (), End.COMPLETED)


def test_session_files_serve_where_the_stream_was_not_kept(tmp_path: Path) -> None:
    common = {"isSidechain": False, "sessionId": "s1", "timestamp": "2026-03-01T10:00:00Z"}
    events = [
        {"type": "user", "message": {"role": "user", "content": TASK}, **common},
        {
            "type": "assistant",
            "message": {"id": "m1", "content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"},
            **common,
        },
    ]
    lines = "".join(json.dumps(e) + "\n" for e in events)
    log = read(put(tmp_path, {"sessions/projects/-app/0a.jsonl": lines}))
    assert (log.agent, log.end, log.stop_reason) == ("claude-code", End.COMPLETED, "end_turn")
    assert log.brief is not None
    assert log.brief.text == TASK


def test_the_log_is_found_by_content_whatever_its_name(tmp_path: Path) -> None:
    put(tmp_path, {"stdout.log": Claude().says("hi").result("hi").text(), "notes.txt": "429 Too Many Requests\n"})
    (log,) = read_agent_logs(Folder(tmp_path), "agent", "my-own-agent")
    assert (log.agent, log.end_event.spot.path) == ("claude-code", "agent/stdout.log") if log.end_event else False


def test_memory_stays_bounded_on_a_long_stream(tmp_path: Path) -> None:
    log = Claude()
    for attempt in range(500):
        log.retry(429, "rate_limit", attempt)
    got = log.read(tmp_path)
    assert len(got.errors) == 128
    assert json.loads(got.errors[0].text)["attempt"] == 0
    assert json.loads(got.errors[-1].text)["attempt"] == 499


def test_there_is_nothing_to_read_without_an_agent_folder(tmp_path: Path) -> None:
    assert read_agent_logs(Folder(tmp_path), "agent", "claude-code") == ()
    assert DATA.is_dir()
