"""Does a process still work on the run? Asked of its lock and its process record; `status: running` proves nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyzero.model import Defect, Spot
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.journal import whole

PROC = Path("/proc")
START_TOKEN = 22
"""Field of /proc/<pid>/stat that holds the start time of the process."""


def is_live(evals: Folder, name: str) -> bool | None:
    """`evals` holds the runs and their `.locks`. None where neither lock nor process record tells."""
    held = evals.is_locked(f".locks/{name}.lock")
    if held is not None:
        return held
    return _server_lives(evals, name)


def left_over(folder: Folder, at: str, live: bool | None) -> list[Defect]:
    """A process record that a clean end would have removed."""
    found = []
    for file, what in (("server.json", "rollout server"), ("tunnel.json", "tunnel")):
        if folder.is_file(at + file) and not live:
            text = f"the record of a {what} that was never stopped cleanly"
            found.append(Defect("process_record_left", text, Spot(at + file), (folder.text(at + file) or "")[:400]))
    return found


@dataclass(frozen=True, slots=True)
class Server:
    """A rollout server that is still there."""

    pid: int
    pgid: int


def live_server(run: Folder) -> Server | None:
    """The server that a run's process record names, where a process with that id and start token lives."""
    record = run.json_object("server.json") if run.is_file("server.json") else None
    if not record or not _same_process(record):
        return None
    pid = whole(record.get("pid")) or 0
    return Server(pid, whole(record.get("pgid")) or pid)


def _server_lives(evals: Folder, name: str) -> bool | None:
    if not evals.is_file(f"{name}/server.json"):
        return None
    return _same_process(evals.json_object(f"{name}/server.json") or {})


def _same_process(record: dict[str, Any]) -> bool | None:
    """A process with the recorded id and start token lives; None where the system does not tell."""
    pid, token = whole(record.get("pid")), record.get("start_token")
    processes = Folder(PROC)
    if pid is None or token is None or not processes.is_file("self/stat"):
        return None
    stat = processes.text(f"{pid}/stat")
    if stat is None:
        return False
    fields = stat.rpartition(")")[2].split()
    at = START_TOKEN - 3
    return len(fields) > at and fields[at] == str(token)
