"""Records of other releases, odd endings and odd tracebacks, each beside a look-alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import PASS, Case, in_osmosis, one_row
from benchmarks.zerobench.osmosis import Eval, Row, healthy_start, write_eval
from benchmarks.zerobench.places import Place, write_text

FAILED = Row(error="agent_error", block="workflow")
DURING = "\nDuring handling of the above exception, another exception occurred:\n\n"


def cases() -> Iterator[Case]:
    yield from _json_logs()
    yield from _old_words()
    yield from _chains()
    yield from _tracebacks()
    yield from _endings()
    yield from _quiet()


_RECORD = re.compile(r"^(?P<head>\S+Z INFO \[rollout-server\] )\d{4}-\d\d-\d\d \S+ (?P<level>[A-Z]+) [\w.]+: (?P<text>.*)$")


def _as_json(log: str) -> str:
    """The same log of a rollout whose handler writes one JSON object a record."""
    lines: list[str] = []
    head, record = "", {}
    for line in log.splitlines():
        begun = _RECORD.match(line)
        more = line.partition(" INFO [rollout-server] ")[2]
        if record and not begun and more and not more.startswith("INFO:"):
            record["event"] += "\n" + more
            continue
        if record:
            lines.append(head + json.dumps(record))
        record = {"level": begun["level"].lower(), "event": begun["text"]} if begun else {}
        head = begun["head"] if begun else ""
        if not begun:
            lines.append(line)
    return "\n".join(lines) + "\n"


def _json_logs() -> Iterator[Case]:
    rows = {
        "raises": ("workflow_error", replace(FAILED, traceback=tb.in_workflow(tb.user(61, "run", "rate = hits / total"), error="ZeroDivisionError: division by zero"))),
        "limited": ("rate_limited", replace(FAILED, traceback=tb.http(429, "Too Many Requests", FAILED.id), statuses=(200, 429))),
        "unset": ("reward_missing", Row(error="validation_error", block="grader", traceback=tb.no_reward())),
        "wrong": ("wrong_answer", Row(reward=0.0, answer="It is 12.", statuses=(429, 200))),
    }  # fmt: skip
    for name, (truth, row) in rows.items():

        def write(root: Path, row: Row = row) -> Place:
            folder = write_eval(root / ".osmosis/evals/dev-run", Eval([row, Row(1)]))
            log = folder / "logs.txt"
            write_text(log, _as_json(log.read_text(encoding="utf-8")))
            return Place(folder, "0.0")

        yield Case(
            f"osmosis-hostile-json-log-{name}", truth, "decoy" if name == "wrong" else "fault", "osmosis", "rollout", write
        )


def _old_words() -> Iterator[Case]:
    """What builds before 0.3.8 wrote as `error_type`."""
    for word, truth in (
        ("workflow_failed", "workflow_error"),
        ("grader_failed", "grader_error"),
        ("missing_grader_callback", "reward_missing"),
        ("grader_timeout", "grader_timeout"),
    ):
        row = Row(error=word, block="workflow" if word == "workflow_failed" else "grader", quiet=True)
        yield one_row(f"hostile-old-{word}", truth, row)


def _chains() -> Iterator[Case]:
    """What came first decides, and what was handled does not."""
    ask = tb.user(51, "ask", "response.raise_for_status()")
    limited = f"httpx.HTTPStatusError: Client error '429 Too Many Requests' for url 'http://127.0.0.1:46633/v1/rollouts/{FAILED.id}/chat/completions'\n"
    handled = tb.in_workflow(tb.user(55, "run", "self.metrics['limited'] += 1"), error="KeyError: 'limited'")
    yield one_row(
        "hostile-counter-fails-on-429",
        "rate_limited",
        replace(FAILED, traceback=tb.HEAD + ask + limited + DURING + handled, statuses=(200, 429)),
    )
    parse = (
        tb.HEAD
        + tb.user(61, "run", "plan = json.loads(text)")
        + "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n"
    )
    again = tb.in_workflow(tb.user(63, "run", "plan = await self.ask_again(messages)"), ask, error=limited.rstrip("\n"))
    yield one_row(
        "hostile-second-try-limited", "rate_limited", replace(FAILED, traceback=parse + DURING + again, statuses=(200, 429))
    )
    own = tb.HEAD + tb.user(31, "lookup", "return CACHE[city]") + "KeyError: 'Ulm'\n"
    service = tb.in_workflow(
        tb.user(33, "lookup", "reply.raise_for_status()"),
        error="requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://maps.example/v1/models/ulm",
    )
    yield one_row(
        "hostile-cache-miss-then-own-service",
        "workflow_error",
        replace(FAILED, traceback=own + DURING + service, statuses=(200,)),
        "decoy",
    )


def _tracebacks() -> Iterator[Case]:
    quoting = (
        ("ValueError: the page says: openai.RateLimitError: Error code: 429 - {'error': {'code': 'rate_limit_exceeded'}}", "raise ValueError(f'the page says: {page}')"),
        ("RuntimeError: unexpected reply 'litellm.AuthenticationError: invalid api key'", "raise RuntimeError(f'unexpected reply {reply!r}')"),
        ("AssertionError: max_tokens reached? context_length_exceeded", "assert done, note"),
        ("Exception: 余额不足", "raise Exception(note)"),
        ("LookupError: no row for HTTP 503 Service Unavailable", "raise LookupError(note)"),
        ("OSError: [Errno 28] No space left on device", "path.write_text(page)"),
        ("MemoryError", "grid = [0] * size"),
        ("RecursionError: maximum recursion depth exceeded", "return self.walk(node)"),
        ("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte", "text = raw.decode()"),
        ("sqlite3.OperationalError: database is locked", "db.execute(query)"),
        ("playwright._impl._errors.TimeoutError: Page.goto: Timeout 30000ms exceeded.", "await page.goto(url)"),
        ("docker.errors.ImageNotFound: 404 Client Error: Not Found (\"No such image: sums:latest\")", "docker.containers.run(IMAGE)"),
    )  # fmt: skip
    for number, (error, source) in enumerate(quoting):
        trace = tb.in_workflow(tb.user(58, "run", "value = await self.work(question)"), tb.user(71, "work", source), error=error)
        yield one_row(f"hostile-quoting-{number}", "workflow_error", replace(FAILED, traceback=trace, statuses=(200,)), "decoy")


def _endings() -> Iterator[Case]:
    yield one_row("hostile-over-one", PASS, Row(reward=1.5), "decoy")
    yield one_row("hostile-almost", "below_pass_threshold", Row(reward=0.999999))
    running = Eval([Row(0, reward=0.0, answer="It is 12."), Row(1)], status="running")
    yield in_osmosis("hostile-never-finalized-wrong", "wrong_answer", running, "0.0", "decoy")
    skipped = Row(status="skipped", reward=None, printed=("2026-09-03 07:15:20,500 ERROR sums: 429 Too Many Requests",))
    yield one_row("hostile-skipped-with-errors", "skipped", skipped, "decoy")
    talk = Row(reward=0.0, answer="I can't help with that; my API key was rejected (401).")
    yield one_row("hostile-model-claims-401", "wrong_answer", talk, "decoy")
    chinese = Row(reward=0.0, answer="请求过于频繁,请稍后再试。答案是 12。")
    yield one_row("hostile-model-claims-limit", "wrong_answer", chinese, "decoy")
    declined = Row(reward=0.0, answer="I'm sorry, but I can't assist with that request.")
    yield one_row("hostile-model-declines", "wrong_answer", declined, "decoy")
    called = {"tool_call_id": "c1", "function_name": "fetch", "arguments": {"url": "https://x.example"}}
    broken = {"tool_call_id": "c2", "function_name": "fetch", "arguments": {"_raw": "{"}}
    yield one_row(
        "hostile-broken-call-then-wrong",
        "wrong_answer",
        Row(reward=0.0, answer="It is 12.", calls=(called, broken), statuses=(200, 200)),
        "decoy",
    )
    restarted = [
        *healthy_start(2),
        ("WARNING", "server", 'retrying startup on a new port {"error":"address already in use"}'),
        *healthy_start(2),
    ]
    yield in_osmosis(
        "hostile-second-start-wrong",
        "wrong_answer",
        Eval([Row(0, reward=0.0, answer="It is 12."), Row(1)], start=restarted),
        "0.0",
        "decoy",
    )


def _quiet() -> Iterator[Case]:
    """Without the log nothing tells why a row has no sample; what the record alone proves is still said."""

    def without_log(name: str, truth: str, row: Row, kind: str = "fault") -> Case:
        def write(root: Path) -> Place:
            folder = write_eval(root / ".osmosis/evals/dev-run", Eval([row, Row(1)]))
            (folder / "logs.txt").unlink()
            return Place(folder, "0.0")

        return Case(f"osmosis-{name}", truth, kind, "osmosis", "rollout", write)

    yield without_log("hostile-no-log-wrong", "wrong_answer", Row(reward=0.0, answer="It is 12."), "decoy")
    yield without_log("hostile-no-log-nobody-graded", "reward_missing", Row(error="rollout_failed", label="84"))
    yield without_log("hostile-no-log-grader", "grader_error", Row(error="agent_error", block="grader"))

    def garbled(root: Path) -> Place:
        row = replace(FAILED, traceback=tb.http(429, "Too Many Requests", FAILED.id), statuses=(200, 429))
        folder = write_eval(root / ".osmosis/evals/dev-run", Eval([row, Row(1)]))
        log = folder / "logs.txt"
        write_text(log, "\ufeff" + log.read_text(encoding="utf-8") + "x" * 200_000 + "\n\x00\x1b[31mERROR\x1b[0m half a li")
        return Place(folder, "0.0")

    yield Case("osmosis-hostile-garbled-log", "rate_limited", "fault", "osmosis", "rollout", garbled)
