"""What a workspace says of the environment: its `.env` changes platform and login of every call, its configs name secrets."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

from whyzero.readers.dotenv import dotenv, hide_dotenv
from whyzero.readers.files import Folder
from whyzero.readers.shapes import obj
from whyzero.text import hide

CONFIGS_READ = 200
TELLING = ("OSMOSIS_PLATFORM_URL", "OSMOSIS_TOKEN", "OSMOSIS_TOKEN_PLATFORM_URL", "OSMOSIS_ALLOW_INSECURE_PLATFORM_URL")


def names_in_env(workspace: Path) -> tuple[str, ...]:
    """Names of the variables that a workspace's `.env` sets; never a value."""
    return tuple(dotenv(Folder(workspace)))


def keep_secrets(workspace: Path) -> None:
    """From now on say no value of the workspace's `.env`, nor of a variable that one of its configs lists as a secret."""
    folder = Folder(workspace)
    hide_dotenv(folder)
    hide({name: os.environ[name] for name in _listed(folder) if name in os.environ}, every=True)


def _listed(folder: Folder) -> Iterator[str]:
    for path in folder.walk("configs", limit=CONFIGS_READ):
        if path.endswith(".toml"):
            try:
                required = obj(tomllib.loads(folder.text(path) or "").get("secrets")).get("required")
            except (tomllib.TOMLDecodeError, RecursionError):
                continue
            yield from (name for name in required if isinstance(name, str)) if isinstance(required, list) else ()


def warning(workspace: Path) -> str | None:
    """One sentence where the `.env` changes which platform or login is used."""
    changed = [name for name in names_in_env(workspace) if name in TELLING]
    if not changed:
        return None
    return f"The workspace's .env sets {', '.join(changed)}: platform and login of every call are those of that file."
