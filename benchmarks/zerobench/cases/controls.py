"""Healthy trials and runs: nothing is wrong, and nothing may be found."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.zerobench import harbor, terminal_bench
from benchmarks.zerobench.cases.case import PASS, Case, in_harbor, in_osmosis, in_terminal_bench, one_row, task, version
from benchmarks.zerobench.cases.runs import DONE, workspace
from benchmarks.zerobench.harbor_verifier import right
from benchmarks.zerobench.osmosis import Eval, Row
from benchmarks.zerobench.scribes import PROGRAMS
from benchmarks.zerobench.story import finished, looked, untouched


def cases() -> Iterator[Case]:
    for number, agent in enumerate(PROGRAMS):
        for more in range(3):
            story = finished(task(number + more))
            trial = harbor.Trial(story, agent, version(number + 2 * more), right(story.task))
            yield in_harbor(f"control-{agent}-{more}", PASS, trial, "control")
    for number, agent in enumerate(("terminus-1", "openhands", "mini-swe-agent", "codex", "goose")):
        story = finished(task(number))
        old = terminal_bench.Trial(story, agent, right(story.task), resolved=True, times=number % 2 == 0)
        yield in_terminal_bench(f"control-{agent}", PASS, old, "control")
    for number in range(2):
        trial = harbor.Trial(
            untouched(task(number)), "oracle", version(number), right(task(number)), extra_files={"agent/oracle.txt": "done\n"}
        )
        yield in_harbor(f"control-oracle-{number}", PASS, trial, "control")
    yield one_row("control-row", PASS, Row(), "control")
    yield one_row("control-threshold", PASS, Row(reward=0.8), "control", threshold=0.5)
    yield one_row("control-metadata", PASS, Row(label=None, metadata={"n": 1}), "control")
    yield one_row("control-slow", PASS, Row(seconds=19.0, statuses=(200,) * 6), "control")
    yield in_osmosis("control-run", PASS, DONE, None, "control")
    yield in_osmosis(
        "control-run-attempts", PASS, Eval([Row(n, k) for n in range(3) for k in range(2)], attempts=2), None, "control"
    )
    yield in_osmosis(
        "control-run-wrong-answers", PASS, Eval([Row(n, reward=0.0, answer=f"It is {n}.") for n in range(3)]), None, "control"
    )
    yield workspace("control", PASS, {}, "control")
    table = {"data/table.csv": "user_prompt,ground_truth\na,b\n", "data/meta.jsonl": '{"metadata": {"n": 1}}\n'}
    yield workspace("control-files", PASS, table, "control")
    story = looked(task(5), 9)
    finished_story = story.then(*finished(task(5)).events[2:])
    yield in_harbor("control-long", PASS, harbor.Trial(finished_story, "codex", "0.24.0", right(task(5))), "control")
