"""Agent programs that an agent starts itself from a shell command (`claude -p`, `codex exec`): sub-agents with a process of their own.

Their output reaches the log as a tool result. It is read as the nested program's speech only where the command really
starts such a program, and only the shapes that program writes itself are taken as errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from whyzero.model import Speaker, Utterance
from whyzero.readers.files import parse_json

if TYPE_CHECKING:
    from whyzero.readers.agent_logs.collector import Collector, Handoff

_LAUNCH = re.compile(
    r"""(?x)
    (?: ^ | [;&|(\n] | \s-\w*c\s+['"] ) \s*
    (?P<before> (?: (?:env|exec|time|nohup|sudo|command|timeout\s+\S+|stdbuf\s+\S+) \s+
                  | -\w+ \s+ \S+ \s+
                  | [A-Za-z_]\w* = (?: "[^"]*" | '[^']*' | \S* ) \s+ )* )
    (?: \S*/ )? (?P<program> claude | codex | gemini | opencode | qwen | cursor-agent | aider | goose )
    \s+ (?P<after> [^\n]{0,4000} )"""
)
_RUNS = {
    "claude": re.compile(r"(?:^|\s)(?:-p|--print)(?:\s|$)"),
    "codex": re.compile(r"^(?:\S+\s+){0,6}?(?:exec|e)(?:\s|$)"),
    "gemini": re.compile(r"(?:^|\s)(?:-p|--prompt)(?:[\s=]|$)"),
    "qwen": re.compile(r"(?:^|\s)(?:-p|--prompt)(?:[\s=]|$)"),
    "opencode": re.compile(r"^run(?:\s|$)"),
    "cursor-agent": re.compile(r"(?:^|\s)(?:-p|--print)(?:\s|$)"),
    "aider": re.compile(r"(?:^|\s)(?:-m|--message|--message-file)(?:[\s=]|$)"),
    "goose": re.compile(r"^run(?:\s|$)"),
}
_ASSIGNED = re.compile(r"(?<![\w$])([A-Z][A-Z0-9_]*(?:KEY|TOKEN))=(\"[^\"]*\"|'[^']*'|[^\s;&|'\"]*)")
_UNSET = re.compile(r"(?:\bunset\s+|\benv\s+-u\s+|\s-u\s+)([A-Z][A-Z0-9_]*(?:KEY|TOKEN))\b")
_BASE_URL = re.compile(r"(?i)\b[a-z_]*base_url\\*[\"']?\s*=\s*[\\\"']*(https?://[^\s\"'\\]+)")
_URL = re.compile(r"\burl: (\w+://[^\s)\"\\]+)")
_STATUS = re.compile(r"\bunexpected status (\d{3})\b|^(?:Failed to authenticate\. )?API Error: (\d{3})\b")
_CLAUDE_SAYS = re.compile(
    r"^(?:API Error\b|Failed to authenticate\.|Not logged in\b|Invalid API key\b|Credit balance is too low|There's an issue with the selected model)"
)
_CUT_RESULT = re.compile(
    r'"is_error":\s*true.*?"api_error_status":\s*(\d{3}|null).*?"result":\s*"((?:[^"\\]|\\.){0,2000})"', re.S
)


@dataclass(frozen=True, slots=True)
class Launch:
    """A program of its own that a command of the agent started."""

    program: str
    credential: str | None
    """Name of the variable it was given, and whether it was emptied; never a value."""
    endpoint: str | None


def launched(command: str) -> Launch | None:
    """The agent program a shell command starts to do work of its own, if it does."""
    command = command[:20_000].replace('\\"', '"')
    for match in _LAUNCH.finditer(command):
        program = match.group("program")
        if _RUNS[program].search(match.group("after")):
            url = _BASE_URL.search(command)
            return Launch(program, _credential(command), host_of(url.group(1)) if url else None)
    return None


def _credential(command: str) -> str | None:
    assigned = [(str(name), str(value).strip("\"'")) for name, value in _ASSIGNED.findall(command)]
    given = next((name for name, value in assigned if value), None)
    if given is not None:
        return given
    if assigned:
        return f"{assigned[0][0]} (empty)"
    unset = _UNSET.search(command)
    return f"{unset.group(1)} (unset)" if unset else None


def host_of(url: str) -> str | None:
    """Host and port of a URL; never its user part, path or query."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        port = parts.port
    except ValueError:
        return None
    return None if not host else f"{host}:{port}" if port else host


def judge_output(handoff: Handoff, output: str, log: Collector, spoken: Utterance) -> None:
    """Take the nested program's own last word from its output."""
    found = _own_word(output)
    handoff.status = "completed"
    if found is None:
        return
    text, status, failed = found
    if not failed:
        return
    url = _URL.search(text)
    handoff.endpoint = (host_of(url.group(1)) if url else None) or handoff.endpoint
    handoff.status, handoff.tokens = "failed", handoff.tokens or 0
    handoff.error = log.say(
        Speaker.PROVIDER,
        text,
        spoken.spot.line,
        kind="nested",
        at=spoken.at,
        status=status,
        actor=handoff.id,
        path=spoken.spot.path,
    )
    handoff.last = handoff.error
    log.error(handoff.error)


def _own_word(output: str) -> tuple[str, int | None, bool] | None:
    """(text, status, failed) of the last closing event or error line a nested program wrote."""
    last: tuple[str, int | None, bool] | None = None
    for line in output.splitlines():
        line = line.strip()
        if line.startswith("{"):
            event = parse_json(line)
            if isinstance(event, dict):
                last = _of_event(event) or last
        elif _CLAUDE_SAYS.match(line) or line.startswith("ERROR: unexpected status"):
            last = (line, _status(line), True)
    if last is None:
        cut = _CUT_RESULT.search(output)
        if cut:
            status = int(cut.group(1)) if cut.group(1) != "null" else None
            last = (cut.group(2), status, True)
    return last


def _of_event(event: dict[str, Any]) -> tuple[str, int | None, bool] | None:
    kind = event.get("type")
    if kind == "turn.completed":
        return ("", None, False)
    if kind == "turn.failed":
        error = event.get("error")
        text = str(error.get("message")) if isinstance(error, dict) else str(error)
        return (text, _status(text), True)
    if kind == "result" and "is_error" in event:
        status = event.get("api_error_status")
        text = str(event.get("result") or "")
        return (text, status if isinstance(status, int) else _status(text), bool(event["is_error"]))
    return None


def _status(text: str) -> int | None:
    found = _STATUS.search(text)
    return int(found.group(1) or found.group(2)) if found else None
