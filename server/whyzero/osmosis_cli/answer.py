"""What a call of the `osmosis` program said: one JSON object on stdout or stderr, warnings, and lines of text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_LINE_END = re.compile(r"\r?\n")

OUR_WORDS: dict[str, tuple[str, str]] = {
    "VALIDATION": ("The command refused its input.", "Read the message: it names the file, row or key to mend."),
    "AUTH_REQUIRED": ("Nobody is logged in, or the login has expired.", "Run `osmosis auth login` yourself, then ask again."),
    "NOT_FOUND": (
        "The platform knows no such name in this workspace.",
        "List the names; a local run is read from its files instead.",
    ),
    "CONFLICT": ("The platform already holds something that contradicts this.", "Compare names; nothing was changed."),
    "UPGRADE_REQUIRED": ("The platform no longer speaks with this version.", "Upgrade osmosis-ai, then ask again."),
    "RATE_LIMITED": ("The platform asks for fewer calls.", "Wait a minute and ask again."),
    "PLATFORM_ERROR": ("The platform failed or could not be reached.", "Check the platform's address and try again later."),
    "INTERNAL": ("The osmosis program itself failed.", "Run the command with OSMOSIS_DEBUG=1 and report its traceback."),
    "INTERACTIVE_REQUIRED": ("The command wanted to ask a question.", "Run it yourself in a terminal."),
    "WORKSPACE_REQUIRED": ("The folder is no Osmosis workspace.", "Name the workspace: the top of the Git work tree."),
    "NETWORK": ("The network failed on the way.", "Check the connection and try again."),
    "SUBSCRIPTION_REQUIRED": ("The account's plan does not include this.", "Ask whoever owns the account."),
    "BILLING_REQUIRED": ("The account lacks a way to pay.", "Ask whoever owns the account."),
    "KEYRING_UNAVAILABLE": ("The system's keyring cannot be used.", "Set OSMOSIS_TOKEN, or log in again."),
    "CREDENTIALS_UNAVAILABLE": ("The stored login cannot be read.", "Log in again."),
    "CREDENTIALS_PARSE_FAILED": ("The stored login is damaged.", "Log in again."),
    "CREDENTIALS_VERSION_CHANGED": ("The stored login was written by another version.", "Log in again."),
    "ENV_TOKEN_PLATFORM_REQUIRED": ("OSMOSIS_TOKEN is not bound to a platform.", "Set OSMOSIS_TOKEN_PLATFORM_URL beside it."),
    "ENV_TOKEN_PLATFORM_MISMATCH": ("OSMOSIS_TOKEN belongs to another platform.", "Use the token of the platform that is asked."),
    "TOKEN_NOT_FOUND": ("The platform knows no such token.", "Log in again."),
    "KEYRING_CLEANUP_FAILED": ("An old login could not be removed from the keyring.", "Remove it by hand."),
    "TOKEN_REVOKE_FAILED": ("A token could not be revoked.", "Revoke it on the platform's page."),
}
"""Every error code of 0.3.8 in a plain sentence, and the next step."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One call's outcome. `data` holds the success envelope, else `code` and `message` the failure."""

    command: str
    """As a person would type it."""
    status: int | None
    """Exit status; None where the program was ended by us."""
    data: dict[str, Any] | None = None
    code: str | None = None
    message: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[tuple[str, str], ...] = ()
    """(code or empty, message)."""
    text_lines: tuple[str, ...] = ()
    """Lines of stderr that are no JSON (bridge errors, retries, tracebacks)."""
    stopped: str | None = None
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.data is not None and self.code is None and self.stopped is None and (self.status or 0) >= 0

    @property
    def sentence(self) -> str:
        """What happened, in our words."""
        if self.stopped == "deadline":
            return "The command did not end in time and was stopped."
        if self.stopped == "output":
            return "The command printed more than is kept and was stopped."
        if self.stopped == "cancelled":
            return "The command was stopped before its end."
        if self.ok:
            return "The command answered."
        if self.code == "PLATFORM_ERROR" and "status_code" not in self.details:
            return "The platform could not be reached."
        known = OUR_WORDS.get(self.code or "")
        if not known and (self.status or 0) < 0:
            return f"The command was ended from outside, by signal {-(self.status or 0)}."
        if not known and self.status == 0:
            return "The command ended well, and what it printed is no answer of a known form."
        return known[0] if known else f"The command failed with exit status {self.status} and no error of a known kind."

    @property
    def next_step(self) -> str:
        """What to do about it."""
        known = OUR_WORDS.get(self.code or "")
        if self.ok:
            return ""
        return known[1] if known else "Run the command yourself and read what it prints."


def read_answer(command: str, status: int | None, stdout: str, stderr: str, stopped: str | None, seconds: float) -> Answer:
    """Read both streams: stdout as one object, stderr line by line as JSON or text."""
    warnings: list[tuple[str, str]] = []
    lines: list[str] = []
    error: dict[str, Any] | None = None
    for line in _LINE_END.split(stderr):
        value = _object(line)
        if value is None:
            if line.strip():
                lines.append(line)
        elif isinstance(value.get("error"), dict):
            error = error or value["error"]
        elif isinstance(value.get("warning"), dict):
            warning = value["warning"]
            warnings.append((str(warning.get("code") or ""), str(warning.get("message") or "")))
    data = _object(stdout)
    details = error.get("details") if error else None
    return Answer(
        command=command,
        status=status,
        data=data if error is None else None,
        code=str(error.get("code") or "") or None if error else None,
        message=str(error.get("message") or "") if error else "",
        details=details if isinstance(details, dict) else {},
        warnings=tuple(warnings),
        text_lines=tuple(lines[-400:]),
        stopped=stopped,
        seconds=seconds,
    )


def _object(text: str) -> dict[str, Any] | None:
    text = text.strip()
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
