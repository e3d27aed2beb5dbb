"""Terminal-Bench 0.1 run folders: results.json, what the harness typed, what stood on the terminals."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.zerobench.harbor_verifier import Tests
from benchmarks.zerobench.places import Place, write_json, write_text
from benchmarks.zerobench.scribes import PROGRAMS
from benchmarks.zerobench.story import Cap, Declined, Ran, Refusal, Said, Story

START = datetime(2025, 8, 14, 20, 11, 7, tzinfo=UTC)
RUN = "2025-08-14__20-11-05"
LAUNCH = {
    "mini-swe-agent": "mini -m some/model -t {brief} -y --exit-immediately",
    "openhands": "python -m openhands.core.main -t {brief}",
    "codex": "codex exec --dangerously-bypass-approvals-and-sandbox --json -- {brief}",
    "claude-code": "claude --verbose --output-format stream-json -p {brief}",
    "goose": "goose run --recipe ~/recipe.yaml",
    "aider": "aider --message {brief} --yes",
}
HEAD = ("['asciinema rec --stdin /logs/agent.cast', 'Enter']", "['clear', 'Enter']")
INSTALL = (
    "['source /installed-agent/setup-env.sh', 'Enter']",
    "[\"source /installed-agent/install-agent.sh && echo 'INSTALL_SUCCESS'\", 'Enter']",
)
TAIL = (
    "['asciinema rec --stdin /logs/tests.cast', 'Enter']",
    "['clear', 'Enter']",
    "['bash ', '/tests/run-tests.sh', 'Enter']",
    "['C-d']",
    "['C-d']",
)


@dataclass
class Trial:
    """One trial to write."""

    story: Story
    agent: str
    tests: Tests | None
    """None = the tests never gave a result that could be parsed."""
    mode: str = "unset"
    resolved: bool | None = False
    pane: str | None = None
    """The agent's terminal, where it is not what the story leads to."""
    pane_tests: str | None = None
    typed: bool = True
    """The harness got as far as starting the agent."""
    seconds: tuple[float, float] = (240.0, 35.0)
    """Of agent and tests."""
    times: bool = True
    tokens: tuple[int | None, int | None] = (0, 0)
    results: bool = True
    changes: dict[str, Any] = field(default_factory=dict)


def write_run(root: Path, trial: Trial) -> Place:
    """A run folder with one trial."""
    task = trial.story.task
    name = f"{task.name}.1-of-1.{RUN}"
    folder = root / RUN / task.name / name
    tests = _names(trial)
    record: dict[str, Any] = {
        "id": "122dbe3c-0000-4000-8000-000000000001",
        "trial_name": name,
        "task_id": task.name,
        "instruction": task.brief,
        "is_resolved": trial.resolved,
        "failure_mode": trial.mode,
        "parser_results": {n: "failed" if m else "passed" for n, m in tests} if tests else None,
        "recording_path": f"{RUN}/{task.name}/{name}/sessions/agent.cast",
        "total_input_tokens": trial.tokens[0],
        "total_output_tokens": trial.tokens[1],
    }
    if trial.times:
        record |= _times(trial)
    record |= trial.changes
    pane = trial.pane if trial.pane is not None else pane_of(trial)
    write_text(folder / "commands.txt", "\n".join(_commands(trial)) + "\n")
    write_text(folder / "panes/pre-agent.txt", "root@2f1c:/app#\n")
    write_text(folder / "panes/post-agent.txt", pane)
    write_text(folder / "panes/post-test.txt", trial.pane_tests if trial.pane_tests is not None else pytest_pane(tests))
    write_text(folder / "sessions/agent.log", pane)
    if trial.results:
        write_json(folder / "results.json", record)
        share = float(bool(trial.resolved))
        write_json(
            root / RUN / "results.json",
            {"id": "r", "results": [record], "accuracy": share, "n_resolved": int(share), "n_unresolved": 1},
        )
    metadata = {"run_id": RUN, "dataset_name": "terminal-bench-core", "agent_name": trial.agent, "model_name": "some/model"}
    write_json(root / RUN / "run_metadata.json", metadata)
    return Place(root / RUN, name)


def _names(trial: Trial) -> list[tuple[str, str]]:
    """Test names with the message of their failure."""
    tests = trial.tests
    if tests is None or tests.passed is None:
        return []
    passed, failures = tests.passed, tests.failures
    named = enumerate(trial.story.task.tests)
    return [(n, failures[min(i - passed, len(failures) - 1)] if failures and i >= passed else "") for i, n in named]


def _times(trial: Trial) -> dict[str, str]:
    at, found = START, {}
    for name, length in (("trial", 4.0), ("agent", trial.seconds[0]), ("test", trial.seconds[1])):
        found[f"{name}_started_at"] = at.isoformat()
        at += timedelta(seconds=length)
        if name != "trial":
            found[f"{name}_ended_at"] = at.isoformat()
    return found | {"trial_ended_at": at.isoformat()}


def _commands(trial: Trial) -> list[str]:
    started: tuple[str, ...] = ()
    if trial.agent in LAUNCH:
        started = (
            *INSTALL,
            *((repr([LAUNCH[trial.agent].format(brief=repr(trial.story.task.brief)), "Enter"]),) if trial.typed else ()),
        )
    elif trial.typed:
        started = tuple(repr([e.command, "Enter"]) for e in trial.story.events if isinstance(e, Ran))
    return [*HEAD, *started, *TAIL]


def pane_of(trial: Trial) -> str:
    """The agent's terminal at its end."""
    story, agent = trial.story, trial.agent
    if agent not in LAUNCH:
        shown = [f"root@2f1c:/app# {e.command}\n{e.output}" for e in story.events if isinstance(e, Ran)]
        return "\n".join([*shown, "root@2f1c:/app#"]) + "\n"
    launched = f"INSTALL_SUCCESS\nroot@2f1c:/app# {LAUNCH[agent].format(brief=repr(story.task.brief))}; tmux wait -S done\n"
    if agent == "openhands":
        return launched + openhands(story)
    if agent not in PROGRAMS:
        return (
            launched
            + "starting session | provider: x model: y\n"
            + "\n".join(e.text for e in story.events if isinstance(e, Said))
            + "\n"
        )
    files = PROGRAMS[agent].scribe(story, START).files
    return launched + next(text for name, text in files.items() if name.endswith(".txt"))


def openhands(story: Story) -> str:
    """Its console log, headless."""
    controller = (
        "openhands:INFO: agent_controller.py:574 - [Agent Controller 65ea509a-7a76] Setting agent(CodeActAgent) state from"
    )
    lines = [f"20:11:40 - {controller} AgentState.LOADING to AgentState.RUNNING"]
    for number, event in enumerate(story.events):
        stamp = f"20:1{2 + number % 7}:0{number % 10}"
        match event:
            case Said(text):
                lines += [f"{stamp} - ACTION", "**MessageAction** (source=EventSource.AGENT)", f"CONTENT: {text}"]
            case Ran(command, output):
                lines += [
                    f"{stamp} - ACTION",
                    f"**CmdRunAction (source=EventSource.AGENT, is_input=False)**\nCOMMAND:\n{command}",
                ]
                if not story.open_at_end(event):
                    lines += [
                        f"{stamp} - OBSERVATION",
                        f"**CmdOutputObservation (source=EventSource.AGENT, exit code=0, metadata={{}})**\n--BEGIN AGENT OBSERVATION--\n{output}\n--END AGENT OBSERVATION--",
                    ]
            case Refusal():
                name = {429: "RateLimitError", 401: "AuthenticationError"}.get(event.status or 0, "InternalServerError")
                lines += [
                    "Traceback (most recent call last):",
                    '  File "/app/.venv/lib/python3.13/site-packages/litellm/litellm_core_utils/exception_mapping_utils.py", line 329, in exception_type',
                    f"    raise {name}(",
                    f"litellm.exceptions.{name}: litellm.{name}: {name}: OpenAIException - {event.message}",
                    "",
                ]
                state = "RATE_LIMITED" if event.status == 429 else "ERROR"
                lines.append(f"{stamp} - {controller} AgentState.RUNNING to AgentState.{state}")
            case Cap() | Declined():
                raise ValueError("openhands is given no such ending")
            case _:
                raise ValueError(f"openhands writes no {event}")
    if story.ends == "normally":
        lines.append(f"20:19:09 - {controller} AgentState.RUNNING to AgentState.FINISHED")
    return "\n".join(lines) + "\n"


def pytest_pane(tests: list[tuple[str, str]]) -> str:
    """What pytest -rA prints."""
    if not tests:
        return "root@2f1c:/app# bash /tests/run-tests.sh; tmux wait -S done\n"
    failed = [(n, m) for n, m in tests if m]
    lines = [f"{' test session starts ':=^80}", f"collected {len(tests)} items", ""]
    lines += [f"{' FAILURES ':=^80}"] * bool(failed)
    for name, message in failed:
        lines += [
            f"{' ' + name + ' ':_^80}",
            "",
            ">       assert found == wanted",
            f"E       {message}",
            "",
            f"/tests/test_outputs.py:31: {message.split(':')[0]}",
        ]
    lines.append(f"{' short test summary info ':=^80}")
    lines += [f"PASSED ../tests/test_outputs.py::{n}" for n, m in tests if not m]
    lines += [f"FAILED ../tests/test_outputs.py::{n} - {m[:60]}" for n, m in failed]
    told = [f"{len(failed)} failed"] * bool(failed) + [f"{len(tests) - len(failed)} passed"] * (len(tests) > len(failed))
    lines.append(f"{' ' + ', '.join(told) + ' in 0.19s ':=^80}")
    return "root@2f1c:/app# bash /tests/run-tests.sh; tmux wait -S done\n" + "\n".join(lines) + "\nroot@2f1c:/app#\n"
