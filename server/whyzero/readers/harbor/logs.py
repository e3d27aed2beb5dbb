"""Harbor's own logs: trial.log of a trial, job.log of a job, exception.txt."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.files import Folder
from whyzero.readers.harbor.exceptions import is_masking, raised
from whyzero.readers.shapes import join

KEPT = 40
PER_TRIAL = 4
_TELLING = re.compile(
    r"^(?:\S+ )?Trial \S+ (?:failed|cancelled)\b|(?i:\bretry(?:ing)?\b)|^Step '.*(?:failed|below)|Skipping exception record|already has (?:an )?exception"
    r"|\btimed out\b|^Output length exceeded|Failed to (?:download|collect|start|stop)|Healthcheck"
)
_IN_TRACE = re.compile(r"Traceback|The above exception|During handling|Skipping exception")
_TRIAL = re.compile(r"\bTrial (?P<name>\S+) (?:failed|cancelled)\b")


def trial_log(folder: Folder, base: str) -> tuple[Utterance, ...]:
    """Telling lines of trial.log. A masked exception's line carries the class of its traceback in `code`."""
    path = join(base, "trial.log")
    kept: list[Utterance] = []
    failed: Utterance | None = None
    waiting = False
    for number, line in folder.lines(path):
        if waiting and line and not line[0].isspace() and not _IN_TRACE.match(line):
            closing = raised(line)
            waiting = closing is not None
            if closing and failed is not None and failed in kept and "." in closing[0]:
                kept[kept.index(failed)] = failed = replace(failed, code=closing[0])
        if not _TELLING.search(line) or line.startswith("Running command:"):
            continue
        said = Utterance(Speaker.HARNESS, line[:2000], Spot(path, number), kind="failed" if _TRIAL.search(line) else "log")
        if said.kind == "failed":
            failed = said
        waiting = waiting or is_masking(line)
        if len(kept) < KEPT:
            kept.append(said)
    return tuple(kept)


def job_log(folder: Folder, base: str) -> dict[str, tuple[Utterance, ...]]:
    """`Trial X failed: …` and `Trial X cancelled` lines of job.log by trial name."""
    path = join(base, "job.log")
    found: dict[str, list[Utterance]] = defaultdict(list)
    for number, line in folder.lines(path):
        match = _TRIAL.search(line)
        if match and len(found[match.group("name")]) < PER_TRIAL:
            found[match.group("name")].append(Utterance(Speaker.HARNESS, line[:1000], Spot(path, number), kind="failed"))
    return {name: tuple(lines) for name, lines in found.items()}
