"""The server for the official conformance suite: the real `build_server()`, and with `--fixtures` what the suite calls by name.

The suite calls tools, prompts and resources that no real server has. Here they stand on the real one, so that its guards, schemas and
transport are under test and nothing else has to be believed. Never installed, and without the token: it listens on loopback only.

    python tests/conformance/fixture_server.py PORT [--fixtures]
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import uvicorn
from mcp import MCPDeprecationWarning
from mcp.server import MCPServer
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, Resolve, UserMessage
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel, Field

from whyzero.mcp_server import build_server

warnings.simplefilter("ignore", MCPDeprecationWarning)

IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
Ctx = Context[Any, Any]


def text(said: str) -> TextContent:
    return TextContent(type="text", text=said)


def image() -> ImageContent:
    return ImageContent(type="image", data=IMAGE, mime_type="image/png")


def embedded(uri: str, said: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=said))


# ---- contents


def add_contents(server: MCPServer) -> None:
    @server.tool(structured_output=False)
    def test_simple_text() -> str:
        """Plain text."""
        return "This is a simple text response for testing."

    @server.tool(structured_output=False)
    def test_image_content() -> ImageContent:
        """An image."""
        return image()

    @server.tool(structured_output=False)
    def test_audio_content() -> AudioContent:
        """A sound."""
        return AudioContent(type="audio", data=SOUND, mime_type="audio/wav")

    @server.tool(structured_output=False)
    def test_embedded_resource() -> EmbeddedResource:
        """A resource inside the answer."""
        return embedded("test://embedded-resource", "This is an embedded resource content.")

    @server.tool(structured_output=False)
    def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
        """Several kinds at once."""
        mixed = embedded("test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json")
        return [text("Multiple content types test:"), image(), mixed]

    @server.tool(structured_output=False)
    def test_error_handling() -> str:
        """An error."""
        raise ToolError("This tool intentionally returns an error for testing")

    async def speak(ctx: Ctx) -> str:
        for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.info(said)
            await asyncio.sleep(0.05)
        return "Tool with logging executed successfully"

    @server.tool(structured_output=False)
    async def test_tool_with_logging(ctx: Ctx) -> str:
        """Log messages, then an answer."""
        return await speak(ctx)

    @server.tool(structured_output=False)
    async def test_logging_tool(ctx: Ctx) -> str:
        """The same; who asked for no level hears none."""
        return await speak(ctx)

    @server.tool(structured_output=False)
    async def test_tool_with_progress(ctx: Ctx) -> str:
        """Progress, then an answer."""
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100, f"Completed step {done} of 100")
            await asyncio.sleep(0.05)
        return "Completed"


# ---- questions to the client, handshake era


class Response(BaseModel):
    response: str = Field(description="User's response")


class Defaults(BaseModel):
    name: str = Field(default="John Doe", description="User name")
    age: int = Field(default=30, description="User age")
    score: float = Field(default=95.5, description="User score")
    status: str = Field(
        default="active", description="User status", json_schema_extra={"enum": ["active", "inactive", "pending"]}
    )
    verified: bool = Field(default=True, description="Verification status")


def _titled(**titles: str) -> list[dict[str, str]]:
    return [{"const": const, "title": title} for const, title in titles.items()]


class Choices(BaseModel):
    untitledSingle: str = Field(json_schema_extra={"enum": ["option1", "option2", "option3"]})
    titledSingle: str = Field(json_schema_extra={"oneOf": _titled(value1="First", value2="Second", value3="Third")})
    legacyEnum: str = Field(json_schema_extra={"enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]})
    untitledMulti: list[str] = Field(json_schema_extra={"items": {"type": "string", "enum": ["option1", "option2", "option3"]}})
    titledMulti: list[str] = Field(
        json_schema_extra={"items": {"anyOf": _titled(value1="First", value2="Second", value3="Third")}}
    )


def confirmation() -> Elicit[Response]:
    """Asked before the tool runs."""
    return Elicit("Please answer", Response)


def add_questions(server: MCPServer) -> None:
    async def elicit(ctx: Ctx, message: str, schema: type[BaseModel]) -> str:
        result = await ctx.elicit(message=message, schema=schema)
        content = result.data.model_dump_json() if isinstance(result, AcceptedElicitation) else "{}"
        return f"User response: action={result.action}, content={content}"

    @server.tool(structured_output=False)
    async def test_elicitation(message: str, ctx: Ctx) -> str:
        """Asks the user."""
        return await elicit(ctx, message, Response)

    @server.tool(structured_output=False)
    async def test_elicitation_sep1034_defaults(ctx: Ctx) -> str:
        """Asks with defaults."""
        return await elicit(ctx, "Please provide user information", Defaults)

    @server.tool(structured_output=False)
    async def test_elicitation_sep1330_enums(ctx: Ctx) -> str:
        """Asks with choices."""
        return await elicit(ctx, "Please select values", Choices)

    @server.tool(structured_output=False)
    async def test_sampling(prompt: str, ctx: Ctx) -> str:
        """Asks the client's model."""
        messages = [SamplingMessage(role="user", content=text(prompt))]
        result = await ctx.session.create_message(messages=messages, max_tokens=100)
        return f"LLM response: {getattr(result.content, 'text', '')}"

    @server.tool(structured_output=False)
    async def test_streaming_elicitation(answer: Annotated[ElicitationResult[Response], Resolve(confirmation)]) -> str:
        """Asks in whichever way the connection knows."""
        return f"action={answer.action}"


# ---- input_required, modern era


def form(message: str, **fields: str) -> ElicitRequest:
    properties = {name: {"type": kind} for name, kind in fields.items()}
    schema = {"type": "object", "properties": properties, "required": list(fields)}
    return ElicitRequest(method="elicitation/create", params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(question: str, max_tokens: int = 100) -> CreateMessageRequest:
    messages = [SamplingMessage(role="user", content=text(question))]
    params = CreateMessageRequestParams(messages=messages, max_tokens=max_tokens)
    return CreateMessageRequest(method="sampling/createMessage", params=params)


def roots() -> ListRootsRequest:
    return ListRootsRequest(method="roots/list")


def asked(requests: Mapping[str, InputRequest], state: str | None = None) -> InputRequiredResult:
    return InputRequiredResult(input_requests=dict(requests), request_state=state)


def answer(ctx: Ctx, name: str) -> Any:
    """What the client answered under this name; None where it did not, or with something else than an answer."""
    given = (ctx.input_responses or {}).get(name)
    if isinstance(given, ElicitResult):
        return given.content if given.action == "accept" and given.content else None
    return given


def add_input_required(server: MCPServer) -> None:
    def tool(name: str, requests: Mapping[str, InputRequest], state: str | None = None) -> None:
        """Asks until all is answered; then says what was."""

        async def run(ctx: Ctx) -> Any:
            answers = {key: answer(ctx, key) for key in requests}
            if any(value is None for value in answers.values()) or (state and ctx.request_state != state):
                return asked(requests, state)
            said = {
                key: value.model_dump(mode="json") if isinstance(value, BaseModel) else value for key, value in answers.items()
            }
            return f"Hello! {'state-ok ' if state else ''}{json.dumps(said)}"

        run.__doc__ = "Asks for input."
        server.add_tool(run, name=name, structured_output=False)

    who, confirm = form("What is your name?", name="string"), form("Please confirm", ok="boolean")
    prefix = "test_input_required_result"
    tool(f"{prefix}_elicitation", {"user_name": who})
    tool(f"{prefix}_sampling", {"capital_question": sampling("What is the capital of France?")})
    tool(f"{prefix}_list_roots", {"client_roots": roots()})
    tool(f"{prefix}_request_state", {"confirm": confirm}, "opaque")
    tool(f"{prefix}_tampered_state", {"confirm": confirm}, "opaque")
    several = {"user_name": who, "greeting": sampling("Generate a greeting", 50), "client_roots": roots()}
    tool(f"{prefix}_multiple_inputs", several, "several")

    @server.tool(name=f"{prefix}_multi_round", structured_output=False)
    async def multi_round(ctx: Ctx) -> Any:
        """Asks twice, one after the other."""
        if ctx.request_state is None or not (answer(ctx, "step1") or ctx.request_state == "second"):
            return asked({"step1": form("Step 1: What is your name?", name="string")}, "first")
        if answer(ctx, "step2") is None:
            return asked({"step2": form("Step 2: What is your favorite color?", color="string")}, "second")
        return "Both are answered."

    @server.tool(name=f"{prefix}_capabilities", structured_output=False)
    async def capabilities(ctx: Ctx) -> Any:
        """Asks only for what the client can do."""
        can = ctx.client_capabilities
        possible: dict[str, InputRequest] = {}
        if can and can.elicitation:
            possible["user_name"] = who
        if can and can.sampling:
            possible["greeting"] = sampling("Generate a greeting", 50)
        if possible and not ctx.input_responses:
            return asked(possible)
        return "Done."

    @server.tool(structured_output=False)
    async def test_missing_capability(ctx: Ctx) -> str:
        """Needs a client with sampling."""
        if not (ctx.client_capabilities and ctx.client_capabilities.sampling):
            needed = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "This tool needs the client capability sampling.", needed)
        return "The client has it."


# ---- prompts and resources


def add_prompts(server: MCPServer) -> None:
    @server.prompt()
    def test_simple_prompt() -> list[UserMessage]:
        """Without arguments."""
        return [UserMessage("This is a simple prompt for testing.")]

    @server.prompt()
    def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
        """With two."""
        return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:
        """With a resource inside."""
        return [UserMessage(embedded(resourceUri, "Embedded resource content for testing.")), UserMessage("Please process it.")]

    @server.prompt()
    def test_prompt_with_image() -> list[UserMessage]:
        """With an image inside."""
        return [UserMessage(image()), UserMessage("Please analyze the image above.")]

    @server.prompt()
    async def test_input_required_result_prompt(ctx: Ctx) -> Any:
        """Asks first."""
        given = answer(ctx, "user_context")
        if given is None:
            return asked({"user_context": form("What context should the prompt use?", context="string")})
        return [UserMessage(f"Context: {given['context']}")]


def add_test_resources(server: MCPServer) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        """Text."""
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        """Bytes."""
        return base64.b64decode(IMAGE)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:
        """By template."""
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    @server.resource("test://watched-resource", mime_type="text/plain")
    def watched() -> str:
        """One that can be subscribed to."""
        return "Watched resource content"


def add_handshake_methods(server: MCPServer) -> None:
    """Subscriptions and log levels have no public place in the SDK any more: they left the protocol with 2026-07-28."""

    async def nothing(*_: Any) -> EmptyResult:
        return EmptyResult()

    low = server._lowlevel_server
    low.add_request_handler("resources/subscribe", SubscribeRequestParams, nothing)
    low.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, nothing)
    low.add_request_handler("logging/setLevel", SetLevelRequestParams, nothing)


def server(folder: Path, fixtures: bool) -> MCPServer:
    """The real server, and on it what the suite calls."""
    made = build_server([folder])
    if fixtures:
        for add in (add_contents, add_questions, add_input_required, add_prompts, add_test_resources, add_handshake_methods):
            add(made)
    return made


def main() -> None:
    """Serve until stopped."""
    with tempfile.TemporaryDirectory() as folder:
        app = server(Path(folder), "--fixtures" in sys.argv).streamable_http_app(host="127.0.0.1")
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")


if __name__ == "__main__":
    main()
