"""Agent folders: logs of our laboratory under `data/agent_logs`, and logs written here event by event in a program's own grammar."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from whyzero.model import AgentLog, Utterance
from whyzero.readers.agent_logs import read_agent_logs
from whyzero.readers.files import Folder

DATA = Path(__file__).parent / "data" / "agent_logs"
TASK = "Read /app/orders.csv and write /app/report.json."


def lab(name: str, **known: Any) -> AgentLog:
    """A log of the laboratory."""
    return read(DATA / name, **known)


def read(root: Path, **known: Any) -> AgentLog:
    """The main agent's log below `root/agent`."""
    logs = read_agent_logs(Folder(root), "agent", None, **known)
    assert len(logs) == 1
    return logs[0]


def said(utterances: tuple[Utterance, ...]) -> list[tuple[str, int | None, str | None, str]]:
    """Kind, status, code and actor of each."""
    return [(u.kind, u.status, u.code, u.actor) for u in utterances]


class Claude:
    """A claude-code stream."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.turn = 0
        self.add(type="system", subtype="init", model="claude-sonnet-4-5", apiKeySource="ANTHROPIC_API_KEY", session_id="s1")

    def add(self, **event: Any) -> Claude:
        self.lines.append(json.dumps(event))
        return self

    def raw(self, text: str) -> Claude:
        self.lines.append(text)
        return self

    def _assistant(self, block: dict[str, Any], parent: str | None) -> Claude:
        self.turn += 1
        message = {"id": f"msg_{self.turn}", "role": "assistant", "model": "claude-sonnet-4-5", "content": [block]}
        return self.add(type="assistant", message={**message, "stop_reason": None}, parent_tool_use_id=parent, session_id="s1")

    def says(self, text: str, parent: str | None = None) -> Claude:
        return self._assistant({"type": "text", "text": text}, parent)

    def calls(self, name: str, call: str, parent: str | None = None, **given: Any) -> Claude:
        return self._assistant({"type": "tool_use", "id": call, "name": name, "input": given}, parent)

    def gets(self, call: str, text: str, parent: str | None = None, error: bool = False, **extra: Any) -> Claude:
        block = {"tool_use_id": call, "type": "tool_result", "content": text, "is_error": error}
        event = {"message": {"role": "user", "content": [block]}, "parent_tool_use_id": parent, "session_id": "s1"}
        return self.add(type="user", **event, **({"tool_use_result": extra} if extra else {}))

    def runs(self, command: str, output: str, call: str = "toolu_1") -> Claude:
        return self.calls("Bash", call, command=command).gets(call, output)

    def retry(self, status: int | None, code: str, attempt: int = 1) -> Claude:
        event = {"attempt": attempt, "max_retries": 10, "retry_delay_ms": 500.5, "error_status": status, "error": code}
        return self.add(type="system", subtype="api_retry", **event, session_id="s1")

    def api_error(self, text: str, code: str, stop: str = "stop_sequence") -> Claude:
        message = {"id": "synthetic", "model": "<synthetic>", "role": "assistant", "stop_reason": stop}
        content = [{"type": "text", "text": text}]
        return self.add(type="assistant", message={**message, "content": content}, parent_tool_use_id=None, error=code)

    def result(
        self, text: str, error: bool = False, status: int | None = None, stop: str = "end_turn", subtype: str = "success"
    ) -> Claude:
        head = {"type": "result", "subtype": subtype, "is_error": error, "api_error_status": status, "num_turns": self.turn}
        return self.add(**head, result=text, stop_reason=stop, terminal_reason="completed", session_id="s1")

    def text(self, newline: str = "\n") -> str:
        return newline.join(self.lines) + newline

    def read(self, root: Path) -> AgentLog:
        return read(put(root, {"claude-code.txt": self.text()}))


class Codex:
    """A `codex exec --json` stream."""

    def __init__(self) -> None:
        self.lines = ["Reading additional input from stdin..."]
        self.item = 0
        self.add(type="thread.started", thread_id="t1").add(type="turn.started")

    def add(self, **event: Any) -> Codex:
        self.lines.append(json.dumps(event))
        return self

    def raw(self, text: str) -> Codex:
        self.lines.append(text)
        return self

    def _item(self, **item: Any) -> dict[str, Any]:
        self.item += 1
        return {"id": f"item_{self.item}", **item}

    def says(self, text: str) -> Codex:
        return self.add(type="item.completed", item=self._item(type="agent_message", text=text))

    def runs(self, command: str, output: str) -> Codex:
        item = self._item(type="command_execution", command=command, aggregated_output="", exit_code=None, status="in_progress")
        self.add(type="item.started", item=item)
        done = {**item, "aggregated_output": output, "exit_code": 0, "status": "completed"}
        return self.add(type="item.completed", item=done)

    def error(self, message: str) -> Codex:
        return self.add(type="error", message=message)

    def failed(self, message: str) -> Codex:
        return self.error(message).add(type="turn.failed", error={"message": message})

    def completed(self) -> Codex:
        return self.add(type="turn.completed", usage={"input_tokens": 10, "output_tokens": 5})

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def read(self, root: Path) -> AgentLog:
        return read(put(root, {"codex.txt": self.text()}))


def put(root: Path, files: dict[str, Any]) -> Path:
    """Files of an agent folder below `root`; anything but text is written as JSON."""
    for name, content in files.items():
        path = root / "agent" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return root


# ---- one message of a model or a tool, and one error, in the grammar of each program


def pi_message(role: str, text: str, stop: str = "stop", error: str | None = None) -> str:
    message: dict[str, Any] = {
        "role": role,
        "content": [{"type": "text", "text": text}] if text else [],
        "timestamp": 1796060987449,
    }
    if role == "assistant":
        message |= {"stopReason": stop, "usage": {"input": 10, "output": 5}} | ({"errorMessage": error} if error else {})
    return json.dumps({"type": "message_end", "message": message}) + "\n"


PI_HEAD = json.dumps({"type": "session", "version": 3, "id": "s1"}) + "\n" + json.dumps({"type": "agent_start"}) + "\n"


def opencode_event(kind: str, **event: Any) -> str:
    return json.dumps({"type": kind, "timestamp": 1796055121218, "sessionID": "ses_1", **event}) + "\n"


def opencode_tool(command: str, output: str) -> str:
    state = {"status": "completed", "input": {"command": command}, "output": output}
    return opencode_event("tool_use", part={"type": "tool", "tool": "bash", "callID": "c1", "state": state})


def mini(messages: list[dict[str, Any]], exit_status: str = "Submitted", said: str | None = None) -> dict[str, Any]:
    """A mini-swe-agent trajectory."""
    last = {"role": "exit", "content": said if said is not None else exit_status, "extra": {"exit_status": exit_status}}
    start = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": TASK}]
    return {
        "info": {"exit_status": exit_status, "mini_version": "2.4.6"},
        "messages": [*start, *messages, *([last] if exit_status else [])],
        "trajectory_format": "mini-swe-agent-1.1",
    }


def terminus(*steps: tuple[str, str], complete: bool = True) -> dict[str, Any]:
    """A terminus-2 trajectory of (what the model said, what the terminal showed)."""
    made: list[dict[str, Any]] = [
        {"step_id": 1, "source": "user", "message": f"Task Description:\n{TASK}\n\nCurrent terminal state:\n$"}
    ]
    for said_, shown in steps:
        call = {"tool_call_id": f"c{len(made)}", "function_name": "bash_command", "arguments": {"keystrokes": "ls\n"}}
        results = [{"source_call_id": call["tool_call_id"], "content": shown}]
        made.append({"source": "agent", "message": said_, "tool_calls": [call], "observation": {"results": results}})
    for _ in range(2 if complete else 0):
        mark = {"tool_call_id": "done", "function_name": "mark_task_complete", "arguments": {}}
        made.append({"source": "agent", "message": "The report is written.", "tool_calls": [mark]})
    return {"schema_version": "ATIF-v1.8", "agent": {"name": "terminus-2", "version": "2.0.0"}, "steps": made}
