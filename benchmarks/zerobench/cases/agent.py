"""How the agent's own work ends: the model's doing, the harness's, the clock's."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench.cases.case import Case, in_harbor, in_terminal_bench, one_row, task, version
from benchmarks.zerobench.harbor_verifier import Tests, nothing, wrong
from benchmarks.zerobench.osmosis import Row
from benchmarks.zerobench.scribes import PROGRAMS
from benchmarks.zerobench.story import (
    BadCall,
    CallAsText,
    Cap,
    Declined,
    Event,
    HandedOff,
    Ran,
    Said,
    finished,
    looked,
    untouched,
)

STOPS = (
    "I have everything I need. Next I will compute the result and write the file.",
    "I could not finish this: the data is larger than I can handle here.",
    "Let me know if you would like me to continue with the next step.",
)
TEXT_CALLS = (
    '<tool_call>\n{"name": "bash", "arguments": {"command": "ls /app"}}\n</tool_call>',
    '<|python_start|>{"name": "bash", "parameters": {"command": "ls /app"}}<|python_end|>',
    '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "cat /app/data.csv"}}]',
    "<function=bash>\n<parameter=command>ls /app</parameter>\n</function>",
)
COMPLAINTS = (
    ('{"command": "ls /app', "Error parsing tool call arguments: Unterminated string starting at: line 1 column 13 (char 12)."),
    ("run_sql(select * from t)", "Unknown tool 'run_sql'."),
)
MODES = (
    ("malformed_output", "fatal_llm_parse_error"),
    ("output_length", "output_length_exceeded"),
    ("context_length", "context_length_exceeded"),
    ("harness_crash", "unknown_agent_error"),
)
"""What Terminal-Bench itself calls the end, where nothing else is on record."""


def cases() -> Iterator[Case]:
    yield from _stopped()
    yield from _cut()
    yield from _badly_formed()
    yield from _delegated()
    yield from _clock()
    yield from _crashed()
    yield from _no_model()
    yield from _wrong()


def _stopped() -> Iterator[Case]:
    for number, agent in enumerate(PROGRAMS):
        story = looked(task(number), 1 + number % 3).then(Said(STOPS[number % 3]))
        yield in_harbor(f"early-{agent}", "early_stop", harbor.Trial(story, agent, version(number), nothing(story.task)))
    for number, agent in enumerate(("openhands", "terminus-1", "mini-swe-agent")):
        story = looked(task(number + 2), 2).then(Said(STOPS[(number + 1) % 3]))
        yield in_terminal_bench(
            f"early-{agent}", "early_stop", terminal_bench.Trial(story, agent, nothing(story.task), seconds=(70.0, 20.0))
        )
    yield one_row("early-empty", "early_stop", Row(reward=0.0, answer=""))


def _cut() -> Iterator[Case]:
    for number, agent in enumerate(("claude-code", "codex", "opencode", "mini-swe-agent")):
        cut: tuple[Event, ...] = (Cap(), Declined())
        for more, event in enumerate(cut):
            truth = "refusal" if more else "output_length"
            story = (looked(task(number)) if (number + more) % 2 else untouched(task(number))).then(event)
            yield in_harbor(f"{truth}-{agent}", truth, harbor.Trial(story, agent, version(number + more), nothing(story.task)))
    through_the_harness: tuple[tuple[str, Event, str, str], ...] = (
        ("output_length", Cap(), "timeout", "0.26.0"),
        ("output_length", Cap(), "normally", "0.24.0"),
        ("refusal", Declined(), "normally", "0.24.0"),
        ("refusal", Declined(), "normally", "0.13.0"),
    )
    for number, (truth, event, ends, release) in enumerate(through_the_harness):
        story = looked(task(number + 1)).then(event, ends=ends)
        yield in_harbor(f"{truth}-terminus-{number}", truth, harbor.Trial(story, "terminus-2", release, nothing(story.task)))


def _badly_formed() -> Iterator[Case]:
    for number, agent in enumerate(("claude-code", "opencode", "mini-swe-agent", "codex")):
        story = untouched(task(number)).then(CallAsText(TEXT_CALLS[number]))
        yield in_harbor(
            f"text-calls-{agent}", "harness_incompatibility", harbor.Trial(story, agent, version(number), nothing(story.task))
        )
    for number, (text, complaint) in enumerate(COMPLAINTS):
        for more in range(2):
            story = (looked(task(number), 2) if more else untouched(task(number))).then(BadCall(text, complaint))
            trial = harbor.Trial(story, "mini-swe-agent", version(number + more), nothing(story.task))
            yield in_harbor(f"malformed-mini-{number}{more}", "malformed_output", trial)
    for number, (truth, mode) in enumerate(MODES):
        story = looked(task(number + 3))
        yield in_terminal_bench(
            f"{truth}-terminus", truth, terminal_bench.Trial(story, "terminus-1", nothing(story.task), mode, tokens=(None, None))
        )


def _delegated() -> Iterator[Case]:
    waits = Said("The agents are working in the background. I'll be notified when they complete and will then write the file.")
    part = HandedOff("Work out the first half of the table.", background=True)
    other = HandedOff("Work out the second half of the table.", background=True)
    shell = HandedOff("sleep 600 && python3 build.py", background=True, shell=True)
    abandoned: tuple[tuple[Event, ...], ...] = (
        (part, waits),
        (part, other, waits),
        (shell, Said("The job runs in the background; I'll write the file once it is done.")),
        (other, Said("Delegated. I'll pause here until the sub-agent reports back.")),
    )
    for number, events in enumerate(abandoned):
        story = looked(task(number)).then(*events)
        yield in_harbor(
            f"abandoned-{number}",
            "abandoned_delegation",
            harbor.Trial(story, "claude-code", version(number), nothing(story.task)),
        )
    for number, words in enumerate(
        (
            "Failed to authenticate. API Error: 401 Missing Authentication header",
            "Invalid API key · Fix external API key",
            "Not logged in · Please run /login",
        )
    ):
        gone = [
            HandedOff(prompt, refused=words, background=number == 2) for prompt in ("Do the first half.", "Do the second half.")
        ]
        story = looked(task(number)).then(*gone, Said("The sub-agents could not run, so the file could not be produced."))
        yield in_harbor(
            f"subagent-auth-{number}", "subagent_auth", harbor.Trial(story, "claude-code", version(number), nothing(story.task))
        )
    for number in range(2):
        told = HandedOff(
            "SUBTASK: write the file",
            refused="Missing bearer or basic authentication in header" if number else "Incorrect API key provided: ''",
        )
        story = looked(task(number + 3)).then(told, Said("The nested run was refused, so there is no file."))
        yield in_harbor(
            f"subagent-auth-codex-{number}", "subagent_auth", harbor.Trial(story, "codex", version(number), nothing(story.task))
        )


def _clock() -> Iterator[Case]:
    for number, agent in enumerate(PROGRAMS):
        story = looked(task(number), 4 + number).then(Ran("python3 train.py --epochs 400"), ends="timeout")
        trial = harbor.Trial(story, agent, version(number), nothing(story.task), limit=(300.0, 900.0, 1800.0)[number % 3])
        yield in_harbor(f"clock-{agent}", "clock", trial)
    for number, agent in enumerate(("terminus-1", "openhands")):
        story = looked(task(number), 8).then(Ran("make -j2 all"), ends="timeout")
        old = terminal_bench.Trial(
            story, agent, nothing(story.task), "agent_timeout", seconds=(900.0, 30.0), tokens=(41000, 5200)
        )
        yield in_terminal_bench(f"clock-{agent}", "clock", old)


ADAPTER = "/home/op/agents/harbor_agent.py"
CRASHES = (
    (
        "RuntimeError",
        "Command timed out after 300 seconds",
        "/opt/harbor/site-packages/harbor/environments/docker/docker.py:212 _run_docker_compose_command",
    ),
    ("AttributeError", "'NoneType' object has no attribute 'input_tokens'", f"{ADAPTER}:168 _count"),
    ("JSONDecodeError", "Expecting value: line 1 column 1 (char 0)", f"{ADAPTER}:91 _parse_stream"),
    (
        "TypeError",
        "string indices must be integers, not 'str'",
        "/opt/harbor/site-packages/harbor/agents/terminus_2/terminus_2.py:980 _execute_commands",
    ),
    ("KeyError", "'choices'", f"{ADAPTER}:77 run"),
)


def _crashed() -> Iterator[Case]:
    for number, (name, message, frame) in enumerate(CRASHES):
        story = looked(task(number), 3)
        if number == 0:
            story = story.then(Ran("apt-get install -y r-base"), ends="killed")
        trial = harbor.Trial(
            story,
            "terminus-2",
            ("0.1.40", "0.24.0", "0.13.0", "0.24.0", "0.6.1")[number],
            exception=(name, message, "agent_execution"),
            frames=(frame,),
            seconds={"agent_execution": 330.0},
            limit=1800.0,
        )
        yield in_harbor(f"crash-{number}", "harness_crash", trial)


def _no_model() -> Iterator[Case]:
    for number in range(4):
        story = untouched(task(number))
        tests = (
            nothing(story.task)
            if number != 2
            else Tests(1, 0.0, failures=(f"AssertionError: {story.task.deliverable} does not exist",))
        )
        yield in_harbor(f"nop-{number}", "no_agent", harbor.Trial(story, "nop", version(number), tests))
    for number, tests in enumerate((wrong(task(0)), nothing(task(1)), wrong(task(2), 0.5))):
        files = {
            "agent/oracle.txt": ("Traceback (most recent call last):\nFileNotFoundError: 'key.json'\n", "", "done\n")[number],
            "agent/exit-code.txt": ("1\n", "2\n", "0\n")[number],
        }
        yield in_harbor(
            f"oracle-{number}",
            "oracle_failed",
            harbor.Trial(untouched(task(number)), "oracle", version(number), tests, extra_files=files),
        )
    late = ("AgentTimeoutError", "Agent execution timed out after 120.0 seconds", "agent_execution")
    trial = harbor.Trial(
        untouched(task(3)), "oracle", "0.24.0", nothing(task(3)), exception=late, seconds={"agent_execution": 120.3}, limit=120.0
    )
    yield in_harbor("oracle-3", "oracle_failed", trial)


def _wrong() -> Iterator[Case]:
    for number, agent in enumerate(PROGRAMS):
        story = finished(task(number))
        yield in_harbor(f"wrong-{agent}", "wrong_answer", harbor.Trial(story, agent, version(number), wrong(story.task)))
    for number, agent in enumerate(("terminus-1", "openhands", "mini-swe-agent", "codex")):
        story = finished(task(number))
        yield in_terminal_bench(
            f"wrong-{agent}", "wrong_answer", terminal_bench.Trial(story, agent, wrong(story.task), tokens=(20000, 900))
        )
    for number, answer in enumerate(("The answer is 82.", "I think it is forty-two.")):
        yield one_row(f"wrong-{number}", "wrong_answer", Row(reward=0.0, answer=answer))
