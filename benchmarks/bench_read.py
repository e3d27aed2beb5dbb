"""How much memory and time `whyzero diagnose` takes on large results.

Makes three runs from the bundled examples under a temporary folder, reads each in a process of its own, and prints the
peak memory of that process, the time to its first output (on either stream) and the time to the end.

    python benchmarks/bench_read.py [--trials N] [--records N] [--log-mib N] [--only harbor|log|osmosis] [--keep FOLDER]

Exits 1 where a figure is over its limit: 200 MiB, first output after one second.
"""

from __future__ import annotations

import argparse
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
MEMORY_LIMIT_MIB = 200
FIRST_OUTPUT_LIMIT_S = 1.0
COPIED = ("result.json", "config.json", "lock.json")
"""Files of a trial that name it; the others are hard links, so that the job fits on a disk."""


class Figures(NamedTuple):
    """What one reading took."""

    peak_mib: float
    first_output_s: float
    total_s: float
    code: int

    @property
    def within(self) -> bool:
        return self.peak_mib <= MEMORY_LIMIT_MIB and self.first_output_s <= FIRST_OUTPUT_LIMIT_S


def harbor_job(root: Path, trials: int) -> Path:
    """A Harbor job whose trials are the five of the example, over and over."""
    source = EXAMPLES / "harbor-job"
    job = root / "large-job"
    job.mkdir()
    for path in source.iterdir():
        if path.is_file():
            shutil.copy(path, job)
    templates = sorted(path for path in source.iterdir() if path.is_dir())
    for number in range(trials):
        template = templates[number % len(templates)]
        name = f"{template.name.split('__')[0]}__{number:07d}"
        for path in template.rglob("*"):
            target = job / name / path.relative_to(template)
            if path.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.name in COPIED:
                target.write_text(path.read_text(encoding="utf-8").replace(template.name, name), encoding="utf-8")
            else:
                link(path, target)
    result = (job / "result.json").read_text(encoding="utf-8")
    (job / "result.json").write_text(result.replace('"n_total_trials": 5', f'"n_total_trials": {trials}'), encoding="utf-8")
    return job


def link(path: Path, target: Path) -> None:
    """A hard link, or a copy where the temporary folder is on another disk."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copy(path, target)


def long_log(root: Path, mib: int) -> Path:
    """A job of one trial whose agent worked for `mib` MiB of log before the limit ended it."""
    job = root / "long-log"
    shutil.copytree(EXAMPLES / "harbor-job", job, ignore=lambda _, names: [n for n in names if "__" in n and "weekly" not in n])
    log = next(job.glob("weekly-sales__*/agent/claude-code.txt"))
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    calls = [(n, line) for n, line in enumerate(lines) if '"tool_use"' in line]
    at, call = calls[-1]
    answer = lines[at + 1]
    name = call.split('"id":"toolu_')[1].split('"')[0]
    with log.open("w", encoding="utf-8") as out:
        out.writelines(lines[: at + 2])
        for count in turns(mib * 2**20, len(call.encode()) + len(answer.encode())):
            own = f"{count:0{len(name)}x}"
            out.write(call.replace(name, own))
            out.write(answer.replace(name, own))
        out.writelines(lines[at + 2 :])
    return job


def turns(size: int, each: int) -> Iterator[int]:
    """Numbers of as many turns of `each` bytes as fill `size` bytes."""
    yield from range(1, size // each + 2)


def osmosis_run(root: Path, records: int) -> Path:
    """An Osmosis run whose records are those of the example, over and over, with a folder for each rollout."""
    workspace = root / "large-workspace"
    shutil.copytree(EXAMPLES / "osmosis-workspace", workspace)
    run = workspace / ".osmosis" / "evals" / "dev-run"
    events = (run / "events.jsonl").read_text(encoding="utf-8").splitlines()
    logs = (run / "logs.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    rollouts = sorted((run / "rollout_trials").iterdir())
    last = next(n for n, line in enumerate(logs) if "[rollout]" in line or "Rollout " in line)
    with (run / "events.jsonl").open("w", encoding="utf-8") as out, (run / "logs.txt").open("w", encoding="utf-8") as log:
        log.writelines(logs[:last])
        for number in range(records):
            event = events[number % len(events)]
            old = event.split('"rollout_id":"')[1].split('"')[0]
            new = f"{number:032x}"
            row = number % len(events)
            event = event.replace(old, new).replace(f'"row_index":{row}', f'"row_index":{number}')
            out.write(event.replace(f'"source_row_index":{row}', f'"source_row_index":{number}') + "\n")
            folder = run / "rollout_trials" / new
            folder.mkdir()
            template = next(path for path in rollouts if path.name == old)
            trajectory = (template / "trajectory.json").read_text(encoding="utf-8").replace(old, new)
            (folder / "trajectory.json").write_text(trajectory, encoding="utf-8")
            log.writelines(line.replace(old, new) for line in logs[last:] if old in line)
    progress = f'{{"total_runs": {records}, "sampled_rows": {records}, "total_dataset_rows": {records}}}\n'
    (run / "progress.json").write_text(progress, encoding="utf-8")
    return run


def measure(path: Path) -> Figures:
    """Diagnose a run in a process of its own."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "whyzero", "diagnose", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    first: float | None = None
    with selectors.DefaultSelector() as streams:
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            streams.register(stream, selectors.EVENT_READ)
        while streams.get_map():
            for key, _ in streams.select():
                if os.read(key.fd, 65536):
                    first = first or time.monotonic() - started
                else:
                    streams.unregister(key.fileobj)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    total = time.monotonic() - started
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Figures(usage.ru_maxrss / unit, first if first is not None else total, total, process.returncode)


def main() -> int:
    """Make, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trials", type=int, default=20_000, help="trials of the Harbor job")
    parser.add_argument("--records", type=int, default=20_000, help="records of the Osmosis run")
    parser.add_argument("--log-mib", type=int, default=2048, help="MiB of the agent log")
    parser.add_argument("--only", choices=("harbor", "log", "osmosis"), help="one of the three")
    parser.add_argument("--keep", type=Path, help="make the runs in this folder and leave them there")
    options = parser.parse_args()
    cases: dict[str, tuple[str, Callable[[Path], Path]]] = {
        "harbor": (f"Harbor job, {options.trials} trials", lambda root: harbor_job(root, options.trials)),
        "log": (f"agent log of {options.log_mib} MiB", lambda root: long_log(root, options.log_mib)),
        "osmosis": (f"Osmosis run, {options.records} records", lambda root: osmosis_run(root, options.records)),
    }
    print(f"{'run':32} {'peak MiB':>9} {'first output s':>15} {'total s':>8} {'exit':>5}")
    within = True
    for name, (title, make) in cases.items():
        if options.only and name != options.only:
            continue
        folder = Path(tempfile.mkdtemp(prefix="whyzero-bench-", dir=options.keep))
        try:
            figures = measure(make(folder))
        finally:
            if not options.keep:
                shutil.rmtree(folder)
        within = within and figures.within
        row = f"{title:32} {figures.peak_mib:9.0f} {figures.first_output_s:15.2f} {figures.total_s:8.1f} {figures.code:5}"
        print(row, "" if figures.within else " over the limit", flush=True)
    print(f"limits: {MEMORY_LIMIT_MIB} MiB, first output within {FIRST_OUTPUT_LIMIT_S:.0f} s")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
