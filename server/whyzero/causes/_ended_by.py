"""Which provider error, if any, ended the main agent's work."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from whyzero.causes._answered import answered
from whyzero.causes._hosted import standing
from whyzero.causes._model_clients import ASKS_A_MODEL, HTTP_CLIENTS, from_inference, is_client_s, may_speak_of_a_model
from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import CAUSE_OF, SPECIFIC, Kind, is_code
from whyzero.causes.cause import Found
from whyzero.evidence import Evidence, Level
from whyzero.model import AgentLog, End, ExceptionRecord, Phase, Run, Speaker, Trial, Utterance

OWN_PHASES = (None, "agent", "workflow")
"""Where an exception may speak of the agent's provider; the verifier and the environment have errors of their own."""
HINTS = frozenset(
    [
        "NonZeroAgentExitCodeError",
        "ApiError",
        "ApiRateLimitError",
        "ApiUsageLimitError",
        "ApiInternalServerError",
        "ApiOverloadedError",
        "ApiConnectionClosedError",
        "ApiResponseStalledError",
        "OutputTokenExceededError",
        "ContextWindowExceededError",
        "UnknownApiError",
        "ApiProviderResourceNotFoundError",
        "AgentSafetyRefusalError",
        "AgentAuthenticationError",
        "ModelNotFoundError",
        "UnsupportedModelParametersError",
        "NetworkConnectionError",
    ]
)
"""Harbor chooses these by a search through all the agent's command printed, tool output included: no proof where a log tells."""
SERVERS_OWN = frozenset({Kind.SERVER, Kind.OVERLOAD, Kind.UNREACHABLE})
SENT_WITH = {
    Kind.AUTH: (401, 403),
    Kind.CONTEXT: (400, 413, 422, 500),
    Kind.FILTER: (400, 403),
    Kind.MODEL: (404,),
    Kind.QUOTA: (400, 402, 403, 429),
    Kind.RATE: (429,),
    Kind.SHAPE: (400, 422),
}
LAST_WORDS = 3
WAITING = timedelta(seconds=10)
_CLOSING_EVENT = re.compile(r'^\{"type": ?"(?:turn\.failed|error|result)"')
_BRACKETED = re.compile(r"^\[API Error: .+\]$")
PROGRAM_CRASHED = re.compile(
    r"^(?:thread '.*' panicked|panic: |fatal error: |Segmentation fault|FATAL ERROR: .*heap|.*\bcore dumped\b|Traceback \(most recent call last\)"
    r"|.*[Uu]nhandled (?:promise )?rejection|.*[Uu]ncaught exception)"
)
"""The agent program's own crash, as its runtime tells it."""
_GROUP_BAR = re.compile(r"^\s+\| ")
_RAISED = re.compile(r"^(?P<type>(?:[A-Za-z_]\w*\.)+[A-Z]\w*): (?P<message>.*)$")


def decisive_error(trial: Trial) -> Utterance | None:
    """The provider's word that the main agent did not get past: the most telling one of the last unbroken series.

    None where every error was overcome, or where one retried call just before the deadline proves nothing.
    """
    pending = pending_errors(trial)
    if not pending:
        return None
    told = [e for e in pending if kind_of(e) in SPECIFIC] or pending
    first = ([e for e in told if not e.retried] or told)[0]
    return _with_its_body(first, told)


def _with_its_body(error: Utterance, told: list[Utterance]) -> Utterance:
    """A log of requests shows no more than the status; the client's exception for the same answer has its words."""
    if error.kind != "model_call":
        return error
    return next((e for e in told if e.kind == "exception" and e.status == error.status and kind_of(e) != kind_of(error)), error)


def _told_on_stderr(error: Utterance, run: Run) -> Utterance | None:
    """Osmosis logs no more than the status of a model's answer; its words stand on the command line's stderr, without their row.

    They count where all that may belong to this status say the same.
    """
    if error.kind != "model_call" or error.status is None:
        return None
    own = [u for u in run.reported if u.kind == "bridge" and u.speaker is Speaker.PROVIDER and kind_of(u)]
    own = [u for u in own if u.status == error.status] or [u for u in own if u.status is None and _fits(u, error.status)]
    return own[0] if len({kind_of(u) for u in own}) == 1 else None


def _fits(words: Utterance, status: int) -> bool:
    """A status with which providers send words of this kind."""
    kind = kind_of(words)
    return kind is not None and (status >= 500 if kind in SERVERS_OWN else status in SENT_WITH.get(kind, ()))


def pending_errors(trial: Trial) -> list[Utterance]:
    """The main agent's errors that no later turn of the model left behind, in order of time; the harness's record last."""
    log = trial.log
    own = [e for e in log.errors if e.actor == "main" and not e.overcome and kind_of(e)] if log else []
    if own and _only_a_late_retry(trial, own):
        own = []
    return own or _recorded(trial)


def _only_a_late_retry(trial: Trial, errors: list[Utterance]) -> bool:
    """A single call was being tried again when the deadline came: the clock, not the provider, ended it."""
    if len(errors) > 1 or not errors[0].retried or not any(_short(e) == "AgentTimeoutError" for e in trial.exceptions):
        return False
    agent, at = trial.span("agent"), errors[0].at
    ended = agent.finished_at if agent else None
    if at is None or ended is None or (at.tzinfo is None) != (ended.tzinfo is None):
        return True
    return ended - at < WAITING


def _recorded(trial: Trial) -> list[Utterance]:
    """What exceptions on record say of the provider."""
    found: list[Utterance] = []
    for exception in trial.exceptions:
        if exception.during in OWN_PHASES and not exception.masked:
            spoken = recorded_error(exception, trial.log)
            if spoken is not None:
                found.append(spoken)
    return found


def recorded_error(exception: ExceptionRecord, log: AgentLog | None) -> Utterance | None:
    """The innermost exception of a model client in the chain; else a message that quotes the provider's answer."""
    if _short(exception) in HINTS:
        return _hint(exception) if log is None else _confirmed_hint(exception, log)
    chain = [*exception.inner, *_raised_in(exception.traceback), f"{exception.type}: {exception.message}"]
    if any(is_client_s(link, exception) or ASKS_A_MODEL.search(link) for link in chain):
        for link in chain:
            name, _, message = link.partition(": ")
            spoken = Utterance(Speaker.HARNESS, link, exception.spot, exception.at, kind="exception", code=name)
            if (
                (is_client_s(link, exception) or name.startswith((*HTTP_CLIENTS, "huggingface_hub.")))
                and message
                and kind_of(spoken)
            ):
                return spoken
    if inference := from_inference(exception):
        spoken = Utterance(Speaker.HARNESS, inference[0], exception.spot, exception.at, kind="exception", code=inference[1])
        return spoken if kind_of(spoken) else None
    if not may_speak_of_a_model(exception):
        return None
    code = exception.type if is_code(_short(exception)) and _may_be_a_client_s(exception) else None
    plain = Utterance(Speaker.HARNESS, exception.message, exception.spot, exception.at, kind="exception", code=code)
    if not kind_of(plain):
        return None
    return plain if plain.text else replace(plain, text=exception.type)


def _may_be_a_client_s(exception: ExceptionRecord) -> bool:
    """Its class is a model client's or the harness's own by the traceback, or the record holds no more than its name."""
    dotted = [line for line in _raised_in(exception.traceback) if line.partition(": ")[0].endswith(f".{_short(exception)}")]
    return all(is_client_s(line, exception) or line.startswith("harbor.") for line in dotted)


def _hint(exception: ExceptionRecord) -> Utterance | None:
    """Where the agent left no log: its closing event, as far as Harbor's message holds it; else Harbor's own class for the failure."""
    for line in reversed(exception.message.partition("stdout:")[2].splitlines()):
        if _CLOSING_EVENT.match(line.strip()):
            said = Utterance(Speaker.AGENT_RESULT, line.strip(), exception.spot, exception.at, kind="hint")
            if kind_of(said):
                return said
    spoken = Utterance(Speaker.HARNESS, exception.type, exception.spot, exception.at, kind="hint", code=exception.type)
    return spoken if kind_of(spoken) else None


def _confirmed_hint(exception: ExceptionRecord, log: AgentLog) -> Utterance | None:
    """Harbor's class, where the last words of a program without a grammar of ours say the same; or a word that can be no tool's."""
    if log.steps or log.errors or log.last_message is not None or log.end is End.COMPLETED:
        return None
    if own := _said_by_the_program(log):
        return replace(own, kind="hint")
    hint = _hint(exception)
    for line in reversed(log.lines[-LAST_WORDS:] if hint is not None else ()):
        if PROGRAM_CRASHED.match(line.text.strip()):
            return None
        if hint is not None and kind_of(replace(line, speaker=Speaker.AGENT_RESULT)) == kind_of(hint):
            return replace(line, speaker=Speaker.HARNESS, kind="hint", code=exception.type)
    return None


def _said_by_the_program(log: AgentLog) -> Utterance | None:
    """The one line of a program that left at once, or the brackets in which gemini-cli and qwen-code put an error of their provider."""
    if not log.lines:
        return None
    last = replace(log.lines[-1], speaker=Speaker.AGENT_RESULT)
    alone = len(log.lines) == 1 and (last.spot.line or 1) == 1
    return last if (alone or _BRACKETED.match(last.text.strip())) and kind_of(last) else None


def _raised_in(traceback: str) -> list[str]:
    """Closing lines of the exceptions in it, those of a group among them."""
    lines = (_GROUP_BAR.sub("", line) for line in traceback.splitlines())
    return [line for line in lines if line[:1].isalpha() and _RAISED.match(line)]


def _short(exception: ExceptionRecord) -> str:
    return exception.type.rsplit(".", 1)[-1]


# ---- what the causes share


def found_as(cause: str, trial: Trial, run: Run) -> Found | None:
    """The trial ended by an error that proves this cause, and its work was not graded."""
    if answered(trial, run)[0]:
        return None
    error = decisive_error(trial)
    words = _told_on_stderr(error, run) if error is not None else None
    kind = kind_of(words or error) if error is not None else None
    if error is None or kind is None or CAUSE_OF.get(kind) != cause:
        return None
    told = (words.evidence(),) if words else ()
    return Found((*told, *_evidence(trial, error)), _level(error), detail=story(trial, error))


def _level(error: Utterance) -> Level:
    if error.kind in ("hint", "last_words") or (error.kind == "model_call" and kind_of(error) is Kind.REJECTED):
        return Level.INFERENCE
    return Level.RECORD if error.kind == "exception" else Level.LOG


def _evidence(trial: Trial, error: Utterance) -> tuple[Evidence, ...]:
    """The decisive word, the program's closing word where it is another, and where the work had got to."""
    shown = [error]
    end = trial.log.end_event if trial.log else None
    if end is not None and trial.log is not None and trial.log.end is End.FAILED and end.spot != error.spot:
        shown.append(end)
    if trial.log is not None and trial.log.last_work is not None:
        shown.append(trial.log.last_work)
    return tuple(u.evidence() for u in shown)


def story(trial: Trial, error: Utterance) -> str:
    """When it struck and how often, in our words."""
    log = trial.log
    attempts = sum(1 for e in pending_errors(trial) if e.speaker is not Speaker.AGENT_RESULT and kind_of(e) == kind_of(error))
    tries = f" ({attempts} attempts)" if attempts > 1 else ""
    if log is None or log.steps is None:
        return f"No work of the agent followed it{tries}."
    if not log.steps and not log.tool_results:
        return f"The very first request failed{tries}; the model never answered."
    done = f"{counted(log.steps, 'model turn')} and {counted(log.tool_results or 0, 'tool result')}"
    return f"It came after {done}{tries}, and no turn followed."


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def preflight_as(cause: str, run: Run) -> Found | None:
    """Osmosis asks the model for one word before it dispatches anything; a refusal there ends the call."""
    said = next((u for u in (*standing(run), *run.logs) if u.speaker is Speaker.PROVIDER and u.kind == "preflight"), None)
    kind = kind_of(said) if said is not None else None
    if said is None or kind is None or CAUSE_OF.get(kind) != cause:
        return None
    return Found((said.evidence(),), Level.LOG, Phase.STARTUP, "The model preflight was refused; nothing was dispatched.")
