"""Which calls may ever be made. A call is built from this table or not at all: no text of a caller becomes a command word or a flag.

Facts: facts of `osmosis` 0.3.8 by `--help`. Only commands that read. What submits, uploads, retries, stops, deploys, logs in, sets a
secret or repairs is not in the table, so that no input reaches it; `eval run` is built in `eval_run.py`, from an authorised request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from whyzero.errors import UsageError


@dataclass(frozen=True, slots=True)
class Allowed:
    """One read-only command: what it takes beside `--json`."""

    needs_name: bool = False
    """Takes one name or file."""
    options: frozenset[str] = field(default_factory=frozenset)
    """Flags with a value that may be set."""
    offline: bool = False
    """Never asks the platform."""


LISTING = frozenset({"--limit"})
LOGS = frozenset({"--limit", "--cursor"})

COMMANDS: dict[tuple[str, ...], Allowed] = {
    ("doctor",): Allowed(),
    ("auth", "whoami"): Allowed(),
    ("dataset", "validate"): Allowed(needs_name=True, offline=True),
    ("dataset", "preview"): Allowed(needs_name=True, options=frozenset({"--rows"})),
    ("dataset", "list"): Allowed(options=LISTING),
    ("dataset", "info"): Allowed(needs_name=True),
    ("dataset", "logs"): Allowed(needs_name=True, options=LOGS),
    ("rollout", "list"): Allowed(options=frozenset({"--limit", "--branch"})),
    ("eval", "list"): Allowed(options=LISTING),
    ("eval", "info"): Allowed(needs_name=True),
    ("eval", "logs"): Allowed(needs_name=True, options=LOGS),
    ("train", "list"): Allowed(options=LISTING),
    ("train", "info"): Allowed(needs_name=True),
    ("train", "logs"): Allowed(needs_name=True, options=LOGS),
}
"""Every command that can be called."""

_VALUE = re.compile(r"[^\x00-\x1f\x7f]{1,512}")


def arguments(command: tuple[str, ...], name: str | None = None, options: Mapping[str, str | int] | None = None) -> list[str]:
    """The argument list after the program, `--json` first and the name behind `--`.

    Raises:
        UsageError: the command or an option is not in the table, or a value could be taken for a flag.
    """
    allowed = COMMANDS.get(command)
    if allowed is None:
        raise UsageError(f"`osmosis {' '.join(command)}` is not among the read-only commands that are ever called.")
    if allowed.needs_name != (name is not None):
        raise UsageError(f"`osmosis {' '.join(command)}` takes {'one name' if allowed.needs_name else 'no name'}.")
    built = ["--json", *command]
    for flag, value in (options or {}).items():
        if flag not in allowed.options:
            raise UsageError(f"`osmosis {' '.join(command)}` is never called with {flag}.")
        built += [flag, plain_value(str(value))]
    if name is not None:
        built += ["--", plain_value(name)]
    return built


def plain_value(value: str) -> str:
    """The value, where it can be nothing but a value."""
    if not is_plain(value):
        raise UsageError("A name must not begin with a dash, be empty, or hold control characters.")
    return value


def is_plain(value: str) -> bool:
    """It can be nothing but a value: no flag, not empty, not endless, no control characters."""
    return not value.startswith("-") and bool(_VALUE.fullmatch(value)) and value.isprintable()
