"""The skills that come with the program: their files, wherever the program was put."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from whyzero.readers.files import Folder

HERE = Path(__file__).parent
FILES_LIMIT = 100


class SkillFile(NamedTuple):
    """One file of a skill."""

    path: str
    """Below the skill's folder."""
    data: bytes

    @property
    def digest(self) -> str:
        return f"sha256:{hashlib.sha256(self.data).hexdigest()}"


class Skill(NamedTuple):
    """One skill."""

    name: str
    frontmatter: dict[str, Any]
    """What stands at the head of SKILL.md."""
    files: tuple[SkillFile, ...]
    """SKILL.md first."""


@cache
def skills() -> dict[str, Skill]:
    """By name. In a wheel they lie inside the package, in a checkout beside it; where neither is so, there are none."""
    places = (HERE / "_skills", HERE.parent.parent / "skills")
    folder = next((Folder(place) for place in places if place.is_dir()), None)
    if folder is None:
        return {}
    return {name: _read(folder, name) for name in sorted(folder.names(".", FILES_LIMIT)) if folder.is_file(f"{name}/SKILL.md")}


def _read(folder: Folder, name: str) -> Skill:
    paths = sorted(folder.walk(name, limit=FILES_LIMIT), key=lambda path: (path != f"{name}/SKILL.md", path))
    files = tuple(SkillFile(path.removeprefix(f"{name}/"), folder.data(path) or b"") for path in paths)
    return Skill(name, frontmatter(files[0].data.decode("utf-8")), files)


def frontmatter(text: str) -> dict[str, Any]:
    """The head of a SKILL.md, of the few forms of YAML that the open specification needs: a plain or quoted value, a folded
    block, and one level of names under `metadata`."""
    head = text.removeprefix("---\n").split("\n---\n", 1)[0]
    found: dict[str, Any] = {}
    name = ""
    for line in head.splitlines():
        if not line.startswith(" "):
            name, _, value = line.partition(":")
            found[name] = {} if not value.strip() else "" if value.strip() == ">-" else _plain(value)
        elif isinstance(found[name], dict):
            key, _, value = line.partition(":")
            found[name][key.strip()] = _plain(value)
        else:
            found[name] = f"{found[name]} {line.strip()}".lstrip()
    return found


def _plain(value: str) -> str:
    value = value.strip()
    return value[1:-1] if value[:1] == '"' == value[-1:] else value
