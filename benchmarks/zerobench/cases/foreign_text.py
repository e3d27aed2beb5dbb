"""Languages, bytes and half-written files that the rest of the cases does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import harbor
from benchmarks.zerobench.cases.case import Case, in_harbor, task
from benchmarks.zerobench.cases.logged import edited, limit
from benchmarks.zerobench.harbor_verifier import Tests, nothing, wrong
from benchmarks.zerobench.story import Ran, Said, Task, closing, delivered, finished, looked, untouched


def cases() -> Iterator[Case]:
    yield from _languages()
    yield from _bytes()
    yield from _damaged()


CHINESE = Task(
    "zhong-biao",
    "读取 /app/orders.csv，并将每个地区的合计写入 /app/totals.json。",
    "/app/totals.json",
    ("head -3 /app/orders.csv", "地区,金额\n北,429\n南,401.5"),
    "python3 he_ji.py > /app/totals.json",
    "AssertionError: 地区 '北': 期望 430, 实际 429",
    ("test_exists", "test_regions", "test_sums"),
)


GERMAN = Task(
    "konten",
    "Lies /app/konten.csv und schreibe die Summen nach /app/summen.json. Größere Beträge bitte runden.",
    "/app/summen.json",
    ("head -3 /app/konten.csv", "konto,betrag\nä,429\nö,401,5"),
    "python3 summen.py > /app/summen.json",
    "AssertionError: assert {'ä': 429} == {'ä': 430}",
    ("test_exists", "test_sums"),
)


def _languages() -> Iterator[Case]:
    for number, (about, agent) in enumerate(((CHINESE, "claude-code"), (GERMAN, "terminus-2"), (CHINESE, "codex"))):
        late = delivered(about).then(Ran("python3 verify.py"), ends="timeout")
        yield in_harbor(f"foreign-late-{number}", "wrong_answer", harbor.Trial(late, agent, "0.26.0", wrong(about)), "decoy")
    stopped = looked(GERMAN).then(Said("Ich habe alles gesehen. Als Nächstes schreibe ich die Datei."))
    yield in_harbor("foreign-early", "early_stop", harbor.Trial(stopped, "opencode", "0.24.0", nothing(GERMAN)))
    gone = (
        "cat: /app/totals.json: Datei oder Verzeichnis nicht gefunden\n",
        "cat: /app/totals.json: Aucun fichier ou dossier de ce type\n",
        "cat: /app/totals.json: 没有那个文件或目录\n",
        "Проверка: файл /app/totals.json не найден\ncat: /app/totals.json: Нет такого файла или каталога\n",
    )
    for number, output in enumerate(gone):
        agent = ("claude-code", "codex", "opencode", "gemini-cli")[number]
        story = looked(replace(task(0), brief=task(0).brief)).then(Said("I am going to write it now."))
        yield in_harbor(
            f"foreign-gone-{number}", "early_stop", harbor.Trial(story, agent, "0.26.0", Tests(None, 0.0, output, ctrf=False))
        )
    shells = (
        "bash: ligne 1: codex : commande introuvable\n",
        "bash: Zeile 1: codex: Kommando nicht gefunden.\n",
        "bash: 第 1 行：codex：未找到命令\n",
    )
    for number, output in enumerate(shells):
        trial = harbor.Trial(
            untouched(task(number)),
            "codex",
            "0.26.0",
            nothing(task(number)),
            no_agent_files=True,
            seconds={"agent_execution": 0.4},
            extra_files={"agent/codex.txt": output},
        )
        yield in_harbor(f"foreign-no-program-{number}", "agent_setup_failure", trial)


def _bytes() -> Iterator[Case]:
    """Carriage returns, colours, very long lines."""
    states = (
        "\x1b[92m12:00:01 - openhands:INFO\x1b[0m: agent_controller.py:451 - [Agent Controller default] Setting agent(CodeActAgent) state from AgentState.LOADING to AgentState.RUNNING\r\n"
        "\x1b[92m12:00:09 - openhands:INFO\x1b[0m: conversation_memory.py:312 - ACTION\r\n"
        "\x1b[92m12:00:12 - openhands:INFO\x1b[0m: agent_controller.py:451 - [Agent Controller default] Setting agent(CodeActAgent) state from AgentState.RUNNING to AgentState.RATE_LIMITED\r\n"
    )
    late = harbor.Trial(
        replace(untouched(task(0)), ends="timeout"),
        "openhands",
        "0.13.0",
        nothing(task(0)),
        no_agent_files=True,
        extra_files={"agent/openhands.txt": states},
    )
    yield in_harbor("foreign-coloured-state", "rate_limited", late)
    coloured = (
        "\x1b[1m============================= test session starts ==============================\x1b[0m\ncollected 3 items\n\n"
        "../tests/test_outputs.py \x1b[32m.\x1b[0m\x1b[32m.\x1b[0m\x1b[31mF\x1b[0m\n\n=================================== FAILURES ===================================\n"
        "\x1b[31m\x1b[1m___________________________________ test_sums ___________________________________\x1b[0m\n"
        "\x1b[1m\x1b[31mE       AssertionError: assert {'a': 429} == {'a': 430}\x1b[0m\n"
        "\x1b[36m\x1b[1m=========================== short test summary info ============================\x1b[0m\n"
        "\x1b[31mFAILED\x1b[0m ../tests/test_outputs.py::\x1b[1mtest_sums\x1b[0m - AssertionError: assert {'a': 429} == {'a': 430}\n"
        "\x1b[31m========================= \x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m\x1b[31m in 0.12s\x1b[0m\x1b[31m ==========================\x1b[0m\n"
    )
    yield in_harbor(
        "foreign-coloured-tests",
        "wrong_answer",
        harbor.Trial(finished(task(0)), "codex", "0.24.0", Tests(None, 0.0, coloured, ctrf=False)),
        "decoy",
    )
    missing = coloured.replace("assert {'a': 429} == {'a': 430}", "/app/totals.json does not exist").replace(
        "2 passed", "2 failed"
    )
    yield in_harbor(
        "foreign-coloured-gone",
        "early_stop",
        harbor.Trial(
            looked(task(0)).then(Said("I will write it next.")), "claude-code", "0.24.0", Tests(None, 0.0, missing, ctrf=False)
        ),
    )
    flood = (
        "x" * 3_000_000
        + '{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}'
    )
    story = looked(task(5)).then(Ran("cat /app/huge.log", flood), Ran(task(5).write), closing(task(5)))
    yield in_harbor("foreign-flood", "wrong_answer", harbor.Trial(story, "claude-code", "0.26.0", wrong(task(5))), "decoy")


def _damaged() -> Iterator[Case]:
    whole = harbor.Trial(finished(task(0)), "terminus-2", "0.26.0", wrong(task(0)))
    yield edited("half-a-trajectory", "wrong_answer", whole, "agent/trajectory.json", lambda text: text[: len(text) // 2])
    late = harbor.Trial(looked(task(1), 4).then(Ran("make all"), ends="timeout"), "codex", "0.24.0", nothing(task(1)))
    yield edited("half-a-line", "clock", late, "agent/codex.txt", lambda text: text[:-20])
    old = harbor.Trial(finished(task(2)), "claude-code", "0.1.40", wrong(task(2)))
    yield edited(
        "reward-without-parts",
        "wrong_answer",
        old,
        "result.json",
        lambda text: text.replace('"rewards": {\n   "reward": 0.0\n  }', '"reward": 0.0'),
    )
    said_no = harbor.Trial(finished(task(3)), "opencode", "0.20.0", wrong(task(3)))
    yield edited(
        "reward-false", "wrong_answer", said_no, "result.json", lambda text: text.replace('"reward": 0.0', '"reward": false')
    )
    crlf = harbor.Trial(looked(task(4)).then(limit(), ends="refused"), "claude-code", "0.24.0", nothing(task(4)))
    yield edited(
        "carriage-returns", "rate_limited", crlf, "agent/claude-code.txt", lambda text: text.replace("\n", "\r\n"), "fault"
    )
    marked = harbor.Trial(looked(task(5)).then(limit(), ends="refused"), "claude-code", "0.26.0", nothing(task(5)))
    yield edited("byte-order-mark", "rate_limited", marked, "agent/claude-code.txt", lambda text: "\ufeff" + text, "fault")
