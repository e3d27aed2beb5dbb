"""Changes of a tree of results that a verdict must survive, and changes it must not.

A change gets the folder of one run (a copy of its own) and changes it in place. It returns None where it does not apply, else the
new ids of renamed trials. It shares nothing with the readers: it knows files, not our types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

Change = Callable[[Path], dict[str, str] | None]

NOISE = (
    'HTTP/1.1 429 Too Many Requests\n{"type":"error","error":{"type":"rate_limit_error","message":"rate limit exceeded"}}\n'
    "litellm.AuthenticationError: AuthenticationError: invalid x-api-key\nAPI Error: 529 Overloaded\nError code: 401 - unauthorized\n"
    "prompt is too long: 220728 tokens > 200000 maximum (context_length_exceeded)\nYou've hit your usage limit.\n"
    "RewardFileNotFoundError: infrastructure error, do not count this trial"
)
TEXTS = (".json", ".jsonl", ".txt", ".log", ".pane")


def trial_folders(root: Path) -> list[Path]:
    """Harbor's trials by their record."""
    found = {p.parent for name in ("result.json", "config.json") for p in root.rglob(name) if "trial_name" in head(p)}
    return sorted(found)


def head(path: Path) -> Any:
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def texts(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix in TEXTS:
            yield path


def rewrite(path: Path, edit: Callable[[str], str]) -> bool:
    try:
        old = path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    new = edit(old)
    if new != old:
        path.write_bytes(new.encode())
    return new != old


def edit_json(path: Path, edit: Callable[[Any], Any]) -> None:
    """Every JSON value of a file: the file itself, or each of its lines."""

    def line(text: str) -> str:
        try:
            return json.dumps(edit(json.loads(text)), ensure_ascii=False, separators=(",", ":"))
        except ValueError:
            return text

    def whole(text: str) -> str:
        if path.suffix == ".json":
            try:
                return json.dumps(edit(json.loads(text)), ensure_ascii=False, indent=4) + "\n"
            except ValueError:
                return text
        return "\n".join(line(one) if one.startswith("{") else one for one in text.split("\n"))

    rewrite(path, whole)


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from nodes(item)


# ---- changes a verdict must survive


def rename_trials(root: Path) -> dict[str, str] | None:
    """Folder names are nobody's evidence."""
    renamed = {}
    for number, folder in enumerate(trial_folders(root)):
        if folder == root or folder.parent.name == "steps":
            continue
        renamed[folder.name] = f"rate-limit-401__{number}"
        folder.rename(folder.with_name(renamed[folder.name]))
    return renamed or None


def other_paths(root: Path) -> dict[str, str] | None:
    """Made on another machine, by another user."""
    pairs = (("/srv/lab/", "/Users/a user/bench/"), ("/opt/harbor/site-packages", "/home/u/.venv/lib/python3.13/site-packages"))
    pairs += (("/home/user/ws", "/data/rollouts 2/x"), ("/home/user/cli-venv", "/usr/local/pipx/venvs/o"))

    def edit(text: str) -> str:
        for old, new in pairs:
            text = text.replace(old, new)
        return text

    return {} if sum(rewrite(p, edit) for p in texts(root)) else None


_ISO = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
_EPOCH = re.compile(r"(?<![\d.])1[78]\d{8}(?=\d{3}\b|\.\d)")


def shift_times(root: Path) -> dict[str, str] | None:
    """The same run, 400 days and a few hours before."""
    by = timedelta(days=-400, hours=-5, minutes=-7)

    def moved(match: re.Match[str]) -> str:
        text = match.group()
        return (datetime.fromisoformat(text) + by).isoformat(sep=text[10])

    def edit(text: str) -> str:
        text = _ISO.sub(moved, text)
        return _EPOCH.sub(lambda m: str(int(m.group()) + int(by.total_seconds())), text)

    return {} if sum(rewrite(p, edit) for p in texts(root)) else None


def dropping(*patterns: str) -> Change:
    """Files that a repository ignores, or that an older version never wrote."""

    def change(root: Path) -> dict[str, str] | None:
        gone = [p for pattern in patterns for p in root.rglob(pattern) if p.is_file()]
        for path in gone:
            path.unlink()
        return {} if gone else None

    return change


def carriage_returns(root: Path) -> dict[str, str] | None:
    for path in texts(root):
        rewrite(path, lambda text: re.sub(r"(?<!\r)\n", "\r\n", text))
    return {}


def reorder_keys(root: Path) -> dict[str, str] | None:
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: turned(value[k]) for k in sorted(value, reverse=True)}
        return [turned(v) for v in value] if isinstance(value, list) else value

    for path in texts(root):
        edit_json(path, turned)
    return {}


def unknown_keys(root: Path) -> dict[str, str] | None:
    """A fork writes fields of its own."""
    extra = {"x_error": "rate_limit_exceeded", "x_status": 429, "x_notes": [None, {"reason": "401 unauthorized"}]}
    for path in texts(root):
        edit_json(path, lambda v: {**v, **extra} if isinstance(v, dict) else v)
    return {}


def byte_order_marks(root: Path) -> dict[str, str] | None:
    for path in texts(root):
        if path.suffix != ".jsonl":
            path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    return {}


def strange_names(root: Path) -> dict[str, str] | None:
    """Names of files say nothing."""
    for folder in trial_folders(root) or [root]:
        for name in (
            "agent/429_rate_limit_exceeded.log",
            "artifacts/401.json",
            "agent/AuthenticationError.txt",
            "insufficient_quota",
        ):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(NOISE)
    return {}


def noise_in_speech(root: Path) -> dict[str, str] | None:
    """Provider talk where tools, models and briefs speak: never about this run's provider."""
    done = 0

    def text_of(node: dict[str, Any], key: str) -> None:
        nonlocal done
        value = node.get(key)
        if isinstance(value, str) and value:
            node[key], done = f"{value}\n{NOISE}", done + 1
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, dict) and part.get("type") == "text":
                    text_of(part, "text")

    def edit(value: Any) -> Any:
        if isinstance(value, dict) and (value.get("isApiErrorMessage") or value.get("error")):
            return value
        for node in list(nodes(value)):
            if node.get("model") == "<synthetic>":
                return value
            if node.get("type") == "tool_result":
                text_of(node, "content")
            if node.get("type") == "command_execution" and node.get("status") == "completed":
                text_of(node, "aggregated_output")
            if node.get("type") == "agent_message":
                text_of(node, "text")
            if "source_call_id" in node:
                text_of(node, "content")
            if node.get("source") == "user" and "message" in node:
                text_of(node, "message")
            if node.get("type") == "tool" and isinstance(node.get("state"), dict):
                text_of(node["state"], "output")
            if node.get("role") in ("user", "tool") and isinstance(node.get("content"), str):
                text_of(node, "content")
        return value

    for path in sorted(root.rglob("*")):
        agent = any(part == "agent" for part in path.relative_to(root).parts) or path.name == "trajectory.json"
        if path.is_file() and agent and path.suffix in (".json", ".jsonl", ".txt") and not runs_another_agent(path):
            edit_json(path, edit)
    return {} if done else None


def runs_another_agent(path: Path) -> bool:
    """What a nested agent program prints is a sub-agent's word, though it comes back as a tool's output."""
    text = path.read_text(errors="replace")
    return any(command in text for command in ("codex exec", "claude -p", "claude --print"))


def noise_in_tests(root: Path) -> dict[str, str] | None:
    """What the service under test logged, in front of the output of tests that ran."""
    reports = [p.parent / "test-stdout.txt" for p in root.rglob("ctrf.json") if head(p).get("results", {}).get("tests")]
    found = [p for p in reports if p.is_file()]
    for path in found:
        rewrite(path, lambda text: f"server log: {NOISE}\n{text}")
    return {} if found else None


def into_a_crowd(root: Path) -> dict[str, str] | None:
    """A trial of another task and model beside it, and files that are no trials."""
    trials = [t for t in trial_folders(root) if t.parent == root and (t / "result.json").is_file()]
    if not trials:
        return None
    for name in ("notes", "old"):
        (root / name).mkdir()
        (root / name / "result.json").write_text('{"status": 429, "error": "rate_limit_exceeded"}')
    (root / ".DS_Store").write_bytes(b"\x00\x01")
    return {}


SURVIVED: dict[str, Change] = {
    "trial folders renamed": rename_trials,
    "paths of another machine": other_paths,
    "times shifted": shift_times,
    "job.log dropped": dropping("job.log"),
    "trial.log dropped": dropping("trial.log"),
    "config.json dropped": dropping("config.json"),
    "lock.json dropped": dropping("lock.json"),
    "exception.txt dropped": dropping("exception.txt"),
    "artifacts dropped": dropping("artifacts/**/*"),
    "all logs dropped": dropping("*.log", "*.pane", "*.cast"),
    "ctrf.json dropped": dropping("ctrf.json"),
    "test-stdout.txt dropped": dropping("test-stdout.txt"),
    "reward files dropped": dropping("reward.txt", "reward.json"),
    "trajectories dropped": dropping("agent/trajectory.json"),
    "agent folder dropped": dropping("agent/**/*"),
    "osmosis copies dropped": dropping("index.jsonl", "summary.jsonl", "progress.json"),
    "CRLF": carriage_returns,
    "byte order marks": byte_order_marks,
    "keys reordered": reorder_keys,
    "unknown keys": unknown_keys,
    "strange file names": strange_names,
    "noise in speech": noise_in_speech,
    "noise in test output": noise_in_tests,
    "in a crowd": into_a_crowd,
}
MAY_WEAKEN = frozenset(name for name in SURVIVED if name.endswith("dropped"))
"""Less evidence may end in `undetermined`; it may never end in another cause, nor change the outcome."""
