"""Why the rollout server of an Osmosis run never served: from the command line's words, or from the run's log."""

from __future__ import annotations

import re
from typing import NamedTuple

from whyzero.causes._cli import said, unexplained
from whyzero.causes._osmosis import logged, never_finalized, stage_reached
from whyzero.evidence import Evidence, Level
from whyzero.model import Run, Utterance

_EXITED = re.compile(r"rollout server exited with code (?P<code>-?\d+) before becoming healthy(?:: (?P<last>.*))?", re.S)
_RAISED = re.compile(r"(?P<type>[A-Za-z_][\w.]*): ?(?P<message>.*)$")
_FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line \d+(?:, in (?P<function>\S+))?')
_NO_MODULE = re.compile(r"No module named '(?P<name>[\w.]+)'")
_UV_FAILED = re.compile(r"^(?:\s*×|error\b|\s*Caused by:|\s*cause:)")
_LOGGED = re.compile(r"^(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d|(?:DEBUG|INFO|WARNING)\b ?:)")
NO_OUTPUT = ("Traceback (most recent call last):", "During handling of", "The above exception", "sys:1: ", "Exception ignored ")
"""Python's own words around the end of a program."""
SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
IMPORT = frozenset({"ImportError", "ModuleNotFoundError"})


class Startup(NamedTuple):
    """One finding about the start: which of the three causes it is, and its proof."""

    cause: str
    evidence: tuple[Evidence, ...]
    level: Level
    detail: str


def startup_failure(run: Run) -> Startup | None:
    """dependency_failure, import_failure or server_start_failure; None where the server came up or nothing tells."""
    if run.format != "osmosis":
        return None
    if unsynced := said(run, "sync_failed", "extra_missing"):
        why = "The dependencies could not be installed."
        return Startup("dependency_failure", (unsynced.evidence(), *_uv(run)), _level(unsynced), why)
    exited = said(run, "server_exited")
    if exited is not None:
        return _exited(run, exited, _level(exited))
    if silent := said(run, "server_unhealthy", "tunnel"):
        return Startup("server_start_failure", (silent.evidence(),), _level(silent), "It never answered.")
    return _from_log(run) if unexplained(run) and never_finalized(run) else None


def _from_log(run: Run) -> Startup | None:
    stage = stage_reached(run)
    if stage == "deps" and (failed := _uv(run)):
        return Startup("dependency_failure", failed, Level.LOG, "uv says why the dependencies could not be installed.")
    if stage != "server" or logged(run, "server", "rollout server healthy") is not None:
        return None
    retried = logged(run, "server", "retrying startup on a new port")
    if retried is not None and (found := _EXITED.search(_unescaped(retried))):
        return _exited(run, retried, Level.LOG, found)
    if _last_exception(run) is not None:
        return _exited(run, None, Level.LOG)
    if retried is not None:
        return Startup("server_start_failure", (retried.evidence(),), Level.LOG, "The first start failed and a second was tried.")
    return None


def _exited(run: Run, line: Utterance | None, level: Level, found: re.Match[str] | None = None) -> Startup:
    found = found or (_EXITED.search(line.text) if line else None)
    raised, frames = _last_exception(run) or (None, [])
    last = (found["last"] or "").splitlines()[0] if found and found["last"] else ""
    text = _said(raised) if raised else last
    proof = tuple(u.evidence() for u in (line, raised) if u is not None)
    named = _RAISED.match(text)
    kind = named["type"].rsplit(".", 1)[-1] if named else ""
    cause, why = _judge(kind, text, frames, run)
    return Startup(cause, proof, level, why)


def _judge(kind: str, text: str, frames: list[tuple[str, str]], run: Run) -> tuple[str, str]:
    missing = _NO_MODULE.search(text)
    if kind in IMPORT and missing is not None:
        name = missing["name"]
        if "." not in name and not _installed(run, name):
            return "dependency_failure", f"The module {name} is not installed in the rollout's environment: it is not declared."
        return "import_failure", "A module of an installed package, or of the rollout itself, is not there."
    if kind in SYNTAX:
        return "import_failure", "The entrypoint, or a module it imports, does not parse."
    if kind in IMPORT:
        return "import_failure", "A name that is imported does not exist."
    own = [function for file, function in frames if "/rollouts/" in file and "site-packages" not in file]
    if kind and own and own[-1] == "<module>":
        return "import_failure", "Code at the top of a module raised while it was imported."
    return "server_start_failure", "The process ended before it served."


def _installed(run: Run, module: str) -> bool:
    """uv listed a package of this name; other names of packages cannot be told from here."""
    wanted = module.lower().replace("_", "-")
    return any(
        re.search(rf"^INFO \[deps\]\s+\+ {re.escape(wanted)}==", u.text.lower().replace("info [deps]", "INFO [deps]"))
        for u in run.logs
    )


def _last_exception(run: Run) -> tuple[Utterance, list[tuple[str, str]]] | None:
    """The last line of the server's output that names an exception after a traceback, and the frames before it."""
    frames: list[tuple[str, str]] = []
    last: tuple[Utterance, list[tuple[str, str]]] | None = None
    inside = False
    for line in run.logs:
        if line.kind != "rollout-server":
            continue
        text = _said(line)
        if last is not None and not inside and _went_on(_said(last[0]), text):
            last = None
        if text.startswith("Traceback (most recent call last):"):
            inside, frames = True, []
        elif inside and (frame := _FRAME.match(text)):
            frames.append((frame["file"], frame["function"] or "<module>"))
        elif inside and text.strip() and not text[0].isspace() and _RAISED.match(text):
            last, inside = (line, frames), False
    return last


def _went_on(raised: str, text: str) -> bool:
    """After an import that failed for good nothing is printed; what follows shows that the program caught it."""
    found = _RAISED.match(raised)
    kind = found["type"].rsplit(".", 1)[-1] if found else ""
    if not text.strip() or text[0].isspace() or text.startswith(NO_OUTPUT):
        return False
    # A plain ImportError may have several lines.
    return kind in (SYNTAX | {"ModuleNotFoundError"}) or (kind == "ImportError" and _LOGGED.match(text) is not None)


def _uv(run: Run) -> tuple[Evidence, ...]:
    """uv's own complaint, its first line first."""
    lines = [u for u in run.logs if u.kind == "deps"]
    first = next((i for i, u in enumerate(lines) if _UV_FAILED.match(_said(u))), None)
    return () if first is None else tuple(u.evidence() for u in lines[first : first + 4])


def _said(line: Utterance) -> str:
    """A log line without the log's own prefix; the log's single space after it goes too."""
    return re.sub(r"^(?:INFO|WARNING|ERROR) \[[^\]]+\] ?", "", line.text)


def _unescaped(line: Utterance) -> str:
    return line.text.replace("\\n", "\n")


def _level(line: Utterance) -> Level:
    return Level.RECORD if line.code else Level.LOG
