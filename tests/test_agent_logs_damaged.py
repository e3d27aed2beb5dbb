"""Damaged logs: fields of another kind, missing fields, lines cut anywhere. A reader may find less; it never raises."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent_log_trees import DATA
from whyzero.causes._provider import kind_of
from whyzero.readers.agent_logs import read_agent_logs
from whyzero.readers.files import Folder

JUNK: list[Any] = [None, 5, -1, 1e300, True, "x", [], {}, [None], {"a": [1]}, "429", [[]], {"text": 5}]


class Damage:
    """Reproducible harm to a log."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def value(self, value: Any) -> Any:
        if self.random.random() < 0.06:
            return self.random.choice(JUNK)
        if isinstance(value, dict):
            return {k: self.value(v) for k, v in value.items() if self.random.random() > 0.03}
        return [self.value(v) for v in value] if isinstance(value, list) else value

    def line(self, line: str) -> str:
        chance = self.random.random()
        if chance < 0.05:
            return line[: self.random.randrange(len(line) + 1)]
        try:
            return json.dumps(self.value(json.loads(line))) if chance < 0.6 else line
        except ValueError:
            return line

    def file(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        if path.name.endswith("trajectory.json"):
            path.write_text(json.dumps(self.value(json.loads(text))), encoding="utf-8")
        else:
            path.write_text("\n".join(map(self.line, text.split("\n"))), encoding="utf-8")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(p.name for p in DATA.iterdir()))
def test_no_damage_makes_a_reader_raise(name: str, seed: int, tmp_path: Path) -> None:
    root = tmp_path / name
    shutil.copytree(DATA / name, root)
    damage = Damage(f"{name}/{seed}")
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        damage.file(path)
    for log in read_agent_logs(Folder(root), "agent", None):
        assert all(kind_of(e) is None or e.text for e in log.errors)
