"""What the user saw, as utterances: the command line's JSON envelopes and its own sentences are known by their shape.

An utterance of the CLI has speaker HARNESS; `kind` is the name of the sentence (a key of `SENTENCES`), or where the sentence is
not known the command that said it; `code` is its `error.code`. Anything else is free text of speaker UNKNOWN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from whyzero.model import Speaker, Spot, Utterance
from whyzero.readers.files import parse_json
from whyzero.readers.osmosis.provider import STATUS_OF, body_status
from whyzero.readers.shapes import obj, text

LINE_LIMIT = 400
TEXT_LIMIT = 8192
PATH = "error"

_WHERE = r"(?:\S+:\d+|row \d+(?: \(source row \d+\))?)"
SENTENCES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.S)
    for name, pattern in {
        # layout
        "scaffold_missing": r"This workspace directory is missing required Osmosis scaffold paths\.|Workspace doctor found missing scaffold paths\.",
        "not_a_workspace": r"Run this command from an Osmosis workspace directory created by Platform\.",
        "config_section_missing": r"Missing \[[\w.]+\] section in |Missing '\w+' in \[\w+\] section of |Missing 'required' in \[secrets\]",
        "config_invalid": r"Invalid (?:eval|training|benchmark|\w+) config:",
        "config_unreadable": r"(?:Config file not found: |Invalid TOML in |Cannot read config file )",
        "config_value": r"evaluation\.\w+ must be |Evaluation (?:rollout|entrypoint) |\[[\w.]+\] must be a table in |\[secrets\] in \S+ only supports "
        r"|'required' in \[secrets\] of |Invalid env var name |'\w+' in \S+ of \S+: env var names starting with |Invalid secret name "
        r"|Duplicate secret name\(s\) |Name\(s\) appear in both \[env\] and \[secrets\]|\[env\]/\[secrets\] must not set ",
        "config_place": r"[\w ]+ (?:must live under|must be a \S+ file under) `",
        "entrypoint_missing": r"rollout entrypoint .* does not exist; check experiment\.rollout and experiment\.entrypoint",
        "backend_refused": r"\w+ preflight failed for `rollouts/",
        "name_or_place_invalid": r"run name |run directory .* is a symbolic link|--output must not be the rollout source directory",
        "option_invalid": r"--(?:tunnel|advertise-url|listener-port|name|rollout-port)\b.*(?:must|requires|supports|mutually|exclusive)",
        "confirmation_missing": r"Use --yes to confirm in non-interactive mode",
        "secret_missing": r"No value found for: |Secret value required\b|Missing secrets?\b",
        # the journal before the dataset: both speak of invalid JSON at a line
        "journal": r"\S*events\.jsonl:\d+: |\S*manifest\.json (?:is unreadable|is not a JSON object|was written by state schema version|has no inputs object)",
        # data
        "label_missing": rf"{_WHERE}: ground_truth \(or label\) is required ",
        "prompt_missing": rf"{_WHERE}: (?:user_prompt is required |has no prompt and no metadata)",
        "metadata_invalid": rf"{_WHERE}: metadata (?:is not valid JSON|must be a JSON object)",
        "dataset_syntax": r"\S.*:\d+: (?:invalid JSON \(|each line must be a JSON object)|\S+ has no CSV header row",
        "rows_selection": r"--rows (?:selects|must be|must use|range)|Invalid --rows range|\S+ selected no rows",
        "dataset_file": r"--dataset-file .* is not a file|\S+ has extension |unsupported dataset extension |Reading Parquet datasets requires|File not found: "
        r"|dataset .* (?:is not available|has no recognizable format|downloaded \d+ bytes)",
        "dataset_refused": r"(?:File v|V)alidation failed:",
        "dataset_unreachable": r"could not (?:resolve|download) dataset ",
        # startup
        "model_path": r"model preflight failed for \S+: RuntimeError: Invalid LiteLLM model format",
        "preflight": r"model preflight failed for (?P<model>'[^']*'|\S+): (?P<said>.*)",
        "sync_failed": r"uv sync failed for rollouts/|uv is required to launch the rollout server",
        "extra_missing": r"[\w ]+ requires optional dependencies\. Install them with ",
        "server_exited": r"rollout server exited with code -?\d+ before becoming healthy",
        "server_unhealthy": r"rollout server did not (?:become healthy within|start)\b|another process is already listening on |could not bind the LLM bridge ",
        "tunnel": r"cloudflared |could not start cloudflared|could not record cloudflared",
        # dispatch
        "locked": r"another `?osmosis eval run`? already holds ",
        "inputs_changed": r"run \S+ was created with different resolved inputs",
        "interrupted": r"Interrupted\.",
        # publish and hosted
        "not_logged_in": r"Not logged in\.|(?:Your )?[Ss]ession (?:has )?expired|OSMOSIS_TOKEN (?:must be bound|is bound)",
        "unreachable": r"Could not connect to platform: |Connection to the platform timed out",
        "upload_after_run": r"Local evaluation results are complete at ",
        "upload_refused": r"local evaluation is (?:incomplete|not completed)|Local evaluation upload failed: "
        r"|(?:manifest|index|progress|metrics)\.json(?:l(?::\d+)?)? |rollout_trials/\S+ |\S+ does not identify rollout_id |Server (?:returned|did not finalize)",
        "origin": r"Set `origin` to the Platform-connected repository|Git remote URL (?:must|path|contains)",
        "scope": r"The workspace directory's Git repository identity is invalid|Platform could not resolve (?:this workspace|the selected workspace)"
        r"|Your account does not have access to the Platform workspace|This command requires an Osmosis workspace directory\.",
        "commit": r"(?:The )?[Cc]ommit(?:_sha)? .* (?:not found|does not exist|is not|was not)",
    }.items()
}
"""Sentences of `osmosis` 0.3.8 by their fixed beginning; the first that fits names the utterance."""

_BRIDGE = re.compile(r"^LLM bridge error: (?P<said>.*)$", re.S)
_PREFLIGHT_WARNING = re.compile(r"^Preflight non-fatal error: (?P<said>.*)$", re.S)
_RETRY = re.compile(r"^Retrying result read for rollout [0-9a-f]{32} after ")
_PLAIN = re.compile(r"^Error: (?P<said>.*)$", re.S)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CLASS = re.compile(r"^(?:\w+: )?(?:litellm\.)?(?P<name>\w+(?:Error|Exception|Timeout))\b")


def read_reported(error: str | None) -> tuple[Utterance, ...]:
    """One utterance per envelope, sentence or line, in order; the provider's words inside them follow as their own."""
    if not error or not error.strip():
        return ()
    whole = parse_json(error)
    if isinstance(whole, dict):
        return tuple(_envelope(whole, 1))
    said: list[Utterance] = []
    for number, entry in _entries(error):
        value = parse_json(entry) if entry.startswith("{") else None
        said += _envelope(value, number) if isinstance(value, dict) else _sentence(entry, number)
    return tuple(said)


def _entries(error: str) -> Iterator[tuple[int, str]]:
    """Lines; the lines that follow a plain `Error:` belong to it."""
    lines = [(n, _ANSI.sub("", line).rstrip()) for n, line in enumerate(error.splitlines(), 1)][:LINE_LIMIT]
    kept: tuple[int, str] | None = None
    for number, line in lines:
        starts = (
            line.startswith(("{", "Error: ", "Warning: "))
            or _BRIDGE.match(line)
            or _PREFLIGHT_WARNING.match(line)
            or _RETRY.match(line)
        )
        if kept is not None and not starts and kept[1].startswith("Error: "):
            kept = (kept[0], f"{kept[1]}\n{line}")
            continue
        if kept is not None and kept[1].strip():
            yield kept
        kept = (number, line)
    if kept is not None and kept[1].strip():
        yield kept


def _envelope(value: dict[str, Any], number: int) -> Iterator[Utterance]:
    error, warning = obj(value.get("error")), obj(value.get("warning"))
    if message := text(error.get("message")):
        details = obj(error.get("details"))
        status = details.get("status_code")
        kind = name_of(message) or text(value.get("command")) or "error"
        spot = Spot(PATH, number, "/error/message")
        yield Utterance(
            Speaker.HARNESS,
            message[:TEXT_LIMIT],
            spot,
            kind=kind,
            status=status if isinstance(status, int) else None,
            code=text(error.get("code")),
        )
        if platform := text(details.get("platform_code")):
            place = Spot(PATH, number, "/error/details/platform_code")
            yield Utterance(Speaker.HARNESS, platform, place, kind="platform_code", code=platform)
        yield from _provider(message, spot)
    elif message := text(warning.get("message")):
        spot = Spot(PATH, number, "/warning/message")
        yield Utterance(Speaker.HARNESS, message[:TEXT_LIMIT], spot, kind="warning", code=text(warning.get("code")))
    elif (word := text(value.get("status"))) and (operation := text(value.get("operation"))):
        spot = Spot(PATH, number, "/status")
        yield Utterance(Speaker.HARNESS, (text(value.get("message")) or word)[:TEXT_LIMIT], spot, kind=operation, code=word)
    else:
        yield Utterance(Speaker.UNKNOWN, str(value)[:TEXT_LIMIT], Spot(PATH, number))


def _sentence(entry: str, number: int) -> Iterator[Utterance]:
    spot = Spot(PATH, number)
    if found := (_BRIDGE.match(entry) or _PREFLIGHT_WARNING.match(entry)):
        kind = "bridge" if entry.startswith("LLM") else "preflight_warning"
        yield _provider_words(found["said"], kind, spot)
        return
    if _RETRY.match(entry):
        yield Utterance(Speaker.HARNESS, entry[:TEXT_LIMIT], spot, kind="retry")
        return
    plain = _PLAIN.match(entry)
    # A terminal wraps the sentence at its width.
    message = " ".join((plain["said"] if plain else entry).split())
    known = name_of(message)
    speaker = Speaker.HARNESS if known or plain else Speaker.UNKNOWN
    yield Utterance(speaker, message[:TEXT_LIMIT], spot, kind=known or ("error" if plain else ""))
    yield from _provider(message, spot)


def name_of(message: str) -> str | None:
    """The known sentence a message begins with, or None."""
    return next((name for name, pattern in SENTENCES.items() if pattern.match(message)), None)


def _provider(message: str, spot: Spot) -> Iterator[Utterance]:
    """The provider's error inside a failed model preflight."""
    if name_of(message) == "preflight" and (found := SENTENCES["preflight"].match(message)):
        yield _provider_words(found["said"], "preflight", spot)


def _provider_words(said: str, kind: str, spot: Spot) -> Utterance:
    known = _CLASS.match(said)
    name = known["name"] if known else None
    code = f"litellm.{name}" if name in STATUS_OF or (name and "litellm." in said[:80]) else name
    status = body_status(said) or STATUS_OF.get(name or "")
    return Utterance(Speaker.PROVIDER, said[:TEXT_LIMIT], spot, kind=kind, status=status, code=code)
