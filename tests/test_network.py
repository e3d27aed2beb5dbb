"""One deadline over a whole piece of work, and what counts as this machine."""

from __future__ import annotations

import threading
import time

import pytest

from whyzero.network import is_loopback, within


def test_work_that_is_done_in_time_gives_its_result() -> None:
    assert within(5, lambda over: over.is_set()) is False


def test_work_that_is_not_is_left_and_told() -> None:
    told = threading.Event()

    def work(over: threading.Event) -> str:
        over.wait(5)
        told.set()
        return "late"

    started = time.monotonic()
    assert within(0.1, work) is None
    assert time.monotonic() - started < 2
    assert told.wait(2)


def test_what_goes_wrong_in_it_goes_wrong_here() -> None:
    def work(_: threading.Event) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        within(5, work)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("127.0.0.1.example.com", False),
        ("localhost.example.com", False),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("", False),
    ],
)
def test_this_machine(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
