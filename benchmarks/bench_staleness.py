"""How much processor time the four staleness checks take on a large job, and how often git is asked.

Makes a job of many trials from the bundled example under a temporary folder, a repository with today's task and an answer key
beside it, and checks every trial in one pass, in a process of its own.

    python benchmarks/bench_staleness.py [--trials N] [--keep FOLDER]

Exits 1 where a figure is over its limit: 2 ms a trial on top of reading it, two git processes for each key, 200 MiB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "staleness"
CHECK_LIMIT_MS = 2.0
GIT_PER_KEY = 2
MEMORY_LIMIT_MIB = 200
NAMED = ("result.json", "config.json", "lock.json")
"""Files of a trial that name it; the others are hard links."""


def large_job(root: Path, trials: int) -> Path:
    """Trials of both sweeps of the example in turn, so that two versions of the task are among them."""
    job = root / "large-job"
    shutil.copytree(EXAMPLE / "jobs" / "mid-rev-k1", job, ignore=shutil.ignore_patterns("permit-register__*"))
    templates = sorted(EXAMPLE.glob("jobs/*/permit-register__*"))
    for number in range(trials):
        template = templates[number % len(templates)]
        name = f"permit-register__{number:07d}"
        for path in (p for p in template.rglob("*") if p.is_file()):
            target = job / name / path.relative_to(template)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.name in NAMED:
                target.write_text(path.read_text(encoding="utf-8").replace(template.name, name), encoding="utf-8")
            else:
                os.link(path, target) if path.stat().st_dev == root.stat().st_dev else shutil.copy(path, target)
    return job


def repository(root: Path) -> Path:
    """Today's task and a corrected key, committed."""
    tasks = root / "tasks"
    shutil.copytree(EXAMPLE / "tasks", tasks)
    shutil.copytree(EXAMPLE / "keys", tasks / "keys")
    git = ["git", "-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "-c", "commit.gpgsign=false"]
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "tasks")):
        subprocess.run([*git, *arguments], cwd=tasks, check=True)
    return tasks


def measure(job: Path, tasks: Path) -> dict[str, float]:
    """Figures of one pass in this process: reading alone first, then reading and checking."""
    sys.path.insert(0, str(ROOT / "server"))
    from whyzero.analyses.check_staleness import check_staleness
    from whyzero.readers import runs_below
    from whyzero.readers.today import Today

    started = time.process_time()
    trials = sum(1 for run in runs_below(job) for _ in run.read_trials())
    reading = time.process_time() - started

    asked, ticks = [0], [0]
    real = subprocess.Popen

    def counted(*arguments: object, **options: object) -> object:
        asked[0] += 1
        return real(*arguments, **options)  # type: ignore[call-overload]

    subprocess.Popen = counted  # type: ignore[misc,assignment]
    started = time.process_time()
    today = Today()
    task = today.task(tasks / "permit-register")
    keys = today.keys((tasks / "keys" / "corrected.json",), task)
    report = check_staleness(runs_below(job), task, keys, progress=lambda done, total: ticks.__setitem__(0, done))
    checking = time.process_time() - started
    assert sum(report.counts["advice"].values()) == ticks[0] == trials
    return {
        "trials": trials,
        "reading_s": reading,
        "checking_s": checking,
        "on_top_ms_per_trial": 1000 * (checking - reading) / trials,
        "git_processes": asked[0],
        "keys": 3,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--trials", type=int, default=10_000)
    arguments.add_argument("--keep", type=Path, help="make the job here and keep it")
    arguments.add_argument("--measure", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return 0
    root = options.keep or Path(tempfile.mkdtemp(prefix="whyzero-staleness-"))
    root.mkdir(parents=True, exist_ok=True)
    try:
        job, tasks = large_job(root, options.trials), repository(root)
        command = [sys.executable, __file__, "--measure", str(job), str(tasks)]
        figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    finally:
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)
    print(
        f"{figures['trials']:.0f} trials x 4 checks in {figures['checking_s']:.1f} s of processor time, of which reading {figures['reading_s']:.1f} s:"
    )
    print(f"  {figures['on_top_ms_per_trial']:.2f} ms a trial on top of reading it (limit {CHECK_LIMIT_MS})")
    print(f"  {figures['git_processes']:.0f} git processes for {figures['keys']:.0f} keys (limit {GIT_PER_KEY} each)")
    print(f"  {figures['peak_mib']:.0f} MiB at most (limit {MEMORY_LIMIT_MIB})")
    within = (
        figures["on_top_ms_per_trial"] <= CHECK_LIMIT_MS
        and figures["git_processes"] <= GIT_PER_KEY * figures["keys"]
        and figures["peak_mib"] <= MEMORY_LIMIT_MIB
    )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
