"""Which version of osmosis-ai is the newest on the user's own package index: asked before an upgrade is recommended.

The index is the one that uv and pip are told of (`index_settings.py`); none is assumed. Only the package's public name is sent, and a
login in the address to that host alone.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from whyzero.osmosis_cli.index_settings import package_index
from whyzero.osmosis_cli.public_get import get

PACKAGE = "osmosis-ai"
SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
_RELEASE = re.compile(r"\d{1,6}(?:\.\d{1,6}){0,4}")


def newest_version(workspace: Path | None = None) -> str | None:
    """The newest release that is no pre-release; None where no index is set, or it does not answer in time and in form."""
    index = package_index(workspace)
    return _asked(index) if index else None


@cache
def _asked(index: str) -> str | None:
    """Asked once in the life of the process, a failure included."""
    got = get(f"{index.rstrip('/')}/{PACKAGE}/", SIMPLE_JSON)
    return None if got.body is None else _newest(got.body)


def _newest(raw: bytes) -> str | None:
    from whyzero.readers.files import parse_json

    said = parse_json(raw.decode("utf-8", "replace"))
    versions = said.get("versions") if isinstance(said, dict) else None
    releases = [v for v in versions if isinstance(v, str) and _RELEASE.fullmatch(v)] if isinstance(versions, list) else []
    return max(releases, key=_order, default=None)


def about_an_upgrade(installed: str, workspace: Path | None = None) -> str:
    """Whether an upgrade could help, in a sentence; asks the index."""
    newest = newest_version(workspace)
    if newest is None:
        return "Whether there is a newer osmosis-ai could not be asked (no package index is set, or it did not answer)."
    if is_older(installed, newest):
        return f"osmosis-ai {newest} is on your package index; {installed} is installed."
    return (
        f"osmosis-ai {installed} is installed, and your package index has nothing newer than {newest}: an upgrade will not help."
    )


def is_older(version: str, than: str) -> bool:
    """Whether a release comes before another."""
    return _order(version) < _order(than)


def _order(version: str) -> tuple[int, ...]:
    found = _RELEASE.match(version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


__all__ = ["about_an_upgrade", "is_older", "newest_version"]
