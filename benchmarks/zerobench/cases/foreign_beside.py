"""What lies beside a trial and is none of its: trials of other releases, lost ones, old logs, a simulated user's log, odd names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import VERSIONS, Case, in_harbor, task
from benchmarks.zerobench.cases.logged import claude_log, edited, limit
from benchmarks.zerobench.harbor_verifier import nothing, wrong
from benchmarks.zerobench.refusals import REFUSALS
from benchmarks.zerobench.story import Ran, Refusal, finished, looked

AGENTS = ("claude-code", "codex", "opencode")


def cases() -> Iterator[Case]:
    yield from _releases()
    yield from _logs()
    yield from _halves()
    yield from _recovered()


def _refused(agent: str) -> Refusal:
    vendor = "openai" if agent == "codex" else "anthropic"
    return next(r for r in REFUSALS["rate_limited"] if r.vendor == vendor)


def _releases() -> Iterator[Case]:
    """One job holds trials of two releases, one of them refused and one that was lost."""
    for number, version in enumerate(VERSIONS):
        agent, other = AGENTS[number % 3], VERSIONS[(number + 3) % 6]
        refused = looked(task(number + 1)).then(_refused(agent), ends="refused")
        lost = looked(task(number + 2), 3).then(Ran("make"), ends="killed")
        beside = [
            harbor.Trial(refused, agent, other, nothing(task(number + 1)), name="other__B1"),
            harbor.Trial(lost, agent, other, result=False, name="lost__C1"),
        ]
        trial = harbor.Trial(finished(task(number)), agent, version, wrong(task(number)))
        yield in_harbor(f"foreign-releases-{version}", "wrong_answer", trial, "decoy", finished=False, beside=beside)


def _logs() -> Iterator[Case]:
    limited = claude_log("API Error: Request rejected (429) · rate limit", 429)
    overloaded = claude_log("API Error: 529 Overloaded", 529)
    for number, (name, agent, files) in enumerate(
        (
            ("previous", "claude-code", {"agent/claude-code.previous.txt": limited}),
            (
                "debug",
                "codex",
                {"agent/aaa-debug.log": "ERROR 429 Too Many Requests\n" * 50, "agent/command-1/stdout.txt": overloaded},
            ),
            ("simulated-user", "terminus-2", {"user-agent/claude-code.txt": overloaded}),
        )
    ):
        about = task(number + 2)
        trial = harbor.Trial(finished(about), agent, ("0.24.0", "0.20.0", "0.26.0")[number], wrong(about), extra_files=files)
        yield in_harbor(f"foreign-log-{name}", "wrong_answer", trial, "decoy")
    named = harbor.Trial(finished(task(5)), "opencode", "0.24.0", wrong(task(5)), name="задача с пробелом__Ab1 #2%")
    yield in_harbor("foreign-name", "wrong_answer", named, "decoy")


def _halves() -> Iterator[Case]:
    for file in ("verifier/ctrf.json", "config.json"):
        trial = harbor.Trial(finished(task(1)), "codex", "0.24.0", wrong(task(1)))
        yield edited(f"half-{file.rpartition('/')[2]}", "wrong_answer", trial, file, lambda text: text[: len(text) // 2])
    story = looked(task(1)).then(replace(limit(), vendor="openai"), ends="refused")
    trial = harbor.Trial(story, "codex", "0.24.0", nothing(task(1)))
    yield edited("half-exception.txt", "rate_limited", trial, "exception.txt", lambda text: text[: len(text) // 2], "fault")


def _recovered() -> Iterator[Case]:
    retried = replace(_refused("claude-code"), retried=True)
    story = looked(task(0)).then(retried, Ran(*task(0).look), Ran(*task(0).look), Ran("python3 train.py"), ends="timeout")
    trial = harbor.Trial(story, "claude-code", "0.13.0", nothing(task(0)))
    yield in_harbor("foreign-recovered-then-clock", "clock", trial, "decoy")
