"""One bounded local `osmosis eval run`: planned from a request, and started only where exactly that was authorised."""

from __future__ import annotations

import shlex
import signal
import threading
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whyzero import processes
from whyzero.errors import UsageError
from whyzero.model import Run
from whyzero.osmosis_cli.allowed import is_plain, plain_value
from whyzero.osmosis_cli.answer import Answer, read_answer
from whyzero.osmosis_cli.call import PASSED_ON
from whyzero.osmosis_cli.find import BAD_USAGE, PLAIN, Cli, flags_in, lacking, passed
from whyzero.osmosis_cli.workspace_env import keep_secrets
from whyzero.readers.digests import file_digest
from whyzero.readers.files import Folder
from whyzero.readers.osmosis.liveness import live_server
from whyzero.readers.osmosis.places import EVALS
from whyzero.readers.shapes import items, obj, text
from whyzero.text import clean

ROWS_LIMIT, ATTEMPTS_LIMIT, IN_FLIGHT, TIMEOUT_LIMIT = 50, 10, 2, 3600.0
MODEL_LIMIT = 200
OUTPUT_LIMIT = 2**24
"""Bytes of each stream: a run that is paid for is not ended for what its models' errors fill the log with."""
NOTICE = 20.0
"""Seconds the program gets to stop its rollouts after it was told to."""
RUN_NEEDS = (
    "OPENAI_API_BASE",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_BASE",
    "ANTHROPIC_BASE_URL",
    "LITELLM_LOCAL_MODEL_COST_MAP",
    "UV_PYTHON",
    "UV_PYTHON_DOWNLOADS",
    "UV_CACHE_DIR",
    "UV_LINK_MODE",
    "UV_OFFLINE",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
)
"""Where the model and the packages are had; read only to be handed on."""
DATASETS = (".jsonl", ".csv", ".parquet")
NO_DATASET = "No file below data/ is the dataset of the run, so `eval run` would fetch one from the platform: put the file back to repeat the rows."
KEYS = frozenset({"config", "rows", "attempts", "model", "timeout_s", "authorized"})


@dataclass(frozen=True, slots=True)
class Request:
    """What the caller asks to run. `authorized` is true only for the JSON value true."""

    config: str
    rows: tuple[int, ...]
    attempts: int
    model: str
    timeout_s: float
    authorized: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The exact run, before anything is started."""

    request: Request
    workspace: Path
    arguments: tuple[str, ...]
    """After the program."""
    name: str
    secret_names: tuple[str, ...]
    """Variables the config requires; only their names are known here."""
    refusal: str | None = None
    """Why the installed config does not describe the requested run; then it is not started."""
    configured: str = ""
    """The model that the config names."""

    @property
    def model(self) -> str:
        """The model that would be called, on one line; the config decides, and a request can only agree."""
        return clean(" ".join((self.request.model or self.configured).split()), MODEL_LIMIT)

    @property
    def command(self) -> str:
        """As a person would type it in the workspace."""
        return shlex.join(["osmosis", *self.arguments])

    @property
    def cost_note(self) -> str:
        rows, attempts = len(self.request.rows), self.request.attempts
        return (
            f"{rows} {'row' if rows == 1 else 'rows'} x {attempts} {'attempt' if attempts == 1 else 'attempts'} with"
            f" {self.model or 'the model of the config'}: every model call is paid for; ended after {self.request.timeout_s:g} s at the latest."
        )


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that was started."""

    answer: Answer
    path: Path
    """Where its results lie."""
    stderr: str
    """Kept, because some reasons stand nowhere else."""
    left: tuple[str, ...] = field(default=())
    """What could not be stopped, and what the program lacks."""


def read_request(value: Mapping[str, Any]) -> Request:
    """The request, checked.

    Raises:
        UsageError: a key is unknown or missing, or a bound is exceeded.
    """
    if unknown := sorted(set(value) - KEYS):
        raise UsageError(f"run knows no {unknown[0]!r}; its keys are {', '.join(sorted(KEYS))}.")
    config, rows, attempts = value.get("config"), value.get("rows"), value.get("attempts", 1)
    if (
        not isinstance(config, str)
        or not config.endswith(".toml")
        or not config.startswith("configs/eval/")
        or ".." in config.split("/")
    ):
        raise UsageError("run.config is the path of a config below configs/eval/, relative to the workspace.")
    if not isinstance(rows, list) or not rows or not all(isinstance(r, int) and not isinstance(r, bool) and r >= 0 for r in rows):
        raise UsageError("run.rows is a list of 0-based rows of the dataset file.")
    if len(set(rows)) > ROWS_LIMIT:
        raise UsageError(f"run.rows holds more than {ROWS_LIMIT} rows: reproduce on the affected ones.")
    if isinstance(attempts, bool) or not isinstance(attempts, int) or not 1 <= attempts <= ATTEMPTS_LIMIT:
        raise UsageError(f"run.attempts is a number from 1 to {ATTEMPTS_LIMIT}.")
    timeout = value.get("timeout_s", 600)
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout <= TIMEOUT_LIMIT:
        raise UsageError(f"run.timeout_s is a number of seconds up to {TIMEOUT_LIMIT:g}.")
    model = value.get("model", "")
    if not isinstance(model, str):
        raise UsageError("run.model is the model id that the config names.")
    return Request(
        config=plain_value(config),
        rows=tuple(sorted(set(rows))),
        attempts=attempts,
        model=model,
        timeout_s=float(timeout),
        authorized=value.get("authorized") is True,
    )


def plan_run(before: Run, request: Request) -> Plan:
    """Lay out the run that repeats the affected rows of `before`; starts nothing, writes nothing."""
    workspace = workspace_of(before)
    folder = Folder(workspace)
    settings = _config(folder, request.config)
    keep_secrets(workspace)
    name = _fresh_name(folder, request)
    arguments = ["eval", "run", request.config, "--rows", ",".join(map(str, request.rows))]
    dataset = _dataset(folder, before)
    arguments += ["--dataset-file", dataset] if dataset else []
    arguments += ["--name", name, "--max-in-flight", str(IN_FLIGHT), "--yes", "--json"]
    return Plan(
        request=request,
        workspace=workspace,
        arguments=tuple(arguments),
        name=name,
        secret_names=tuple(
            n for n in items(obj((settings or {}).get("secrets")).get("required")) if isinstance(n, str) and n.isidentifier()
        ),
        refusal=_refusal(request, settings) or (None if dataset else NO_DATASET),
        configured=text(obj((settings or {}).get("experiment")).get("model_path")) or "",
    )


def _fresh_name(folder: Folder, request: Request) -> str:
    """The first name of this kind that no run has yet: the same until a run is made, so that what was shown is what is started."""
    stem = f"whyzero-{'-'.join(map(str, request.rows[:4]))}"
    number = 1
    while folder.is_dir(f"{EVALS}/{stem}-{number}"):
        number += 1
    return f"{stem}-{number}"


def workspace_of(run: Run) -> Path:
    """The workspace around a local run.

    Raises:
        UsageError: the run does not lie in one.
    """
    for place in (run.root, *run.root.parents):
        if (place / EVALS).is_dir() and (place / "configs").is_dir():
            return place
    raise UsageError(
        "The run does not lie in an Osmosis workspace (.osmosis/evals/ beside configs/): it cannot be repeated from here."
    )


def _config(folder: Folder, path: str) -> dict[str, Any] | None:
    said = folder.text(path)
    if said is None:
        return None
    try:
        return tomllib.loads(said)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _refusal(request: Request, settings: dict[str, Any] | None) -> str | None:
    """`eval run` takes attempts, model and deadlines from the config alone: what the config says must be what was authorised."""
    if settings is None:
        return f"The workspace has no readable {request.config}."
    experiment, evaluation = obj(settings.get("experiment")), obj(settings.get("evaluation"))
    if request.model and experiment.get("model_path") != request.model:
        return f"The config names the model {experiment.get('model_path')!r}, the request {request.model!r}. Make them agree."
    if evaluation.get("n", 1) != request.attempts:
        return f"The config asks for {evaluation.get('n', 1)} attempts, the request for {request.attempts}. Make them agree."
    return None


def _dataset(folder: Folder, before: Run) -> str | None:
    """The file below data/ with the digest on record, else the only dataset there, which was changed since."""
    paths = list(folder.walk("data", limit=200))
    if before.inputs.dataset:
        for path in paths:
            if file_digest(folder, path) == before.inputs.dataset:
                return path
    files = [path for path in paths if path.endswith(DATASETS)]
    return files[0] if len(files) == 1 and is_plain(files[0]) else None


def run_plan(
    plan: Plan,
    cli: Cli,
    *,
    progress: Callable[[float], None] = lambda _: None,
    cancelled: threading.Event | None = None,
) -> Ran:
    """Start the planned run and see it to its end, its deadline or its cancellation; no process is left behind.

    Raises:
        UsageError: it was not authorised, or the config does not describe what was.
    """
    if plan.request.authorized is not True:
        raise UsageError("This run was not authorised; nothing was started.")
    if plan.refusal:
        raise UsageError(plan.refusal)
    path = plan.workspace / EVALS / plan.name
    left: list[str] = []
    done = processes.run(
        [*cli.program, *plan.arguments],
        deadline=plan.request.timeout_s,
        folder=plan.workspace,
        variables=PLAIN | passed((*PASSED_ON, *cli.variables, *RUN_NEEDS, *plan.secret_names)),
        output_limit=OUTPUT_LIMIT,
        cancelled=cancelled,
        progress=progress,
        notice=NOTICE,
        afterwards=lambda: left.extend(_end_server(path)),
    )
    answer = read_answer(plan.command, done.status, done.stdout, done.stderr, done.stopped, done.seconds)
    if answer.status == BAD_USAGE:
        left += [lacking(cli, ("eval", "run"), flags_in(plan.arguments)) or ""]
    return Ran(answer, path, done.stderr, tuple(filter(None, left)))


def _end_server(path: Path) -> tuple[str, ...]:
    """End the rollout server that the run recorded and did not stop, told by pid and start token."""
    server = live_server(Folder(path)) if path.is_dir() else None
    if server is None:
        return ()
    processes.end_group(server.pgid, signal.SIGKILL)
    until = time.monotonic() + processes.GRACE
    while time.monotonic() < until:
        if live_server(Folder(path)) is None:
            return ()
        time.sleep(0.05)
    return (f"The rollout server with pid {server.pid} could not be ended.",)
