"""The run's own description of itself: `manifest.json`, `progress.json`, `metrics.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from whyzero.model import Booked, Limits, Spot
from whyzero.readers.files import Folder, parse_time
from whyzero.readers.osmosis.journal import whole
from whyzero.readers.shapes import number, obj, text
from whyzero.text import hide

DEFAULT_THRESHOLD = 1.0
WHOLE = frozenset({"env"})
"""Objects whose members are no settings of their own."""


@dataclass(frozen=True, slots=True)
class Description:
    """What the three files say, reduced; None where they are silent."""

    run_id: str | None = None
    name: str | None = None
    model: str | None = None
    rollout: str | None = None
    entrypoint: str | None = None
    dataset: str | None = None
    """The config's dataset name, also where a local file was used."""
    dataset_digest: str | None = None
    source_digest: str | None = None
    source_rows: tuple[int, ...] | None = None
    """Index in the dataset file of each selected row."""
    attempts: int | None = None
    rows: int | None = None
    planned: int | None = None
    limits: Limits = field(default_factory=Limits)
    sdk: str | None = None
    config: str | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    status: str | None = None
    threshold: float = DEFAULT_THRESHOLD
    summary: dict[str, object] = field(default_factory=dict)
    means: tuple[Booked, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)
    """`inputs` of the manifest, flat and as text, and the pass threshold of the metrics."""
    local: bool = False
    """There is a manifest: the run was made here, not downloaded."""


def describe(folder: Folder, at: str) -> Description:
    """Read what is there of the three files."""
    manifest = _read(folder, at + "manifest.json")
    progress = _read(folder, at + "progress.json")
    metrics = _read(folder, at + "metrics.json")
    inputs, provenance = obj(manifest.get("inputs")), obj(manifest.get("provenance"))
    hide({name: value for name, value in obj(inputs.get("env")).items() if isinstance(value, str)})
    dataset, rollout, timeouts = (obj(inputs.get(k)) for k in ("dataset", "rollout", "timeouts"))
    run, summary = obj(metrics.get("eval_run")), obj(metrics.get("summary"))
    threshold = number(summary.get("pass_threshold"))
    mean = number(obj(summary.get("reward_stats")).get("mean"))
    name = text(run.get("dataset_name"))
    return Description(
        run_id=text(manifest.get("local_run_id")) or text(run.get("id")),
        name=text(manifest.get("run_name")) or text(run.get("name")),
        model=text(inputs.get("model_path")) or text(run.get("model_name")),
        rollout=text(rollout.get("name")) or text(run.get("rollout_name")),
        entrypoint=text(rollout.get("entrypoint")),
        dataset=name,
        dataset_digest=text(dataset.get("sha256")),
        source_digest=text(rollout.get("source_digest")),
        source_rows=selected(text(dataset.get("selected_source_rows"))),
        attempts=whole(inputs.get("n")),
        rows=whole(progress.get("sampled_rows")),
        planned=whole(progress.get("total_runs")),
        limits=Limits(
            agent=number(timeouts.get("agent_timeout_sec")),
            grader=number(timeouts.get("grader_timeout_sec")),
            spot=Spot(at + "manifest.json", pointer="/inputs/timeouts") if timeouts else None,
        ),
        sdk=text(provenance.get("sdk_version")),
        config=text(provenance.get("config_path")),
        created_at=parse_time(manifest.get("created_at")),
        started_at=parse_time(run.get("started_at")),
        status=text(run.get("status")),
        threshold=DEFAULT_THRESHOLD if threshold is None else threshold,
        summary=dict(summary),
        means=()
        if mean is None
        else (Booked(mean, "graded_only", Spot(at + "metrics.json", pointer="/summary/reward_stats/mean"), dataset=name),),
        settings=settings(inputs, threshold),
        local=bool(manifest),
    )


def settings(inputs: dict[str, Any], threshold: float | None) -> dict[str, str]:
    """`timeouts.agent_timeout_sec` -> `20`; `env` and `secret_names` as one text each."""
    found: dict[str, Any] = {}
    for name, value in inputs.items():
        parts = value.items() if isinstance(value, dict) and name not in WHOLE else ()
        found |= {f"{name}.{below}": part for below, part in parts} or {name: value}
    if inputs and threshold is not None:
        found["pass_threshold"] = threshold
    return {name: said(value) for name, value in found.items()}


def said(value: Any) -> str:
    """A setting as text, in which 20 and 20.0 are the same."""
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def selected(rows_text: str | None) -> tuple[int, ...] | None:
    """`0-3,7` as row indices; None where it is no such list or absurdly long."""
    if not rows_text:
        return None
    rows: list[int] = []
    for part in rows_text.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdecimal() or not (last.isdecimal() or not last):
            return None
        start, end = int(first), int(last or first)
        if end - start > 10_000_000 - len(rows):
            return None
        rows.extend(range(start, end + 1))
    return tuple(rows)


def _read(folder: Folder, path: str) -> dict[str, Any]:
    return (folder.json_object(path) or {}) if folder.is_file(path) else {}
