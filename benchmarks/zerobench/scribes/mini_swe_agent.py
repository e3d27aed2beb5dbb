"""mini-swe-agent 2: its screen and its trajectory."""

from __future__ import annotations

import json
import textwrap
from datetime import datetime

from benchmarks.zerobench.scribes.written import Json, Written, litellm
from benchmarks.zerobench.story import BadCall, CallAsText, Cap, Declined, HandedOff, Ran, Refusal, Said, Story

RULE = "─" * 80
FORMAT = (
    "Tool call error:\n\n<error>\n{complaint}\n</error>\n\nHere is general guidance: every response needs at least one tool call."
)


class _Session:
    def __init__(self, story: Story, start: datetime) -> None:
        self.at = start.timestamp()
        self.steps = 0
        self.status = "Submitted"
        self.said_at_exit = ""
        brief = f"Please solve this issue: {story.task.brief}"
        self.screen = [
            "This is mini-swe-agent version 2.4.6.",
            "Building agent config from specs: ['mini']",
            "",
            "User:",
            brief,
            "",
        ]
        self.messages: list[Json] = [
            {"role": "system", "content": "You are a helpful assistant that can interact with a computer."},
            {"role": "user", "content": brief},
        ]

    def turn(self, words: str, command: str | None = None, finish: str = "stop") -> None:
        self.steps += 1
        self.at += 2
        self.screen += [RULE, f"mini-swe-agent (step {self.steps}, $0.00):", words]
        message: Json = {"role": "assistant", "content": words or None}
        if command is not None:
            self.screen += ["```", command, "```", ""]
            arguments = json.dumps({"command": command})
            message["tool_calls"] = [
                {"id": f"c{self.steps}", "type": "function", "function": {"name": "bash", "arguments": arguments}}
            ]
            finish = "tool_calls"
        response = {"choices": [{"finish_reason": finish, "message": {"role": "assistant", "content": words or None}}]}
        response["usage"] = {"prompt_tokens": 1500, "completion_tokens": 30}  # type: ignore[assignment]
        self.messages.append(message | {"extra": {"response": response, "timestamp": self.at}})

    def saw(self, output: str) -> None:
        self.at += 1
        self.screen += ["Tool:", "<returncode>", "0", "<output>", output, ""]
        content = json.dumps({"returncode": 0, "output": output}, indent=2)
        self.messages.append(
            {
                "role": "tool",
                "tool_call_id": f"c{self.steps}",
                "content": content,
                "extra": {"returncode": 0, "timestamp": self.at},
            }
        )

    def misunderstood(self, text: str, complaint: str, finish: str) -> None:
        """The answer itself is kept only in the complaint's `extra`."""
        self.at += 2
        told = FORMAT.format(complaint=complaint)
        response = {"choices": [{"finish_reason": finish, "message": {"role": "assistant", "content": text}}]}
        self.messages.append(
            {
                "role": "user",
                "content": told,
                "extra": {"interrupt_type": "FormatError", "response": response, "timestamp": self.at},
            }
        )
        self.screen += [RULE, "User:", *told.splitlines(), ""]

    def died(self, name: str, said: str) -> None:
        self.status, self.said_at_exit = name, said
        self.screen += [
            "╭─ Traceback (most recent call last) ─╮",
            "│ /opt/venv/lib/minisweagent/models/litellm_model.py:60 in _query │",
            "╰─────────────────────────────────────╯",
        ]
        self.screen += textwrap.wrap(f"{name}: {said}", 79)

    def document(self) -> str:
        exit_message = {"role": "exit", "content": self.said_at_exit, "extra": {"exit_status": self.status, "submission": ""}}
        info = {
            "model_stats": {"instance_cost": 0.0, "api_calls": self.steps},
            "mini_version": "2.4.6",
            "exit_status": self.status,
            "submission": "",
        }
        return json.dumps(
            {"info": info, "messages": [*self.messages, exit_message], "trajectory_format": "mini-swe-agent-1.1"}, indent=1
        )


def mini_swe_agent(story: Story, start: datetime) -> Written:
    """The trajectory of a killed program was saved after its last step, without an exit status."""
    session = _Session(story, start)
    for event in story.events:
        match event:
            case Said(words):
                session.turn(words)
                session.messages.pop()
                session.steps -= 1
                session.screen = session.screen[:-3]
                session.turn(words, "true")
                session.saw("")
            case Ran(command, output):
                session.turn("", command)
                if not story.open_at_end(event):
                    session.saw(output)
            case Refusal():
                name, said = litellm(event)
                if event.retried:
                    session.screen += [
                        RULE,
                        *(f"Retrying <unknown> in {4 * k} seconds as it raised {name}: {said}." for k in (1, 1, 2)),
                    ]
                else:
                    session.died(name, said)
            case CallAsText(text):
                for _ in range(3):
                    session.misunderstood(
                        text, "No tool calls found in the response. Every response MUST include at least one tool call.", "stop"
                    )
                session.status = "RepeatedFormatError"
            case BadCall(text, complaint):
                for _ in range(3):
                    session.misunderstood(text, complaint, "tool_calls")
                session.status = "RepeatedFormatError"
            case Cap():
                for _ in range(3):
                    session.misunderstood(
                        "Let me think about every row in detail.", "No tool calls found in the response.", "length"
                    )
                session.status = "RepeatedFormatError"
            case Declined():
                session.died(
                    "ContentPolicyViolationError",
                    "litellm.ContentPolicyViolationError: litellm.BadRequestError: OpenAIException - The response was filtered due to the prompt triggering the content management policy.",
                )
            case HandedOff(prompt):
                session.turn(prompt, "true")
    files = {}
    if story.cut:
        document = json.loads(session.document())
        document["info"].pop("exit_status")
        document["messages"].pop()
        files["mini-swe-agent.trajectory.json"] = json.dumps(document, indent=1)
    else:
        files["mini-swe-agent.trajectory.json"] = session.document()
        session.screen += ["Exit:", "Saved trajectory to '/logs/agent/mini-swe-agent.trajectory.json'"]
    text = "\n".join(session.screen) + "\n"
    files["mini-swe-agent.txt"] = text
    return Written(files, exit_code=int(story.ends == "refused" or session.status == "ContentPolicyViolationError"), stdout=text)
