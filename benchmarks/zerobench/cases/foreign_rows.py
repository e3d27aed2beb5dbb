"""Work items and calls in shapes the rest of the cases does not have: groups of exceptions, own services, own deadlines, other languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.zerobench import osmosis
from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import PASS, Case, in_osmosis, one_row
from benchmarks.zerobench.osmosis import BRIDGE, Eval, Row, healthy_start
from benchmarks.zerobench.places import Place, write_text

FAILED = Row(error="agent_error", block="workflow")


def cases() -> Iterator[Case]:
    yield from _wrapped()
    yield from _own_faults()
    yield from _own_deadlines()
    yield from _clients()
    yield from _labels()
    yield from _scores()
    yield from _bytes()
    yield from _calls()


def _bridge(status: int, words: str) -> str:
    kind = "Client" if status < 500 else "Server"
    return f"httpx.HTTPStatusError: {kind} error '{status} {words}' for url '{BRIDGE.format(id=FAILED.id)}'"


def _wrapped() -> Iterator[Case]:
    held = "".join(
        f"    | {line}\n"
        for line in (tb.HEAD + tb.user(51, "ask", "response.raise_for_status()") + _bridge(429, "Too Many Requests")).splitlines()
    )
    group = (
        "  + Exception Group Traceback (most recent call last):\n"
        + "".join(
            f"  | {line}\n"
            for line in (tb.WORKFLOW + tb.user(47, "run", "async with asyncio.TaskGroup() as group:")).splitlines()
        )
        + "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n"
        + f"  +-+---------------- 1 ----------------\n{held}    +------------------------------------\n"
    )
    yield one_row("foreign-group", "rate_limited", replace(FAILED, traceback=group, statuses=(200, 429)))
    first = tb.HEAD + tb.user(51, "run", "response.raise_for_status()") + _bridge(401, "Unauthorized") + "\n"
    during = "\nDuring handling of the above exception, another exception occurred:\n\n"
    second = tb.in_workflow(tb.user(54, "run", "log.warning(error.response.json()['code'])"), error="KeyError: 'code'")
    yield one_row("foreign-while-handling", "agent_auth", replace(FAILED, traceback=first + during + second, statuses=(401,)))


def _own_faults() -> Iterator[Case]:
    """The workflow's own services, keys and files; nothing of the model's or its provider's."""
    weather = (
        "httpx.HTTPStatusError: Client error '429 Too Many Requests' for url 'https://api.weather.example/v2/forecast?city=Ulm'"
    )
    raised = tb.library(
        "httpx/_models.py", 829, "raise_for_status", "raise HTTPStatusError(message, request=request, response=self)"
    )
    own = (
        (tb.user(71, "fetch_tool", "response.raise_for_status()") + raised, weather),
        (tb.user(30, "run_tool", "key = os.environ['SERP_API_KEY']"), "KeyError: 'SERP_API_KEY'"),
        (tb.user(22, "tools", "return json.loads(Path('tools.json').read_text())"), "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 3 column 1 (char 40)"),
        (tb.user(66, "run_code", "subprocess.run(command, timeout=5, check=True)"), "subprocess.TimeoutExpired: Command '['python3', 'a.py']' timed out after 5 seconds"),
        (tb.user(83, "run", "raise ValueError('モデルの応答が空です')"), "ValueError: モデルの応答が空です"),
    )  # fmt: skip
    for number, (frames, error) in enumerate(own):
        row = replace(FAILED, traceback=tb.in_workflow(frames, error=error), statuses=(200,) * (1 + number % 2))
        yield one_row(f"foreign-own-{number}", "workflow_error", row, "decoy")
    judged = (
        (tb.user(92, "grade", "key = os.environ['JUDGE_KEY']"), "KeyError: 'JUDGE_KEY'"),
        (tb.user(95, "grade", "verdict = json.loads(reply['content'])"), "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
    )  # fmt: skip
    for number, (frames, error) in enumerate(judged):
        row = Row(
            error="agent_error" if number == 0 else "validation_error",
            block="grader",
            traceback=tb.in_grader(frames, error=error),
        )
        yield one_row(f"foreign-judge-{number}", "grader_error", row, "decoy")


def _own_deadlines() -> Iterator[Case]:
    """`asyncio.wait_for` in the user's own code raises the same class as the SDK's deadline."""
    waits = tb.frame("/usr/local/lib/python3.12/asyncio/timeouts.py", 115, "__aexit__", "raise TimeoutError from exc_val")
    inside = tb.frame("/usr/local/lib/python3.12/asyncio/tasks.py", 520, "wait_for", "return await fut") + waits
    mine = tb.user(64, "run", "page = await asyncio.wait_for(self.browse(url), 3)") + inside
    row = replace(FAILED, error="agent_error", seconds=3.4, traceback=tb.in_workflow(mine, error="TimeoutError"))
    yield one_row("foreign-own-deadline", "workflow_error", row, "decoy")
    its = tb.user(97, "grade", "await asyncio.wait_for(self.compile(code), 2)") + inside
    row = Row(error="agent_error", block="grader", seconds=2.6, traceback=tb.in_grader(its, error="TimeoutError"))
    yield one_row("foreign-graders-deadline", "grader_error", row, "decoy")


CLIENTS = (
    ("context_length", 400, "openai/_base_client.py", "openai.BadRequestError: Error code: 400 - {'error': {'message': \"This model's maximum context length is 8192 tokens. However, you requested 9011 tokens\", 'type': 'BadRequestError', 'code': 400}}"),
    ("output_length", 200, "openai/lib/_parsing/_completions.py", "openai.LengthFinishReasonError: Could not parse response content as the length limit was reached - CompletionUsage(completion_tokens=4096)"),
    ("refusal", 200, "openai/lib/_parsing/_completions.py", "openai.ContentFilterFinishReasonError: Could not parse response content as the request was rejected by the content filter"),
    ("provider_error", 529, "anthropic/_base_client.py", "anthropic.APIStatusError: Error code: 529 - {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}"),
    ("quota_exhausted", 402, "openai/_base_client.py", "openai.APIStatusError: Error code: 402 - {'error': {'message': 'Insufficient Balance', 'type': 'unknown_error', 'code': 'invalid_request_error'}}"),
    ("model_not_found", 404, "litellm/main.py", "litellm.NotFoundError: NotFoundError: OllamaException - {\"error\":\"model 'qwen3' not found, try pulling it first\"}"),
    ("harness_incompatibility", 400, "litellm/main.py", "litellm.BadRequestError: OllamaException - {\"error\":\"registry.example/library/gemma:2b does not support tools\"}"),
)  # fmt: skip


def _clients() -> Iterator[Case]:
    for number, (truth, status, library, error) in enumerate(CLIENTS):
        frames = tb.user(41, "run", "reply = await client.chat.completions.create(**request)") + tb.library(
            library, 1594, "request"
        )
        said = (200,) if status == 200 else (200, status) if status in (400, 404) else (200,)
        yield one_row(
            f"foreign-client-{number}", truth, replace(FAILED, traceback=tb.in_workflow(frames, error=error), statuses=said)
        )


def _labels() -> Iterator[Case]:
    truths = [Row(n, label="True", reward=0.0, question="Is it even?", answer="true") for n in range(3)]
    yield in_osmosis("foreign-label-truth", "label_format", Eval(truths))
    dates = [Row(n, label=f"2026-03-0{n + 4}", reward=0.0, answer=f"The invoice is from March {n + 4}, 2026.") for n in range(3)]
    yield in_osmosis("foreign-label-date", "label_format", Eval(dates))
    wrong = [
        Row(n, label=label, reward=0.0, answer=answer)
        for n, (label, answer) in enumerate((("北京", "答案是上海。"), ("南京", "答案是南京。")))
    ]
    wrong[1] = replace(wrong[1], reward=1.0)
    yield in_osmosis("foreign-wrong-city", "wrong_answer", Eval(wrong), kind="decoy")
    near = [Row(n, label="12.5", reward=0.0, answer="It comes to 12.05.") for n in range(3)]
    yield in_osmosis("foreign-wrong-digits", "wrong_answer", Eval(near), kind="decoy")


def _scores() -> Iterator[Case]:
    yield in_osmosis("foreign-half", "below_pass_threshold", Eval([Row(0, reward=0.5), Row(1)], threshold=0.8))
    yield in_osmosis("foreign-half-is-enough", PASS, Eval([Row(0, reward=0.5), Row(1)], threshold=0.5), kind="decoy")
    yield in_osmosis(
        "foreign-zero-under-threshold", "wrong_answer", Eval([Row(0, reward=0.0, answer="It is 12."), Row(1)], threshold=0.8)
    )
    nothing = Eval([Row(0, reward=0.0, answer="It is 12."), Row(1)], threshold=0.0)
    yield in_osmosis("foreign-nothing-is-enough", PASS, nothing, kind="decoy")
    yield in_osmosis("foreign-penalty", "wrong_answer", Eval([Row(0, reward=-1.0, answer="It is 12."), Row(1)]), kind="decoy")


def _bytes() -> Iterator[Case]:
    """A log with carriage returns and the colours of the rollout's own logging."""
    row = replace(
        FAILED,
        traceback=tb.http(429, "Too Many Requests", FAILED.id),
        statuses=(200, 429),
        printed=("\x1b[33mWARNING\x1b[0m rétry №3 …",),
    )

    def write(root: Path) -> Place:
        folder = osmosis.write_eval(root / ".osmosis/evals/dev-run", Eval([row, Row(1)]))
        log = folder / "logs.txt"
        write_text(log, log.read_text(encoding="utf-8").replace("\n", "\r\n"))
        return Place(folder, "0.0")

    yield Case("osmosis-foreign-carriage-returns", "rate_limited", "fault", "osmosis", "rollout", write)


def _calls() -> Iterator[Case]:
    empty = Eval([], planned=4, status="running", start=healthy_start(4, upto="deps"))
    coloured = (
        "\x1b[31mError:\x1b[0m uv sync failed for rollouts/sums with exit code 2: No solution found when resolving dependencies\n"
    )
    yield in_osmosis("foreign-coloured-error", "dependency_failure", empty, None, error=coloured)
    wrapped = "\x1b[1;31mError: \x1b[0mrollout server exited with code 1 before becoming healthy:\r\nSyntaxError: '(' was never closed\r\n"
    begun = Eval([], planned=4, status="running", start=healthy_start(4, upto="server"))
    yield in_osmosis("foreign-wrapped-error", "import_failure", begun, None, error=wrapped)
