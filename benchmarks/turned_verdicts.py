"""Changes that turn the truth of a trial: the verdict has to follow."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tree_changes import edit_json, head, nodes, trial_folders

Verdict = tuple[str, str | None]
"""Outcome and cause."""
Allowed = Callable[[str, str | None], bool]
Turn = Callable[[Path, dict[str, Verdict]], dict[str, Allowed]]

PROVIDER = frozenset({"rate_limited", "quota_exhausted", "provider_error", "agent_auth", "model_not_found", "context_length"})
SCORES = frozenset({"wrong_answer", "below_pass_threshold"})


def single(root: Path) -> list[Path]:
    """Finished trials of one step."""
    return [t for t in trial_folders(root) if head(t / "result.json") and not head(t / "result.json").get("step_results")]


def hands_out(stream: Path) -> bool:
    """The errors may be its sub-agents': they stay, whatever the main agent's turns show."""
    return '"name":"Agent"' in stream.read_text() or '"name":"Task"' in stream.read_text()


def without_reward(root: Path, before: dict[str, Verdict]) -> dict[str, Allowed]:
    """No reward: no grade, whatever it was."""
    wanted: dict[str, Allowed] = {}
    for folder in single(root):
        if before.get(folder.name, ("", None))[0] not in ("graded_pass", "graded_zero", "graded_partial"):
            continue
        edit_json(folder / "result.json", lambda r: {**r, "verifier_result": None})
        for path in folder.glob("verifier/reward.*"):
            path.unlink()
        wanted[folder.name] = lambda outcome, cause: outcome == "not_graded" and cause not in SCORES and cause is not None
    return wanted


def without_deliverable(root: Path, before: dict[str, Verdict]) -> dict[str, Allowed]:
    """A wrong answer whose file was never there is none."""
    wanted: dict[str, Allowed] = {}
    for folder in single(root):
        report = folder / "verifier" / "ctrf.json"
        if before.get(folder.name) != ("graded_zero", "wrong_answer") or not head(report).get("results", {}).get("tests"):
            continue

        def absent(value: Any) -> Any:
            summary, tests = value["results"]["summary"], value["results"]["tests"]
            summary.update(passed=0, failed=len(tests))
            for test in tests:
                said = "E   AssertionError: File /app/report.json does not exist\nE   assert False"
                test.update(status="failed", trace=said, message="File /app/report.json does not exist")
            return value

        edit_json(report, absent)
        for pattern in ("verifier/test-stdout.txt", "verifier/submitted-*", "artifacts/**/*"):
            for path in folder.glob(pattern):
                if path.is_file():
                    path.unlink()
        wanted[folder.name] = lambda outcome, cause: cause not in SCORES
    return wanted


def without_error(root: Path, before: dict[str, Verdict]) -> dict[str, Allowed]:
    """No provider's word left anywhere: no provider's fault."""
    wanted: dict[str, Allowed] = {}
    for folder in single(root):
        stream = folder / "agent" / "claude-code.txt"
        if before.get(folder.name, ("", None))[1] not in PROVIDER or not stream.is_file() or hands_out(stream):
            continue
        edit_json(folder / "result.json", lambda r: {**r, "exception_info": None})
        for name in ("exception.txt", "trial.log", "agent/trajectory.json"):
            (folder / name).unlink(missing_ok=True)
        for path in [stream, *folder.rglob("*.jsonl")]:
            path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if not _speaks_of_an_error(line)))
        for path in root.glob("job.log"):
            path.unlink()
        wanted[folder.name] = lambda outcome, cause: cause not in PROVIDER
    return wanted


def _speaks_of_an_error(line: str) -> bool:
    try:
        event = json.loads(line)
    except ValueError:
        return False
    if event.get("is_error") or event.get("isApiErrorMessage") or event.get("subtype") in ("api_retry", "api_error"):
        return True
    return any(n.get("model") == "<synthetic>" for n in nodes(event)) or "auth_status" in str(event.get("type"))


def overcome_error(root: Path, before: dict[str, Verdict]) -> dict[str, Allowed]:
    """The error is followed by work and a good end."""
    wanted: dict[str, Allowed] = {}
    for folder in single(root):
        stream = folder / "agent" / "claude-code.txt"
        if before.get(folder.name, ("", None))[1] not in PROVIDER or not stream.is_file() or hands_out(stream):
            continue
        lines = [x for x in stream.read_text().splitlines() if '"type":"result"' not in x]
        session = "s1"
        call = {"type": "tool_use", "id": "toolu_z9", "name": "Bash", "input": {"command": "ls /app"}}
        message = {"id": "msg_z9", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": None}
        got = {"type": "tool_result", "tool_use_id": "toolu_z9", "content": "orders.csv", "is_error": False}
        said = {"type": "text", "text": "I had a look. That is all I can do here."}
        events: list[dict[str, Any]] = [
            {"type": "assistant", "message": {**message, "content": [call]}, "parent_tool_use_id": None, "session_id": session},
            {"type": "user", "message": {"role": "user", "content": [got]}, "parent_tool_use_id": None, "session_id": session},
            {"type": "assistant", "message": {**message, "id": "msg_z10", "content": [said]}, "parent_tool_use_id": None},
            {"type": "result", "subtype": "success", "is_error": False, "api_error_status": None, "num_turns": 9},
        ]
        events[-1] |= {"result": said["text"], "stop_reason": "end_turn", "terminal_reason": "completed"}
        stream.write_text("\n".join([*lines, *(json.dumps(e, separators=(",", ":")) for e in events)]) + "\n")
        edit_json(
            folder / "result.json", lambda r: {**r, "exception_info": None, "verifier_result": {"rewards": {"reward": 0.0}}}
        )
        for path in [folder / "exception.txt", folder / "trial.log", folder / "agent/trajectory.json", root / "job.log"]:
            path.unlink(missing_ok=True)
        for path in folder.rglob("sessions/**/*.jsonl"):
            path.unlink()
        wanted[folder.name] = lambda outcome, cause: cause not in PROVIDER
    return wanted


def flipped_result(root: Path, before: dict[str, Verdict]) -> dict[str, Allowed]:
    """An early stop whose last event is really a refused request."""
    wanted: dict[str, Allowed] = {}
    for folder in single(root):
        stream = folder / "agent" / "claude-code.txt"
        if before.get(folder.name, ("", None))[1] != "early_stop" or not stream.is_file():
            continue

        def refused(event: Any) -> Any:
            if event.get("type") != "result":
                return event
            text = "API Error: Request rejected (429) · This request would exceed your account's rate limit."
            return {**event, "is_error": True, "api_error_status": 429, "stop_reason": "stop_sequence", "result": text}

        edit_json(stream, refused)
        wanted[folder.name] = lambda outcome, cause: cause == "rate_limited"
    return wanted


def full_marks(root: Path, before: dict[str, Verdict]) -> dict[str, Allowed]:
    """A wrong answer that is right after all."""
    wanted: dict[str, Allowed] = {}
    for folder in single(root):
        report = folder / "verifier" / "ctrf.json"
        if before.get(folder.name) != ("graded_zero", "wrong_answer") or not report.is_file():
            continue
        edit_json(folder / "result.json", lambda r: {**r, "verifier_result": {"rewards": {"reward": 1.0}}})
        wanted[folder.name] = lambda outcome, cause: (outcome, cause) == ("graded_pass", None)
    return wanted


TURNED: dict[str, Turn] = {
    "reward taken away": without_reward,
    "deliverable taken away": without_deliverable,
    "error taken away": without_error,
    "error overcome": overcome_error,
    "result turned into an error": flipped_result,
    "full marks": full_marks,
}
