"""One plain GET of something public: nothing of a run is sent, and the answer is bounded in place, time and size."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from whyzero.network import is_loopback, within
from whyzero.text import hide

SECONDS = 5.0
"""For the whole of it, from the name of the host to the last byte."""
BODY_LIMIT = 8 * 2**20


@dataclass(frozen=True, slots=True)
class Got:
    """What came back."""

    body: bytes | None = None
    failure: str = ""
    """Why nothing did, as the end of a sentence; never holds the address or a word of the answer."""


def get(address: str, accept: str) -> Got:
    """Ask once, over https or on loopback, and follow no redirect. Never raises.

    A login in the address goes to that host and is known as a secret from now on.
    """
    url, login = _place(address)
    if url is None:
        return Got(failure="its address is neither https nor http on this machine")
    return within(SECONDS, lambda over: _ask(url, login, accept, over)) or Got(failure=_late())


def _place(address: str) -> tuple[str | None, tuple[str, str] | None]:
    """The address without login and fragment, and the login; (None, None) where it may not be asked."""
    try:
        parts = urlsplit(address.strip())
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None, None
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))):
        return None, None
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    hide({"user": user, "password": password}, every=True)
    login = None if parts.username is None else (user, password)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="").geturl(), login


def _ask(url: str, login: tuple[str, str] | None, accept: str, over: threading.Event) -> Got:
    import httpx2

    logging.getLogger("httpx2").setLevel(logging.WARNING)  # at INFO it writes the whole address down
    body = b""
    headers = {"accept": accept, "accept-encoding": "identity", "user-agent": "whyzero"}
    settings = not is_loopback(urlsplit(url).hostname or "")  # proxies and certificates of the user's environment
    try:
        with (
            httpx2.Client(timeout=SECONDS, follow_redirects=False, trust_env=settings, auth=login) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            if response.is_redirect:
                return Got(failure="it is elsewhere now, and redirects are not followed")
            if response.status_code != 200:
                return Got(failure=f"the answer was status {response.status_code}")
            if response.headers.get("content-encoding", "identity") != "identity":
                return Got(failure="the answer was packed, which was not asked for")
            for chunk in response.iter_raw():
                body += chunk
                if len(body) > BODY_LIMIT:
                    return Got(failure=f"it is larger than {BODY_LIMIT // 2**20} MiB")
                if over.is_set():
                    return Got(failure=_late())
    except httpx2.TimeoutException:
        return Got(failure=_late())
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, OSError) as error:
        return Got(failure=f"nothing answered ({type(error).__name__})")
    return Got(body)


def _late() -> str:
    return f"it did not come within {SECONDS:g} s"


__all__ = ["Got", "get"]
