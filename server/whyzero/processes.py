"""Running a program of the user's, bounded: no shell, its own process group, a deadline, capped output, few variables."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
LEAVE = 30.0
"""Seconds in which all programs have to be ended when we are told to end."""
_at_work: list[int] = []
"""The threads that wait for a program."""
_ending = threading.Event()


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
    afterwards: Callable[[], None] = lambda: None,
) -> Finished:
    """Run an argument list to its end, its deadline (seconds) or its output limit, and leave no process behind.

    Args:
        folder: working directory; default: ours.
        variables: environment beside `PASSED_ON`.
        cancelled: ends the program when set.
        progress: called with the seconds since the start, some times a second.
        notice: seconds that a program we end gets after an interrupt, to stop what it started.
        afterwards: called once it has ended, however it did.

    Raises:
        UsageError: there is no such program, or it may not be run.
    """
    started = time.monotonic()
    with _counted():
        process = _start(program, folder, variables or {})
        full = threading.Event()
        collectors = [_Collector(stream, output_limit, full) for stream in (process.stdout, process.stderr) if stream]
        try:
            stopped = _wait(process, started, deadline, full, cancelled, progress)
        finally:
            try:
                _end_group(process, notice)
            finally:
                afterwards()
    for collector in collectors:
        collector.join(GRACE)
    stdout, stderr = (collector.text() for collector in collectors)
    status = None if stopped else process.returncode
    return Finished(status, stdout, stderr, time.monotonic() - started, stopped)


def _start(program: Sequence[str], folder: Path | None, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(program),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment(variables),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else "not a program"
        raise UsageError(f"The program {program[0]!r} could not be started ({reason}). Check its name and its path.") from None


@contextlib.contextmanager
def _counted() -> Iterator[None]:
    """While a program of ours runs, this thread stands in `_at_work`."""
    me = threading.get_ident()
    _at_work.append(me)
    try:
        yield
    finally:
        _at_work.remove(me)


def end_programs_with_us() -> None:
    """From now on a signal that ends this process first ends the programs it runs, as their cancellation does."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: what we start would hear none either
        signal.signal(signal.SIGINT, lambda *_: None)
    for number in (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")):
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _told_to_end)


def _told_to_end(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one ends us at once
    if threading.get_ident() in _at_work:
        raise KeyboardInterrupt
    _ending.set()
    until = time.monotonic() + LEAVE
    while _at_work and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(os.getpid(), number)


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
        if _ending.is_set() or (cancelled is not None and cancelled.is_set()):
            return "cancelled"
        if seconds >= deadline:
            return "deadline"
        progress(seconds)


def _end_group(process: subprocess.Popen[bytes], notice: float) -> None:
    """End the program and whatever it started; a program that ended by itself may have left children."""
    try:
        if notice and process.poll() is None:
            end_group(process.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=notice)
    finally:  # also where the user presses Ctrl-C once more
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
                room = self._limit - len(self._data)
                self._data += chunk[:room]
                if len(chunk) > room:
                    self._full.set()

    def text(self) -> str:
        return bytes(self._data).decode("utf-8", "replace")
