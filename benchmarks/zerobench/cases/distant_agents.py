"""Agent programs: scary words of tools, starts and side requests that decide nothing, and closing words that do."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import Case, in_harbor, task
from benchmarks.zerobench.cases.logged import ADAPTER, RUNNER, edited, logged
from benchmarks.zerobench.harbor_verifier import nothing, wrong
from benchmarks.zerobench.scribes.opencode import LOG
from benchmarks.zerobench.story import Cap, Ran, Said, Story, closing, finished, looked, untouched

GOOSE = "starting session | provider: openrouter model: qwen3-coder\n    working directory: /app\n\n"
AIDER = "Aider v0.86.1\nModel: openai/gpt-5 with diff edit format\nGit repo: .git with 4 files\n\n"
REMARK = "\nPlease retry if you think this is a transient or recoverable error.\n"


def cases() -> Iterator[Case]:
    yield from _screens()
    yield from _short_and_sweet()
    yield from _beside_the_work()
    yield from _said()
    yield from _raised()
    yield from _openhands()


def _screens() -> Iterator[Case]:
    """Programs whose log is a screen."""
    throttled = "litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached for gpt-5\nThe API provider has rate limited you. Try again later or check your quotas.\nRetrying in 0.2 seconds...\n"
    late = harbor.Trial(
        Story(task(3), (), "timeout"),
        "aider",
        "0.13.0",
        nothing(task(3)),
        no_agent_files=True,
        extra_files={"agent/aider.txt": AIDER + throttled * 7},
    )
    yield in_harbor("distant-aider-throttled", "rate_limited", late)
    edit = "client.py\n<<<<<<< SEARCH\n    pass\n=======\n    retry()\n>>>>>>> REPLACE\n\nTokens: 4.2k sent, 310 received.\nApplied edit to client.py\n"
    yield logged("aider-overcame", "wrong_answer", "aider", "aider.txt", AIDER + throttled + edit, 3, wrong(task(3)), False, "decoy")  # fmt: skip
    text = f"{GOOSE}I'll look at the data first.\n\nRan into this error: Request failed: Insufficient credits. Add more using your dashboard\n{REMARK}\nClosing session. Recorded to /root/.local/share/goose/sessions/20260511.jsonl\n"
    yield logged("goose-credits", "quota_exhausted", "goose", "goose.txt", text, 1, leaves=False)
    panic = f"{GOOSE}─── shell | developer ───\ncommand: cat app.log\n\n429 Too Many Requests: rate limit exceeded\n\nthread 'main' panicked at crates/goose-cli/src/session/mod.rs:412:18:\ncalled `Option::unwrap()` on a `None` value\n"
    said = f"Command failed (exit 101): goose run\nstdout: {panic[-500:]}\nstderr: None"
    trial = harbor.Trial(
        untouched(task(2)),
        "goose",
        "0.24.0",
        nothing(task(2)),
        exception=("ApiRateLimitError", said, "agent_execution"),
        no_agent_files=True,
        extra_files={"agent/goose.txt": panic},
    )
    yield in_harbor("distant-goose-panic", "harness_crash", trial, "decoy")
    capi = "● I'll look at the data.\n\n✗ Execution failed: Error: Failed to get response from the AI model; retried 5 times. Last error: CAPIError: 429 Rate limit exceeded\n"
    trial = harbor.Trial(
        untouched(task(4)),
        "copilot-cli",
        "0.26.0",
        nothing(task(4)),
        exception=("ApiRateLimitError", f"Command failed (exit 1): copilot\nstdout: {capi}\nstderr: None", "agent_execution"),
        no_agent_files=True,
        extra_files={"agent/copilot-cli.txt": capi},
    )
    yield in_harbor("distant-copilot", "rate_limited", trial)
    login = "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.\n"
    yield logged("cursor-key", "agent_auth", "cursor-cli", "cursor-cli.txt", login, 0)
    key = "Missing API key for OpenAI-compatible auth. Set settings.security.auth.apiKey, or set the 'OPENAI_API_KEY' environment variable.\n"
    yield logged("qwen-key", "agent_auth", "qwen-code", "qwen-code.txt", key, 5)
    qwen = "I'll look at the data first.\n[API Error: 429 You exceeded your current quota, please check your plan and billing details.]\n"
    yield logged("qwen-quota", "quota_exhausted", "qwen-code", "qwen-code.txt", qwen, 2)


def _quick(name: str, agent: str, file: str, text: str, number: int) -> Case:
    trial = harbor.Trial(
        untouched(task(number)),
        agent,
        ("0.24.0", "0.26.0", "0.13.0")[number % 3],
        wrong(task(number)),
        no_agent_files=True,
        seconds={"agent_execution": 22.0},
        extra_files={f"agent/{file}": text},
    )
    return in_harbor(f"distant-quick-{name}", "wrong_answer", trial, "decoy")


def _short_and_sweet() -> Iterator[Case]:
    """Done in half a minute; a tool printed what a program that cannot start would print."""
    shell = f"{GOOSE}─── shell | developer ───\ncommand: jq . /app/ledger.csv\n\nbash: line 1: jq: command not found\n\n─── text_editor | developer ───\npath: /app/totals.json\n\nThe totals are written.\n"
    yield _quick("goose", "goose", "goose.txt", shell, 0)
    module = f"{AIDER}Running python3 count.py\nTraceback (most recent call last):\n  File \"/app/count.py\", line 1, in <module>\n    import pandas\nModuleNotFoundError: No module named 'pandas'\nAdd command output to the chat? Yes\n\ncount.py\n<<<<<<< SEARCH\nimport pandas\n=======\nimport csv\n>>>>>>> REPLACE\n\nApplied edit to count.py\n"
    yield _quick("aider", "aider", "aider.txt", module, 1)
    custom = "[agent] step 1: which node\n/bin/sh: 1: node: not found\n[agent] step 2: python3 match.py --out /app/match.csv\n[agent] done\n"
    yield _quick("custom", "agents.loop:Loop", "run.log", custom, 2)
    option = "[agent] step 1: python3 count.py --all\ncount.py: error: unrecognized arguments: --all\n[agent] step 2: python3 count.py\n[agent] done\n"
    yield _quick("option", "agents.loop:Loop", "run.log", option, 1)


def _beside_the_work() -> Iterator[Case]:
    """Notices, side requests and starts of helpers that failed while the main agent worked on."""
    stop = looked(task(0)).then(Ran(*task(0).look), Said("I will write the file next."))
    notice = json.dumps({"type": "rate_limit_event", "rate_limit_info": {"status": "allowed_warning", "rateLimitType": "five_hour", "utilization": 0.91}, "session_id": "s"})  # fmt: skip
    trial = harbor.Trial(stop, "claude-code", "0.26.0", nothing(task(0)))
    yield edited("limit-notice", "early_stop", trial, "agent/claude-code.txt", lambda text: _second(text, notice))
    compact = json.dumps({"type": "system", "subtype": "compact_boundary", "compact_metadata": {"trigger": "auto", "pre_tokens": 187000}, "session_id": "s"})  # fmt: skip
    trial = harbor.Trial(stop, "claude-code", "0.24.0", nothing(task(0)))
    yield edited("compacted", "early_stop", trial, "agent/claude-code.txt", lambda text: _second(text, compact))
    helper = json.dumps({"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "MCP client for `browser` failed to start: handshaking with MCP server failed: 401 Unauthorized"}})  # fmt: skip
    trial = harbor.Trial(stop, "codex", "0.26.0", nothing(task(0)))
    yield edited("helper-401", "early_stop", trial, "agent/codex.txt", lambda text: _second(text, helper))
    lost = json.dumps({"type": "error", "message": "Reconnecting... 2/5 (stream disconnected before completion: idle timeout waiting for SSE)"})  # fmt: skip
    slow = looked(task(1), 4).then(Ran("python3 train.py"), ends="timeout")
    trial = harbor.Trial(slow, "codex", "0.24.0", nothing(task(1)))
    yield edited("reconnected-then-clock", "clock", trial, "agent/codex.txt", lambda text: _second(text, lost))
    title = 'timestamp=2026-05-11T09:30:20.000Z level=ERROR run=8578ea98 message="stream error" providerID=openai modelID=gpt-5-nano session.id=ses_1 small=true agent=title mode=primary error.error="AI_APICallError: The model `gpt-5-nano` does not exist"\n'
    trial = harbor.Trial(stop, "opencode", "0.26.0", nothing(task(0)), extra_files={f"agent/{LOG}": title})
    yield in_harbor("distant-title", "early_stop", trial, "decoy")
    capped = looked(task(2)).then(Said("First"), Cap(), Ran(*task(2).look), Said("I looked at it again."))
    yield in_harbor("distant-capped-midway", "early_stop", harbor.Trial(capped, "opencode", "0.24.0", nothing(task(2))), "decoy")
    for number, agent in enumerate(("codex", "claude-code", "terminus-2")):
        killed = Ran("python3 train.py", "Killed\nexit code 137: out of memory", failed=True)
        story = looked(task(number)).then(killed, Said("There is not enough memory for this. I stop here."))
        yield in_harbor(
            f"distant-own-oom-{agent}", "early_stop", harbor.Trial(story, agent, "0.26.0", nothing(task(number))), "decoy"
        )
        done = looked(task(number)).then(killed, Ran(task(number).write), closing(task(number)))
        yield in_harbor(
            f"distant-own-oom-wrong-{agent}", "wrong_answer", harbor.Trial(done, agent, "0.24.0", wrong(task(number))), "decoy"
        )


def _second(text: str, line: str) -> str:
    """The line put in behind the first."""
    first, _, rest = text.partition("\n")
    return f"{first}\n{line}\n{rest}"


def _said() -> Iterator[Case]:
    """The model's own last words, for which nobody else is to blame."""
    for number, (agent, words) in enumerate(
        (
            ("opencode", '{"a": 429, "b": 401.5}'),
            ("gemini-cli", '```json\n{"accounts": {"a": 429}, "total": 830.5}\n```'),
            ("codex", "The sandbox has no network: `curl: (6) Could not resolve host`. Infrastructure failure, please re-run."),
            ("mini-swe-agent", "ContextWindowExceededError: the file is larger than the context window, so I stop."),
            ("terminus-2", "I cannot help with this, it would violate the usage policies."),
            ("claude-code", "Background tasks still running after 600s; terminating. I give up."),
        )
    ):
        story = looked(task(number)).then(Said(words))
        trial = harbor.Trial(story, agent, ("0.26.0", "0.24.0", "0.13.0")[number % 3], nothing(task(number)))
        yield in_harbor(f"distant-says-{number}", "early_stop", trial, "decoy")


def _loop(name: str, truth: str, exception: tuple[str, str], lines: str, kind: str = "fault") -> Case:
    """An agent of the operator's own raised while at work."""
    trial = harbor.Trial(
        looked(task(len(name)), 3),
        "terminus-2",
        "0.24.0",
        exception=(*exception, "agent_execution"),
        seconds={"agent_execution": 66.0},
    )
    trial.trace = f'Traceback (most recent call last):\n  File "{RUNNER}", line 654, in run\n  File "{ADAPTER}", line 88, in run\n{lines}{exception[0]}: {exception[1]}\n'
    return in_harbor(f"distant-{name}", truth, trial, kind)


def _raised() -> Iterator[Case]:
    telemetry = "Client error '401 Unauthorized' for url 'https://telemetry.example/v1/events'\nFor more information check: https://developer.example/401"
    yield _loop("telemetry-401", "harness_crash", ("httpx.HTTPStatusError", telemetry), "", "decoy")
    index = "429 Client Error: Too Many Requests for url: https://search.example/api?q=ledger"
    yield _loop("search-429", "harness_crash", ("requests.exceptions.HTTPError", index), "", "decoy")
    gateway = "Client error '401 Unauthorized' for url 'https://llm.example/v1/chat/completions'\nFor more information check: https://developer.example/401"
    yield _loop("gateway-401", "agent_auth", ("httpx.HTTPStatusError", gateway), "")
    own = "rate limit of tool calls (25 per minute) exceeded"
    yield _loop("own-limit", "harness_crash", ("agents.errors.ToolBudgetExceeded", own), "", "decoy")


def _openhands() -> Iterator[Case]:
    at = "openhands:INFO: agent_controller.py:574 - [Agent Controller 65ea] Setting agent(CodeActAgent) state from"
    said = "20:13:02 - ACTION\n**MessageAction** (source=EventSource.AGENT)\nCONTENT: I will look at the data first.\n"
    steps = f"20:11:40 - {at} AgentState.LOADING to AgentState.RUNNING\n{said}"
    limited = f"20:13:10 - {at} AgentState.RUNNING to AgentState.RATE_LIMITED\n20:14:10 - {at} AgentState.RATE_LIMITED to AgentState.RUNNING\n"
    ends = f"{said.replace('20:13', '20:15')}20:19:09 - {at} AgentState.RUNNING to AgentState.FINISHED\n"
    yield logged("openhands-went-on", "early_stop", "openhands", "openhands.txt", steps + limited + ends, 0, leaves=False, kind="decoy")  # fmt: skip
    refused = 'Traceback (most recent call last):\n  File "/app/.venv/lib/python3.13/site-packages/litellm/main.py", line 329, in completion\n    raise e\nlitellm.exceptions.AuthenticationError: litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided: sk-x***0000.\n\n'
    failed = f"{refused}20:13:10 - {at} AgentState.RUNNING to AgentState.ERROR\n"
    yield logged("openhands-key", "agent_auth", "openhands", "openhands.txt", steps + failed, 1, leaves=False)
    shown = f"20:14:00 - OBSERVATION\n**CmdOutputObservation (source=EventSource.AGENT, exit code=1, metadata={{}})**\n--BEGIN AGENT OBSERVATION--\n{refused}--END AGENT OBSERVATION--\n"
    yield logged("openhands-shows", "wrong_answer", "openhands", "openhands.txt", steps + shown + ends, 2, wrong(task(2)), False, "decoy")  # fmt: skip
    noisy = harbor.Trial(finished(task(4)), "codex", "0.26.0", wrong(task(4)), extra_files={"agent/setup/stdout.txt": "npm warn 429 Too Many Requests, retrying\nadded 1 package\n", "agent/setup/return-code.txt": "0\n"})  # fmt: skip
    yield in_harbor("distant-setup-noise", "wrong_answer", noisy, "decoy")
