"""Runs stopped, resumed, archived, downloaded or cut short, and the words of the command line about them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import PASS, Case, in_osmosis
from benchmarks.zerobench.cases.runs import BOOT, DONE, EMPTY, STARTED, envelope
from benchmarks.zerobench.osmosis import Eval, Row, healthy_start, write_eval
from benchmarks.zerobench.places import Place, write_text

FAILED = Row(error="agent_error", block="workflow")
ASKED = ("WARNING", "cancel", "supervisor cancellation requested")


def cases() -> Iterator[Case]:
    yield from _told()
    yield from _preflight()
    yield from _servers()
    yield from _stopped()
    yield from _journals()
    yield from _downloads()


TOLD = (
    ("dependency_failure", EMPTY, "Error: uv sync failed for rollouts/sums with exit code 1: error: Failed to fetch: `https://pypi.example/simple/numpy/`: HTTP status client error (429 Too Many Requests)\nLogs: .osmosis/evals/dev-run/logs.txt\n"),
    ("dependency_failure", EMPTY, "Error: uv sync failed for rollouts/sums with exit code 1: error: Failed to fetch: `https://pypi.example/simple/numpy/`: 401 Unauthorized\n"),
    ("server_start_failure", EMPTY, "Error: rollout server exited with code 1 before becoming healthy: openai.OpenAIError: The api_key client option must be set either by passing api_key to the client or by setting the OPENAI_API_KEY environment variable\n"),
    ("server_start_failure", EMPTY, "Error: rollout server exited with code 1 before becoming healthy: OSError: [Errno 98] error while attempting to bind on address ('127.0.0.1', 46607): address already in use\n"),
    ("server_start_failure", EMPTY, "Error: rollout server exited with code 137 before becoming healthy\n"),
    ("import_failure", EMPTY, "Error: rollout server exited with code 1 before becoming healthy: IndentationError: unexpected indent (main.py, line 4)\n"),
    ("config_invalid", EMPTY, envelope("Invalid eval config:\n  - experiment.model_path: Field required")),
    ("dataset_invalid", EMPTY, "Error: --rows selects [12, 40] but dev.jsonl has 4 rows (valid indices are 0-3)\n"),
    ("run_control", DONE, "Error: run 'dev-run' was created with different resolved inputs, so resuming it would mix versions inside one set of metrics. Changed: dataset. Use --fresh to archive it and start over.\n"),
    ("upload_refused", DONE, "Error: local evaluation is incomplete: index.jsonl has 2 terminal results but progress.json expects 4\nHint: the 429 rows can be retried.\n"),
    ("platform_unreachable", DONE, envelope("Could not connect to platform: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", "PLATFORM_ERROR", "eval upload")),
    ("not_logged_in", DONE, envelope("Your session has expired. Run 'osmosis auth login'.", "AUTH_REQUIRED", "eval upload", status_code=401)),
)  # fmt: skip


def _told() -> Iterator[Case]:
    for number, (truth, run, said) in enumerate(TOLD):
        yield in_osmosis(f"hostile-told-{number}", truth, run, None, error=said)
    remarks = (
        "LLM bridge error: litellm.RateLimitError: slow down\n",
        "Retrying result read for rollout 5a3c1000b7b7 after ReadTimeout (attempt 1) in 0.10s\n",
        '{"schema_version": 1, "cli_version": "0.3.8", "warning": {"code": "UPGRADE_AVAILABLE", "message": "0.4.0 is out"}}\n',
        "Preflight non-fatal error: litellm.InternalServerError: upstream 502\n",
    )
    for number, said in enumerate(remarks):
        yield in_osmosis(f"hostile-remark-{number}", PASS, DONE, None, "decoy", said)


PREFLIGHT = (
    ("agent_auth", "openai/policy", "AuthenticationError: litellm.AuthenticationError: AuthenticationError: OpenAIException - The api_key client option must be set either by passing api_key to the client or by setting the OPENAI_API_KEY environment variable"),
    ("agent_auth", "gemini/flash", "BadRequestError: litellm.BadRequestError: GeminiException BadRequestError - {\"error\": {\"code\": 400, \"message\": \"API key not valid. Please pass a valid API key.\", \"status\": \"INVALID_ARGUMENT\"}}"),
    ("quota_exhausted", "anthropic/claude", "BadRequestError: litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit balance is too low to access the Anthropic API.\"}}"),
    ("model_not_found", "ollama/qwen3", "NotFoundError: litellm.NotFoundError: OllamaException - {\"error\":\"model 'qwen3' not found, try pulling it first\"}"),
    ("provider_error", "ollama/qwen3", "APIConnectionError: litellm.APIConnectionError: OllamaException - [Errno 111] Connection refused"),
    ("harness_incompatibility", "openai/o3", "UnsupportedParamsError: litellm.UnsupportedParamsError: O-series models don't support temperature=0.0. Only temperature=1 is supported."),
    ("model_not_found", "openai/gpt-9", "PermissionDeniedError: litellm.PermissionDeniedError: OpenAIException - Project `proj_x` does not have access to model `gpt-9`"),
)  # fmt: skip


def _preflight() -> Iterator[Case]:
    begun = Eval([], planned=4, status="running", start=healthy_start(4, upto="preflight")[:2])
    for number, (truth, model, words) in enumerate(PREFLIGHT):
        said = f"Error: model preflight failed for '{model}': {words}\n"
        yield in_osmosis(f"hostile-preflight-{number}", truth, replace(begun, model=model), None, error=said)


OPTIONAL = (
    "Traceback (most recent call last):",
    '  File "/home/user/ws/rollouts/sums/main.py", line 4, in <module>',
    "    import uvloop",
    "ModuleNotFoundError: No module named 'uvloop'",
)


def _child(lines: Sequence[str]) -> list[tuple[str, str, str]]:
    return STARTED + [("INFO", "rollout-server", line) for line in lines]


def _servers() -> Iterator[Case]:
    """A traceback that the rollout printed and went on from is not why its server ended."""
    logged = ("2026-09-03 07:15:24,100 WARNING sums: no uvloop, going on", *OPTIONAL)
    gone_on = (*logged, "2026-09-03 07:15:24,300 INFO sums: loading tables", "SUMS_TABLE is not set")
    said = "Error: rollout server exited with code 1 before becoming healthy: SUMS_TABLE is not set\n"
    run = Eval([], planned=4, status="running", start=_child(gone_on))
    yield in_osmosis("hostile-optional-import", "server_start_failure", run, None, "decoy", said)
    yield in_osmosis(
        "hostile-optional-import-printed",
        "server_start_failure",
        replace(run, start=_child((*OPTIONAL, "SUMS_TABLE is not set"))),
        None,
        "decoy",
        said,
    )
    crash = f"{tb.HEAD}{BOOT}{tb.user(99, '<module>', 'main()')}{tb.user(91, 'main', 'serve(port)')}OSError: [Errno 98] address already in use"
    both = Eval([], planned=4, status="running", start=_child((*logged, *crash.split("\n"))))
    yield in_osmosis("hostile-optional-import-then-crash", "server_start_failure", both, None, "decoy")
    healthy = [*healthy_start(2)[:9], *(("INFO", "rollout-server", line) for line in logged), *healthy_start(2)[9:]]
    yield in_osmosis("hostile-optional-import-and-fine", PASS, Eval([Row(0), Row(1)], start=healthy), None, "decoy")
    second = (
        "WARNING",
        "server",
        'retrying startup on a new port {"error":"another process is already listening on http://127.0.0.1:46607"}',
    )
    yield in_osmosis(
        "hostile-second-port",
        PASS,
        Eval([Row(0), Row(1)], start=[*healthy_start(2, upto="deps"), second, *healthy_start(2)[7:]]),
        None,
        "decoy",
    )


def _stopped() -> Iterator[Case]:
    two = [Row(0), Row(1, reward=0.0, answer="It is 12.")]
    yield in_osmosis("hostile-interrupted-run-wrong-row", "wrong_answer", Eval(two, planned=4, after=[ASKED]), "1.0", "decoy")
    resumed = [*healthy_start(4), ASKED, ("INFO", "resume", "dev-run: 2 of 4 work items pending, 2 already recorded")]
    whole = [*two, Row(2), Row(3)]
    yield in_osmosis("hostile-resumed-wrong-row", "wrong_answer", Eval(whole, start=resumed), "1.0", "decoy")
    halt = (
        "ERROR",
        "dispatch",
        'halting dispatch {"reason":"the rollout server exited with code 137; see logs.txt","returncode":137}',
    )
    dead = Eval([*two, Row(2, recorded=False, trajectory=False)], planned=4, after=[halt])
    yield in_osmosis("hostile-server-died-wrong-row", "wrong_answer", dead, "1.0", "decoy")
    yield in_osmosis("hostile-server-died-row-in-flight", "server_died", dead, "2.0")
    killed = Eval([*two, Row(2, recorded=False, trajectory=False)], planned=4, status="running", server_json=True)
    yield in_osmosis("hostile-killed-row-in-flight", "interrupted", killed, "2.0")
    yield in_osmosis("hostile-killed-wrong-row", "wrong_answer", killed, "1.0", "decoy")
    archived = replace(Eval(two, planned=4, after=[ASKED]), name="dev-run.archive-20260903T071520Z")
    yield in_osmosis("hostile-archived", "interrupted", archived, None)


def _line(row: Row, rollout: str, **values: object) -> str:
    return (
        json.dumps(
            {
                "row_index": row.row,
                "run_index": row.attempt,
                "rollout_id": rollout,
                "source_row_index": row.row,
                "duration_ms": 900.0,
                **values,
            },
            sort_keys=True,
        )
        + "\n"
    )


def _journals() -> Iterator[Case]:
    old = "ee" * 16
    wrong = Row(0, reward=0.0, answer="It is 12.")
    before = _line(wrong, old, status="failed", error_type="agent_error")
    yield in_osmosis(
        "hostile-retried-row-wrong", "wrong_answer", Eval([wrong, Row(1)], journal=before + "{lines}"), "0.0", "decoy"
    )
    yield in_osmosis("hostile-retried-row-right", PASS, Eval([Row(0), Row(1)], journal=before + "{lines}"), "0.0", "decoy")
    limited = replace(FAILED, traceback=tb.http(429, "Too Many Requests", FAILED.id), statuses=(200, 429))
    passed = _line(wrong, old, status="success", reward=1.0)
    yield in_osmosis("hostile-rerun-row-limited", "rate_limited", Eval([limited, Row(1)], journal=passed + "{lines}"), "0.0")
    cut = '{"duration_ms":801.0,"error_type":"agent_error","rollout_id":"%s","row_index":1,"run_index":0,"status":"fai'
    lost = [Row(0), Row(1, recorded=False, trajectory=False)]
    yield in_osmosis(
        "hostile-cut-tail",
        "interrupted",
        Eval(lost, planned=2, status="running", server_json=True, journal="{lines}" + cut % Row(1).id),
        "1.0",
    )
    yield in_osmosis("hostile-blank-lines", "wrong_answer", Eval([wrong, Row(1)], journal="\n{lines}\n"), "0.0", "decoy")


def _download(name: str, truth: str, run: Eval, row: str, kind: str = "fault", logs: bool = True) -> Case:
    """What `eval download` leaves of a platform run."""

    def write(root: Path) -> Place:
        folder = write_eval(root / ".osmosis/evals" / run.name, run)
        for one in run.rows:
            source = folder / "rollout_trials" / one.id / "trajectory.json"
            if source.is_file():
                write_text(folder / f"trajectories/row_{one.row}_run_{one.attempt}.json", source.read_text(encoding="utf-8"))
                source.unlink()
            (folder / "rollout_trials" / one.id / ".osmosis-health-check").unlink()
            (folder / "rollout_trials" / one.id).rmdir()
        (folder / "rollout_trials").rmdir()
        for gone in ("manifest.json", "events.jsonl", "index.jsonl", "progress.json", *(() if logs else ("logs.txt",))):
            (folder / gone).unlink()
        return Place(folder, row)

    return Case(f"osmosis-{name}", truth, kind, "osmosis", "rollout", write)


def _downloads() -> Iterator[Case]:
    wrong = Row(0, reward=0.0, answer="HTTP 429. The answer is 12.")
    limited = replace(FAILED, row=1, traceback=tb.http(429, "Too Many Requests", Row(1).id), statuses=(200, 429))
    unset = Row(2, error="validation_error", block="grader", traceback=tb.no_reward())
    run = Eval([wrong, limited, unset, Row(3)])
    yield _download("hostile-download-wrong", "wrong_answer", run, "0.0", "decoy")
    yield _download("hostile-download-limited", "rate_limited", run, "1.0")
    yield _download("hostile-download-unset", "reward_missing", run, "2.0")
    yield _download("hostile-download-pass", PASS, run, "3.0", "decoy")
    yield _download("hostile-download-without-log-wrong", "wrong_answer", run, "0.0", "decoy", logs=False)
    yield _download("hostile-download-without-log-pass", PASS, run, "3.0", "decoy", logs=False)
    half = Eval([Row(0, reward=0.25, answer="It is 80."), Row(1)], threshold=0.5)
    yield _download("hostile-download-below", "below_pass_threshold", half, "0.0")
