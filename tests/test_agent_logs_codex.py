"""codex: terminal events against notices, typed codes of the rollout files, nested programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_log_trees import Codex, lab, put, read, said
from whyzero.model import End, Speaker
from whyzero.readers.agent_logs import nested

FAILED = '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}'


# ---- real logs of the laboratory


def test_reconnects_over_websockets_precede_a_solved_task() -> None:
    log = lab("codex-reconnects")
    assert (log.end, log.stop_reason, log.tool_calls, log.tool_results) == (End.COMPLETED, "end_turn", 2, 2)
    assert said(log.errors) == [("error", 404, None, "main")] * 4
    assert all(e.retried and e.overcome for e in log.errors)


def test_a_missing_model_metadata_item_is_a_notice() -> None:
    log = lab("codex-cut-by-deadline")
    assert (log.errors, log.end, log.tool_calls, log.tool_results) == ((), End.CUT, 3, 1)


def test_the_rollout_file_types_the_last_word() -> None:
    log = lab("codex-quota")
    assert log.end is End.FAILED
    assert said(log.errors) == [("error", None, None, "main"), ("turn.failed", None, "usage_limit_exceeded", "main")]
    assert [e.speaker for e in log.errors] == [Speaker.PROVIDER, Speaker.AGENT_RESULT]
    assert log.end_event is log.errors[-1]
    assert log.end_event.text == "Quota exceeded. Check your plan and billing details."
    assert log.brief is not None
    assert log.brief.text.startswith("Read /app/orders.csv")


def test_a_refused_key_is_tried_again_five_times() -> None:
    log = lab("codex-unauthorized")
    assert [(e.status, e.retried) for e in log.errors] == [(401, True)] * 5 + [(401, False)] * 2
    assert log.end_event is not None
    assert (log.end_event.status, log.end_event.code) == (401, "http_connection_failed")


@pytest.mark.parametrize(
    ("name", "code", "text"),
    [
        ("codex-context", "context_window_exceeded", "Codex ran out of room in the model's context window."),
        ("codex-tools-rejected", "other", '{"error": {"message": "tool type namespace not supported"'),
    ],
)
def test_a_failed_turn(name: str, code: str, text: str) -> None:
    end = lab(name).end_event
    assert end is not None
    assert (end.code, end.text[: len(text)]) == (code, text)


def test_echoed_protocol_lines_are_tool_output_and_model_text() -> None:
    log = lab("codex-echoed-errors")
    assert (log.errors, log.end, log.tool_results) == ((), End.COMPLETED, 3)
    assert log.last_message is not None
    assert (log.last_message.speaker, log.last_message.text) == (Speaker.MODEL, FAILED)


# ---- nested programs


def test_a_nested_codex_is_a_subagent_with_its_own_endpoint_and_credential() -> None:
    log = lab("codex-nested-unauthorized", endpoint="127.0.0.1:4000")
    assert (log.end, log.endpoint) == (End.COMPLETED, "127.0.0.1:4000")
    (handed,) = log.delegations
    assert (handed.kind, handed.collected, handed.status) == ("agent", True, "failed")
    assert (handed.endpoint, handed.credential) == ("127.0.0.1:4443", "OPENAI_API_KEY (empty)")
    assert handed.error is not None
    assert (handed.error.speaker, handed.error.status, handed.error.actor) == (Speaker.PROVIDER, 401, handed.id)
    assert [e.actor for e in log.errors] == [handed.id]


@pytest.mark.parametrize(
    ("command", "launch"),
    [
        ("codex exec --json 'do it'", ("codex", None, None)),
        ("cd /app && env -u CLAUDECODE ANTHROPIC_API_KEY= claude -p 'x'", ("claude", "ANTHROPIC_API_KEY (empty)", None)),
        ("ANTHROPIC_BASE_URL=http://h:8/v1 ANTHROPIC_AUTH_TOKEN=abc claude --print x", ("claude", "ANTHROPIC_AUTH_TOKEN", "h:8")),
        ("unset OPENAI_API_KEY; timeout 60 codex exec x", ("codex", "OPENAI_API_KEY (unset)", None)),
        ("opencode run 'x'", ("opencode", None, None)),
        ("echo 'codex exec --json' >> notes.md", None),
        ("grep -rn 'claude -p' docs", None),
        ("claude --version", None),
        ("which codex && codex --help", None),
        ("cat /opt/codex exec.txt", None),
    ],
)
def test_which_commands_start_a_program_of_its_own(command: str, launch: tuple[str, str | None, str | None] | None) -> None:
    found = nested.launched(command)
    assert (found and (found.program, found.credential, found.endpoint)) == launch


def test_a_value_of_a_credential_is_never_kept(tmp_path: Path) -> None:
    log = Codex().runs("OPENAI_API_KEY=sk-live-0123456789 codex exec 'x'", "").says("x").completed().read(tmp_path)
    assert [d.credential for d in log.delegations] == ["OPENAI_API_KEY"]


def test_an_error_line_in_the_output_of_another_command_is_no_subagents(tmp_path: Path) -> None:
    log = Codex().runs("cat codex.log", FAILED).says("x").completed().read(tmp_path)
    assert (log.delegations, log.errors) == ((), ())


def test_a_nested_program_that_worked(tmp_path: Path) -> None:
    done = '{"type":"turn.started"}\n{"type":"error","message":"Reconnecting... 1/5"}\n{"type":"turn.completed","usage":{}}'
    (handed,) = Codex().runs("codex exec --json 'x'", done).says("x").completed().read(tmp_path).delegations
    assert (handed.status, handed.error) == ("completed", None)


# ---- what never counts as the provider's speech


@pytest.mark.parametrize(
    "decoy",
    [
        pytest.param(Codex().runs("cat log", FAILED + "\n" + '{"type":"error","message":"429"}'), id="tool output"),
        pytest.param(Codex().says(FAILED), id="model text"),
        pytest.param(Codex().raw("2026-03-01T10:00:00Z ERROR codex_core: tool said " + FAILED), id="a debug line"),
        pytest.param(
            Codex().add(type="item.completed", item={"id": "i", "type": "error", "message": "429 limit"}), id="a notice"
        ),
    ],
)
def test_no_error_is_read_from(decoy: Codex, tmp_path: Path) -> None:
    log = decoy.says("Done.").completed().read(tmp_path)
    assert (log.errors, log.end) == ((), End.COMPLETED)


# ---- ends, older events, sub-agent threads


def test_a_turn_that_began_again_and_never_closed_is_cut(tmp_path: Path) -> None:
    log = Codex().says("one").completed().add(type="turn.started").runs("ls", "x").read(tmp_path)
    assert log.end is End.CUT


def test_an_error_before_another_turn_of_the_model_is_overcome(tmp_path: Path) -> None:
    log = Codex().error("Reconnecting... 1/5 (unexpected status 503 Service Unavailable: x)").runs("ls", "x").read(tmp_path)
    assert [(e.status, e.overcome) for e in log.errors] == [(503, True)]


def test_a_call_that_came_back_as_unsupported_is_malformed_by_the_programs_word(tmp_path: Path) -> None:
    log = Codex().runs("mcp", "unsupported call: shell.exec").says("x").completed().read(tmp_path)
    assert [m.text for m in log.malformed] == ["unsupported call: shell.exec"]


def test_the_older_events(tmp_path: Path) -> None:
    events = [
        {"type": "task_started"},
        {"type": "exec_command_begin", "call_id": "c1", "command": ["bash", "-lc", "ls"]},
        {"type": "exec_command_end", "call_id": "c1", "stdout": '{"id":"9","msg":{"type":"error","message":"429"}}'},
        {"type": "stream_error", "message": "stream error: unexpected status 429 Too Many Requests; retrying 1/5"},
        {"type": "agent_message", "message": "Done."},
        {"type": "task_complete", "last_agent_message": "Done."},
    ]
    text = "".join(json.dumps({"id": str(n), "msg": msg}) + "\n" for n, msg in enumerate(events))
    log = read(put(tmp_path, {"codex.txt": text}))
    assert (log.end, log.tool_calls, log.tool_results) == (End.COMPLETED, 1, 1)
    assert said(log.errors) == [("stream_error", 429, None, "main")]
    assert log.errors[0].overcome


def _rollout(source: object, *payloads: dict[str, object]) -> str:
    meta = {"id": "t2", "source": source, "cli_version": "0.171.0"}
    lines = [{"type": "session_meta", "timestamp": "2026-03-01T10:00:00Z", "payload": meta}]
    lines += [{"type": "event_msg", "timestamp": "2026-03-01T10:00:02Z", "payload": p} for p in payloads]
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_a_spawned_thread_is_a_subagent(tmp_path: Path) -> None:
    refused = {"message": "unexpected status 401", "codex_error_info": {"http_connection_failed": {"http_status_code": 401}}}
    child = _rollout(
        {"subagent": {"thread_spawn": {"parent_thread_id": "t1", "depth": 1}}}, {"type": "task_complete", "error": refused}
    )
    stream = Codex().says("I delegate.").completed().text()
    log = read(put(tmp_path, {"codex.txt": stream, "sessions/2026/03/01/rollout-b.jsonl": child}))
    (handed,) = log.delegations
    assert (handed.id, handed.kind, handed.status, handed.collected) == ("t2", "agent", "failed", None)
    assert handed.error is not None
    assert (handed.error.status, handed.error.code) == (401, "http_connection_failed")
    assert log.end is End.COMPLETED


def test_a_rollout_file_serves_where_the_stream_was_not_kept(tmp_path: Path) -> None:
    log = read(put(tmp_path, {"sessions/2026/03/01/rollout-a.jsonl": _rollout("exec", {"type": "task_complete", "error": None})}))
    assert (log.agent, log.end) == ("codex", End.COMPLETED)
