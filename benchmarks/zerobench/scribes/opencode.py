"""opencode run --format json: `opencode.txt`, and its own log file, which alone holds the retries."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from benchmarks.zerobench.scribes.written import Json, Written, body, lines
from benchmarks.zerobench.story import BadCall, CallAsText, Cap, Declined, HandedOff, Ran, Refusal, Said, Story

SESSION = "ses_dd2c5d0bfffe"
LOG = "opencode/xdg-data/opencode/log/opencode.log"


class _Stream:
    def __init__(self, start: datetime) -> None:
        self.events: list[Json] = []
        self.log: list[str] = []
        self.at = int(start.timestamp() * 1000)

    def event(self, kind: str, **fields: object) -> None:
        self.at += 700
        self.events.append({"type": kind, "timestamp": self.at, "sessionID": SESSION, **fields})

    def part(self, kind: str, **part: object) -> None:
        self.event(kind, part={"id": f"prt_{len(self.events)}", "messageID": "msg_1", "sessionID": SESSION, **part})

    def logged(self, refusal: Refusal) -> None:
        self.at += 2000
        stamp = datetime.fromtimestamp(self.at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        common = f"providerID=anthropic modelID=claude-sonnet-4-5 session.id={SESSION} small=false agent=build mode=primary"
        said = json.dumps(f"AI_APICallError: {refusal.message}")
        self.log.append(f"timestamp={stamp} level=INFO run=8578ea98 message=stream {common}")
        self.log.append(f'timestamp={stamp} level=ERROR run=8578ea98 message="stream error" {common} error.error={said}')

    def said(self, text: str) -> None:
        self.part("step_start", type="step-start")
        self.part("text", type="text", text=text)

    def ran(self, number: int, command: str, output: str) -> None:
        state = {
            "status": "completed",
            "input": {"command": command, "description": "Run a command"},
            "output": output,
            "metadata": {"exit": 0},
        }
        self.part("step_start", type="step-start")
        self.part("tool_use", type="tool", tool="bash", callID=f"toolu_{number}", state=state)
        self.finished("tool-calls")

    def finished(self, reason: str) -> None:
        self.part(
            "step_finish", type="step-finish", reason=reason, tokens={"input": 1200, "output": 47, "reasoning": 0}, cost=0.0043
        )

    def refused(self, refusal: Refusal) -> None:
        data: Json = {
            "message": refusal.message,
            "statusCode": refusal.status,
            "isRetryable": False,
            "responseBody": body(refusal),
        }
        if refusal.status is None:
            data = {"message": "Connection error.", "isRetryable": True}
        self.event("error", error={"name": "APIError", "data": data | {"metadata": {"url": "http://127.0.0.1:4000/v1/messages"}}})


def opencode(story: Story, start: datetime) -> Written:
    """Retries never show in opencode.txt."""
    stream = _Stream(start)
    failed = False
    for number, event in enumerate(story.events):
        match event:
            case Said(text) | CallAsText(text) | BadCall(text, _) | HandedOff(text):
                stream.said(text)
            case Ran(command, output):
                if not story.open_at_end(event):
                    stream.ran(number, command, output)
            case Refusal():
                stream.logged(event)
                if not event.retried:
                    stream.refused(event)
                    failed = True
            case Cap():
                stream.finished("length")
            case Declined():
                stream.finished("content-filter")
                said = "The response was blocked by the provider's content filter"
                stream.event("error", error={"name": "ContentFilterError", "data": {"message": said}})
                failed = True
    last = story.events[-1] if story.events else None
    if not failed and not story.cut and not isinstance(last, Cap):
        stream.finished("stop")
    text = lines(stream.events)
    files = {"opencode.txt": text} | ({LOG: "\n".join(stream.log) + "\n"} if stream.log else {})
    return Written(files, exit_code=int(failed), stdout=text)
