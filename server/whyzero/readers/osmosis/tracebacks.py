"""A Python traceback out of a log, taken apart: chain, frames, the exception that came first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from whyzero.model import ExceptionRecord, Frame, Spot

TRACEBACK_LIMIT = 8192
FRAME_LIMIT = 60

OPENING = "Traceback (most recent call last):"
CHAINED = (
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
)
_FRAME = re.compile(r'^\s+File "(?P<file>[^"]*)", line (?P<line>\d+)(?:, in (?P<function>.*))?$')
_MARKS = re.compile(r"^[\s~^]+$")
GROUP_BAR = re.compile(r"^\s+\| ?")
"""What stands before each line of an exception group."""
_GROUP_RULE = re.compile(r"^\s*\+[-+]+(?: (?:\d+|\.\.\.) -+)?$")
_LIBRARY = re.compile(r"(?:^|/)(?:site-packages|dist-packages|lib/python3?[\d.]*)/|^<frozen ")
_ROLLOUTS = re.compile(r"(?:^|/)(rollouts/[^/]+/.+)$")
_BACKEND = re.compile(r"osmosis_ai/rollout/backend/[^\"]*$")
_TYPE = re.compile(r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$", re.S)

RUNNERS = {"run_workflow": "workflow", "run_grader": "grader"}
"""Functions of the SDK's local backend, and the phase each of them runs."""


@dataclass(slots=True)
class Segment:
    """One exception of a chain."""

    frames: list[Frame] = field(default_factory=list)
    type: str = ""
    message: str = ""
    line: int | None = None
    """Line of the log on which its class stands."""


def exception_of(lines: Sequence[tuple[int, str]], path: str, at: datetime | None) -> ExceptionRecord | None:
    """The record of a traceback given as numbered lines (its first line may carry a log header), or None where none parses."""
    chain = [segment for segment in segments(lines) if segment.type]
    if not chain:
        return None
    last = chain[-1]
    if "Group" in chain[0].type and len(chain) > 1:
        # A group is printed before the exceptions it holds; the first of them came first.
        chain, last = [*chain[1:], chain[0]], chain[1]
    shown = next((s for s in chain if any(f.user for f in s.frames)), last)
    user = next((f for f in reversed(shown.frames) if f.user), None)
    text = "\n".join(line for _, line in lines)
    return ExceptionRecord(
        type=last.type,
        message=last.message.partition("\n")[0][:2000],
        spot=Spot(path, last.line),
        at=at,
        during=next((RUNNERS[f.function] for s in reversed(chain) for f in s.frames if is_runner(f)), None),
        traceback=text[-TRACEBACK_LIMIT:],
        user_frame=None if user is None else Spot(_relative(user.file), user.line),
        inner=tuple(f"{s.type}: {s.message[:500]}" for s in chain if s is not last and "Group" not in s.type),
        frames=tuple(shown.frames[-FRAME_LIMIT:]),
        by_deadline=_by_deadline(last),
    )


def segments(lines: Sequence[tuple[int, str]]) -> list[Segment]:
    """The chain, innermost exception first."""
    chain = [Segment()]
    quiet = True
    for number, raw in lines:
        if _GROUP_RULE.match(raw):
            continue
        text = GROUP_BAR.sub("", raw)
        here = chain[-1]
        if text.rstrip().endswith(OPENING):
            if here.type:
                chain.append(Segment())
            quiet = False
        elif text.strip() in CHAINED:
            quiet = True
        elif quiet:
            continue
        elif frame := _FRAME.match(text):
            if here.type:
                continue
            file = frame["file"]
            here.frames.append(Frame(file, int(frame["line"]), (frame["function"] or "").strip(), user=is_users(file)))
        elif not here.type and text[:1].isspace():
            if here.frames and not here.frames[-1].source and not _MARKS.match(text):
                last = here.frames[-1]
                here.frames[-1] = Frame(last.file, last.line, last.function, text.strip()[:300], last.user)
        elif not here.type and (found := _TYPE.match(text)):
            here.type, here.message, here.line = found["type"], found["message"] or "", number
        elif here.type and len(here.message) < 2000:
            here.message = f"{here.message}\n{text}".rstrip()
    return chain


def is_users(file: str) -> bool:
    """In the rollout's own folder, not in its environment or a library."""
    return bool(_ROLLOUTS.search(file)) and not _LIBRARY.search(file) and "/.venv/" not in file


def is_runner(frame: Frame) -> bool:
    """The frame in which the SDK runs the workflow or the grader."""
    return frame.function in RUNNERS and bool(_BACKEND.search(frame.file))


def _by_deadline(segment: Segment) -> bool:
    """The SDK's `async with deadline:` raised it: its frame is followed by asyncio's timeout alone."""
    if segment.type.rsplit(".", 1)[-1] != "TimeoutError":
        return False
    after = next((segment.frames[i + 1 :] for i, f in enumerate(segment.frames) if is_runner(f)), None)
    return bool(after) and all(f.file.endswith("asyncio/timeouts.py") for f in after or ())


def _relative(file: str) -> str:
    found = _ROLLOUTS.search(file)
    return found[1] if found else file
