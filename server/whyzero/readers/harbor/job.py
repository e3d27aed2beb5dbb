"""A job, or a folder of jobs or trials: which trials there are, and what the job says of itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from whyzero.model import Booked, Speaker, Spot, Utterance
from whyzero.readers.files import Folder
from whyzero.readers.harbor.kinds import is_job, is_trial_record
from whyzero.readers.harbor.logs import job_log
from whyzero.readers.harbor.trial import Around
from whyzero.readers.shapes import join, number, obj, text

DEPTH = 3
SKIPPED = frozenset({"agent", "verifier", "artifacts", "steps", "user-agent", "tasks", ".git", "node_modules"})


@dataclass(frozen=True, slots=True)
class Job:
    """One job folder; `path` is relative to the run."""

    path: str
    result: dict[str, Any]
    lock: dict[str, Any]
    config: dict[str, Any]

    @property
    def version(self) -> str | None:
        return text(obj(self.lock.get("harbor")).get("version"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One trial found, with what numbering and comparing need."""

    path: str
    job: str | None
    trial: str
    task: str
    agent: str
    model: str
    started: str
    checksum: str | None
    recorded: bool
    reports: bool
    """It has a ctrf.json."""
    json_first: bool


@dataclass(slots=True)
class Found:
    """Everything listed below the root, in the order of paths."""

    entries: list[Entry] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)


def find(folder: Folder, only: str | None = None) -> Found:
    """List jobs and trials below the root; `only` keeps the trial at that path."""
    found = Found()
    if is_job(folder, "."):
        _job(folder, ".", found)
    elif (entry := _entry(folder, ".", None)) is not None:
        found.entries.append(entry)
    else:
        _descend(folder, ".", found, DEPTH)
    own = set(folder.once([*(job.path for job in found.jobs), *(entry.path for entry in found.entries)]))
    return Found([entry for entry in found.entries if entry.path in own], [job for job in found.jobs if job.path in own])


def _job(folder: Folder, base: str, found: Found) -> None:
    job = Job(base, _load(folder, base, "result.json"), _load(folder, base, "lock.json"), _load(folder, base, "config.json"))
    found.jobs.append(job)
    for path in _folders(folder, base):
        entry = _entry(folder, path, job)
        if entry is not None:
            found.entries.append(entry)


def _descend(folder: Folder, base: str, found: Found, depth: int) -> None:
    for path in _folders(folder, base):
        if is_job(folder, path):
            _job(folder, path, found)
        elif (entry := _entry(folder, path, None)) is not None:
            found.entries.append(entry)
        elif depth > 1:
            _descend(folder, path, found, depth - 1)


def _folders(folder: Folder, base: str) -> Iterator[str]:
    return (path for name in folder.names(base) if name not in SKIPPED and folder.is_dir(path := join(base, name)))


def _load(folder: Folder, base: str, name: str) -> dict[str, Any]:
    path = join(base, name)
    return (folder.json_object(path) or {}) if folder.is_file(path) else {}


def _entry(folder: Folder, base: str, job: Job | None) -> Entry | None:
    result = _load(folder, base, "result.json")
    recorded = is_trial_record(result)
    record = result if recorded else _load(folder, base, "config.json")
    if not is_trial_record(record):
        return None
    config = obj(record.get("config")) if recorded else record
    info, agent = obj(record.get("agent_info")), obj(config.get("agent"))
    model = text(obj(info.get("model_info")).get("name")) or str(agent.get("model_name") or "").rsplit("/", 1)[-1]
    task = text(record.get("task_name")) or str(obj(config.get("task")).get("path") or "").rstrip("/").rsplit("/", 1)[-1]
    return Entry(
        path=base,
        job=job.path if job else None,
        trial=str(record.get("trial_name")),
        task=task,
        agent=text(info.get("name")) or text(agent.get("name")) or text(agent.get("import_path")) or "",
        model=model,
        started=str(record.get("started_at") or "~"),
        checksum=text(record.get("task_checksum")),
        recorded=recorded,
        reports=folder.is_file(join(base, "verifier/ctrf.json")),
        json_first=_json_first(result, job),
    )


def _json_first(result: dict[str, Any], job: Job | None) -> bool:
    """Harbor up to 0.12 read reward.txt first; where no version is on record the newer keys of the record tell."""
    release = _release(job)
    if release is not None:
        return release >= (0, 13)
    return any(key in result for key in ("verifier_environment_mode", "reward_valid", "schema_version"))


def surroundings(folder: Folder, found: Found) -> dict[str, Around]:
    """What each trial's siblings and job tell about it, by path; attempts are numbered by start time."""
    reporting = {(e.task, e.checksum) for e in found.entries if e.reports}
    logs = {job.path: job_log(folder, job.path) for job in found.jobs}
    groups: dict[tuple[str, str, str], list[Entry]] = defaultdict(list)
    for entry in found.entries:
        groups[entry.task, entry.agent, entry.model].append(entry)
    around: dict[str, Around] = {}
    for group in groups.values():
        for number_, entry in enumerate(sorted(group, key=lambda e: (e.started, e.path))):
            lines = logs.get(entry.job or "", {}).get(entry.trial, ())
            around[entry.path] = Around(number_, lines, (entry.task, entry.checksum) in reporting or None, entry.json_first)
    return around


def unfinished(job: Job) -> Utterance | None:
    """The job's record says that it never came to its end."""
    if job.result and "finished_at" in job.result and job.result["finished_at"] is None:
        return Utterance(Speaker.HARNESS, "null", Spot(join(job.path, "result.json"), pointer="/finished_at"), kind="unfinished")
    return None


def means(job: Job) -> Iterator[Booked]:
    """Means the job booked for each agent, model and dataset."""
    rule = _rule(job)
    path = join(job.path, "result.json")
    for key, value in obj(obj(job.result.get("stats")).get("evals")).items():
        agent, model, dataset = _parts(key)
        metrics = obj(value).get("metrics")
        for index, metric in enumerate(metrics if isinstance(metrics, list) else []):
            for name in ("mean", "reward"):
                mean = number(obj(metric).get(name))
                if mean is not None:
                    spot = Spot(path, pointer=f"/stats/evals/{key.replace('~', '~0').replace('/', '~1')}/metrics/{index}/{name}")
                    yield Booked(mean, rule, spot, agent, model, None if dataset == "adhoc" else dataset)


def _rule(job: Job) -> str:
    """How trials without a reward went into the job's means: by its version, else by the keys only Harbor 0.26 writes."""
    release, newer = _release(job), "schema_version" in job.result
    if release is not None and (release >= (0, 26)) != newer:
        return "unknown"
    return "invalid_dropped" if newer else "missing_as_zero"


def _release(job: Job | None) -> tuple[int, int] | None:
    """First two numbers of the version on record."""
    parts = (job.version if job and job.version else "").split(".")[:2]
    return (int(parts[0]), int(parts[1])) if len(parts) == 2 and all(p.isdecimal() and len(p) < 9 for p in parts) else None


def _parts(key: str) -> tuple[str, str | None, str]:
    parts = key.split("__")
    return (parts[0], "__".join(parts[1:-1]) or None, parts[-1]) if len(parts) > 1 else (key, None, "")


def planned(jobs: list[Job]) -> int | None:
    totals = [number(job.result.get("n_total_trials")) for job in jobs]
    known = [int(t) for t in totals if t is not None]
    return sum(known) if known and len(known) == len(jobs) else None


def select(found: Found, path: str | None) -> Found:
    """Only the trial at `path` (relative to the root), or everything."""
    if path is None or path == ".":
        return found
    kept = [e for e in found.entries if path == e.path or path.startswith(f"{e.path}/")]
    return replace(found, entries=kept) if kept else found
