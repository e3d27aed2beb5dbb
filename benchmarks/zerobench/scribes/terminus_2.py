"""terminus-2, which runs in the harness's own process: ATIF trajectory, pane, lines in trial.log."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from benchmarks.zerobench.scribes.written import Json, Written, litellm
from benchmarks.zerobench.story import BadCall, CallAsText, Cap, Declined, HandedOff, Ran, Refusal, Said, Story

DUMPED = "Trajectory dumped to /srv/jobs/j/x/agent/trajectory.json"
CAPPED = "Output length exceeded: Model openai/gpt-5-mini hit max_tokens limit. Response was truncated. Consider increasing max_tokens if possible."
CONTEXT = (
    "Context length exceeded. Using fallback summarization.",
    "SUMMARIZATION: Full summary failed: ",
    "SUMMARIZATION: Short summary succeeded",
    "Even fallback chat failed: ",
)


class _Trajectory:
    def __init__(self, story: Story, start: datetime) -> None:
        self.at = start
        self.steps: list[Json] = []
        self.step(
            "user", f"You are an AI assistant tasked with solving command-line tasks.\n\nTask Description:\n{story.task.brief}\n"
        )

    def step(self, source: str, message: str, **fields: object) -> None:
        self.at += timedelta(seconds=2)
        stamp = self.at.isoformat()
        self.steps.append({"step_id": len(self.steps) + 1, "timestamp": stamp, "source": source, "message": message, **fields})

    def call(self, name: str, arguments: Json, seen: str | None, message: str = "") -> None:
        call = f"call_{len(self.steps)}_1"
        observation = {} if seen is None else {"observation": {"results": [{"source_call_id": call, "content": seen}]}}
        calls = [{"tool_call_id": call, "function_name": name, "arguments": arguments}]
        self.step(
            "agent",
            message,
            model_name="openai/gpt-5-mini",
            tool_calls=calls,
            **observation,
            metrics={"prompt_tokens": 1500, "completion_tokens": 30},
        )

    def document(self) -> str:
        agent = {"name": "terminus-2", "version": "2.0.0", "model_name": "openai/gpt-5-mini"}
        metrics = {"total_prompt_tokens": 4000, "total_completion_tokens": 300}
        return json.dumps(
            {"schema_version": "ATIF-v1.7", "session_id": "x", "agent": agent, "steps": self.steps, "final_metrics": metrics},
            indent=1,
        )


def terminus_2(story: Story, start: datetime) -> Written:
    """An error of the provider is raised through the harness."""
    out, told, pane = Written(), _Trajectory(story, start), ""
    for event in story.events:
        match event:
            case Said(text) | HandedOff(text):
                told.call("bash_command", {"keystrokes": "\n", "duration": 0.1}, "New Terminal Output:\nroot@vm:/app#", text)
                out.trial_log.append(DUMPED)
            case Ran(command, output):
                pane += f"root@vm:/app# {command}\n{output}\n"
                seen = (
                    None
                    if story.open_at_end(event)
                    else f"New Terminal Output:\nroot@vm:/app# {command}\n{output}\nroot@vm:/app#"
                )
                told.call("bash_command", {"keystrokes": command + "\n", "duration": 1.0}, seen)
                out.trial_log += [] if story.open_at_end(event) else [DUMPED]
            case Refusal(kind="context_length") if event.retried:
                out.trial_log += CONTEXT
            case Refusal():
                name, said = litellm(event)
                out.trial_log += [f"Unknown Error in LLM interaction: {said}"] * (1 if event.retried else 3)
                if not event.retried:
                    out.raised = ("ContextLengthExceededError", "") if name == "ContextWindowExceededError" else (name, said)
            case CallAsText(text) | BadCall(text, _):
                complaint = event.complaint if isinstance(event, BadCall) else "No valid JSON object found"
                for _ in range(3):
                    told.step(
                        "agent",
                        text,
                        observation={
                            "results": [
                                {
                                    "content": f"Previous response had parsing errors:\nERROR: {complaint}\n\nPlease fix these issues and provide a proper JSON response."
                                }
                            ]
                        },
                    )
                    out.trial_log += [f"Parser warnings: - {complaint}", DUMPED]
            case Cap():
                out.trial_log += [CAPPED] * 3
                if not story.cut:
                    out.raised = (
                        "OutputLengthExceededError",
                        "Model openai/gpt-5-mini hit max_tokens limit. Response was truncated.",
                    )
            case Declined():
                said = "litellm.BadRequestError: litellm.ContentPolicyViolationError: OpenAIException - The response was filtered due to the prompt triggering the content management policy."
                out.raised = ("ContentPolicyViolationError", said)
                out.trial_log.append(f"Unknown Error in LLM interaction: {said}")
    if story.ends == "normally" and out.raised is None:
        told.call("mark_task_complete", {}, "Are you sure you want to mark the task as complete?", "The task is complete.")
        told.call("mark_task_complete", {}, "")
        out.trial_log += [DUMPED, DUMPED]
    out.trial_log.append(DUMPED)
    out.files["terminus_2.pane"] = pane
    out.files["trajectory.json"] = told.document()
    return out
