"""codex exec --json: `codex.txt`."""

from __future__ import annotations

from datetime import datetime

from benchmarks.zerobench.scribes.written import Json, Written, body, lines
from benchmarks.zerobench.story import BadCall, CallAsText, Cap, Declined, HandedOff, Ran, Refusal, Said, Story

REASONS = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
URL = "url: http://127.0.0.1:4000/v1/responses"


def unexpected(refusal: Refusal) -> str:
    return f"unexpected status {refusal.status} {REASONS.get(refusal.status or 0, 'Error')}: {refusal.message}, {URL}"


def failed_with(refusal: Refusal) -> str:
    """The message of the last error event."""
    match refusal.kind:
        case "rate_limited":
            return "exceeded retry limit, last status: 429 Too Many Requests"
        case "quota_exhausted" if refusal.code == "insufficient_quota":
            return "Quota exceeded. Check your plan and billing details."
        case "quota_exhausted":
            return "You’ve hit your usage limit. Upgrade to Pro or try again in 3 hours 12 minutes."
        case "provider_error" if refusal.code == "server_is_overloaded":
            return "Selected model is at capacity. Please try a different model."
        case "provider_error" | "agent_auth":
            return unexpected(refusal)
        case "model_not_found":
            return refusal.message
        case "context_length":
            return "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying."
        case _:
            return body(refusal)


def codex(story: Story, start: datetime) -> Written:
    """What codex prints; the first item is noise that every run has."""
    noise = "Model metadata for `gpt-5-codex` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."
    events: list[Json] = [
        {"type": "thread.started", "thread_id": "01a22d3b-d4e6"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": noise}},
        {"type": "turn.started"},
    ]
    failed: str | None = None
    for number, event in enumerate(story.events, 1):
        item: Json = {"id": f"item_{number}"}
        match event:
            case Said(text) | CallAsText(text) | BadCall(text, _):
                events.append({"type": "item.completed", "item": item | {"type": "agent_message", "text": text}})
            case Ran(command, output, bad):
                item |= {"type": "command_execution", "command": f"/bin/bash -lc '{command}'"}
                events.append(
                    {"type": "item.started", "item": item | {"aggregated_output": "", "exit_code": None, "status": "in_progress"}}
                )
                if not story.open_at_end(event):
                    done = {"aggregated_output": output, "exit_code": int(bad), "status": "failed" if bad else "completed"}
                    events.append({"type": "item.completed", "item": item | done})
            case Refusal():
                if event.retried or event.kind in ("provider_error", "agent_auth"):
                    events += [{"type": "error", "message": f"Reconnecting... {k}/5 ({unexpected(event)})"} for k in (1, 2)]
                if not event.retried:
                    failed = failed_with(event)
            case Cap():
                failed = "Incomplete response returned, reason: max_output_tokens"
            case Declined():
                failed = "stream disconnected before completion: Incomplete response returned, reason: content_filter"
            case HandedOff(prompt, _, _, refused):
                command = f"/bin/bash -lc 'codex exec --json \"{prompt}\" 2>&1 | tail -c 1500'"
                nested: list[Json] = [
                    {"type": "turn.started"},
                    {"type": "error", "message": f"unexpected status 401 Unauthorized: {refused}, url: https://api.openai.com/v1/responses"},
                    {"type": "turn.failed", "error": {"message": f"unexpected status 401 Unauthorized: {refused}, url: https://api.openai.com/v1/responses"}},
                ]  # fmt: skip
                output = lines(nested) if refused else (event.answer or "")
                item |= {"type": "command_execution", "command": command, "aggregated_output": output}
                events.append(
                    {"type": "item.completed", "item": item | {"exit_code": int(refused is not None), "status": "completed"}}
                )
    if failed is not None:
        events += [{"type": "error", "message": failed}, {"type": "turn.failed", "error": {"message": failed}}]
    elif not story.cut:
        events.append({"type": "turn.completed", "usage": {"input_tokens": 4000, "cached_input_tokens": 0, "output_tokens": 100}})
    text = "Reading additional input from stdin...\n" + lines(events)
    return Written({"codex.txt": text}, exit_code=int(failed is not None), stdout=text)
