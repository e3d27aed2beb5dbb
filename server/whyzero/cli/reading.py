"""Opening a run from the command line, with a sign of life on stderr when that takes a while."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any

PATIENCE = 0.3
"""Seconds of silence before the first sign of life."""


class SignOfLife:
    """Says what is being read once it takes longer than `PATIENCE`: a bar on a terminal, else one line.

    Used as a context manager; `tick` is the `progress` callback of the analyses. `quiet`: a program asked, so nothing but a
    terminal is told.
    """

    def __init__(self, what: str, quiet: bool = False) -> None:
        self._what = what or "the results here"
        self._quiet = quiet
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._over = False
        self._bar: Any = None
        self._task: Any = None
        self._seen: tuple[int, int | None] = (0, None)

    def __enter__(self) -> SignOfLife:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()

    def tick(self, done: int, total: int | None) -> None:
        """Note how far the reading is: trials read, trials expected or None."""
        self._seen = (done, total)
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)

    def _show(self) -> None:
        with self._lock:
            if self._over:
                return
            if not sys.stderr.isatty():
                if self._quiet:
                    return
                sys.stderr.write(f"whyzero: reading {self._what} ...\n")
                sys.stderr.flush()
                return
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(f"reading {self._what}", completed=self._seen[0], total=self._seen[1])
            self._bar.start()
