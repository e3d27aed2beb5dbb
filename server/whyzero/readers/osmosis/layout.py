"""What `eval run` would object to in the folders, configs and entrypoints of a workspace. Nothing is executed or imported."""

from __future__ import annotations

import ast
import math
import re
import tomllib
import warnings
from collections.abc import Iterator
from typing import Any

from whyzero.model import Defect, Spot
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.places import SCAFFOLD
from whyzero.readers.shapes import obj

EVALUATION = {"limit", "n", "batch_size", "pass_threshold", "agent_workflow_timeout_s", "grader_timeout_s"}
REQUIRED = ("rollout", "entrypoint", "model_path", "dataset")
SOURCE_LIMIT = 4 * 2**20
_ENV_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_SECRET_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_LINE = re.compile(r"at line (\d+)")


def scaffold_defects(folder: Folder) -> Iterator[Defect]:
    """Missing folders that every command insists on."""
    for name in SCAFFOLD:
        if not folder.is_dir(name):
            yield Defect("scaffold_missing", f"the scaffold folder {name}/ is missing", Spot(name), f"{name}/ is not there")


def config_defects(folder: Folder, path: str) -> Iterator[Defect]:
    """Objections to one eval config, and to the entrypoint it names."""
    source = folder.text(path)
    if source is None:
        return
    lines = source.splitlines()
    try:
        config = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        number = int(found[1]) if found and 1 <= int(found[1]) <= len(lines) else None
        yield Defect(
            "config_invalid", "the config does not parse as TOML", Spot(path, number), lines[number - 1] if number else ""
        )
        return
    for text, word in _objections(config):
        number = next((n for n, line in enumerate(lines, 1) if word and word in line), None)
        if number is None:
            number = next((n for n, line in enumerate(lines, 1) if line.strip()), None)
        yield Defect("config_invalid", text, Spot(path, number), lines[number - 1] if number else text)
    experiment = obj(config.get("experiment"))
    rollout, entrypoint = experiment.get("rollout"), experiment.get("entrypoint")
    if isinstance(rollout, str) and isinstance(entrypoint, str) and rollout and entrypoint and "/" not in rollout:
        number = next((n for n, line in enumerate(lines, 1) if line.lstrip().startswith("entrypoint")), None)
        yield from _entrypoint(folder, rollout, entrypoint, Spot(path, number))


def _objections(config: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(what is wrong, a word that stands in the line)."""
    experiment = config.get("experiment")
    if not isinstance(experiment, dict):
        yield "the [experiment] section is missing", "experiment"
        experiment = {}
    else:
        for key in REQUIRED:
            if not isinstance(experiment.get(key), str) or not experiment[key].strip():
                yield f"experiment.{key} is missing or no text", key
    if experiment.get("branch") and experiment.get("commit_sha"):
        yield "experiment.branch and experiment.commit_sha exclude each other", "commit_sha"
    yield from _evaluation(config.get("evaluation", {}))
    yield from _names(config)


def _evaluation(section: object) -> Iterator[tuple[str, str]]:
    if not isinstance(section, dict):
        yield "[evaluation] is no table", "evaluation"
        return
    for key, value in section.items():
        if key not in EVALUATION:
            yield f"evaluation.{key} is no known key", key
        elif isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            yield f"evaluation.{key} is no finite number", key
        elif key == "n" and value <= 0:
            yield "evaluation.n is not positive", key


def _names(config: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Variables and secrets; names only."""
    env, secrets = config.get("env", {}), config.get("secrets")
    if not isinstance(env, dict):
        yield "[env] is no table", "env"
        env = {}
    for name, value in env.items():
        if not _ENV_NAME.fullmatch(name) or name.startswith("_OSMOSIS_") or not isinstance(value, str):
            yield f"env.{name} is no allowed name with a text", name
    if secrets is None:
        yield "the [secrets] section is missing", ""
        return
    required = secrets.get("required") if isinstance(secrets, dict) else None
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        yield "[secrets] has no list of names under `required`", "required"
        return
    for name in required:
        if not _SECRET_NAME.fullmatch(name) or required.count(name) > 1 or name in env:
            yield f"the secret {name} is misspelt, named twice, or in [env] too", name


def _entrypoint(folder: Folder, rollout: str, entrypoint: str, named: Spot) -> Iterator[Defect]:
    home = f"rollouts/{rollout}"
    if not folder.is_file(f"{home}/{entrypoint}"):
        yield Defect(
            "entrypoint_missing", f"the entrypoint {home}/{entrypoint} does not exist", named, f'entrypoint = "{entrypoint}"'
        )
        return
    project = folder.text(f"{home}/pyproject.toml")
    if project is None:
        yield Defect("pyproject_missing", f"{home} has no pyproject.toml", Spot(f"{home}/pyproject.toml"), "not there")
    else:
        try:
            tomllib.loads(project)
        except tomllib.TOMLDecodeError as error:
            found = _LINE.search(str(error))
            lines = project.splitlines()
            number = int(found[1]) if found and 1 <= int(found[1]) <= len(lines) else None
            quote = lines[number - 1] if number else ""
            spot = Spot(f"{home}/pyproject.toml", number)
            yield Defect("pyproject_invalid", f"the rollout's pyproject.toml does not parse: {error}", spot, quote)
    if entrypoint.endswith(".py"):
        yield from _syntax(folder, f"{home}/{entrypoint}")


def _syntax(folder: Folder, path: str) -> Iterator[Defect]:
    source = folder.text(path, SOURCE_LIMIT)
    if source is None or len(source.encode()) >= SOURCE_LIMIT:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as error:
        lines = source.splitlines()
        at = error.lineno if error.lineno and error.lineno <= len(lines) else None
        yield Defect(
            "entrypoint_syntax", "the entrypoint does not parse", Spot(path, at), lines[at - 1] if at else str(error.msg)
        )
    except (ValueError, RecursionError, MemoryError):
        folder.note(path, "cannot be parsed as Python here")
