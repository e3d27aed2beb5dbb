"""What one request brought back, whatever the protocol."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that arrived as a call."""

    id: str
    name: str
    arguments: str
    """JSON text as sent."""
    raw: object = None
    """The provider's own message around it with every call in it, to be sent back in the second turn."""
    shown: str = ""
    """The call as it may be shown; empty = name and arguments as they are."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A parsed answer body."""

    call: ToolCall | None = None
    text: str = ""
    stop: str | None = None
    error: str | None = None
    """An error told inside a successful answer (a stream that breaks off with one)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and its outcome."""

    number: int
    url: str
    milliseconds: float
    status: int | None = None
    """None where no answer came."""
    body: str = ""
    """Bounded; the credential's value is cut out of it."""
    failure: str | None = None
    """Class of the transport error, where no answer came or it broke off."""
    reply: Reply = Reply()
