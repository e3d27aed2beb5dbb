"""Time and memory of `partition-disputed-rows` on a large sweep: by default 1,000 trials x 100,000 rows.

Writes a Harbor job under a temporary folder and runs the command on it in a process of its own; the memory is the sum over
that process and the workers it starts, sampled five times a second. To spare the disk, the trials share `--distinct` different
submissions by hard links; every trial's file is read and compared all the same. A share of the rows is left out or wrong in
each submission, and a hundred rows are missed by all.

    python benchmarks/bench_partition.py [--trials 1000] [--rows 100000] [--format json|jsonl|csv] [--wrong 0.2] [--all-late]

`--all-late` makes every date of every trial one day late: no row is found by anyone, the worst case for memory.
Exits 1 where a figure is over its limit: 2 GiB, 120 seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MEMORY_LIMIT_MIB = 2048
TIME_LIMIT_S = 120
MISSED_BY_ALL = 100
SPANS = ("environment_setup", "agent_setup", "agent_execution", "verifier")
TIMES = {"started_at": "2026-10-02T10:00:00Z", "finished_at": "2026-10-02T10:05:00Z"}
Row = dict[str, Any]


def key_rows(rows: int) -> list[Row]:
    return [
        {"id": f"P-{n:06d}", "made_on": f"2026-{1 + n % 12:02d}-{1 + n % 27:02d}", "amount": n * 7 % 9973} for n in range(rows)
    ]


def submission(rows: list[Row], number: int, wrong: float, all_late: bool) -> list[Row]:
    """Half of the wrong rows are left out, half sent with another amount."""
    dice = random.Random(number)
    sent = []
    for at, row in enumerate(rows):
        if at < MISSED_BY_ALL or dice.random() < wrong / 2:
            continue
        if all_late:
            row = {**row, "made_on": f"{row['made_on'][:8]}{int(row['made_on'][8:]) + 1:02d}"}
        elif dice.random() < wrong / 2:
            row = {**row, "amount": row["amount"] + dice.randint(1, 9)}
        sent.append(row)
    return sent


def spelled(rows: list[Row], kind: str) -> str:
    if kind == "json":
        return json.dumps(rows)
    if kind == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n"


def make_job(root: Path, trials: int, rows: int, kind: str, wrong: float, all_late: bool, distinct: int) -> tuple[Path, Path]:
    """The job and the key."""
    key = key_rows(rows)
    oracle, job, name = root / "expected.json", root / "job", f"rows.{kind}"
    oracle.write_text(json.dumps(key))
    originals = []
    for number in range(min(distinct, trials)):
        originals.append(root / f"submission-{number}")
        originals[-1].write_text(spelled(submission(key, number, wrong, all_late), kind))
    job.mkdir()
    (job / "config.json").write_text(json.dumps({"job_name": "job", "n_attempts": trials}))
    (job / "result.json").write_text(json.dumps({"id": "job", "n_total_trials": trials, "stats": {}, **TIMES}))
    for number in range(trials):
        home = job / f"list-rows__{number:07d}"
        (home / "verifier").mkdir(parents=True)
        (home / "result.json").write_text(json.dumps(trial_result(home.name, number)))
        (home / "verifier" / "reward.json").write_text('{"reward": 0.5}')
        (home / "verifier" / "test-stdout.txt").write_text("graded: reward 0.5\n")
        os.link(originals[number % len(originals)], home / "verifier" / f"submitted-{name}")
    return job, oracle


def trial_result(name: str, number: int) -> dict[str, Any]:
    agent = {"name": "claude-code", "version": "2.1.0", "model_info": {"name": f"model-{number % 4}", "provider": "acme"}}
    return {
        "id": name,
        "task_name": "list-rows",
        "trial_name": name,
        "task_id": {"path": "list-rows"},
        "config": {"task": {"path": "list-rows"}, "agent": {"name": "claude-code", "model_name": f"acme/model-{number % 4}"}},
        "agent_info": agent,
        "agent_result": {"n_input_tokens": 1, "n_output_tokens": 1},
        "verifier_result": {"rewards": {"reward": 0.5}},
        "exception_info": None,
        **TIMES,
        **dict.fromkeys(SPANS, TIMES),
    }


def memory_mib(root: int) -> float:
    """Resident memory of a process and all it started."""
    parents: dict[int, int] = {}
    pages: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                pages[int(entry.name)] = int((entry / "statm").read_text().split()[1])
            except (OSError, IndexError, ValueError):
                continue
    family = {root}
    while grown := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= grown
    return sum(pages.get(pid, 0) for pid in family) * os.sysconf("SC_PAGE_SIZE") / 2**20


def run(job: Path, oracle: Path, name: str) -> tuple[float, float, dict[str, Any]]:
    """Seconds, peak MiB, and the answer."""
    command = [sys.executable, "-m", "whyzero", "partition-disputed-rows", str(job), "--oracle", str(oracle), "--key", "id"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1] / "server")}
    output = job.parent / "answer.json"
    peak, started = 0.0, time.monotonic()
    with output.open("w") as stream:
        process = subprocess.Popen([*command, "--deliverable", name, "--json"], stdout=stream, env=environment)
        while process.poll() is None:
            peak = max(peak, memory_mib(process.pid))
            time.sleep(0.2)
    return time.monotonic() - started, peak, json.loads(output.read_text())


def processor_seconds() -> float:
    """Processor time of everything that was started and has ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description="Time and memory of partition-disputed-rows on a large sweep.")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--format", choices=("json", "jsonl", "csv"), default="json")
    parser.add_argument("--wrong", type=float, default=0.2)
    parser.add_argument("--all-late", action="store_true")
    parser.add_argument("--distinct", type=int, default=20)
    asked = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="whyzero-bench-"))
    try:
        job, oracle = make_job(root, asked.trials, asked.rows, asked.format, asked.wrong, asked.all_late, asked.distinct)
        size = sum(path.stat().st_size for path in job.rglob("submitted-*")) / 2**30
        print(f"{asked.trials} trials x {asked.rows} rows as {asked.format}, {size:.1f} GiB of submissions", flush=True)
        seconds, peak, answer = run(job, oracle, f"rows.{asked.format}")
    finally:
        shutil.rmtree(root)
    print(
        f"{seconds:.0f} s ({processor_seconds():.0f} s of processor time), {peak:.0f} MiB at its peak, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    print(f"{answer['verdict']}: {answer['counts']}, structure {[s['kind'] for s in answer.get('structure', [])]}")
    sys.exit(seconds > TIME_LIMIT_S or peak > MEMORY_LIMIT_MIB)


if __name__ == "__main__":
    main()
