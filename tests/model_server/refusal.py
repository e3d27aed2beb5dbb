"""A refusal, before a protocol gives it its form."""

from __future__ import annotations


class Refused(Exception):
    """Answered with an error in the protocol's form."""

    def __init__(self, status: int, kind: str, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.message, self.code = status, kind, message, code
