"""What only the platform's own evidence can show: errors of its log before the run came to any work.

A line is about a matter by its typed code, else by the step that logged it, else, where the step is a general one, by the sentence.
What a rollout, a row or a model's provider said is never about the platform.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from whyzero.causes.cause import Found
from whyzero.evidence import Level
from whyzero.model import Phase, Run, Utterance


class Matter(StrEnum):
    """What a platform has to do before a run can work."""

    GIT = "git"
    SECRET = "secret"
    SCHEDULING = "scheduling"


CAME_TO_WORK = frozenset({"running", "finished", "stopped"})
"""Status words of a run that the platform did start."""
ENDED_BADLY = frozenset({"failed", "crashed", "killed", "unknown"})
WORK = ("rollout", "dispatch", "result", "eval", "train", "grad", "sample", "step", "workflow", "server")
"""Steps of the log that come after the platform's own."""
ROWS = tuple(word for word in WORK if word not in ("rollout", "server"))
"""Those that show a row at work; a server may have logged its own end."""
OTHERS = ("preflight", "model", "provider", "llm", "dep", "build", "install", "image", "package", "dataset", "data", "config")
"""Steps with a matter of their own."""
CODES_OF_THEIR_OWN = ("rollout", "dispatch", "result", "grad", "sample", "workflow", "preflight", "model", "provider", "llm")
"""Steps that tell what a row's code or a model's provider said: a code there is theirs, whatever it is called."""
STEPS = {
    Matter.GIT: ("git", "sync", "clone", "checkout", "repo", "source"),
    Matter.SECRET: ("secret",),
    Matter.SCHEDULING: ("schedul", "queue", "capacity", "placement", "allocat", "gpu"),
}
PREPARING = ("provision", "resource", "infra", "cluster")
"""Steps that prepare everything: a sentence about another matter, or about the user's code, comes first."""
CODES = {
    Matter.GIT: ("GIT_", "COMMIT_"),
    Matter.SECRET: ("SECRET_",),
    Matter.SCHEDULING: ("CAPACITY_", "NO_CAPACITY", "SCHEDUL", "QUEUE_", "PROVISION", "BILLING_", "SUBSCRIPTION_"),
}
_LOST = r"(?:not found|does not exist|do(?:es)? not match|is not (?:in|on|synced|connected)|not (?:yet )?(?:been )?synced|missing|unknown)"
_FAILED = r"(?:fail\w*|could not|cannot|can't|unable|error|denied|refused|timed out)"
_GIT = r"(?:git|repositor(?:y|ies)|repo|commit|branch|revision)"
_FETCH = r"(?:clon\w+|check(?:ing)?[ -]?out|fetch\w*|pull\w*|sync\w*)"
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_ROOM = r"(?:capacity|gpus?|nodes?|workers?|machines?|instances?|slots?|compute)"
SENTENCES = {
    Matter.GIT: re.compile(
        rf"\b{_GIT}\b.{{0,80}}\b{_LOST}|\b{_FAILED}\b.{{0,40}}\b{_FETCH}\b.{{0,40}}\b{_GIT}\b|\b{_GIT}\b.{{0,40}}\b{_FETCH}\b.{{0,40}}\b{_FAILED}\b",
        re.I | re.S,
    ),
    Matter.SECRET: re.compile(
        rf"\bsecrets?\b.{{0,80}}(?:\b{_LOST}|\bnot set\b|\bno value\b|\bunresolved\b|\bcould not be\b|\bfailed\b)"
        rf"|(?:\b{_FAILED}\b|\bmissing\b|\bno value\b|\bno such\b).{{0,40}}\bsecrets?\b",
        re.I | re.S,
    ),
    Matter.SCHEDULING: re.compile(
        rf"\b(?:no|not enough|insufficient|out of|lack of|waiting for)\b.{{0,30}}\b{_ROOM}\b"
        rf"|\b{_ROOM}\b.{{0,30}}\b(?:unavailable|exhausted|not available|full|busy)\b|\bcould not be scheduled\b|\bunschedulable\b",
        re.I | re.S,
    ),
}
"""How a line of a general step tells of a matter."""
_USERS = re.compile(
    r"\b(?:entrypoint|rollouts?|dependenc\w+|modules?|imports?|build|image|config\w*|dataset|model|grader)\b", re.I
)
_ERROR = ("ERROR", "CRITICAL", "FATAL")
_LINE = re.compile(r"[A-Z]+ \[[^\]]*\] (?P<message>.*)", re.S)


def platform_failed(run: Run, matter: Matter, phase: Phase | None = Phase.HOSTED) -> Found | None:
    """The first error about a matter, which no work and no better word of that step followed.

    A record of the platform counts as `record`, a line of its log as `log`, a comparison of two of its answers as `inference`: that
    one only of a run that ended badly and whose log has no error at all.
    """
    if not run.hosted or run.recorded_status in CAME_TO_WORK or _worked(run):
        return None
    standing = [line for index, line in enumerate(run.logs) if _is_error(line) and not _overcome(line, run.logs[index + 1 :])]
    logged = [line for line in standing if line.spot.pointer is None]
    first = next((line for line in logged if matter_of(line, run) is matter), None)
    if first is not None:
        return Found((first.evidence(),), Level.LOG, phase=phase, detail=_name(first, matter))
    if any(_is_of_another(line, run, matter) for line in logged):
        return None
    for line in standing:
        compared = line.code is not None
        if line.spot.pointer is None or matter_of(line, run) is not matter:
            continue
        if not compared or (run.recorded_status in ENDED_BADLY and not logged):
            level = Level.INFERENCE if compared else Level.RECORD
            return Found((line.evidence(),), level, phase=phase, detail=_name(line, matter))
    return None


def standing(run: Run) -> tuple[Utterance, ...]:
    """What the user saw; of a run on the platform also the program's own sentences in its log, where no row's work followed."""
    if not run.hosted:
        return run.reported
    return tuple(said for said in run.reported if said.spot.line is None or _ended_it(run, said))


def matter_of(line: Utterance, run: Run) -> Matter | None:
    """What a line is about; None where it is about something else, or nothing tells."""
    code = "" if _begins(line.kind, CODES_OF_THEIR_OWN) else (line.code or "").upper()
    for matter, codes in CODES.items():
        if code.startswith(codes):
            return matter
    for matter, steps in STEPS.items():
        if _begins(line.kind, steps):
            return matter
    if _begins(line.kind, WORK) or _begins(line.kind, OTHERS) or any(said.spot == line.spot for said in run.reported):
        return None
    found = _LINE.match(line.text)
    message = found["message"] if found else line.text
    told = next((matter for matter, sentence in SENTENCES.items() if sentence.search(message)), None)
    return told or (Matter.SCHEDULING if _begins(line.kind, PREPARING) and not _USERS.search(message) else None)


def _is_of_another(line: Utterance, run: Run, matter: Matter) -> bool:
    """The log itself names another end."""
    return matter_of(line, run) not in (None, matter) or any(said.spot == line.spot for said in standing(run))


def _ended_it(run: Run, said: Utterance) -> bool:
    if run.recorded_status in CAME_TO_WORK or _worked(run):
        return False
    index = next((n for n, line in enumerate(run.logs) if line.spot == said.spot), None)
    if index is None or _begins(run.logs[index].kind, ("rollout", *ROWS)):
        return False
    return not _overcome(run.logs[index], run.logs[index + 1 :], ROWS)


def _worked(run: Run) -> bool:
    """Results or steps are booked: whatever ended the run came after its start."""
    results = run.booked.get("results")
    total = results.get("total_runs") if isinstance(results, dict) else None
    steps = run.booked.get("steps") if run.recorded_status in ENDED_BADLY else None
    return any(isinstance(count, int) and count > 0 for count in (total, steps))


def _is_error(line: Utterance) -> bool:
    return line.text.startswith(_ERROR)


def _begins(kind: str, steps: Sequence[str]) -> bool:
    return any(word.startswith(tuple(steps)) for word in _words(kind))


def _words(kind: str) -> Iterator[str]:
    """`secret-injection`, `git.sync` and `Secrets` begin with a known word somewhere."""
    yield from re.split(r"[\W_]+", kind.lower())


def _overcome(line: Utterance, later: Sequence[Utterance], work: Sequence[str] = WORK) -> bool:
    return any(
        _begins(u.kind, work) or (u.kind == line.kind and not u.text.startswith((*_ERROR, "WARN")))
        for u in later
        if u.spot.path == line.spot.path
    )


def _name(line: Utterance, matter: Matter) -> str:
    """The secret a record is about. A name inside a sentence is left there: what looks like one may be a piece of a value."""
    name = (line.spot.pointer or "").rpartition("/")[2]
    return f"The platform names {name}." if matter is Matter.SECRET and _NAME.fullmatch(name) else ""


__all__ = ["Matter", "platform_failed", "standing"]
