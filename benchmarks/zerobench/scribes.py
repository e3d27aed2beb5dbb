"""The same story in the logs of six agent programs. Shapes follow what the programs wrote in real runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from benchmarks.zerobench.story import Cap, Declined, HandedOff, Ran, Refusal, Said, Story

Json = dict[str, Any]


@dataclass
class Written:
    """What an agent program leaves: files below agent/, lines in trial.log, and how its process ended."""

    files: dict[str, str] = field(default_factory=dict)
    trial_log: list[str] = field(default_factory=list)
    exit_code: int = 0
    stdout_tail: str = ""
    raised: tuple[str, str] | None = None
    """Class and message of an exception raised inside the harness's own process (host-side agents)."""


def lines(events: list[Json]) -> str:
    return "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in events)


def body(refusal: Refusal) -> str:
    return json.dumps({"type": "error", "error": {"type": refusal.code, "message": refusal.message}})


# ---- claude-code


def claude_code(story: Story, start: datetime) -> Written:
    events: list[Json] = [{"type": "system", "subtype": "init", "cwd": "/app", "session_id": "s1", "tools": ["Task", "Bash"], "model": "claude-sonnet-4-5"}]
    n = 0

    def assistant(content: list[Json], **more: Any) -> None:
        nonlocal n
        n += 1
        message = {"id": f"msg_{n}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": content, "stop_reason": None}
        events.append({"type": "assistant", "message": message | more, "parent_tool_use_id": None, "session_id": "s1", "uuid": f"u{n}"})

    def result(call: str, text: str, **more: Any) -> None:
        block = {"tool_use_id": call, "type": "tool_result", "content": text, "is_error": False}
        events.append({"type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": None, "session_id": "s1", **more})

    last = ""
    out = Written()
    for event in story.events:
        match event:
            case Said(text):
                last = text
                assistant([{"type": "text", "text": text}])
            case Ran(command, output):
                call = f"toolu_{len(events)}"
                assistant([{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}])
                if not (story.ends in ("timeout", "killed") and event is story.events[-1]):
                    result(call, output or "(no output)")
            case HandedOff(prompt, answer, background, refused):
                call = f"toolu_{len(events)}"
                given = {"description": prompt[:30], "prompt": prompt, "subagent_type": "general-purpose"}
                assistant([{"type": "tool_use", "id": call, "name": "Agent", "input": given | ({"run_in_background": True} if background else {})}])
                if background:
                    result(call, f"Async agent launched successfully.\nagentId: a{len(events)}", toolUseResult={"status": "async_launched", "agentId": f"a{len(events)}"})
                elif refused is not None:
                    result(call, refused, toolUseResult={"status": "completed", "totalTokens": 0, "totalDurationMs": 212})
                elif answer is not None:
                    result(call, answer, toolUseResult={"status": "completed", "totalTokens": 5210, "totalDurationMs": 41000})
            case Refusal(kind, status, code, message, retried):
                if retried:
                    word = {"rate_limited": "rate_limit", "provider_error": "overloaded"}.get(kind, "unknown")
                    events.append({"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "retry_delay_ms": 540, "error_status": status, "error": word})
                else:
                    last = f"API Error: {status} {body(event)}"
                    assistant([{"type": "text", "text": last}], model="<synthetic>", stop_reason="stop_sequence")
                    events[-1]["error"] = {"rate_limited": "rate_limit", "agent_auth": "authentication_failed", "quota_exhausted": "billing_error", "provider_error": "server_error", "model_not_found": "model_not_found"}.get(kind, "invalid_request")
                    events[-1]["isApiErrorMessage"] = True
            case Cap():
                last = "API Error: Claude's response exceeded the 32000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable."
                assistant([{"type": "text", "text": last}], model="<synthetic>", stop_reason="stop_sequence")
                events[-1]["error"] = "max_output_tokens"
            case Declined():
                last = "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy."
                assistant([{"type": "text", "text": last}], model="<synthetic>", stop_reason="refusal")
    if story.ends in ("normally", "refused"):
        refused = next((e for e in reversed(story.events) if isinstance(e, Refusal) and not e.retried), None) if story.ends == "refused" else None
        bad = story.ends == "refused"
        stop = "refusal" if any(isinstance(e, Declined) for e in story.events) else "stop_sequence" if bad else "end_turn"
        events.append(
            {
                "type": "result", "subtype": "success", "is_error": bad, "api_error_status": refused.status if refused else None,
                "num_turns": n, "result": last, "stop_reason": stop, "session_id": "s1", "terminal_reason": "completed",
                "duration_ms": 9000, "usage": {"input_tokens": 900, "output_tokens": 90},
            }
        )  # fmt: skip
        out.exit_code, out.stdout_tail = (1, json.dumps(events[-1])) if bad else (0, "")
    out.files["claude-code.txt"] = lines(events)
    return out


# ---- codex


def codex(story: Story, start: datetime) -> Written:
    events: list[Json] = [
        {"type": "thread.started", "thread_id": "01a2"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "Model metadata for `gpt-5-codex` not found. Defaulting to fallback metadata."}},
        {"type": "turn.started"},
    ]
    out = Written()
    failed: str | None = None
    for number, event in enumerate(story.events, 1):
        match event:
            case Said(text):
                events.append({"type": "item.completed", "item": {"id": f"item_{number}", "type": "agent_message", "text": text}})
            case Ran(command, output):
                item = {"id": f"item_{number}", "type": "command_execution", "command": f"/bin/bash -lc '{command}'", "aggregated_output": "", "exit_code": None, "status": "in_progress"}
                events.append({"type": "item.started", "item": item})
                if not (story.ends in ("timeout", "killed") and event is story.events[-1]):
                    events.append({"type": "item.completed", "item": item | {"aggregated_output": output, "exit_code": 0, "status": "completed"}})
            case Refusal(kind, status, code, message, retried):
                if retried:
                    events.append({"type": "error", "message": f"Reconnecting... 2/5 (unexpected status {status}: {message})"})
                    continue
                failed = {
                    "rate_limited": f"exceeded retry limit, last status: {status} Too Many Requests",
                    "quota_exhausted": "Quota exceeded. Check your plan and billing details." if code == "insufficient_quota" else f"unexpected status {status}: {body(event)}",
                    "provider_error": f"unexpected status {status} Server Error: {message}, url: http://127.0.0.1:4000/v1/responses",
                    "agent_auth": f"unexpected status {status} Unauthorized: {message}, url: http://127.0.0.1:4000/v1/responses",
                    "model_not_found": message if code == "model_not_found" else json.dumps({"error": {"message": message, "code": "model_not_found"}}),
                    "context_length": "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
                }.get(kind, json.dumps({"error": {"message": message, "type": code}}))
            case Cap():
                failed = "Incomplete response returned, reason: max_output_tokens"
            case Declined():
                failed = "stream disconnected before completion: Incomplete response returned, reason: content_filter"
            case HandedOff(prompt):
                events.append({"type": "item.completed", "item": {"id": f"item_{number}", "type": "agent_message", "text": prompt}})
    if story.ends == "refused":
        events += [{"type": "error", "message": failed}, {"type": "turn.failed", "error": {"message": failed}}]
        out.exit_code, out.stdout_tail = 1, json.dumps(events[-1])
    elif story.ends == "normally":
        events.append({"type": "turn.completed", "usage": {"input_tokens": 4000, "cached_input_tokens": 0, "output_tokens": 100}})
    out.files["codex.txt"] = "Reading additional input from stdin...\n" + lines(events)
    return out


# ---- opencode


def opencode(story: Story, start: datetime) -> Written:
    events: list[Json] = []
    out = Written()
    stamp = int(start.timestamp() * 1000)
    reason = "stop"
    for number, event in enumerate(story.events):
        at = stamp + 1500 * number
        match event:
            case Said(text):
                events.append({"type": "text", "timestamp": at, "sessionID": "ses_1", "part": {"type": "text", "text": text}})
            case Ran(command, output):
                if not (story.ends in ("timeout", "killed") and event is story.events[-1]):
                    state = {"status": "completed", "input": {"command": command}, "output": output, "metadata": {"exit": 0}}
                    events.append({"type": "tool_use", "timestamp": at, "sessionID": "ses_1", "part": {"type": "tool", "tool": "bash", "callID": f"c{number}", "state": state}})
                    events.append({"type": "step_finish", "timestamp": at, "sessionID": "ses_1", "part": {"type": "step-finish", "reason": "tool-calls"}})
            case Refusal(kind, status, code, message, retried):
                if not retried:
                    data = {"message": message, "statusCode": status, "isRetryable": False, "responseBody": body(event)}
                    events.append({"type": "error", "timestamp": at, "sessionID": "ses_1", "error": {"name": "APIError", "data": data}})
                    out.exit_code = 1
            case Cap():
                reason = "length"
            case Declined():
                events.append({"type": "error", "timestamp": at, "sessionID": "ses_1", "error": {"name": "ContentFilterError", "data": {"message": "The response was blocked by the provider's content filter"}}})
                out.exit_code = 1
            case HandedOff(prompt):
                events.append({"type": "text", "timestamp": at, "sessionID": "ses_1", "part": {"type": "text", "text": prompt}})
    if story.ends == "normally" or reason == "length":
        events.append({"type": "step_finish", "timestamp": stamp + 99000, "sessionID": "ses_1", "part": {"type": "step-finish", "reason": reason}})
        out.exit_code = 0
    out.stdout_tail = json.dumps(events[-1]) if events else ""
    out.files["opencode.txt"] = lines(events)
    return out


# ---- mini-swe-agent


LITELLM = {
    "rate_limited": "RateLimitError", "quota_exhausted": "RateLimitError", "provider_error": "InternalServerError", "agent_auth": "AuthenticationError",
    "model_not_found": "NotFoundError", "context_length": "ContextWindowExceededError", "harness_incompatibility": "BadRequestError",
}  # fmt: skip


def litellm(event: Refusal) -> tuple[str, str]:
    name = LITELLM[event.kind]
    if event.kind == "quota_exhausted" and event.status == 400:
        name = "BadRequestError"
    return name, f"litellm.{name}: {name}: OpenAIException - {event.message}"


def mini_swe_agent(story: Story, start: datetime) -> Written:
    text = ["This is mini-swe-agent version 2.4.6.", "", "User:", f"Please solve this issue: {story.task.brief}", ""]
    messages: list[Json] = [{"role": "user", "content": story.task.brief}]
    status = "Submitted"
    step = 0
    for event in story.events:
        match event:
            case Said(words):
                step += 1
                text += ["─" * 40, f"mini-swe-agent (step {step}, $0.00):", words, ""]
                messages.append({"role": "assistant", "content": words})
            case Ran(command, output):
                step += 1
                text += ["─" * 40, f"mini-swe-agent (step {step}, $0.00):", "```", command, "```", ""]
                messages.append({"role": "assistant", "content": "", "tool_calls": [{"id": f"c{step}", "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}]})
                if not (story.ends in ("timeout", "killed") and event is story.events[-1]):
                    text += ["Tool:", "<returncode>", "0", "<output>", output, ""]
                    messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": json.dumps({"returncode": 0, "output": output})})
            case Refusal():
                name, said = litellm(event)
                if event.retried:
                    text.append(f"Retrying <unknown> in 4 seconds as it raised {name}: {said}.")
                else:
                    status = name
                    text += ["Traceback (most recent call last):", '  File "/opt/venv/lib/minisweagent/models/litellm_model.py", line 60, in _query', f"litellm.exceptions.{name}: {said}"]
            case Cap():
                status = "RepeatedFormatError"
                text.append("Exit: RepeatedFormatError (finish_reason: length)")
            case Declined():
                status = "ContentPolicyViolationError"
                text.append("litellm.ContentPolicyViolationError: The response was filtered due to the prompt triggering the content management policy.")
            case HandedOff(prompt):
                messages.append({"role": "assistant", "content": prompt})
    out = Written()
    if story.ends in ("normally", "refused"):
        messages.append({"role": "exit", "content": "", "extra": {"exit_status": status, "submission": ""}})
        info = {"exit_status": status, "submission": "", "model_stats": {"instance_cost": 0.0, "api_calls": step}}
        out.files["mini-swe-agent.trajectory.json"] = json.dumps({"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"})
        text += ["Exit:", "Saved trajectory to '/logs/agent/mini-swe-agent.trajectory.json'"]
    out.files["mini-swe-agent.txt"] = "\n".join(text) + "\n"
    out.exit_code = 1 if story.ends == "refused" else 0
    out.stdout_tail = "\n".join(text[-3:])
    return out


# ---- terminus-2 (runs in the harness's own process)


def terminus_2(story: Story, start: datetime) -> Written:
    steps: list[Json] = [{"step_id": 1, "timestamp": start.isoformat(), "source": "user", "message": f"You are an AI assistant in a terminal.\n\n{story.task.brief}"}]
    out = Written()
    pane = ""
    for number, event in enumerate(story.events, 2):
        at = (start + timedelta(seconds=2 * number)).isoformat()
        match event:
            case Said(text):
                steps.append({"step_id": len(steps) + 1, "timestamp": at, "source": "agent", "message": text})
            case Ran(command, output):
                pane += f"root@vm:/app# {command}\n{output}\n"
                call = {"tool_call_id": f"c{number}", "function_name": "bash_command", "arguments": {"keystrokes": command + "\n", "duration": 1}}
                step: Json = {"step_id": len(steps) + 1, "timestamp": at, "source": "agent", "message": "", "tool_calls": [call]}
                if not (story.ends in ("timeout", "killed") and event is story.events[-1]):
                    step["observation"] = {"results": [{"source_call_id": f"c{number}", "content": f"New Terminal Output:\n{output}"}]}
                steps.append(step)
            case Refusal():
                name, said = litellm(event)
                out.trial_log.append(f"Unknown Error in LLM interaction: {said}")
                if not event.retried:
                    out.raised = ("ContextLengthExceededError", "") if event.kind == "context_length" else (name, said)
            case Cap():
                out.raised = ("OutputLengthExceededError", "Response was truncated due to hitting the max_tokens limit.")
                out.trial_log.append("Output length exceeded")
            case Declined():
                out.raised = ("ContentPolicyViolationError", "litellm.BadRequestError: litellm.ContentPolicyViolationError: OpenAIException - content filter")
            case HandedOff(prompt):
                steps.append({"step_id": len(steps) + 1, "timestamp": at, "source": "agent", "message": prompt})
    if story.ends == "normally":
        done = {"tool_call_id": "done", "function_name": "mark_task_complete", "arguments": {}}
        steps.append({"step_id": len(steps) + 1, "timestamp": start.isoformat(), "source": "agent", "message": "Done.", "tool_calls": [done], "observation": {"results": [{"content": "ok"}]}})
    out.files["terminus_2.pane"] = pane
    agent = {"name": "terminus-2", "version": "2.0.0", "model_name": "openai/gpt-5-mini"}
    out.files["trajectory.json"] = json.dumps({"schema_version": "ATIF-v1.7", "session_id": "x", "agent": agent, "steps": steps, "final_metrics": {"total_prompt_tokens": 4000, "total_completion_tokens": 300}})
    return out


# ---- gemini-cli


def gemini_cli(story: Story, start: datetime) -> Written:
    text: list[str] = ["Loaded cached credentials."]
    messages: list[Json] = [{"id": "0", "timestamp": start.isoformat(), "type": "user", "content": story.task.brief}]
    out = Written()
    for number, event in enumerate(story.events, 1):
        at = (start + timedelta(seconds=2 * number)).isoformat()
        match event:
            case Said(words):
                text.append(words)
                messages.append({"id": str(number), "timestamp": at, "type": "gemini", "content": words})
            case Ran(command, output):
                call = {"id": f"c{number}", "name": "run_shell_command", "args": {"command": command}, "status": "success", "result": [{"functionResponse": {"id": f"c{number}", "name": "run_shell_command", "response": {"output": output}}}]}
                messages.append({"id": str(number), "timestamp": at, "type": "gemini", "content": "", "toolCalls": [call]})
            case Refusal(kind, status, code, message, retried):
                said = json.dumps({"error": {"code": status, "message": message, "status": code}})
                if retried:
                    text.append(f"Attempt 1 failed with status {status}. Retrying with backoff... _ApiError: {said}")
                else:
                    text += [f"Error when talking to Gemini API _ApiError: {said}", "    at throwErrorIfNotOK (file:///opt/npm/gemini.js:1:1)", f"  status: {status}", "}", "An unexpected critical error occurred:[object Object]"]
            case Cap():
                text.append("Response truncated due to token limits: finishReason MAX_TOKENS")
            case Declined():
                text.append("The response was blocked: finishReason SAFETY")
            case HandedOff(prompt):
                text.append(prompt)
    out.files["gemini-cli.txt"] = "\n".join(text) + "\n"
    out.files["gemini-cli.trajectory.json"] = json.dumps({"sessionId": "g1", "messages": messages})
    out.exit_code = 1 if story.ends == "refused" else 0
    out.stdout_tail = "\n".join(text[-4:])
    return out


SCRIBES: dict[str, tuple[Callable[[Story, datetime], Written], str]] = {
    "claude-code": (claude_code, "anthropic/claude-sonnet-4-5"),
    "codex": (codex, "openai/gpt-5-codex"),
    "opencode": (opencode, "anthropic/claude-sonnet-4-5"),
    "mini-swe-agent": (mini_swe_agent, "openai/gpt-5-mini"),
    "terminus-2": (terminus_2, "openai/gpt-5-mini"),
    "gemini-cli": (gemini_cli, "google/gemini-2.5-pro"),
}
"""Agent program: its scribe and the model of its trials."""
