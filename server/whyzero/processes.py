"""Running a program of the user's, bounded: no shell, its own process group, a deadline, capped output, few variables."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from whyzero.errors import UsageError

OUTPUT_LIMIT = 2**20
"""Bytes kept of each stream; the program is ended when it writes more."""
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "VIRTUAL_ENV")
"""Variables a program gets to see; never a credential."""
GRACE = 2.0
"""Seconds left for the pipes to close once the group was ended."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended."""

    status: int | None
    """Exit status, negative for a signal; None where we ended it."""
    stdout: str
    stderr: str
    seconds: float
    stopped: str | None = None
    """Why we ended it: `deadline`, `output` or `cancelled`."""


def run(
    program: Sequence[str],
    *,
    deadline: float,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    output_limit: int = OUTPUT_LIMIT,
    cancelled: threading.Event | None = None,
    progress: Callable[[float], None] = lambda _: None,
    notice: float = 0.0,
) -> Finished:
    """Run an argument list to its end, its deadline (seconds) or its output limit, and leave no process behind.

    Args:
        folder: working directory; default: ours.
        variables: environment beside `PASSED_ON`.
        cancelled: ends the program when set.
        progress: called with the seconds since the start, some times a second.
        notice: seconds that a program we end gets after an interrupt, to stop what it started.

    Raises:
        UsageError: there is no such program, or it may not be run.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            list(program),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment(variables or {}),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else "not a program"
        raise UsageError(f"The program {program[0]!r} could not be started ({reason}). Check its name and its path.") from None
    full = threading.Event()
    collectors = [_Collector(stream, output_limit, full) for stream in (process.stdout, process.stderr) if stream]
    try:
        stopped = _wait(process, started, deadline, full, cancelled, progress)
    finally:
        _end_group(process, notice)
    for collector in collectors:
        collector.join(GRACE)
    stdout, stderr = (collector.text() for collector in collectors)
    status = None if stopped else process.returncode
    return Finished(status, stdout, stderr, time.monotonic() - started, stopped)


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The few variables a program gets: enough to start, nothing secret, and no bytecode written beside its sources."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return passed | {"PYTHONDONTWRITEBYTECODE": "1"} | dict(variables)


def _wait(
    process: subprocess.Popen[bytes],
    started: float,
    deadline: float,
    full: threading.Event,
    cancelled: threading.Event | None,
    progress: Callable[[float], None],
) -> str | None:
    while True:
        seconds = time.monotonic() - started
        try:
            process.wait(timeout=min(0.05, max(0.0, deadline - seconds)))
        except subprocess.TimeoutExpired:
            pass
        else:
            return "output" if full.is_set() else None
        if full.is_set():
            return "output"
        if cancelled is not None and cancelled.is_set():
            return "cancelled"
        if seconds >= deadline:
            return "deadline"
        progress(seconds)


def _end_group(process: subprocess.Popen[bytes], notice: float) -> None:
    """End the program and whatever it started; a program that ended by itself may have left children."""
    if notice and process.poll() is None:
        end_group(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=notice)
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def end_group(group: int, what: signal.Signals = signal.SIGTERM) -> None:
    """Signal a process group; one that is gone is fine."""
    with contextlib.suppress(OSError):
        os.killpg(group, what)


class _Collector(threading.Thread):
    """Drains one stream, keeps the first `limit` bytes, and says when there is more."""

    def __init__(self, stream: IO[bytes], limit: int, full: threading.Event) -> None:
        super().__init__(daemon=True)
        self._stream, self._limit, self._full = stream, limit, full
        self._data = bytearray()
        self.start()

    def run(self) -> None:
        with self._stream, contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._stream.fileno(), 65536):
                self._data += chunk[: self._limit - len(self._data)]
                if len(self._data) >= self._limit:
                    self._full.set()

    def text(self) -> str:
        return bytes(self._data).decode("utf-8", "replace")
