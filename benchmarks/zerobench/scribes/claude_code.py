"""claude-code 2.1: `claude-code.txt` (stream-json) and the transcripts of sub-agents."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from benchmarks.zerobench.scribes.written import Json, Written, body, lines
from benchmarks.zerobench.story import BadCall, CallAsText, Cap, Declined, HandedOff, Ran, Refusal, Said, Story

WORDS = {
    "rate_limited": "rate_limit",
    "agent_auth": "authentication_failed",
    "quota_exhausted": "billing_error",
    "provider_error": "server_error",
    "model_not_found": "model_not_found",
}
CAPPED = (
    "API Error: Claude's response exceeded the 32000 output token maximum. "
    "To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable."
)
DECLINED = (
    "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy "
    "(https://www.anthropic.com/legal/aup). Try rephrasing the request in a new session or change your model."
)


def said_of(refusal: Refusal) -> str:
    """How the program words a refusal."""
    text, message = f"API Error: {refusal.status} {body(refusal)}", refusal.message
    if refusal.status is None:
        return "API Error: Unable to connect to API (ECONNRESET)"
    if refusal.status == 429:
        return f"API Error: Request rejected (429) · {message}"
    if refusal.status == 529:
        return "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment."
    if "credit balance" in message:
        return "Credit balance is too low"
    if refusal.kind == "agent_auth" and "x-api-key" in message:
        return "Invalid API key · Fix external API key"
    if refusal.kind == "agent_auth":
        return f"Failed to authenticate. API Error: {refusal.status} {message}"
    if refusal.kind == "model_not_found":
        return (
            "There's an issue with the selected model (claude-sonnet-9). It may not exist or you may not have access to it. "
            "Run --model to pick a different model."
        )
    if "prompt is too long" in message:
        return "Prompt is too long"
    if "tool_use" in message:
        return "API Error: 400 due to tool use concurrency issues."
    return text


class _Stream:
    def __init__(self, story: Story, start: datetime) -> None:
        self.story = story
        self.at = start
        self.turns = 0
        self.last = ""
        self.after: list[Json] = []
        self.files: dict[str, str] = {}
        init = {
            "type": "system",
            "subtype": "init",
            "cwd": "/app",
            "session_id": "s1",
            "tools": ["Task", "Bash", "Read", "Write"],
        }
        self.events: list[Json] = [
            init
            | {
                "mcp_servers": [],
                "model": "claude-sonnet-4-5",
                "apiKeySource": "ANTHROPIC_API_KEY",
                "claude_code_version": "2.1.197",
            }
        ]

    def assistant(self, content: list[Json], **more: Any) -> None:
        self.turns += 1
        usage = {"input_tokens": 1200, "output_tokens": 1, "cache_read_input_tokens": 0}
        message = {
            "id": f"msg_{self.turns}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": content,
        }
        message |= {"stop_reason": None, "usage": usage} | more
        self.event("assistant", message=message, parent_tool_use_id=None, uuid=f"u{self.turns}")

    def event(self, kind: str, **fields: Any) -> None:
        self.events.append({"type": kind, **fields, "session_id": "s1"})

    def result(self, call: str, content: object, **more: Any) -> None:
        self.at += timedelta(seconds=2)
        block = {"tool_use_id": call, "type": "tool_result", "content": content} | (
            {"is_error": False} if isinstance(content, str) else {}
        )
        stamp = self.at.isoformat().replace("+00:00", "Z")
        self.event("user", message={"role": "user", "content": [block]}, parent_tool_use_id=None, timestamp=stamp, **more)

    def synthetic(self, text: str, word: str, stop: str = "stop_sequence") -> None:
        self.last = text
        self.assistant([{"type": "text", "text": text}], model="<synthetic>", stop_reason=stop)
        self.events[-1] |= {"error": word, "isApiErrorMessage": True}

    def delegate(self, event: HandedOff) -> None:
        call, task = f"toolu_{len(self.events)}", f"a{len(self.events):03d}f4c"
        if event.shell:
            self.shell(event, call, task)
            return
        given = {"description": event.prompt[:30], "prompt": event.prompt, "subagent_type": "general-purpose"}
        background = {"run_in_background": True} if event.background else {}
        self.assistant([{"type": "tool_use", "id": call, "name": "Agent", "input": given | background}])
        common = {"task_id": task, "tool_use_id": call}
        self.event(
            "system",
            subtype="task_started",
            **common,
            description=given["description"],
            task_type="local_agent",
            prompt=event.prompt,
        )
        tokens = 0 if event.refused else 5210
        usage = {"total_tokens": tokens, "tool_uses": 0, "duration_ms": 212 if event.refused else 41000}
        answer = event.refused or event.answer
        if event.refused:
            self.transcript(event, task, call)
        if event.background:
            text = f"Async agent launched successfully.\nagentId: {task} (internal ID)\nThe agent is working in the background."
            self.result(call, [{"type": "text", "text": text}], tool_use_result={"status": "async_launched", "agentId": task})
            if answer is not None and event.notified:
                self.event("system", subtype="task_notification", **common, status="completed", summary="done", usage=usage)
                note = f"<task-notification>\n<task-id>{task}</task-id>\n<status>completed</status>\n<result>{answer}</result>\n</task-notification>"
                self.event("user", message={"role": "user", "content": note}, parent_tool_use_id=None)
            elif answer is None:
                self.after.append(
                    {
                        "type": "system",
                        "subtype": "task_notification",
                        **common,
                        "status": "stopped",
                        "summary": given["description"],
                    }
                )
        elif answer is not None:
            self.event("system", subtype="task_notification", **common, status="completed", summary="done", usage=usage)
            tail = f"agentId: {task}\n<usage>subagent_tokens: {tokens}\ntool_uses: 0\nduration_ms: {usage['duration_ms']}</usage>"
            more = {"status": "completed", "agentId": task, "totalTokens": tokens, "totalDurationMs": usage["duration_ms"]}
            self.result(call, [{"type": "text", "text": answer}, {"type": "text", "text": tail}], tool_use_result=more)

    def shell(self, event: HandedOff, call: str, task: str) -> None:
        given = {"command": event.prompt, "description": "Long job", "run_in_background": True}
        self.assistant([{"type": "tool_use", "id": call, "name": "Bash", "input": given}])
        common = {"task_id": task, "tool_use_id": call}
        self.event("system", subtype="task_started", **common, description="Long job", task_type="local_bash")
        self.result(call, f"Command running in background with ID: {task}. You will be notified when it completes.")
        if event.answer is None:
            self.after.append({"type": "system", "subtype": "task_updated", "task_id": task, "patch": {"status": "killed"}})
            self.after.append(
                {"type": "system", "subtype": "task_notification", **common, "status": "stopped", "summary": "Long job"}
            )
        else:
            self.event("system", subtype="task_notification", **common, status="completed", summary="Long job")

    def transcript(self, event: HandedOff, task: str, call: str) -> None:
        stamp = (self.at + timedelta(milliseconds=300)).isoformat().replace("+00:00", "Z")
        common = {"isSidechain": True, "agentId": task, "sessionId": "s1", "cwd": "/app", "version": "2.1.197"}
        asked = {
            "parentUuid": None,
            **common,
            "type": "user",
            "message": {"role": "user", "content": event.prompt},
            "timestamp": stamp,
        }
        content = [{"type": "text", "text": event.refused}]
        message = {
            "id": "m1",
            "model": "<synthetic>",
            "role": "assistant",
            "stop_reason": "stop_sequence",
            "type": "message",
            "content": content,
        }
        told = {"parentUuid": "x", **common, "type": "assistant", "message": message, "timestamp": stamp}
        told |= {"error": "authentication_failed", "isApiErrorMessage": True, "apiErrorStatus": 401}
        path = f"sessions/projects/-app/s1/subagents/agent-{task}"
        meta = {"agentType": "general-purpose", "description": event.prompt[:30], "toolUseId": call, "spawnDepth": 1}
        self.files |= {f"{path}.jsonl": lines([asked, told]), f"{path}.meta.json": json.dumps(meta)}

    def refused(self, event: Refusal, last: bool) -> None:
        word = "overloaded" if event.status == 529 else WORDS.get(event.kind, "invalid_request")
        if event.retried or (last and event.kind in ("rate_limited", "provider_error")):
            retry = {"attempt": 1, "max_retries": 10, "retry_delay_ms": 540, "error_status": event.status, "error": word}
            self.event("system", subtype="api_retry", **retry)
        if not event.retried:
            self.synthetic(said_of(event), word)

    def write(self) -> None:
        for event in self.story.events:
            match event:
                case Said(text) | CallAsText(text) | BadCall(text, _):
                    self.last = text
                    self.assistant([{"type": "text", "text": text}])
                case Ran(command, output):
                    call = f"toolu_{len(self.events)}"
                    self.assistant([{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}])
                    if not self.story.open_at_end(event):
                        self.result(call, output or "(no output)")
                case HandedOff():
                    self.delegate(event)
                case Refusal():
                    self.refused(event, event is self.story.events[-1])
                case Cap():
                    self.synthetic(CAPPED, "max_output_tokens")
                case Declined():
                    self.synthetic(DECLINED, "unknown", "refusal")

    def close(self) -> Json | None:
        """The result event, where the program came to its end."""
        if self.story.cut:
            return None
        refusal = self.story.last_refusal if self.story.ends == "refused" else None
        ended = self.story.events[-1] if self.story.events else None
        bad = self.story.ends == "refused" or isinstance(ended, (Cap, Declined))
        stop = "refusal" if isinstance(ended, Declined) else "stop_sequence" if bad else "end_turn"
        result = {
            "type": "result", "subtype": "success", "is_error": bad, "api_error_status": refusal.status if refusal else None,
            "duration_ms": 9000, "num_turns": self.turns, "result": self.last, "stop_reason": stop, "session_id": "s1",
            "usage": {"input_tokens": 900, "output_tokens": 90}, "permission_denials": [],
            "terminal_reason": "prompt_too_long" if self.last == "Prompt is too long" else "completed",
        }  # fmt: skip
        self.events += [result, *self.after]
        return result


def claude_code(story: Story, start: datetime) -> Written:
    """What `claude -p --output-format stream-json` leaves."""
    stream = _Stream(story, start)
    stream.write()
    result = stream.close()
    text = lines(stream.events)
    failed = bool(result and result["is_error"])
    return Written(
        {"claude-code.txt": text, **stream.files}, exit_code=int(failed), stdout=json.dumps(result) if result else text
    )
