"""The reward of a trial or step: what result.json books, and what lies in the reward file."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from whyzero.model import Reward, Spot
from whyzero.readers.files import Folder, parse_json
from whyzero.readers.shapes import join, number, obj

MAIN = ("reward", "score", "resolved", "accuracy", "pass")
"""Names of the main dimension; `reward` by convention."""


def booked(record: dict[str, Any], path: str, pointer: str, claimed: Any) -> Reward:
    """`verifier_result.rewards` of a trial or step record."""
    result = obj(record.get("verifier_result"))
    rewards = obj(result.get("rewards"))
    components = {str(k): n for k, v in rewards.items() if (n := _value(v)) is not None}
    claim = claimed if isinstance(claimed, bool) else None
    if not rewards and _value(result.get("reward")) is not None:
        # Before there were several dimensions.
        value = _value(result.get("reward"))
        spot = Spot(path, pointer=f"{pointer}/verifier_result/reward")
        return Reward(value, {} if value is None else {"reward": value}, spot, _shown(result["reward"]), None, claim)
    if not rewards:
        null = Spot(path, pointer=f"{pointer}/verifier_result/rewards") if result and result.get("rewards", 0) is None else None
        return Reward(spot=null, text="null" if null else "", claimed_valid=claim)
    value, invalid = _main(components)
    name = next((k for k in MAIN if k in components), next(iter(components), ""))
    spot = Spot(path, pointer=f"{pointer}/verifier_result/rewards" + (f"/{name}" if name else ""))
    return Reward(value, components, spot, _shown(rewards.get(name, rewards)), invalid, claim)


def _shown(value: Any) -> str:
    """As the record writes it, up to 200 characters."""
    return json.dumps(value, ensure_ascii=False)[:200] if isinstance(value, bool) else str(value)[:200]


def on_disk(folder: Folder, base: str, json_first: bool) -> Reward:
    """The reward file in a verifier folder, in the order this Harbor reads them (0.13 and newer: reward.json first)."""
    names = ("reward.json", "reward.txt") if json_first else ("reward.txt", "reward.json")
    for name in names:
        path = join(base, name)
        if folder.is_file(path):
            return _from_json(folder, path) if name.endswith(".json") else _from_text(folder, path)
    return Reward()


def kept_time(folder: Folder, path: str, record: str, started: datetime | None) -> datetime | None:
    """When the reward file was written, if the record's own file time shows that times survived the copy."""
    mtime, recorded = folder.mtime(path), folder.mtime(record)
    if mtime is None or recorded is None or started is None or started.tzinfo is None:
        return None
    return mtime if recorded >= started - timedelta(seconds=5) else None


def _from_text(folder: Folder, path: str) -> Reward:
    text = (folder.text(path, 4096) or "").strip()
    spot = Spot(path, 1)
    if not text:
        return Reward(spot=spot, invalid="empty file")
    try:
        value = float(text)
    except ValueError:
        return Reward(spot=spot, text=text[:200], invalid="not a number")
    if number(value) is None:
        return Reward(spot=spot, text=text[:200], invalid="not a finite number")
    return Reward(value, {"reward": value}, spot, text[:200])


def _from_json(folder: Folder, path: str) -> Reward:
    text = (folder.text(path, 65_536) or "").strip()
    spot = Spot(path, 1)
    if not text:
        return Reward(spot=spot, invalid="empty file")
    data = parse_json(text)
    if not isinstance(data, dict):
        return Reward(spot=spot, text=text[:200], invalid="not a JSON object of numbers")
    if any(isinstance(v, (int, float)) and not isinstance(v, bool) and number(v) is None for v in data.values()):
        return Reward(spot=spot, text=text[:200], invalid="not a finite number")
    if not data or any(_value(v) is None for v in data.values()):
        return Reward(spot=spot, text=text[:200], invalid="not a number" if data else "no dimension")
    value, invalid = _main({k: v for k, v in ((str(k), _value(v)) for k, v in data.items()) if v is not None})
    return Reward(value, {str(k): float(v) for k, v in data.items()}, spot, text[:200], invalid)


def _value(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    return number(value)


def _main(components: dict[str, float]) -> tuple[float | None, str | None]:
    """The one number, or why there is none."""
    for name in MAIN:
        if name in components:
            return components[name], None
    if len(components) == 1:
        return next(iter(components.values())), None
    if components and all(0 <= v <= 1 for v in components.values()):
        return sum(components.values()) / len(components), None
    return None, "several dimensions, none of them named reward" if components else "no number among the rewards"
