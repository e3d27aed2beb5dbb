"""An Osmosis workspace as it lies today: what `eval run` would record as inputs of a run of one of its configs."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from whyzero.model import Run
from whyzero.question import Question, Row, Setting
from whyzero.readers import digests
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.manifest import DEFAULT_THRESHOLD, said
from whyzero.readers.osmosis.places import config_files
from whyzero.readers.shapes import items, obj, text
from whyzero.readers.tables import read_table

DATASETS = (".jsonl", ".csv", ".parquet")
DATASET_LIMIT = 200


def workspace_question(root: Path, run: Run) -> Question:
    """Config, data files and rollout source of the workspace, for the run they are compared with."""
    folder = Folder(root)
    settings: dict[str, Setting] = {}
    path = _config(folder, run)
    config = _toml(folder, path) if path else {}
    if config and path:
        settings |= {name: Setting(value, str(folder.root / path)) for name, value in _settings(config, run).items()}
    rollout = run.inputs.settings.get("rollout.name") or text(obj(config.get("experiment")).get("rollout"))
    why_not = "" if path else "no eval config of this run was found"
    if rollout and folder.is_dir(f"rollouts/{rollout}"):
        try:
            value = digests.source_digest(folder, f"rollouts/{rollout}")
            settings["rollout.source_digest"] = Setting(value, str(folder.root / "rollouts" / rollout))
        except digests.NoDigestError as error:
            why_not = str(error)
    datasets = _datasets(folder)
    return Question(
        path=str(folder.root),
        kind="workspace",
        settings=settings,
        datasets={digest: str(folder.root / place) for place, digest in datasets.items()},
        rows={} if run.inputs.dataset in datasets.values() else _rows(folder, datasets),
        no_digest=why_not,
    )


def _config(folder: Folder, run: Run) -> str | None:
    """The config the run was made from; else the only one that names its rollout."""
    if run.inputs.config and folder.is_file(run.inputs.config):
        return run.inputs.config
    name = run.inputs.settings.get("rollout.name")
    named = [p for p in config_files(folder) if text(obj(_toml(folder, p).get("experiment")).get("rollout")) == name]
    return named[0] if len(named) == 1 else None


def _toml(folder: Folder, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(folder.text(path) or "")
    except tomllib.TOMLDecodeError:
        folder.note(path, "does not parse as TOML")
        return {}


def _settings(config: dict[str, Any], run: Run) -> dict[str, str]:
    """By the names of manifest.json. Rows are compared only where the config limits them: `--rows` leaves no trace in it."""
    experiment, evaluation = obj(config.get("experiment")), obj(config.get("evaluation"))
    found: dict[str, Any] = {
        "model_path": experiment.get("model_path"),
        "n": evaluation.get("n", 1),
        "rollout.name": experiment.get("rollout"),
        "rollout.entrypoint": experiment.get("entrypoint"),
        "timeouts.agent_timeout_sec": evaluation.get("agent_workflow_timeout_s"),
        "timeouts.grader_timeout_sec": evaluation.get("grader_timeout_s"),
        "pass_threshold": evaluation.get("pass_threshold", DEFAULT_THRESHOLD),
        "env": dict(sorted(obj(config.get("env")).items())),
        "secret_names": sorted(str(name) for name in items(obj(config.get("secrets")).get("required"))),
    }
    limit = evaluation.get("limit")
    selected = run.inputs.settings.get("dataset.selected_source_rows", "")
    if isinstance(limit, int) and limit > 0 and (selected == "0" or selected.startswith("0-")) and "," not in selected:
        found["dataset.selected_source_rows"] = "0" if limit == 1 else f"0-{limit - 1}"
    return {name: said(value) for name, value in found.items()}


def _datasets(folder: Folder) -> dict[str, str]:
    every = [p for p in folder.walk("data", limit=2000) if p.lower().endswith(DATASETS)]
    found = ((path, digests.file_digest(folder, path)) for path in every[:DATASET_LIMIT])
    return {path: digest for path, digest in found if digest}


def _rows(folder: Folder, datasets: dict[str, str]) -> dict[int, Row]:
    """Rows of the only data file; with several, nothing tells which is today's."""
    table = read_table(folder, next(iter(datasets))) if len(datasets) == 1 else None
    if table is None or table.stray:
        return {}
    return {index: Row(str(row.get("user_prompt") or ""), _label(row)) for index, row in enumerate(table.rows)}


def _label(row: dict[str, Any]) -> str | None:
    """As the runner passes it on: text by `str`, nothing for null and the empty text."""
    value = row.get("ground_truth", row.get("label"))
    return None if value in (None, "") else value if isinstance(value, str) else str(value)
