"""Terminal-Bench 0.1: panes of programs, coloured and quoted errors, tests whose terminal is noisy."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.zerobench.cases.case import Case, in_terminal_bench, task
from benchmarks.zerobench.harbor_verifier import Tests, nothing, wrong
from benchmarks.zerobench.story import Ran, Said, finished, looked, untouched
from benchmarks.zerobench.terminal_bench import Trial, pytest_pane

PROMPT = "root@2f1c:/app#"
CODEX = f"{PROMPT} codex exec --dangerously-bypass-approvals-and-sandbox -- 'Do it'\n[2025-08-14T20:11:40] OpenAI Codex v0.21.0 (research preview)\n"
AIDER = f"{PROMPT} aider --message 'Do it' --yes\nAider v0.86.1\nModel: openai/gpt-5 with diff edit format\n\n"
GOOSE = f"{PROMPT} goose run --recipe ~/recipe.yaml; tmux wait -S done\nstarting session | provider: openai model: gpt-5\n\n"
CLAUDE = f"{PROMPT} claude --verbose --output-format stream-json -p 'Do it'\n"
INIT = '{"type":"system","subtype":"init","session_id":"s","model":"claude-sonnet-4"}\n'


def cases() -> Iterator[Case]:
    yield from _refused()
    yield from _decoys()
    yield from _tests()


def _refused() -> Iterator[Case]:
    codex = f"{CODEX}[2025-08-14T20:11:44] stream error: unexpected status 401 Unauthorized; retrying 5/5 in 3.1s…\n[2025-08-14T20:12:20] ERROR: unexpected status 401 Unauthorized: Missing bearer authentication in header\n{PROMPT}\n"
    aider = f"{AIDER}litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided: sk-x***0000.\nThe API provider is not able to authenticate you. Check your API key.\n{PROMPT}\n"
    goose = f"{GOOSE}Ran into this error: Rate limit exceeded: please slow down.\n\nPlease retry if you think this is a transient or recoverable error.\n{PROMPT}\n"
    claude = f'{CLAUDE}{INIT}{{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529 {{\\"type\\":\\"error\\",\\"error\\":{{\\"type\\":\\"overloaded_error\\",\\"message\\":\\"Overloaded\\"}}}}","session_id":"s"}}\n{PROMPT}\n'
    for number, (agent, truth, pane) in enumerate(
        (
            ("codex", "agent_auth", codex),
            ("aider", "agent_auth", aider),
            ("goose", "rate_limited", goose),
            ("claude-code", "provider_error", claude),
        )
    ):
        trial = Trial(untouched(task(number)), agent, nothing(task(number)), pane=pane)
        yield in_terminal_bench(f"distant-{agent}", truth, trial)


def _decoys() -> Iterator[Case]:
    noisy = f"{CODEX}[2025-08-14T20:11:44] stream error: stream disconnected before completion; retrying 1/5 in 201ms…\n[2025-08-14T20:12:04] exec bash -lc 'python3 sum.py > /app/totals.json' in /app\n[2025-08-14T20:12:20] codex\nThe file is written.\n{PROMPT}\n"
    trial = Trial(finished(task(0)), "codex", wrong(task(0)), pane=noisy)
    yield in_terminal_bench("distant-codex-overcame", "wrong_answer", trial, "decoy")
    told = '{"type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4","content":[{"type":"text","text":"The API said 529 overloaded_error, I give up."}]},"parent_tool_use_id":null,"session_id":"s"}\n'
    pane = f'{CLAUDE}{INIT}{told}{{"type":"result","subtype":"success","is_error":false,"result":"The API said 529 overloaded_error, I give up.","session_id":"s"}}\n{PROMPT}\n'
    trial = Trial(untouched(task(1)), "claude-code", nothing(task(1)), pane=pane)
    yield in_terminal_bench("distant-claude-says", "early_stop", trial, "decoy")
    for number, output in enumerate(
        ("Killed", "bash: line 1: jq: command not found", "litellm.exceptions.AuthenticationError: no key")
    ):
        story = looked(task(number)).then(Ran("python3 big.py", output), Ran(task(number).write), Said("Done."))
        trial = Trial(story, "terminus-1", wrong(task(number)), tokens=(9000, 800))
        yield in_terminal_bench(f"distant-shown-{number}", "wrong_answer", trial, "decoy")
    late = looked(task(3)).then(Ran("tail -f app.log", "429 Too Many Requests\n401 Unauthorized"), ends="timeout")
    trial = Trial(late, "terminus-1", nothing(task(3)), "agent_timeout", seconds=(900.0, 20.0), tokens=(9000, 800))
    yield in_terminal_bench("distant-clock", "clock", trial, "decoy")


def _tests() -> Iterator[Case]:
    names = [(task(4).tests[0], ""), (task(4).tests[1], task(4).wrong)]
    first = "curl: (28) Operation timed out after 30001 milliseconds\ncurl: (6) Could not resolve host: astral.example\nretrying\nInstalled 4 packages\n"
    trial = Trial(finished(task(4)), "terminus-1", wrong(task(4)), tokens=(9000, 800), pane_tests=first + pytest_pane(names))
    yield in_terminal_bench("distant-slow-install", "wrong_answer", trial, "decoy")
    late = Trial(
        finished(task(5)), "openhands", Tests(1, 0.0, failures=(task(5).wrong,)), "agent_timeout", seconds=(1800.0, 20.0)
    )
    yield in_terminal_bench("distant-late-wrong", "wrong_answer", late, "decoy")
