"""ATIF trajectories (`trajectory.json`): the steps every Harbor agent's log is turned into.

Steps hold what the model said and what its tools answered; a provider's errors are not in there. So a trajectory proves
work, never an error, and how it ends is unknown unless its program's own signs say so.
"""

from __future__ import annotations

from typing import Any

from whyzero.model import AgentLog, Speaker, Spot, Utterance
from whyzero.readers.agent_logs.collector import Collector, Handoff
from whyzero.readers.agent_logs.source import Grammar, Source, objects
from whyzero.readers.files import parse_time

NAME = "atif"
FILE = "trajectory.json"


def trajectory(source: Source) -> tuple[str, dict[str, Any]] | None:
    """The agent folder's trajectory, parsed."""
    path = source.at(FILE)
    if not source.folder.is_file(path):
        return None
    document = source.document(path)
    if document is None or not isinstance(document.get("steps"), list):
        return None
    return path, document


def program(document: dict[str, Any]) -> str:
    agent = document.get("agent")
    return str(agent.get("name") or "") if isinstance(agent, dict) else ""


def read(source: Source) -> AgentLog | None:
    found = trajectory(source)
    if found is None:
        return None
    path, document = found
    log = Collector(program(document) or NAME, path, endpoint=source.endpoint)
    add_steps(log, document)
    return log.close()


def add_steps(log: Collector, document: dict[str, Any], unreadable: tuple[str, ...] = ()) -> None:
    """`unreadable`: how the harness begins when it could not parse an answer; it says so where an observation stands."""
    for index, step in enumerate(document["steps"]):
        if isinstance(step, dict) and not step.get("is_copied_context"):
            _Step(log, index, step, unreadable).read()
    children = document.get("subagent_trajectories")
    for index, child in enumerate(children if isinstance(children, list) else []):
        if isinstance(child, dict):
            _add_child(log, index, child)
    totals = document.get("final_metrics")
    if isinstance(totals, dict):
        log.input_tokens = _number(totals.get("total_prompt_tokens"))
        log.output_tokens = _number(totals.get("total_completion_tokens"))


class _Step:
    def __init__(self, log: Collector, index: int, step: dict[str, Any], unreadable: tuple[str, ...] = ()) -> None:
        self.log = log
        self.unreadable = unreadable
        self.step = step
        self.pointer = f"/steps/{index}"
        extra = step.get("extra")
        extra = extra if isinstance(extra, dict) else {}
        self.actor = str(extra.get("agent_id") or "sidechain") if extra.get("is_sidechain") else "main"

    def say(self, speaker: Speaker, text: str, pointer: str, **more: Any) -> Utterance:
        at = parse_time(self.step.get("timestamp"))
        return self.log.say(speaker, text, None, at=at, actor=self.actor, pointer=self.pointer + pointer, **more)

    def read(self) -> None:
        words = words_of(self.step.get("message"))
        if self.step.get("source") == "user":
            if self.actor == "main" and self.log.brief is None:
                self.log.brief = self.say(Speaker.INSTRUCTION, words, "/message", kind="user")
            return
        if self.step.get("source") != "agent":
            return
        calls = objects(self.step.get("tool_calls"))
        spoken = self.say(Speaker.MODEL, words or " ".join(str(c.get("function_name")) for c in calls), "/message", kind="agent")
        self.log.last_event = spoken
        if is_model_turn(self.step):
            self.log.turn(spoken)
            self.log.steps += self.actor == "main"
            if words:
                self.log.message(spoken)
        for index, call in enumerate(calls):
            self.log.call(self.actor)
            self.hand_off(index, call)
        observation = self.step.get("observation")
        results = observation.get("results") if isinstance(observation, dict) else None
        for index, result in enumerate(results if isinstance(results, list) else []):
            if isinstance(result, dict):
                self.result(index, result)

    def hand_off(self, index: int, call: dict[str, Any]) -> None:
        given = call.get("arguments")
        given = given if isinstance(given, dict) else {}
        delegates = call.get("function_name") in ("Agent", "Task", "task", "spawn_agent", "delegate")
        if self.actor == "main" and delegates and ("prompt" in given or "task" in given or "description" in given):
            what = str(given.get("description") or given.get("prompt") or given.get("task"))
            spoken = self.say(Speaker.MODEL, f"{call.get('function_name')}: {what}", f"/tool_calls/{index}")
            background = bool(given.get("run_in_background"))
            self.log.hand_off(Handoff(str(call.get("tool_call_id")), "agent", spoken.spot, background, spoken.text))

    def result(self, index: int, result: dict[str, Any]) -> None:
        words = words_of(result.get("content"))
        if self.unreadable and words.startswith(self.unreadable) and not self.step.get("tool_calls"):
            if is_model_turn(self.step):
                place = f"/observation/results/{index}/content"
                self.log.malformed(self.say(Speaker.HARNESS, words, place, kind="parsing_error"))
            return
        spoken = self.say(Speaker.TOOL, words, f"/observation/results/{index}/content", kind="tool_result")
        self.log.last_event = spoken
        if self.step.get("tool_calls"):
            self.log.result(spoken)
        handoff = self.log.handoffs.get(str(result.get("source_call_id")))
        if handoff is not None and not words.startswith("Async agent launched"):
            handoff.collected, handoff.finished, handoff.last = True, True, spoken
        elif handoff is not None:
            handoff.background = True
        refs = result.get("subagent_trajectory_ref")
        for ref in refs if isinstance(refs, list) else [refs] if isinstance(refs, dict) else []:
            if isinstance(ref, dict):
                child = ref.get("trajectory_id") or ref.get("session_id") or ref.get("trajectory_path")
                known = handoff or self.log.hand_off(Handoff(str(child), "agent", spoken.spot, text=f"sub-agent {child}"))
                if known is not None:
                    known.collected, known.finished = True, True


def is_model_turn(step: dict[str, Any]) -> bool:
    """Not a stand-in that a harness wrote because the model did not answer: those cost no tokens and call no tool."""
    metrics = step.get("metrics")
    if not isinstance(metrics, dict) or step.get("tool_calls"):
        return True
    return not (metrics.get("completion_tokens") == 0 and metrics.get("prompt_tokens") == 0)


def _add_child(log: Collector, index: int, child: dict[str, Any]) -> None:
    child_id = str(child.get("trajectory_id") or child.get("session_id") or index)
    steps = objects(child.get("steps"))
    spot = Spot(log.path, pointer=f"/subagent_trajectories/{index}")
    handoff = log.hand_off(Handoff(child_id, "agent", spot, text=f"sub-agent {child_id}", collected=None))
    if handoff is not None and steps:
        handoff.started_at, handoff.ended_at = parse_time(steps[0].get("timestamp")), parse_time(steps[-1].get("timestamp"))


def words_of(content: object) -> str:
    """Text of a message that is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


GRAMMAR = Grammar(NAME, read)
