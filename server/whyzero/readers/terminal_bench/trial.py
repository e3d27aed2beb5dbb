"""One Terminal-Bench trial folder as a `Trial`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from whyzero.evidence import Evidence
from whyzero.model import AgentLog, Deliverable, Grading, Recorded, Reward, Span, Speaker, Spot, TestOutcome, Trial, Utterance
from whyzero.readers.absence import says_absent
from whyzero.readers.agent_logs import read_agent_logs, read_pane_logs
from whyzero.readers.brief import deliverable_names
from whyzero.readers.files import Folder, parse_time
from whyzero.readers.judgement import Output, from_tests, read_output, session_tests
from whyzero.readers.shapes import join, text
from whyzero.readers.terminal_bench.terminal import Commands, pane_lines, read_commands

QUIET_MODES = frozenset({"unset", "none"})
"""`unset` stands for success and for every failure the harness did not notice."""
SPANS = (
    ("environment_setup", "trial_started_at", "agent_started_at"),
    ("agent", "agent_started_at", "agent_ended_at"),
    ("verifier", "test_started_at", "test_ended_at"),
)
AGENTS = {
    "mini": "mini-swe-agent",
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini-cli",
    "goose": "goose",
    "aider": "aider",
}


def is_trial(folder: Folder, base: str) -> bool:
    """A results.json of one trial, or the terminals of a trial that never got one."""
    path = join(base, "results.json")
    if folder.is_file(path):
        data = folder.json_object(path) or {}
        return "task_id" in data and "is_resolved" in data
    return folder.is_file(join(base, "commands.txt")) and folder.is_dir(join(base, "panes"))


def read_trial(folder: Folder, base: str, attempt: int, agent: str | None, model: str | None) -> Trial | None:
    """The trial at `base`; without results.json it was planned and never finished."""
    path = join(base, "results.json")
    data = (folder.json_object(path) or {}) if folder.is_file(path) else {}
    commands = read_commands(folder, base)
    name = agent or _agent(commands.launch)
    common = Trial(
        id=folder.root.name if base == "." else base.rsplit("/", 1)[-1],
        task=text(data.get("task_id")) or (base if base != "." else folder.root.name).rsplit("/", 1)[-1].split(".")[0],
        spot=Spot(path, pointer="/trial_name") if data else Spot(join(base, "commands.txt"), 1),
        attempt=attempt,
        agent=name,
        model=model,
        files=tuple(folder.walk(base)),
        is_oracle=name == "oracle",
        is_nop=name in ("nop", "null"),
        logs=_logs(folder, base, name, model, commands, data),
        harness=(*commands.said(), *(pane_lines(folder, base) if commands.install else ())),
    )
    if not data:
        begun = next((line for _, line in folder.lines(common.spot.path)), "")
        planned = Utterance(Speaker.HARNESS, begun[:400], common.spot, kind="planned")
        return replace(common, recorded=Recorded.PENDING, harness=(planned, *common.harness))
    mode = text(data.get("failure_mode"))
    brief = text(data.get("instruction"))
    names = deliverable_names(brief) if brief else ()
    grading, missing, seen = _grading(folder, base, data, path, names)
    return replace(
        common,
        recorded=Recorded.FINISHED if mode is None or mode in QUIET_MODES else Recorded.FAILED,
        error_type=mode,
        reward=_reward(data, path),
        spans=_spans(data),
        started_at=parse_time(data.get("trial_started_at")),
        finished_at=parse_time(data.get("trial_ended_at")),
        brief=Utterance(Speaker.INSTRUCTION, brief, Spot(path, pointer="/instruction")) if brief else None,
        grading=grading,
        deliverable=Deliverable(names=names, missing=missing, seen=seen),
    )


def _reward(data: dict[str, Any], path: str) -> Reward:
    """`is_resolved` as a number; null means that nothing was graded."""
    resolved = data.get("is_resolved")
    if not isinstance(resolved, bool):
        return Reward()
    return Reward(float(resolved), {"is_resolved": float(resolved)}, Spot(path, pointer="/is_resolved"), str(resolved).lower())


def _spans(data: dict[str, Any]) -> tuple[Span, ...]:
    spans = ((name, parse_time(data.get(start)), parse_time(data.get(end))) for name, start, end in SPANS)
    return tuple(Span(name, start, end) for name, start, end in spans if start is not None)


def _grading(
    folder: Folder, base: str, data: dict[str, Any], path: str, names: tuple[str, ...]
) -> tuple[Grading, tuple[Evidence, ...], tuple[Evidence, ...]]:
    pane = next((p for n in ("panes/post-test.txt", "sessions/tests.log") if folder.is_file(p := join(base, n))), None)
    output = read_output(folder, pane, names) if pane else Output()
    printed = session_tests(output.session, pane or "", names)
    parsed = data.get("parser_results")
    tests = _parsed(parsed, path, printed) if isinstance(parsed, dict) else printed
    missing, seen = from_tests(tests)
    if not tests:
        missing, seen = output.absent, output.judged
    closed = output.session.closing
    grading = Grading(
        tests=tests,
        collected=len(tests) if isinstance(parsed, dict) else (output.session.collected if closed else None),
        passed=sum(t.passed for t in tests) if isinstance(parsed, dict) else output.session.passed,
        report=Spot(path, pointer="/parser_results")
        if isinstance(parsed, dict)
        else Spot(pane or "", closed[0])
        if closed
        else None,
        output=output.lines,
        complete=output.complete,
        files=tuple(p for p in (pane,) if p),
    )
    return grading, missing, seen


def _parsed(parsed: dict[str, Any], path: str, printed: tuple[TestOutcome, ...]) -> tuple[TestOutcome, ...]:
    """`parser_results` joined with what pytest printed about the same test; its keys may carry the message."""
    told = {t.name: t for t in printed}
    tests = []
    for key, status in parsed.items():
        name, _, message = key.partition(" - ")
        known = told.get(name)
        pointer = "/parser_results/" + key.replace("~", "~0").replace("/", "~1")
        passed = status == "passed"
        said = known.message if known and known.message else message
        absent = False if passed else (known.absent if known else says_absent([message]) is not None)
        spot = known.spot if known and known.spot and not passed else Spot(path, pointer=pointer)
        tests.append(TestOutcome(name, passed, said, spot, absent, known.files if known else ()))
    return tuple(tests)


def _logs(
    folder: Folder, base: str, name: str | None, model: str | None, commands: Commands, data: dict[str, Any]
) -> tuple[AgentLog, ...]:
    """Files an agent left, else its terminal; with the number of commands and tokens of an agent that typed by itself."""
    logs = read_agent_logs(folder, join(base, "agent-logs"), name, model) or read_pane_logs(folder, base)
    if commands.typed is None:
        return logs
    first = logs[0] if logs else AgentLog(name or "")
    known = replace(
        first,
        tool_calls=commands.typed if first.tool_calls is None else first.tool_calls,
        input_tokens=_count(data.get("total_input_tokens")),
        output_tokens=_count(data.get("total_output_tokens")),
    )
    return (known, *logs[1:])


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _agent(started: Utterance | None) -> str | None:
    """The agent program by the command that started it."""
    if started is None:
        return None
    program = started.code or ""
    if "openhands" in started.text:
        return "openhands"
    return AGENTS.get(program.rsplit("/", 1)[-1])
