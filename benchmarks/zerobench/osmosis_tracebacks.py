"""Tracebacks as the rollout server logs them."""

from __future__ import annotations

from benchmarks.zerobench.osmosis import BRIDGE, VENV

HEAD = "Traceback (most recent call last):\n"
CAUSED = "\nThe above exception was the direct cause of the following exception:\n\n"
MAIN = "/home/user/ws/rollouts/sums/main.py"


def frame(file: str, line: int, function: str, source: str = "") -> str:
    text = f'  File "{file}", line {line}, in {function}\n'
    return text + (f"    {source}\n    {'^' * min(len(source), 40)}\n" if source else "")


def user(line: int, function: str, source: str, file: str = MAIN) -> str:
    return frame(file, line, function, source)


def library(path: str, line: int, function: str, source: str = "") -> str:
    return frame(VENV + path, line, function, source)


WORKFLOW = library(
    "osmosis_ai/rollout/backend/local/backend.py", 182, "run_workflow", "output = coerce_output(await workflow.run(ctx))"
)
GRADER = library("osmosis_ai/rollout/backend/local/backend.py", 241, "run_grader", "await grader.grade(grader_ctx)")
VALIDATED = library(
    "osmosis_ai/rollout/backend/local/backend.py", 244, "run_grader", "validate_sample_has_reward(grader_ctx.sample)"
) + library(
    "osmosis_ai/rollout/utils/rewards.py",
    23,
    "validate_sample_has_reward",
    'raise ValueError("Sample has no reward after grading")',
)


def in_workflow(*frames: str, error: str) -> str:
    return f"{HEAD}{WORKFLOW}{''.join(frames)}{error}\n"


def in_grader(*frames: str, error: str) -> str:
    return f"{HEAD}{GRADER}{''.join(frames)}{error}\n"


def no_reward() -> str:
    return f"{HEAD}{VALIDATED}ValueError: Sample has no reward after grading\n"


def deadline(runner: str, *frames: str) -> str:
    """The SDK's own deadline: the cancelled await, and the TimeoutError made of it."""
    opened = {"run_workflow": WORKFLOW, "run_grader": GRADER}[runner]
    entered = library("osmosis_ai/rollout/backend/local/backend.py", 180, runner, "async with deadline:")
    raised = frame("/usr/local/lib/python3.12/asyncio/timeouts.py", 115, "__aexit__", "raise TimeoutError from exc_val")
    return f"{HEAD}{opened}{''.join(frames)}asyncio.exceptions.CancelledError\n{CAUSED}{HEAD}{entered}{raised}TimeoutError\n"


ASK = user(41, "run", "reply = await self.client.post(url, json=payload)")
AWAITED = library("httpx/_client.py", 1853, "post", "return await self.request(") + library(
    "httpcore/_async/connection_pool.py", 256, "handle_async_request"
)


def http(status: int, words: str, row_id: str, line: int = 43) -> str:
    """`response.raise_for_status()` on the bridge's answer."""
    kind = "Client" if status < 500 else "Server"
    raised = library(
        "httpx/_models.py", 829, "raise_for_status", "raise HTTPStatusError(message, request=request, response=self)"
    )
    said = f"httpx.HTTPStatusError: {kind} error '{status} {words}' for url '{BRIDGE.format(id=row_id)}'\nFor more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/{status}"
    return in_workflow(user(line, "run", "response.raise_for_status()"), raised, error=said)
