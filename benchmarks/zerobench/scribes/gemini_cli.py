"""gemini-cli: the session file and the screen, which alone holds the provider's errors."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from benchmarks.zerobench.scribes.written import Json, Written, lines
from benchmarks.zerobench.story import BadCall, CallAsText, Cap, Declined, HandedOff, Ran, Refusal, Said, Story

HEAD = (
    "YOLO mode is enabled. All tool calls will be automatically approved.",
    "YOLO mode is enabled. All tool calls will be automatically approved.",
    "Ripgrep is not available. Falling back to GrepTool.",
)
REPORT = "Error when talking to Gemini API Full report available at: /tmp/gemini-client-error-Turn.run-sendMessageStream-2026-05-11T09-31-41-488Z.json"


def _stack(*, status: int | None, slot: str = "status") -> list[str]:
    trace = [
        "    at throwErrorIfNotOK (file:///opt/npm/gemini.js:267833:24)",
        "    at async retryWithBackoff (file:///opt/npm/gemini.js:308039:23)",
    ]
    return (
        [*trace, "    at async Turn.run (file:///opt/npm/gemini.js:333001:24) {", f"  {slot}: {status}", "}"] if status else trace
    )


class _Session:
    def __init__(self, story: Story, start: datetime) -> None:
        self.at = start
        self.screen = list(HEAD)
        stamp = self.stamp()
        self.records: list[Json] = [
            {"sessionId": "34e97d9f", "projectHash": "f53b52ad", "startTime": stamp, "lastUpdated": stamp, "kind": "main"},
            {"id": "m0", "timestamp": stamp, "type": "user", "content": [{"text": story.task.brief}]},
        ]

    def stamp(self) -> str:
        self.at += timedelta(seconds=2)
        return self.at.isoformat().replace("+00:00", "Z")

    def turn(self, words: str, **fields: object) -> str:
        name = f"m{len(self.records)}"
        tokens = {"input": 1200, "output": 40, "cached": 0, "thoughts": 0, "tool": 0, "total": 1240}
        record: Json = {
            "id": name,
            "timestamp": self.stamp(),
            "type": "gemini",
            "content": words,
            "thoughts": [],
            "tokens": tokens,
        }
        self.records.append(record)
        if fields:
            self.records.append(record | fields)
        if words:
            self.screen.append(words)
        return name

    def ran(self, command: str, output: str) -> None:
        call = f"run_shell_command_{len(self.records)}"
        response = {"id": call, "name": "run_shell_command", "response": {"output": f"Output: {output}"}}
        made = {
            "id": call,
            "name": "run_shell_command",
            "args": {"command": command},
            "status": "success",
            "result": [{"functionResponse": response}],
        }
        self.turn("", toolCalls=[made | {"resultDisplay": output}])
        self.records.append(
            {"id": f"{call}_r", "timestamp": self.stamp(), "type": "user", "content": [{"functionResponse": response}]}
        )

    def refused(self, event: Refusal) -> None:
        said = "_ApiError: " + json.dumps(
            {"error": {"code": event.status, "message": event.message, "status": event.code}}, separators=(",", ":")
        )
        slot = "status"
        if event.kind == "model_not_found":
            said, slot = f"ModelNotFoundError: {event.message}", "code"
        if event.kind == "quota_exhausted":
            said, slot = f"TerminalQuotaError: {event.message}", "code"
        if event.retried:
            for attempt in (1, 2):
                self.screen += [
                    f"Attempt {attempt} failed with status {event.status}. Retrying with backoff... {said}",
                    *_stack(status=event.status),
                ]
        else:
            self.screen += [
                f"{REPORT} {said}",
                *_stack(status=event.status, slot=slot),
                "An unexpected critical error occurred:[object Object]",
            ]


def gemini_cli(story: Story, start: datetime) -> Written:
    """A stopped answer leaves its finish reason in no file; what the program then prints does."""
    session = _Session(story, start)
    failed = story.ends == "refused"
    for event in story.events:
        match event:
            case Said(words) | CallAsText(words) | BadCall(words, _) | HandedOff(words):
                session.turn(words)
            case Ran(command, output):
                if story.open_at_end(event):
                    session.turn("")
                else:
                    session.ran(command, output)
            case Refusal():
                session.refused(event)
            case Cap() | Declined():
                raise ValueError("gemini-cli hides why an answer was cut: no such case can be told from its files")
    text = "\n".join(session.screen) + "\n"
    return Written(
        {"gemini-cli.txt": text, "gemini-cli.trajectory.jsonl": lines(session.records)}, exit_code=int(failed), stdout=text
    )
