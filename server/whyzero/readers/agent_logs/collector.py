"""Gathers one agent's log, event by event, and closes it into an `AgentLog` of bounded size."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from whyzero.model import AgentLog, Delegation, End, Speaker, Spot, Utterance
from whyzero.readers.agent_logs.text_calls import is_call_as_text

TEXT_LIMIT = 8 * 2**10
RETRY_TEXT_LIMIT = 2**10
ERRORS_KEPT = 64
"""Of the first and as many of the last errors."""
OTHERS_KEPT = 16
DELEGATIONS_KEPT = 200


def bounded(text: str, limit: int = TEXT_LIMIT) -> str:
    return text if len(text) <= limit else text[: limit - limit // 4] + "…" + text[-limit // 4 :]


@dataclass
class Handoff:
    """A `Delegation` while its log is still being read."""

    id: str
    kind: str
    spot: Spot
    background: bool = False
    text: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    collected: bool | None = False
    status: str | None = None
    tokens: int | None = None
    endpoint: str | None = None
    credential: str | None = None
    error: Utterance | None = None
    last: Utterance | None = None
    finished: bool = False
    """Its program said it ended; the main agent need not have read that."""

    def close(self) -> Delegation:
        return Delegation(
            id=self.id,
            kind=self.kind,
            spot=self.spot,
            text=bounded(self.text, RETRY_TEXT_LIMIT),
            background=self.background,
            started_at=self.started_at,
            ended_at=self.ended_at,
            collected=self.collected,
            status=self.status,
            tokens=self.tokens,
            endpoint=self.endpoint,
            credential=self.credential,
            error=self.error,
            last=self.last,
        )


@dataclass
class Collector:
    """What becomes the `AgentLog` of one log while its events stream by; bounded, whatever the length of the log."""

    agent: str
    path: str
    end: End = End.UNKNOWN
    end_event: Utterance | None = None
    stop_reason: str | None = None
    tool_calls: int = 0
    tool_results: int = 0
    steps: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    endpoint: str | None = None
    brief: Utterance | None = None
    last_message: Utterance | None = None
    last_event: Utterance | None = None
    last_work: Utterance | None = None
    handoffs: dict[str, Handoff] = field(default_factory=dict)
    lines: list[Utterance] = field(default_factory=list)
    open_calls: list[Utterance] = field(default_factory=list)
    _errors: list[Utterance] = field(default_factory=list)
    _late_errors: list[Utterance] = field(default_factory=list)
    _calls_as_text: list[Utterance] = field(default_factory=list)
    _malformed: list[Utterance] = field(default_factory=list)
    _malformed_at_end: int = 0
    _open_text_call: Utterance | None = None

    def say(
        self,
        speaker: Speaker,
        text: str,
        line: int | None,
        *,
        kind: str = "",
        at: datetime | None = None,
        status: int | None = None,
        code: str | None = None,
        actor: str = "main",
        retried: bool = False,
        path: str | None = None,
        pointer: str | None = None,
    ) -> Utterance:
        return Utterance(
            speaker=speaker,
            text=bounded(text, RETRY_TEXT_LIMIT if retried else TEXT_LIMIT),
            spot=Spot(path or self.path, line, pointer),
            at=at,
            kind=kind,
            status=status,
            code=code,
            actor=actor,
            retried=retried,
        )

    # ---- what happened

    def error(self, error: Utterance) -> None:
        if len(self._errors) < ERRORS_KEPT:
            self._errors.append(error)
            return
        self._late_errors.append(error)
        if len(self._late_errors) > ERRORS_KEPT:
            del self._late_errors[0]

    def take_errors(self, errors: list[Utterance]) -> None:
        """Errors of another file, which already tell what became of them."""
        for error in errors:
            self.error(error)

    def turn(self, utterance: Utterance) -> None:
        """The model answered: whatever stood in this actor's way before is overcome."""
        for errors in (self._errors, self._late_errors):
            for i, error in enumerate(errors):
                if error.actor == utterance.actor and not error.overcome:
                    errors[i] = replace(error, overcome=True)
        if utterance.actor == "main":
            self.last_work = utterance

    def overcome(self) -> None:
        """All errors of the main agent so far are behind it (a fallback that worked)."""
        for errors in (self._errors, self._late_errors):
            errors[:] = [replace(e, overcome=True) if e.actor == "main" else e for e in errors]

    def last_error_was_retried(self) -> None:
        for errors in (self._late_errors, self._errors):
            if errors:
                errors[-1] = replace(errors[-1], retried=True)
                return

    def with_status(self, error: Utterance, status: int) -> Utterance:
        """An error whose status stands on a later line."""
        new = replace(error, status=status)
        self.replace_error(error, new)
        return new

    def replace_error(self, old: Utterance, new: Utterance) -> None:
        for errors in (self._errors, self._late_errors):
            errors[:] = [new if e is old else e for e in errors]

    def message(self, utterance: Utterance) -> None:
        """Words of the model. A call written out as text counts as such unless the program runs a call in the same turn."""
        if utterance.actor != "main":
            return
        self.last_message = utterance
        if is_call_as_text(utterance.text):
            self._open_text_call = utterance

    def call(self, actor: str = "main") -> None:
        if actor == "main":
            self.tool_calls += 1
            self._open_text_call = None

    def result(self, utterance: Utterance) -> None:
        if utterance.actor == "main":
            self._malformed_at_end = 0
            self.tool_results += 1
            self.last_work = utterance

    def turn_ended(self) -> None:
        """The model's turn is over: a call it wrote out as text was executed by nobody."""
        if self._open_text_call is not None and len(self._calls_as_text) < OTHERS_KEPT:
            self._calls_as_text.append(self._open_text_call)
        self._open_text_call = None

    def malformed(self, utterance: Utterance) -> None:
        """The first and the last ones are kept."""
        if utterance.actor == "main":
            self._malformed_at_end += 1
            self._malformed.append(utterance)
            if len(self._malformed) > OTHERS_KEPT:
                del self._malformed[OTHERS_KEPT // 2]

    def hand_off(self, handoff: Handoff) -> Handoff | None:
        if handoff.id in self.handoffs:
            return self.handoffs[handoff.id]
        if len(self.handoffs) >= DELEGATIONS_KEPT:
            return None
        self.handoffs[handoff.id] = handoff
        return handoff

    def count_tokens(self, given: object, written: object) -> None:
        if isinstance(given, int):
            self.input_tokens = (self.input_tokens or 0) + given
        if isinstance(written, int):
            self.output_tokens = (self.output_tokens or 0) + written

    @property
    def errors(self) -> list[Utterance]:
        return self._errors + self._late_errors

    def without_counts(self) -> AgentLog:
        """A log whose grammar is unknown: what was not seen in it was not counted."""
        return replace(self.close(), tool_calls=None, tool_results=None, steps=None)

    def close(self) -> AgentLog:
        self.turn_ended()
        for error in sorted(self.errors, key=lambda e: e.overcome):
            handoff = self.handoffs.get(error.actor)
            if handoff is not None and handoff.error is None:
                handoff.error = error
        return AgentLog(
            agent=self.agent,
            end=self.end,
            end_event=self.end_event,
            stop_reason=self.stop_reason,
            errors=tuple(self.errors),
            tool_calls=self.tool_calls,
            tool_results=self.tool_results,
            calls_as_text=tuple(self._calls_as_text),
            malformed=tuple(self._malformed),
            malformed_at_end=self._malformed_at_end,
            last_message=self.last_message,
            last_event=self.last_event,
            last_work=self.last_work,
            steps=self.steps,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            open_calls=tuple(self.open_calls[:OTHERS_KEPT]),
            delegations=tuple(h.close() for h in self.handoffs.values()),
            endpoint=self.endpoint,
            brief=self.brief,
            lines=tuple(self.lines),
        )
