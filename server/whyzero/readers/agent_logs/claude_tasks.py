"""claude-code's hand-offs: sub-agents and background shells, from the call that starts them to what became of them."""

from __future__ import annotations

import re
from typing import Any

from whyzero.model import Speaker, Utterance
from whyzero.readers.agent_logs import nested
from whyzero.readers.agent_logs.collector import Collector, Handoff

AGENT_TOOLS = frozenset({"Agent", "Task"})
SHELL_TOOLS = frozenset({"Bash"})
COLLECT_TOOLS = frozenset({"TaskOutput", "BashOutput", "AgentOutputTool"})
STILL_AT_WORK = frozenset({"running", "pending", "in_progress"})
ENDED = frozenset({"completed", "success", "failed", "stopped", "killed"})
_IN_BACKGROUND = re.compile(r"^(?:Async agent launched|Command running in background|Command was moved to (?:the )?background)")


class Tasks:
    """Follows what the main agent handed out."""

    def __init__(self, log: Collector) -> None:
        self.log = log
        self.tasks: dict[str, Handoff] = {}
        """Task id -> hand-off."""
        self.waited_for: dict[str, str] = {}
        """Id of a collecting call -> task id."""
        self.told: set[str] = set()
        """Hand-offs whose end was told to the main agent, which has not spoken since."""

    def called(self, name: str, call_id: str, given: dict[str, Any], spoken: Utterance) -> None:
        """The main agent made a call; some start a task, some ask for its result."""
        background = bool(given.get("run_in_background"))
        if name in COLLECT_TOOLS:
            self.waited_for[call_id] = str(given.get("task_id") or given.get("bash_id") or given.get("agentId") or "")
        elif name in AGENT_TOOLS and ("prompt" in given or "subagent_type" in given):
            self.log.hand_off(Handoff(call_id, "agent", spoken.spot, background, spoken.text, spoken.at))
        elif name in SHELL_TOOLS and background:
            self.log.hand_off(Handoff(call_id, "shell", spoken.spot, True, spoken.text, spoken.at))
        elif name in SHELL_TOOLS and (launch := nested.launched(str(given.get("command", "")))):
            handoff = self.log.hand_off(Handoff(call_id, "agent", spoken.spot, False, spoken.text, spoken.at))
            if handoff is not None:
                handoff.credential, handoff.endpoint, handoff.status = launch.credential, launch.endpoint, launch.program

    def answered(self, call_id: str, name: str | None, spoken: Utterance, extra: dict[str, Any], words: str) -> None:
        """A call came back: launched, finished, or collected."""
        task = self.waited_for.pop(call_id, None)
        if task is not None and task in self.tasks and _says_done(extra, words):
            self.tasks[task].collected = True
        handoff = self.log.handoffs.get(call_id)
        if handoff is None:
            return
        status, task_id = extra.get("status"), extra.get("agentId") or extra.get("backgroundTaskId")
        if isinstance(task_id, str):
            self.tasks[task_id] = handoff
        if status == "async_launched" or extra.get("isAsync") or _IN_BACKGROUND.match(words) or handoff.kind == "shell":
            handoff.background = True
            return
        handoff.collected, handoff.finished, handoff.ended_at, handoff.last = True, True, spoken.at, spoken
        if name in SHELL_TOOLS:
            nested.judge_output(handoff, words, self.log, spoken)
            return
        handoff.status = status if isinstance(status, str) else handoff.status
        tokens = extra.get("totalTokens")
        handoff.tokens = tokens if isinstance(tokens, int) else handoff.tokens
        if handoff.tokens == 0 and handoff.error is None and words:
            # No model spoke there, so these are the program's own words.
            handoff.error = self.log.say(
                Speaker.AGENT_RESULT, words, spoken.spot.line, kind="subagent_result", at=spoken.at, actor=call_id
            )

    def started(self, event: dict[str, Any]) -> None:
        handoff = self.log.handoffs.get(str(event.get("tool_use_id")))
        if handoff is not None:
            self.tasks[str(event.get("task_id"))] = handoff

    def of(self, task: str, event: dict[str, Any]) -> Handoff | None:
        return self.tasks.get(task) or self.log.handoffs.get(str(event.get("tool_use_id")))

    def ended(self, handoff: Handoff, status: str, spoken: Utterance, tokens: object, *, told: bool) -> None:
        """The program says that a task is over; `told`: the main agent, whose turn is still on, is told so."""
        handoff.status, handoff.last = ("stopped" if status == "killed" else status), spoken
        handoff.finished = True
        handoff.ended_at = handoff.ended_at or spoken.at
        handoff.tokens = tokens if isinstance(tokens, int) else handoff.tokens
        if told and handoff.background and handoff.status == "completed":
            self.told.add(handoff.id)

    def main_agent_spoke(self) -> None:
        """What it had been told of it has now read."""
        for handoff_id in self.told & self.log.handoffs.keys():
            self.log.handoffs[handoff_id].collected = True
        self.told.clear()

    def terminated(self, spoken: Utterance) -> None:
        """The program stopped waiting for whatever was still at work in the background."""
        for handoff in self.log.handoffs.values():
            if handoff.background and not handoff.finished:
                handoff.status, handoff.last = "stopped", spoken


def _says_done(extra: dict[str, Any], words: str) -> bool:
    """A collecting call came back with the end of the task, not with a timeout."""
    task = extra.get("task")
    inner = task.get("status") if isinstance(task, dict) else None
    state = inner or extra.get("status") or extra.get("retrieval_status")
    return state in ENDED if isinstance(state, str) else "<status>completed</status>" in words
