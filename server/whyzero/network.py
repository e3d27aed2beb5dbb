"""What every question over the network keeps to: one deadline over the whole of it, and which hosts are this machine."""

from __future__ import annotations

import ipaddress
import queue
import threading
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")


def within(seconds: float, work: Callable[[threading.Event], T]) -> T | None:
    """What the work returns, or None where it is not done in time; it is told by its argument and left to end by itself.

    A client's own timeouts bound single steps: they cover neither looking up a name nor an answer that comes drop by drop.
    """
    over = threading.Event()
    done: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((work(over), None))
        except BaseException as error:  # belongs to the caller
            done.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        result, error = done.get(timeout=seconds)
    except queue.Empty:
        return None
    finally:
        over.set()
    if error is not None:
        raise error
    return result


def host_of(url: str) -> str:
    """The host that an address names, in lower case; empty where it names none."""
    try:
        return urlsplit(url.strip()).hostname or ""
    except ValueError:  # a bracket without its partner
        return ""


def is_loopback(host: str) -> bool:
    """127.0.0.0/8, ::1 or localhost."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


__all__ = ["host_of", "is_loopback", "within"]
