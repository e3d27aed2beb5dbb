"""A workspace's `.env` changes platform and login of every call: say so when there is one."""

from __future__ import annotations

from pathlib import Path

from whyzero.readers.dotenv import dotenv
from whyzero.readers.files import Folder

TELLING = ("OSMOSIS_PLATFORM_URL", "OSMOSIS_TOKEN", "OSMOSIS_TOKEN_PLATFORM_URL", "OSMOSIS_ALLOW_INSECURE_PLATFORM_URL")


def names_in_env(workspace: Path) -> tuple[str, ...]:
    """Names of the variables that a workspace's `.env` sets; never a value."""
    return tuple(dotenv(Folder(workspace)))


def warning(workspace: Path) -> str | None:
    """One sentence where the `.env` changes which platform or login is used."""
    changed = [name for name in names_in_env(workspace) if name in TELLING]
    if not changed:
        return None
    return f"The workspace's .env sets {', '.join(changed)}: platform and login of every call are those of that file."
