"""Which processes a run started, also those that outlived their parent. Needs Linux's /proc."""

from __future__ import annotations

import os
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path

MARK = "WHYZERO_LAB_RUN"
"""Environment variable that a run's processes inherit from the program we start; its value names the run."""


@dataclass(frozen=True)
class Process:
    """A process that cannot be confused with a later one of the same number."""

    pid: int
    start_token: str
    """Clock tick of its start: field 22 of /proc/PID/stat."""
    command: str


def start_token(pid: int) -> str | None:
    """None where no such process exists, or only its exit status is left."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None
    return None if state == "Z" else fields[18]


def of_run(run: str) -> list[Process]:
    """Every living process that inherited the mark of `run`."""
    mark, found = f"{MARK}={run}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        token = start_token(pid)
        try:
            marked = mark in (folder / "environ").read_bytes().split(b"\0")
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marked and token is not None:
            found.append(Process(pid, token, command))
    return found


def end(process: Process) -> None:
    """Kill it, unless its number has gone to another process; wait until it is gone."""
    deadline = time.monotonic() + 10
    while start_token(process.pid) == process.start_token and time.monotonic() < deadline:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        time.sleep(0.05)


def listening(port: int) -> bool:
    """Something on loopback accepts connections on `port`."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def let_children_be_interrupted() -> None:
    """Undo what a shell does to a job it starts in the background: programs started from here would ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
