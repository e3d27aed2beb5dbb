"""What a trial was given: its user messages, without what the harness said of its own around the brief."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from whyzero.model import Trial, Utterance
from whyzero.question import Question

_BLOCK = re.compile(r"<(?P<tag>[A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</(?P=tag)>", re.S)
_WRAPPED = {
    "terminus": re.compile(r"(?is)\bTask Description:\s*\n(?P<brief>.*?)\n\s*Current terminal state:"),
    "mini-swe-agent": re.compile(
        r"(?is)Please solve this issue:\s*(?P<brief>.*?)\n\s*\n?You can execute bash commands and edit files"
    ),
}
"""Agents that put the brief into a text of their own, by the start of their name."""
_VERBATIM = frozenset(
    {
        "claude-code",
        "codex",
        "opencode",
        "gemini-cli",
        "qwen-code",
        "qwen-coder",
        "goose",
        "cursor-cli",
        "copilot-cli",
        "kimi-cli",
    }
    | {"cline", "cline-cli", "openclaw", "pi", "amp"}
)
"""Agents that hand a brief to the model without words of their own."""
LOG_LIMIT = 8192
"""Characters of a log line that readers keep: a brief of that length may be cut."""


@dataclass(frozen=True, slots=True)
class Message:
    """One text the trial was given."""

    text: str
    """Everything in it that may be part of the brief."""
    whole: str
    """All of it but the harness's own notes: what stands here was said to the agent."""
    path: str
    pointer: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """The brief of a trial as far as it is on record."""

    messages: tuple[Message, ...]
    source: str
    """Where it comes from, in our words."""
    complete: bool = True
    verbatim: bool = True
    """The agent passes a brief on as it is, so that every word of it is the brief's."""

    @property
    def whole(self) -> str:
        return "\n\n".join(message.whole for message in self.messages)


def recorded(trial: Trial, names: tuple[str, ...]) -> Given | None:
    """The recorded prompt; None where the harness kept none. A text with one of `names` in it is never a note."""
    said = list(_said(trial))
    messages = tuple(message for one in said if (message := _message(one, trial, names)) is not None)
    if not messages:
        return None
    verbatim = (trial.agent or "") in _VERBATIM
    return Given(messages, "the prompt on record", complete=not any(one.cut for one in said), verbatim=verbatim)


def of_question(question: Question, source: str) -> Given | None:
    """The brief of a task that stands for the one the trial was given."""
    messages = tuple(Message(brief.text, brief.text, brief.path) for brief in question.briefs)
    return Given(messages, source) if messages else None


def _said(trial: Trial) -> Iterator[Utterance]:
    """User messages in order; those of its steps for a trial in several."""
    if trial.steps:
        for step in trial.steps:
            yield from _said(step)
        return
    if trial.given:
        yield from trial.given
        return
    brief = trial.brief or next((log.brief for log in trial.logs if log.brief), None)
    if brief is not None:
        yield replace(brief, cut=brief.cut or len(brief.text) == LOG_LIMIT)


def _message(said: Utterance, trial: Trial, names: tuple[str, ...]) -> Message | None:
    whole = _BLOCK.sub(
        lambda block: block.group() if _holds(block.group(), names) or not _is_note(block["tag"]) else " ", said.text
    )
    if not whole.strip():
        return None
    spot = said.spot
    return Message(_unwrapped(whole, trial.agent), whole, spot.path, spot.pointer, spot.line)


def _is_note(tag: str) -> bool:
    """`<environment_context>`, `<system-reminder>`, `<INSTRUCTIONS>`; not the one-word tags of a brief's own text."""
    return "_" in tag or "-" in tag or tag.isupper()


def _holds(text: str, names: tuple[str, ...]) -> bool:
    return any(is_named(name, text) for name in names)


def _unwrapped(text: str, agent: str | None) -> str:
    for start, pattern in _WRAPPED.items():
        if (agent or "").startswith(start) and (match := pattern.search(text)):
            return match["brief"]
    return text


def is_named(name: str, text: str) -> bool:
    """A file's name stands in the text as a name of its own (`permits.json`, not `old-permits.json`)."""
    last = name.rstrip("/").rsplit("/", 1)[-1]
    return bool(last) and re.search(rf"(?<![\w.-]){re.escape(last)}(?![\w-]|\.\w)", text) is not None
