"""What each protocol takes, and how it holds calls against their results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, model_validator

from .refusal import Refused

Body = dict[str, Any]


class Closed(BaseModel):
    """A part of a request: what is not in the protocol is refused."""

    model_config = ConfigDict(extra="forbid")


class Schema(BaseModel):
    """A JSON schema of an object."""

    type: Literal["object"]
    properties: dict[str, Body]
    required: list[str] = []

    @model_validator(mode="after")
    def only_what_there_is(self) -> Schema:
        assert set(self.required) <= set(self.properties), "required names no property"
        return self


def matched(called: Iterable[str], answered: Iterable[str], refusal: Refused) -> None:
    """Every call has its result, and every result its call."""
    if sorted(called) != sorted(answered):
        raise refusal


# ---- OpenAI chat completions


class ChatFunction(Closed):
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    description: str | None = None
    parameters: Schema
    strict: bool | None = None


class ChatTool(Closed):
    type: Literal["function"]
    function: ChatFunction


class ChatCalled(Closed):
    name: str
    arguments: str


class ChatCall(Closed):
    id: str = Field(min_length=1)
    type: Literal["function"]
    function: ChatCalled


class ChatUser(Closed):
    role: Literal["user", "system"]
    content: str = Field(min_length=1)


class ChatAssistant(Closed):
    role: Literal["assistant"]
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[ChatCall] | None = Field(default=None, min_length=1)


class ChatResult(Closed):
    role: Literal["tool"]
    tool_call_id: str
    content: str


class ChatRequest(Closed):
    model: str
    messages: list[Annotated[ChatUser | ChatAssistant | ChatResult, Discriminator("role")]] = Field(min_length=1)
    tools: list[ChatTool] | None = None
    stream: bool = False

    def results(self) -> list[str]:
        """Contents of the tool results at the end, each belonging to a call of the message before."""
        results = [m for m in self.messages if isinstance(m, ChatResult)]
        calls = next((m.tool_calls for m in reversed(self.messages) if isinstance(m, ChatAssistant)), None) or []
        words = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
        matched([c.id for c in calls], [r.tool_call_id for r in results], Refused(400, "invalid_request_error", words))
        return [r.content for r in results]


# ---- Anthropic messages


class Text(Closed):
    type: Literal["text"]
    text: str = Field(min_length=1)


class Thinking(Closed):
    type: Literal["thinking"]
    thinking: str = Field(min_length=1)
    signature: str = Field(min_length=1)


class ToolUse(Closed):
    type: Literal["tool_use"]
    id: str = Field(pattern=r"^[a-zA-Z0-9_-]+$")
    name: str
    input: Body


class ToolResult(Closed):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str
    is_error: bool = False


Block = Annotated[Text | Thinking | ToolUse | ToolResult, Discriminator("type")]


class Said(Closed):
    role: Literal["user", "assistant"]
    content: str | list[Block] = Field(min_length=1)

    def blocks(self, kind: type[Any]) -> list[Any]:
        return [b for b in self.content if isinstance(b, kind)] if isinstance(self.content, list) else []


class AnthropicTool(Closed):
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,128}$")
    description: str | None = None
    input_schema: Schema


class AnthropicRequest(Closed):
    model: str
    max_tokens: int = Field(ge=1)
    messages: list[Said] = Field(min_length=1)
    tools: list[AnthropicTool] | None = None
    stream: bool = False

    def results(self) -> list[str]:
        for before, after in zip(self.messages, self.messages[1:], strict=False):
            called, answered = [u.id for u in before.blocks(ToolUse)], [r.tool_use_id for r in after.blocks(ToolResult)]
            words = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: " + ", ".join(called)
            matched(called, answered, Refused(400, "invalid_request_error", words))
        if self.messages[-1].role != "user":
            raise Refused(400, "invalid_request_error", "messages: the final message must be from the user")
        return [r.content for r in self.messages[-1].blocks(ToolResult)]


# ---- OpenAI responses


class Input(Closed):
    type: Literal["message"] = "message"
    role: Literal["user", "system", "assistant"]
    content: str = Field(min_length=1)


class FunctionCall(Closed):
    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str
    id: str | None = None
    status: str | None = None


class FunctionOutput(Closed):
    type: Literal["function_call_output"]
    call_id: str
    output: str


class Reasoning(Closed):
    type: Literal["reasoning"]
    id: str
    summary: list[Body]
    status: str | None = None


class ResponsesTool(Closed):
    type: Literal["function"]
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    description: str | None = None
    parameters: Schema
    strict: bool | None = None


class ResponsesRequest(Closed):
    model: str
    input: str | list[FunctionCall | FunctionOutput | Reasoning | Input]
    tools: list[ResponsesTool] | None = None
    store: bool = True
    stream: bool = False

    def results(self) -> list[str]:
        items = self.input if isinstance(self.input, list) else []
        kept = next((i for i in items if isinstance(i, Reasoning)), None)
        if kept and not self.store:
            words = f"Item with id '{kept.id}' not found. Items are not persisted when `store` is set to false."
            raise Refused(404, "invalid_request_error", words)
        calls, outputs = [i for i in items if isinstance(i, FunctionCall)], [i for i in items if isinstance(i, FunctionOutput)]
        words = f"No tool output found for function call {calls[0].call_id if calls else outputs and outputs[0].call_id}."
        matched([c.call_id for c in calls], [o.call_id for o in outputs], Refused(400, "invalid_request_error", words))
        return [o.output for o in outputs]
