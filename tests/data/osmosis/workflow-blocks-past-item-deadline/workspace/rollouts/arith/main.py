"""arith: a one-tool arithmetic agent that talks to the policy model over plain HTTP."""


import asyncio
import json
import os
import re
import time
from typing import Any

import httpx
import uvicorn

from osmosis_ai.rollout import (
    AgentWorkflow,
    AgentWorkflowContext,
    Grader,
    GraderContext,
    LocalBackend,
    get_rollout_context,
)
from osmosis_ai.rollout.server import create_rollout_server

CALCULATOR = {
    "type": "function",
    "function": {
        "name": "calculator",
        "description": "Work out a op b for whole numbers.",
        "parameters": {
            "type": "object",
            "properties": {
                "a": {"type": "integer"},
                "op": {"type": "string", "enum": ["+", "-", "*"]},
                "b": {"type": "integer"},
            },
            "required": ["a", "op", "b"],
        },
    },
}


def calculate(a: int, op: str, b: int) -> int:
    return {"+": a + b, "-": a - b, "*": a * b}[op]


async def ask_policy(client: httpx.AsyncClient, messages: list[dict[str, Any]]) -> dict[str, Any]:
    rollout = get_rollout_context()
    reply = await client.post(
        f"{rollout.chat_completions_url}/chat/completions",
        headers={"Authorization": f"Bearer {rollout.api_key}"},
        json={"model": "policy", "messages": messages, "tools": [CALCULATOR]},
    )
    reply.raise_for_status()
    body = reply.json()
    message = body["choices"][0]["message"]
    message["usage"] = body.get("usage")
    return message


def last_number(text: str) -> str | None:
    found = re.findall(r"-?\d+", text)
    return found[-1] if found else None


class ArithWorkflow(AgentWorkflow):
    async def run(self, ctx: AgentWorkflowContext) -> list[dict[str, Any]]:
        messages = [dict(message) for message in ctx.prompt]
        time.sleep(75 if '19 + 23' in messages[-1]['content'] else 0)
        async with httpx.AsyncClient(timeout=60) as client:
            for _turn in range(4):
                message = await ask_policy(client, messages)
                messages.append(message)
                calls = message.get("tool_calls") or []
                if not calls:
                    break
                for call in calls:
                    arguments = json.loads(call["function"]["arguments"])
                    result = calculate(**arguments)
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": str(result)})
        return messages


class ArithGrader(Grader):
    async def grade(self, ctx: GraderContext) -> None:
        answer = last_number(ctx.sample.messages[-1].get("content") or "")
        if ctx.artifacts_dir:
            note = json.dumps({"answer": answer, "expected": ctx.label})
            await asyncio.to_thread((ctx.artifacts_dir / "grade.json").write_text, note)
        ctx.set_reward(1.0 if answer == ctx.label else 0.0)


def main() -> None:
    backend = LocalBackend(workflow=ArithWorkflow, grader=ArithGrader)
    app = create_rollout_server(backend=backend)
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("_OSMOSIS_ROLLOUT_PORT", "8000")))


if __name__ == "__main__":
    main()
