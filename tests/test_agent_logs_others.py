"""opencode, mini-swe-agent, gemini-cli, terminus-2, pi, OpenClaw, OpenHands, saved episodes, and logs of no known grammar."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_log_trees import (
    PI_HEAD,
    TASK,
    lab,
    mini,
    opencode_event,
    opencode_tool,
    pi_message,
    put,
    read,
    said,
    terminus,
)
from whyzero.model import End, Speaker
from whyzero.readers.agent_logs import read_agent_logs, read_pane_logs
from whyzero.readers.files import Folder

RETRYING = "Retrying <unknown> in 4 seconds as it raised RateLimitError: litellm.RateLimitError: x"


# ---- opencode


def test_opencode_keeps_its_retries_in_its_own_log_file_only() -> None:
    log = lab("opencode-throttled")
    assert (log.end, log.tool_calls, log.stop_reason) == (End.CUT, 3, "tool_use")
    assert said(log.errors) == [("stream error", None, "AI_APICallError", "main")] * 5
    assert not any(e.overcome for e in log.errors)
    assert log.errors[0].spot.path.endswith("/log/opencode.log")


def test_opencode_error_event_is_typed_and_names_the_endpoint() -> None:
    log = lab("opencode-unauthorized")
    assert (log.end, log.endpoint) == (End.FAILED, "127.0.0.1:4000")
    assert said(log.errors)[0] == ("error", 401, "APIError", "main")
    assert "authentication_error" in log.errors[0].text
    assert [e.actor for e in log.errors] == ["main", "title", "main"]


def test_opencode_stop_reasons() -> None:
    assert (lab("opencode-length").end, lab("opencode-length").stop_reason) == (End.COMPLETED, "length")
    refused = lab("opencode-filter")
    assert (refused.end, refused.stop_reason, refused.errors[0].code) == (End.FAILED, "content_filter", "ContentFilterError")


def test_opencode_tool_output_that_looks_like_an_event_is_output(tmp_path: Path) -> None:
    echoed = opencode_event("error", error={"name": "APIError", "data": {"statusCode": 429}}).strip()
    text = opencode_tool("cat log", echoed) + opencode_event("text", part={"type": "text", "text": echoed})
    log = read(put(tmp_path, {"opencode.txt": text + opencode_event("step_finish", part={"reason": "stop"})}))
    assert (log.errors, log.end, log.tool_results) == ((), End.COMPLETED, 1)


def test_opencode_errors_of_a_log_line_before_later_work_are_overcome(tmp_path: Path) -> None:
    line = 'timestamp=2026-01-01T00:00:00.000Z level=ERROR run=1 message="stream error" small=false agent=build mode=primary'
    files = {
        "opencode.txt": opencode_tool("ls", "x"),
        "opencode/xdg-data/opencode/log/opencode.log": f'{line} error.error="AI_APICallError: x"\n',
    }
    assert [e.overcome for e in read(put(tmp_path, files)).errors] == [True]


# ---- mini-swe-agent


def test_mini_retries_stand_on_its_screen() -> None:
    log = lab("mini-throttled")
    assert (log.end, log.tool_calls, log.tool_results) == (End.CUT, 3, 3)
    assert {(e.kind, e.code, e.retried, e.overcome) for e in log.errors} == {("retry", "RateLimitError", True, False)}
    assert log.errors[0].spot.path == "agent/mini-swe-agent.txt"


def test_mini_exit_status_is_its_own_last_word() -> None:
    log = lab("mini-unauthorized")
    assert log.end_event is not None
    assert (log.end, log.end_event.code, log.end_event.speaker) == (End.FAILED, "AuthenticationError", Speaker.AGENT_RESULT)
    assert (lab("mini-submitted").end, lab("mini-submitted").errors) == (End.COMPLETED, ())


def test_mini_format_errors() -> None:
    log = lab("mini-format-errors")
    assert (log.end, log.tool_calls, log.steps, log.errors) == (End.FAILED, 0, 3, ())
    assert (len(log.malformed), len(log.calls_as_text)) == (3, 3)
    assert log.end_event is not None
    assert log.end_event.code == "RepeatedFormatError"


def test_mini_screen_lines_that_a_tool_printed_are_the_tools(tmp_path: Path) -> None:
    shown = f"{'─' * 20}\n{RETRYING}"
    messages = [
        {"role": "assistant", "content": "I look.", "extra": {"actions": [{"command": "cat log"}]}},
        {"role": "tool", "content": f"<output>\n{shown}\n</output>"},
    ]
    screen = f"mini-swe-agent version 2.4.6.\nmini-swe-agent (step 1, $0.00):\nI look.\nTool:\n<output>\n{shown}\n{'─' * 20}\n"
    files = {"mini-swe-agent.txt": screen, "mini-swe-agent.trajectory.json": mini(messages)}
    assert read(put(tmp_path, files)).errors == ()


def test_mini_a_retry_before_a_later_step_is_overcome(tmp_path: Path) -> None:
    act = {"role": "assistant", "content": "I look.", "extra": {"actions": [{"command": "ls"}]}}
    step = f"mini-swe-agent (step {{}}, $0.00):\nI look.\nTool:\nx\n{'─' * 20}\n"
    screen = "mini-swe-agent version 2.4.6.\n" + step.format(1) + RETRYING + "\n" + step.format(2)
    files = {
        "mini-swe-agent.txt": screen,
        "mini-swe-agent.trajectory.json": mini([act, {"role": "tool", "content": "x"}] * 2, ""),
    }
    assert [e.overcome for e in read(put(tmp_path, files)).errors] == [True]


# ---- gemini-cli


def test_gemini_attempts_on_the_screen() -> None:
    log = lab("gemini-throttled")
    assert (log.end, log.tool_calls, log.steps) == (End.CUT, 3, 3)
    assert {(e.kind, e.status, e.retried, e.overcome) for e in log.errors} == {("attempt_failed", 429, True, False)}


@pytest.mark.parametrize(
    ("name", "status", "code"), [("gemini-bad-key", 400, "_ApiError"), ("gemini-no-such-model", 404, "ModelNotFoundError")]
)
def test_gemini_critical_error_takes_its_status_from_the_lines_below(name: str, status: int, code: str) -> None:
    log = lab(name)
    assert (log.end, said(log.errors)) == (End.FAILED, [("api_error", status, code, "main")])


def test_gemini_words_of_the_model_on_the_screen_are_the_models(tmp_path: Path) -> None:
    decoy = "Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {}"
    session = [
        {"sessionId": "s", "projectHash": "p", "startTime": "2026-03-01T10:00:00Z", "kind": "main"},
        {"id": "1", "type": "user", "content": [{"text": TASK}]},
        {"id": "2", "type": "gemini", "content": decoy, "tokens": {"input": 1, "output": 1}},
    ]
    screen = f"YOLO mode is enabled. All tool calls will be automatically approved.\n{decoy}\n"
    files = {"gemini-cli.txt": screen, "gemini-cli.trajectory.jsonl": "".join(json.dumps(r) + "\n" for r in session)}
    log = read(put(tmp_path, files))
    assert (log.errors, log.end) == ((), End.COMPLETED)
    assert lab("gemini-done").end is End.COMPLETED


# ---- terminus-2


def test_terminus_errors_stand_in_the_trials_log() -> None:
    log = lab("terminus-throttled")
    assert (log.end, log.tool_calls, log.steps) == (End.CUT, 3, 3)
    assert said(log.errors) == [("llm_error", None, "litellm.RateLimitError", "main")] * 3
    assert not any(e.overcome for e in log.errors)
    assert log.errors[0].spot.path == "trial.log"
    assert log.brief is not None
    assert log.brief.text.startswith("Read /app/orders.csv")


@pytest.mark.parametrize(
    ("name", "code", "steps"),
    [("terminus-context-loop", "ContextLengthExceededError", 3), ("terminus-output-loop", "OutputLengthExceededError", 1)],
)
def test_terminus_loops_count_only_answers_of_the_model(name: str, code: str, steps: int) -> None:
    log = lab(name)
    assert (log.end, log.steps, {e.code for e in log.errors if e.code}) == (End.CUT, steps, {code})


def test_terminus_marks_its_task_complete_twice() -> None:
    assert (lab("terminus-done").end, lab("terminus-done").errors) == (End.COMPLETED, ())


def test_terminus_errors_before_two_more_dumps_are_overcome(tmp_path: Path) -> None:
    put(tmp_path, {"trajectory.json": terminus(("I look.", "orders"), ("I write.", ""))})
    dumped, error = (
        "Trajectory dumped to /logs/trajectory.json\n",
        "Unknown Error in LLM interaction: litellm.RateLimitError: x\n",
    )
    (tmp_path / "trial.log").write_text(dumped + error + dumped + dumped)
    assert [e.overcome for e in read(tmp_path).errors] == [True]
    (tmp_path / "trial.log").write_text(dumped + dumped + error + dumped)
    assert [e.overcome for e in read(tmp_path).errors] == [False]


def test_terminus_terminal_output_that_looks_like_a_log_line_is_output(tmp_path: Path) -> None:
    shown = "Unknown Error in LLM interaction: litellm.AuthenticationError: invalid x-api-key"
    assert read(put(tmp_path, {"trajectory.json": terminus(("I look.", shown))})).errors == ()


# ---- pi and OpenClaw


def test_pi_exits_quietly_and_its_last_message_tells() -> None:
    log = lab("pi-rate")
    assert (log.end, log.tool_calls) == (End.FAILED, 1)
    assert [(e.status, e.retried, e.overcome) for e in log.errors] == [(429, True, False)] * 3 + [(429, False, False)]
    assert (lab("pi-ok").end, lab("pi-len").stop_reason, lab("pi-drop").errors[-1].text) == (
        End.COMPLETED,
        "length",
        "terminated",
    )
    assert len(lab("pi-textcall").calls_as_text) == 1


def test_pi_an_overcome_error_and_an_echoed_one(tmp_path: Path) -> None:
    text = PI_HEAD + pi_message("user", TASK) + pi_message("assistant", "", "error", "529 overloaded")
    text += json.dumps({"type": "auto_retry_start", "attempt": 1}) + "\n" + pi_message("toolResult", '429 {"type":"error"}')
    log = read(put(tmp_path, {"pi.txt": text + pi_message("assistant", "429 Too Many Requests")}))
    assert [(e.status, e.retried, e.overcome) for e in log.errors] == [(529, True, True)]
    assert log.end is End.COMPLETED


def test_openclaw_closes_with_an_envelope(tmp_path: Path) -> None:
    session = json.dumps({"type": "message", "message": {"role": "assistant", "content": [], "stopReason": "toolUse"}}) + "\n"
    failed = {
        "payloads": [],
        "meta": {"agentMeta": {"provider": "anthropic"}, "error": {"kind": "context_overflow", "message": "too long"}},
    }
    files = {"openclaw.txt": "starting\n" + json.dumps(failed, indent=2) + "\n", "openclaw.session.jsonl": session}
    log = read(put(tmp_path, files))
    assert log.end_event is not None
    assert (log.agent, log.end, log.end_event.code, log.end_event.speaker) == (
        "openclaw",
        End.FAILED,
        "context_overflow",
        Speaker.AGENT_RESULT,
    )


# ---- OpenHands, and terminals of old Terminal-Bench runs

STATE = "11:25:52 - openhands:INFO: agent_controller.py:574 - [Agent Controller 1] Setting agent(CodeActAgent) state"
TRACE = """Traceback (most recent call last):
  File "/app/exception_mapping_utils.py", line 329, in exception_type
    raise AuthenticationError(
litellm.exceptions.RateLimitError: litellm.RateLimitError: RateLimitError: OpenAIException - <!DOCTYPE html>
"""


def test_openhands_state_changes_even_where_the_terminal_wrapped_them(tmp_path: Path) -> None:
    text = TRACE + f"\n{STATE}\nfrom AgentState.RUNNING to AgentState.RATE_LIMITED\n"
    log = read(put(tmp_path, {"openhands.txt": f"{STATE} from AgentState.LOADING to AgentState.RUNNING\n{text}"}))
    assert said(log.errors) == [
        ("traceback", None, "litellm.exceptions.RateLimitError", "main"),
        ("state", None, "RATE_LIMITED", "main"),
    ]
    assert (log.end, log.tool_calls) == (End.CUT, None)


def test_a_pane_is_read_in_the_grammar_of_the_program_that_was_started(tmp_path: Path) -> None:
    (tmp_path / "panes").mkdir()
    (tmp_path / "commands.txt").write_text("['clear', 'Enter']\n['mini -m anthropic/claude -t \\'x\\'', 'Enter']\n")
    box = "│ raise AuthenticationError( │\n╰────╯\nContextWindowExceededError: litellm.BadRequestError: prompt is \ntoo long: 5 tokens > 4 maximum\nroot@h:/app#\n"
    (tmp_path / "panes/post-agent.txt").write_text(box)
    (log,) = read_pane_logs(Folder(tmp_path), ".")
    assert (log.agent, log.end, said(log.errors)) == (
        "mini-swe-agent",
        End.FAILED,
        [("traceback", None, "ContextWindowExceededError", "main")],
    )
    assert log.errors[0].text.endswith("prompt is too long: 5 tokens > 4 maximum")


def test_a_pane_of_an_unknown_program_is_shown_and_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / "panes").mkdir()
    (tmp_path / "panes/post-agent.txt").write_text("API Error: 429 rate_limit_error\nlitellm.RateLimitError: x\n")
    (log,) = read_pane_logs(Folder(tmp_path), ".")
    assert (log.errors, log.tool_calls, {line.speaker for line in log.lines}) == ((), None, {Speaker.UNKNOWN})


# ---- saved episodes, trajectories, anything else


def test_saved_answers_of_a_provider(tmp_path: Path) -> None:
    answer = {"role": "assistant", "content": [{"type": "tool_use", "name": "bash", "input": {}}], "stop_reason": "tool_use"}
    last = {"role": "assistant", "content": [], "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 4}}
    files = {
        "episodes/episode-0/response.json": answer,
        "episodes/episode-0/tool-results.json": [{"type": "tool_result", "content": '{"type":"error"} 429'}],
        "episodes/episode-10/response.json": last,
    }
    log = read(put(tmp_path, files))
    assert (log.steps, log.tool_calls, log.tool_results, log.stop_reason, log.end) == (2, 1, 1, "end_turn", End.UNKNOWN)


def test_a_bare_trajectory_proves_work_and_nothing_else(tmp_path: Path) -> None:
    steps = [
        {"source": "user", "message": TASK},
        {"source": "agent", "message": "litellm.RateLimitError: 429"},
        {"source": "agent", "message": "side", "extra": {"is_sidechain": True, "agent_id": "a1"}},
    ]
    document = {"schema_version": "ATIF-v1.5", "agent": {"name": "my-agent"}, "steps": steps}
    log = read(put(tmp_path, {"trajectory.json": document}))
    assert (log.agent, log.steps, log.errors, log.end) == ("my-agent", 1, (), End.UNKNOWN)


def test_subagents_of_a_trajectory_in_both_shapes(tmp_path: Path) -> None:
    ref = {"source_call_id": None, "content": "done", "subagent_trajectory_ref": [{"trajectory_id": "sub-1"}]}
    steps = [
        {"source": "user", "message": TASK},
        {"source": "agent", "message": "I delegate.", "observation": {"results": [ref]}},
    ]
    child = {"trajectory_id": "sub-2", "steps": [{"source": "agent", "message": "x", "timestamp": "2026-03-01T10:00:00Z"}]}
    document = {"agent": {"name": "my-agent"}, "steps": steps, "subagent_trajectories": [child]}
    log = read(put(tmp_path, {"trajectory.json": document}))
    assert [(d.id, d.kind, d.collected) for d in log.delegations] == [("sub-1", "agent", True), ("sub-2", "agent", None)]


def test_plain_text_has_no_speaker(tmp_path: Path) -> None:
    text = "API Error: 429 Too Many Requests\nlitellm.AuthenticationError: invalid x-api-key\n"
    log = read(put(tmp_path, {"my-agent.txt": text}))
    assert (log.errors, log.end, log.steps, {line.speaker for line in log.lines}) == ((), End.UNKNOWN, None, {Speaker.UNKNOWN})


def test_an_empty_folder_holds_no_log(tmp_path: Path) -> None:
    put(tmp_path, {"exit-code.txt": "0", "trajectory.jsonl": ""})
    assert read_agent_logs(Folder(tmp_path), "agent", None) == ()


# ---- SWE-agent


def _traj(status: str, *entries: dict[str, str]) -> dict[str, object]:
    asked = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": TASK}]
    return {"trajectory": list(entries), "history": asked, "info": {"exit_status": status, "submission": ""}}


def test_swe_agent_hides_its_reason_in_the_last_thought(tmp_path: Path) -> None:
    worked = {"action": "ls", "observation": "429 Too Many Requests", "response": "I look.", "thought": "I look."}
    ended = {"action": "", "observation": "", "response": "", "thought": "Exit due to unknown error: litellm.RateLimitError: 429"}
    log = read(put(tmp_path, {"swe-agent.trajectory.json": _traj("exit_error", worked, ended)}))
    assert (log.agent, log.end, log.steps, log.tool_calls) == ("swe-agent", End.FAILED, 1, 1)
    assert said(log.errors) == [("exit_status", None, "exit_error", "main")]
    assert log.errors[0].spot.pointer == "/trajectory/1/thought"
    assert log.brief is not None
    assert log.brief.text == TASK


@pytest.mark.parametrize(
    ("status", "end", "errors"),
    [("submitted", End.COMPLETED, 0), ("exit_cost", End.FAILED, 0), ("submitted (exit_context)", End.FAILED, 1)],
)
def test_swe_agent_ends(status: str, end: End, errors: int, tmp_path: Path) -> None:
    said_ = {"action": "submit", "observation": "", "response": "Exit due to nothing: litellm.RateLimitError", "thought": "x"}
    log = read(put(tmp_path, {"task.traj": _traj(status, said_)}))
    assert (log.end, len(log.errors)) == (end, errors)


GEMINI_HEAD = "YOLO mode is enabled. All tool calls will be automatically approved.\n"
GEMINI_BROKEN = (
    "Error when talking to Gemini API Full report available at: /tmp/gemini-client-error-1.json TypeError: terminated\n"
)


@pytest.mark.parametrize(
    ("screen", "text"),
    [
        pytest.param(f"Now I{GEMINI_BROKEN}    at x (y.js:1:1)\n", "TypeError: terminated", id="behind the model's cut words"),
        pytest.param(
            "[ERROR] The model response was blocked due to safety settings.\n", "[ERROR] The model response", id="a block"
        ),
        pytest.param("Invalid auth method selected.\n", "Invalid auth method selected.", id="no credential"),
    ],
)
def test_gemini_other_errors_on_the_screen(screen: str, text: str, tmp_path: Path) -> None:
    session = (
        json.dumps({"sessionId": "s", "projectHash": "p"})
        + "\n"
        + json.dumps({"id": "1", "type": "user", "content": TASK})
        + "\n"
    )
    log = read(put(tmp_path, {"gemini-cli.txt": GEMINI_HEAD + screen, "gemini-cli.trajectory.jsonl": session}))
    assert (log.end, [e.text[: len(text)] for e in log.errors]) == (End.FAILED, [text])


def test_openhands_colours_its_log_and_ends_lines_as_windows_does(tmp_path: Path) -> None:
    begun = f"{STATE} from AgentState.LOADING to AgentState.RUNNING\r\n"
    limited = f"{STATE} from AgentState.RUNNING to AgentState.RATE_LIMITED\r\n"
    text = (begun + limited).replace("openhands:INFO:", "openhands:INFO\x1b[0m:").replace("11:25:52", "\x1b[92m11:25:52")
    log = read(put(tmp_path, {"openhands.txt": text}))
    assert (log.agent, [(e.code, e.overcome) for e in log.errors]) == ("openhands", [("RATE_LIMITED", False)])


OVERFLOW = opencode_event("error", error={"name": "ContextOverflowError", "data": {"message": "Bad Request: prompt too long"}})
ROOM_MADE = opencode_event(
    "text", part={"type": "text", "synthetic": True, "metadata": {"compaction_continue": True}, "text": "Continue."}
)


def test_opencode_makes_room_and_goes_on(tmp_path: Path) -> None:
    text = opencode_tool("ls", "a") + OVERFLOW + ROOM_MADE + opencode_tool("ls", "b")
    done = opencode_event("text", part={"type": "text", "text": "Done."}) + opencode_event("step_finish", part={"reason": "stop"})
    log = read(put(tmp_path / "a", {"opencode.txt": text + done}))
    assert (log.end, log.errors[0].overcome, log.last_message and log.last_message.text) == (End.COMPLETED, True, "Done.")
    assert read(put(tmp_path / "b", {"opencode.txt": text + OVERFLOW})).end is End.FAILED
    assert read(put(tmp_path / "c", {"opencode.txt": OVERFLOW + ROOM_MADE})).errors[0].overcome is False


def test_opencode_got_an_answer_with_nothing_in_it(tmp_path: Path) -> None:
    empty = opencode_event("step_finish", part={"reason": "unknown", "tokens": {"total": 0, "input": 0, "output": 0}})
    spoke = opencode_event("step_finish", part={"reason": "unknown", "tokens": {"total": 9, "input": 2, "output": 7}})
    log = read(put(tmp_path / "a", {"opencode.txt": opencode_tool("ls", "a") + empty * 3}))
    assert (log.end, [(e.speaker, e.code, e.overcome) for e in log.errors]) == (
        End.CUT,
        [(Speaker.PROVIDER, "empty_answer", False)] * 3,
    )
    assert read(put(tmp_path / "b", {"opencode.txt": opencode_tool("ls", "a") + spoke})).errors == ()
    assert read(put(tmp_path / "c", {"opencode.txt": empty + opencode_tool("ls", "a")})).errors[0].overcome


def test_opencode_logs_a_class_without_a_word(tmp_path: Path) -> None:
    line = 'timestamp=2027-01-01T00:00:00.000Z level=ERROR run=1 message="stream error" small=false agent=build mode=primary'
    files = {"opencode.txt": opencode_tool("ls", "x"), "opencode/log/opencode.log": f"{line} error.error=AI_APICallError\n"}
    log = read(put(tmp_path, files))
    assert [(e.text, e.code, e.overcome) for e in log.errors] == [("AI_APICallError", "AI_APICallError", False)]


def test_a_log_that_was_put_aside_is_not_the_trials(tmp_path: Path) -> None:
    old = opencode_event("error", error={"name": "APIError", "data": {"message": "Too Many Requests", "statusCode": 429}})
    new = opencode_tool("ls", "x") + opencode_event("step_finish", part={"reason": "stop"})
    for aside in ("opencode.previous.txt", "opencode.old.txt", "opencode-attempt-1.txt"):
        log = read(put(tmp_path / aside, {aside: old, "opencode.txt": new}))
        assert (log.end, log.errors, log.end_event and log.end_event.spot.path) == (End.COMPLETED, (), "agent/opencode.txt")
