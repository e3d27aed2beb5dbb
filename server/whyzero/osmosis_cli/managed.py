"""What only the platform knows about a run, fetched by read-only calls and laid out as a `Run`.

Each call is one pseudo-file: evidence points at `osmosis eval info NAME` with a JSON pointer, or at a numbered log line.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from whyzero.errors import UsageError
from whyzero.model import Problem, Run, Speaker, Spot, Utterance
from whyzero.osmosis_cli.allowed import is_plain, plain_value
from whyzero.osmosis_cli.answer import Answer
from whyzero.osmosis_cli.call import call
from whyzero.osmosis_cli.find import BAD_USAGE, Cli, lacking
from whyzero.osmosis_cli.workspace_env import keep_secrets, warning
from whyzero.readers.files import Folder, parse_time
from whyzero.readers.reported import SENTENCES, name_of, read_reported
from whyzero.text import hide

Kind = Literal["eval", "train"]
LOG_LIMIT = 200
LOG_PAGES = 5
PREVIEW_ROWS = 5
FORMAT = "osmosis"
OF_THE_COMMAND_LINE = frozenset(
    {
        "not_logged_in",
        "unreachable",
        "upload_after_run",
        "upload_refused",
        "origin",
        "scope",
        "commit",
        "interrupted",
        "locked",
        "inputs_changed",
        "journal",
        "confirmation_missing",
        "secret_missing",
    }
)
"""Sentences about a call on the user's machine; in the platform's log they would mean something else."""
OWN = frozenset(SENTENCES) - OF_THE_COMMAND_LINE
NO_SCOPE = frozenset({"missing", "none", "unresolved", "unset", "not_set", "not_found", "unavailable"})
_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Asked:
    """One call and what it answered."""

    answer: Answer
    about: str
    """`info`, `logs`, `rollouts`, `dataset`."""
    missing: str | None = None
    """What the installed program lacks for this call, in a sentence."""


def read_managed(
    cli: Cli,
    kind: Kind,
    name: str,
    workspace: Path,
    progress: Callable[[str], None] = lambda _: None,
    cancelled: threading.Event | None = None,
) -> Run:
    """Ask the platform about one run: status, logs, synced revision, dataset. What is not answered in time is asked no further.

    Raises:
        UsageError: the kind or the name cannot be meant.
    """
    if kind not in ("eval", "train"):
        raise UsageError("managed.kind is `eval` or `train`.")
    plain_value(name)
    if (clone := _clone()) is not None and clone in (workspace.resolve(), *workspace.resolve().parents):
        raise UsageError("The workspace lies inside whyzero's own source: name the workspace that the run belongs to.")
    keep_secrets(workspace)
    asked: list[Asked] = []

    def ask(about: str, command: tuple[str, ...], what: str | None = None, options: dict[str, str | int] | None = None) -> Answer:
        progress(" ".join(("osmosis", *command)))
        answer = call(cli, workspace, command, what, options, cancelled=cancelled)
        missing = lacking(cli, command, frozenset(options or ())) if answer.status == BAD_USAGE else None
        asked.append(Asked(answer, about, missing))
        return answer

    info = ask("info", (kind, "info"), name)
    hide({secret: os.environ[secret] for secret in filter(str.isascii, _scopes(info)) if secret in os.environ}, every=True)
    if info.stopped or info.code in ("AUTH_REQUIRED", "WORKSPACE_REQUIRED", "UPGRADE_REQUIRED"):
        return _run(cli, kind, name, workspace, asked)
    cursor: str | None = None
    for _ in range(LOG_PAGES):
        options: dict[str, str | int] = {"--limit": LOG_LIMIT} | ({"--cursor": cursor} if cursor else {})
        logs = ask("logs", (kind, "logs"), name, options)
        said = logs.data.get("next_cursor") if logs.data else None
        if not isinstance(said, str) or not is_plain(said) or said == cursor:
            break
        cursor = said
    ask("rollouts", ("rollout", "list"))
    if dataset := _dataset(info, kind):
        ask("dataset", ("dataset", "preview"), dataset, {"--rows": PREVIEW_ROWS})
    return _run(cli, kind, name, workspace, asked)


def _clone() -> Path | None:
    """The checkout this program runs from, if it does."""
    root = Path(__file__).resolve().parents[3]
    return root if Folder(root).is_file("pyproject.toml") and Folder(root).is_dir("server/whyzero") else None


def _run(cli: Cli, kind: Kind, name: str, workspace: Path, asked: list[Asked]) -> Run:
    info = asked[0].answer
    about = _about(info, kind)
    logs = [u for page in reversed([a for a in asked if a.about == "logs"]) for u in _log(page.answer)]
    logs = _numbered(logs, f"osmosis {kind} logs {name}")
    return Run(
        root=workspace,
        name=name,
        format=FORMAT,
        writer=f"osmosis platform, asked by osmosis-ai {cli.version}",
        command=info.command,
        recorded_status=str(about.get("status")) if about.get("status") else None,
        hosted=True,
        live=about.get("status") in ("pending", "queued", "running") if about.get("status") else None,
        logs=(*logs, *_secrets(info, kind, name), *_revision(asked, kind, name), *_unready(asked)),
        reported=(*_refusal(info), *_told(logs)),
        booked=_booked(info, about),
        problems=(*([Problem(".env", said)] if (said := warning(workspace)) else []), *_problems(asked)),
    )


def _about(info: Answer, kind: Kind) -> dict[str, Any]:
    data = (info.data or {}).get("data")
    run = data.get("eval_run" if kind == "eval" else "training_run") if isinstance(data, dict) else None
    return run if isinstance(run, dict) else {}


def _booked(info: Answer, about: dict[str, Any]) -> dict[str, Any]:
    """The platform's own totals: `results` of an eval, `steps` that a training run has done."""
    data = (info.data or {}).get("data")
    return {"results": data.get("results"), "steps": about.get("current_step")} if isinstance(data, dict) else {}


def _dataset(info: Answer, kind: Kind) -> str | None:
    about = _about(info, kind)
    name = about.get("dataset") or about.get("dataset_name")
    return name if isinstance(name, str) and is_plain(name) else None


def _log(page: Answer) -> Iterator[Utterance]:
    items = (page.data or {}).get("items")
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict):
            continue
        level = str(item.get("level") or "info").upper()
        text = f"{level} [{item.get('step')}] {item.get('message')}"
        if details := item.get("details"):
            text += f" {details}"
        named = [details.get(key) for key in ("code", "error_code", "reason")] if isinstance(details, dict) else []
        code = next((word for word in named if isinstance(word, str) and _CODE.fullmatch(word)), None)
        yield Utterance(
            Speaker.HARNESS,
            text[:8192],
            Spot("", 1),
            at=parse_time(item.get("timestamp")),
            kind=str(item.get("step") or ""),
            code=code,
        )


def _numbered(lines: list[Utterance], path: str) -> list[Utterance]:
    return [replace(u, spot=Spot(path, number)) for number, u in enumerate(lines, 1)]


def _told(logs: list[Utterance]) -> Iterator[Utterance]:
    """Errors in the log that are sentences of the program itself: the platform runs the same one."""
    for line in logs:
        message = line.text.partition("] ")[2]
        if line.text.startswith(("ERROR", "CRITICAL", "FATAL")) and name_of(message.removeprefix("Error: ")) in OWN:
            yield from (replace(said, spot=line.spot, at=line.at) for said in read_reported(message) if said.kind in OWN)


def _secrets(info: Answer, kind: Kind, name: str) -> Iterator[Utterance]:
    """Names of secrets for which the platform resolved no scope."""
    for secret, scope in _scopes(info).items():
        if not scope or (isinstance(scope, str) and scope.lower().replace(" ", "_") in NO_SCOPE):
            spot = Spot(f"osmosis {kind} info {name}", None, f"/data/resolved_secret_scopes/{secret}")
            yield Utterance(Speaker.HARNESS, f"ERROR [secrets] {secret}: no scope holds it", spot, kind="secrets")


def _scopes(info: Answer) -> dict[str, Any]:
    """Secrets the run was given, by name, and the scope that holds each."""
    data = (info.data or {}).get("data")
    scopes = data.get("resolved_secret_scopes") if isinstance(data, dict) else None
    return scopes if isinstance(scopes, dict) else {}


def _revision(asked: list[Asked], kind: Kind, name: str) -> Iterator[Utterance]:
    """The commit the run asked for against the one the platform last synced: told where both are known and differ."""
    info = next((a.answer for a in asked if a.about == "info"), None)
    listing = next((a.answer for a in asked if a.about == "rollouts"), None)
    data = (info.data or {}).get("data") if info else None
    if not isinstance(data, dict) or listing is None or not listing.data:
        return
    wanted = data.get("commit_sha")
    rollout = data.get("rollout")
    named = rollout.get("name") if isinstance(rollout, dict) else _about(info, kind).get("rollout_name") if info else None
    items = listing.data.get("items")
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict) or item.get("name") != named:
            continue
        synced = item.get("last_synced_commit_sha")
        if isinstance(wanted, str) and isinstance(synced, str) and _differ(wanted, synced):
            yield Utterance(
                Speaker.HARNESS,
                f"ERROR [sync] requested commit {wanted}, last synced commit {synced}",
                Spot(f"osmosis {kind} info {name}", None, "/data/commit_sha"),
                kind="sync",
                code="GIT_REVISION",
            )


def _differ(one: str, other: str) -> bool:
    """Two commits, each perhaps shortened."""
    length = min(len(one), len(other))
    return length > 0 and one[:length].lower() != other[:length].lower()


def _unready(asked: list[Asked]) -> Iterator[Utterance]:
    """A dataset that the platform itself calls unavailable or failed."""
    for one in asked:
        if one.about != "dataset" or not one.answer.data or not isinstance(one.answer.data.get("data"), dict):
            continue
        data = one.answer.data["data"]
        if data.get("available") is False:
            yield Utterance(
                Speaker.HARNESS,
                f"WARNING [dataset] preview not available: {data.get('message') or 'no reason given'}",
                Spot(one.answer.command, None, "/data/available"),
                kind="dataset",
            )


def _refusal(answer: Answer) -> Iterator[Utterance]:
    """An error envelope, as the words the user would have seen."""
    if answer.ok or not answer.message:
        return
    status = answer.details.get("status_code")
    yield Utterance(
        Speaker.HARNESS,
        answer.message[:8192],
        Spot(answer.command, None, "/error/message"),
        kind=name_of(answer.message) or "error",
        status=status if isinstance(status, int) else None,
        code=answer.code,
    )


def _problems(asked: list[Asked]) -> Iterator[Problem]:
    for one in asked:
        if not one.answer.ok:
            said = f"{one.answer.sentence} {one.answer.next_step}".strip()
            yield Problem(one.answer.command, f"{one.missing} A newer osmosis-ai may have it." if one.missing else said)
        for _, message in one.answer.warnings:
            yield Problem(one.answer.command, message)
