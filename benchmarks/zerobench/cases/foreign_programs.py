"""Agent programs, hand-offs and terminals in shapes the rest of the cases does not have."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench.cases.case import PASS, Case, in_harbor, in_terminal_bench, task
from benchmarks.zerobench.cases.logged import logged
from benchmarks.zerobench.harbor_verifier import nothing, right, wrong
from benchmarks.zerobench.story import HandedOff, Said, finished, looked, untouched


def cases() -> Iterator[Case]:
    yield from _programs()
    yield from _delegated()
    yield from _old_runs()
    yield from _segments()


def _cursor(*events: dict[str, object]) -> str:
    start = {
        "type": "system",
        "subtype": "init",
        "apiKeySource": "env",
        "cwd": "/app",
        "session_id": "c1",
        "model": "GPT-5",
        "permissionMode": "default",
    }
    return "".join(json.dumps(e | {"session_id": "c1"}, ensure_ascii=False) + "\n" for e in (start, *events))


def _cursor_call(number: int, command: str, output: str) -> tuple[dict[str, object], ...]:
    call = {"shellToolCall": {"args": {"command": command}}}
    done = {"shellToolCall": {"args": {"command": command}, "result": {"success": {"exitCode": 0, "stdout": output}}}}
    return (
        {"type": "tool_call", "subtype": "started", "call_id": f"t{number}", "tool_call": call},
        {"type": "tool_call", "subtype": "completed", "call_id": f"t{number}", "tool_call": done},
    )


def _cursor_says(text: str) -> dict[str, object]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


def _cursor_ends(text: str) -> dict[str, object]:
    return {"type": "result", "subtype": "success", "duration_ms": 5234, "is_error": False, "result": text}


GOOSE = "starting session | provider: openrouter model: qwen3-coder\n    working directory: /app\n\n"


def _programs() -> Iterator[Case]:
    one = task(0)
    worked = (_cursor_says("I will look."), *_cursor_call(1, *one.look), *_cursor_call(2, one.write, ""))
    log = _cursor(*worked, _cursor_says("Done."), _cursor_ends("I will look.Done."))
    yield logged("cursor-wrong", "wrong_answer", "cursor-cli", "cursor-cli.txt", log, 0, wrong(one), False, "decoy")
    log = _cursor(*worked[:3], _cursor_says("Next I will write the file."), _cursor_ends("Next I will write the file."))
    yield logged("cursor-early", "early_stop", "cursor-cli", "cursor-cli.txt", log, 0, leaves=False)
    error = "Ran into this error: Rate limit exceeded: qwen3-coder is temporarily rate-limited upstream.\n\nPlease retry if you think this is a transient or recoverable error.\n"
    text = f"{GOOSE}I'll look at the data first.\n─── shell | developer ───\ncommand: head -3 /app/ledger.csv\n\naccount,amount\n{error}"
    yield logged("goose-rate", "rate_limited", "goose", "goose.txt", text, 0, leaves=False)
    quoted = f"{GOOSE}─── shell | developer ───\ncommand: cat old.log\n\n{error}\n─── text_editor | developer ───\npath: /app/totals.json\n\nThe file is written. All done.\n"
    yield logged("goose-quotes", "wrong_answer", "goose", "goose.txt", quoted, 0, wrong(one), False, "decoy")
    aider = (
        "Aider v0.86.1\nModel: openai/gpt-5 with diff edit format\nGit repo: .git with 4 files\n\n"
        "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided: sk-x***0000. You can find your API key at\nhttps://platform.openai.com/account/api-keys.\n"
        "The API provider is not able to authenticate you. Check your API key.\n"
    )
    yield logged("aider-key", "agent_auth", "aider", "aider.txt", aider, 1, leaves=False, release="0.13.0")
    diff = (
        "Aider v0.86.1\nModel: openai/gpt-5 with diff edit format\n\nclient.py\n<<<<<<< SEARCH\n    except Exception:\n=======\n    except litellm.RateLimitError:\n>>>>>>> REPLACE\n\n"
        "Tokens: 4.2k sent, 310 received.\nApplied edit to client.py\n"
    )
    yield logged("aider-diff", "wrong_answer", "aider", "aider.txt", diff, 3, wrong(task(3)), False, "decoy")


def _delegated() -> Iterator[Case]:
    server = HandedOff("python3 -m http.server 8123", background=True, shell=True)
    story = looked(task(0)).then(
        server, Said("The preview server is running in the background on port 8123. The result is in /app/totals.json.")
    )
    yield in_harbor("foreign-own-server", "early_stop", harbor.Trial(story, "claude-code", "0.26.0", nothing(task(0))), "decoy")
    told = HandedOff(
        "Fetch the rates.",
        answer="API Error: 401 Unauthorized from rates.internal: the token in the task's README is wrong. I could not fetch them.",
    )
    story = looked(task(1)).then(told, Said("The rates cannot be fetched, so I stop here."))
    yield in_harbor("foreign-helper-tells", "early_stop", harbor.Trial(story, "claude-code", "0.24.0", nothing(task(1))), "decoy")


def _old_runs() -> Iterator[Case]:
    typed = "root@2f1c:/app# codex exec --dangerously-bypass-approvals-and-sandbox -- 'Do it'\n"
    pane = f"{typed}[2025-08-14T20:11:40] OpenAI Codex v0.21.0 (research preview)\n[2025-08-14T20:11:44] exec bash -lc 'ls' in /app\n[2025-08-14T20:12:20] ERROR: exceeded retry limit, last status: 429 Too Many Requests\nroot@2f1c:/app#\n"
    yield in_terminal_bench(
        "foreign-codex-429", "rate_limited", terminal_bench.Trial(untouched(task(0)), "codex", nothing(task(0)), pane=pane)
    )
    events = (
        {"type": "system", "subtype": "init", "session_id": "s", "model": "claude-sonnet-4"},
        {
            "type": "assistant",
            "message": {
                "id": "m1",
                "role": "assistant",
                "model": "claude-sonnet-4",
                "content": [{"type": "text", "text": "I will look."}],
            },
            "parent_tool_use_id": None,
            "session_id": "s",
        },
        {"type": "result", "subtype": "success", "is_error": True, "result": "Credit balance is too low", "session_id": "s"},
    )
    pane = (
        "root@2f1c:/app# claude --verbose --output-format stream-json -p 'Do it'\n"
        + "".join(json.dumps(e) + "\n" for e in events)
        + "root@2f1c:/app#\n"
    )
    yield in_terminal_bench(
        "foreign-claude-credit",
        "quota_exhausted",
        terminal_bench.Trial(untouched(task(1)), "claude-code", nothing(task(1)), pane=pane),
    )
    shown = "root@2f1c:/app# codex exec -- 'Do it'\n[2025-08-14T20:11:44] exec bash -lc 'cat old.log' succeeded in 12ms:\nERROR: exceeded retry limit, last status: 429 Too Many Requests\n[2025-08-14T20:12:20] codex\nThe file is written.\nroot@2f1c:/app#\n"
    yield in_terminal_bench(
        "foreign-codex-shows",
        "wrong_answer",
        terminal_bench.Trial(finished(task(2)), "codex", wrong(task(2)), pane=shown),
        "decoy",
    )
    late = terminal_bench.Trial(finished(task(3)), "terminus-1", right(task(3)), "agent_timeout", resolved=True, tokens=(900, 80))
    yield in_terminal_bench("foreign-late-pass", PASS, late, "decoy")


def _stream(*events: dict[str, object]) -> str:
    start = {"type": "system", "subtype": "init", "model": "claude-sonnet-4-5", "tools": ["Bash"]}
    return "".join(json.dumps(e | {"session_id": "s"}) + "\n" for e in (start, *events))


def _turn(number: int, block: dict[str, object]) -> dict[str, object]:
    message = {"id": f"m{number}", "role": "assistant", "model": "claude-sonnet-4-5", "content": [block]}
    return {"type": "assistant", "message": message, "parent_tool_use_id": None}


def _ran(number: int, command: str, output: str) -> tuple[dict[str, object], ...]:
    call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    back = {"tool_use_id": f"t{number}", "type": "tool_result", "content": output, "is_error": False}
    return _turn(number, call), {"type": "user", "message": {"role": "user", "content": [back]}, "parent_tool_use_id": None}


def _ended(text: str, status: int | None = None) -> dict[str, object]:
    said = {"type": "result", "subtype": "success", "is_error": status is not None, "api_error_status": status}
    return said | {"result": text, "stop_reason": "end_turn", "num_turns": 2}


def _segments() -> Iterator[Case]:
    """A stream with several results: the last one counts, not the first."""
    limited, about = _ended("API Error: Request rejected (429) · rate limit", 429), task(0)
    done = (*_ran(2, about.write, ""), _turn(3, {"type": "text", "text": "Done."}), _ended("Done."))
    log = _stream(*_ran(1, "ls", "a"), limited, *done)
    yield logged("resumed", "wrong_answer", "claude-code", "claude-code.txt", log, 0, wrong(about), False, "decoy")
    log = _stream(*_ran(1, "ls", "a"), _turn(2, {"type": "text", "text": "I looked."}), _ended("I looked."), limited)
    yield logged("second-segment", "rate_limited", "claude-code", "claude-code.txt", log)
