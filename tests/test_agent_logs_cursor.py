"""cursor-cli's stream: claude-code's frame with calls of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_log_trees import put, read
from harbor_trees import ABSENT, RIGHT, WRONG, graded, result, verdict, write
from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import Kind
from whyzero.model import AgentLog, End

START = {"type": "system", "subtype": "init", "apiKeySource": "env", "cwd": "/app", "model": "GPT-5", "permissionMode": "default"}


def call(number: int, command: str, output: str | None) -> list[dict[str, Any]]:
    """A call, and its result unless it never came back."""
    begun = {"shellToolCall": {"args": {"command": command}}}
    done = {"shellToolCall": {"args": {"command": command}, "result": {"success": {"stdout": output}}}}
    events = [{"type": "tool_call", "subtype": "started", "call_id": f"c{number}", "tool_call": begun}]
    if output is not None:
        events.append({"type": "tool_call", "subtype": "completed", "call_id": f"c{number}", "tool_call": done})
    return events


def says(text: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


def ends(text: str, error: bool = False) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "is_error": error, "result": text}


def stream(*events: dict[str, Any], after: str = "") -> str:
    return "".join(json.dumps(e | {"session_id": "c1"}) + "\n" for e in (START, *events)) + after


def log(root: Path, text: str) -> AgentLog:
    return read(put(root, {"cursor-cli.txt": text}))


def test_calls_turns_and_the_end(tmp_path: Path) -> None:
    found = log(tmp_path, stream(says("I look."), *call(1, "ls", "orders.csv"), says("Done."), ends("Done.")))
    assert (found.agent, found.steps, found.tool_calls, found.tool_results, found.end) == ("cursor-cli", 2, 1, 1, End.COMPLETED)
    cut = log(tmp_path / "cut", stream(*call(1, "make all", None)))
    assert (cut.end, cut.last_event and cut.last_event.text) == (End.CUT, "make all")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("ConnectError: [resource_exhausted] Error", Kind.RATE),
        ("\x1b[31mConnectError: [unauthenticated] Error\x1b[0m", Kind.AUTH),
        ("[unavailable] read ECONNRESET", Kind.SERVER),
    ],
)
def test_a_status_word_on_stderr_where_the_stream_stops(tmp_path: Path, line: str, kind: Kind) -> None:
    found = log(tmp_path, stream(*call(1, "ls", "orders.csv"), after=f"{line}\n"))
    assert (found.end, kind_of(found.errors[0])) == (End.FAILED, kind)


def test_words_in_brackets_in_an_output_or_before_the_next_turn_are_no_end(tmp_path: Path) -> None:
    shown = log(tmp_path / "a", stream(*call(1, "cat log", "ConnectError: [resource_exhausted] Error"), ends("Done.")))
    retried = log(
        tmp_path / "b", stream(*call(1, "ls", "x"), after="[unavailable] try again\n" + json.dumps(says("Done.")) + "\n")
    )
    assert (shown.errors, [e.overcome for e in retried.errors]) == ((), [True])


@pytest.mark.lookalike("early_stop")
@pytest.mark.parametrize(("tests", "cause"), [((RIGHT, WRONG), "wrong_answer"), ((ABSENT,), "early_stop")])
def test_an_agent_that_called_tools_in_this_way_did_not_sit_idle(tmp_path: Path, tests: Any, cause: str) -> None:
    record = result(agent_info={"name": "cursor-cli", "version": "1", "model_info": {"name": "gpt-5"}})
    graded(tmp_path, *tests, record=record)
    (tmp_path / "agent/trajectory.json").unlink()
    text = stream(says("I look."), *call(1, "ls", "orders.csv"), *call(2, "python3 a.py", ""), says("Done."), ends("Done."))
    assert verdict(write(tmp_path, {"agent/cursor-cli.txt": text})).finding.cause == cause  # type: ignore[union-attr]
