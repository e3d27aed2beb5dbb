"""What stands between a tool and the client: every failure becomes a sentence of ours that says what to do next."""

from __future__ import annotations

import logging
import re
import sys
import traceback
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult
from pydantic import ValidationError

from whyzero.errors import UsageError, WhyzeroError
from whyzero.mcp_server.roots import Roots
from whyzero.text import clean

ERROR_LIMIT = 600
"""Characters of an error; hosts cut long ones."""

CRASHED = (
    "whyzero itself failed on this call; the server goes on. Ask for one trial with `trial`, or for another path; "
    "the server's standard error says where in whyzero it happened."
)

log = logging.getLogger("whyzero")


class GuardedServer(MCPServer[Any]):
    """An MCP server whose errors hold our words only: no foreign exception text, no rejected values, no tracebacks."""

    def __init__(self, *, roots: Roots, **settings: Any) -> None:
        super().__init__(**settings)
        self._roots = roots

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        tools = {tool.name: tool for tool in await self.list_tools()}
        if name not in tools:
            raise ToolError(f"There is no tool `{clean(name, 60)}`. The tools are: {', '.join(tools)}.")
        names = list(tools[name].input_schema["properties"])
        if unknown := [one for one in arguments if one not in names]:
            raise ToolError(f"There is no argument `{clean(unknown[0], 60)}`. {_those(names)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            match error.__cause__:
                case ValidationError() as cause:
                    words = f"{_what_is_wrong(cause)} {_those(names)}"
                case UsageError() as cause:
                    words = f"{self._in_words_of_the_tool(str(cause), names)} {_those(names)}"
                case WhyzeroError() as cause:
                    words = self._in_words_of_the_tool(str(cause), names)
                case cause:
                    log.error("%s failed: %s", name, _where(cause or error))
                    words = CRASHED
        raise ToolError(clean(words, ERROR_LIMIT))

    def _in_words_of_the_tool(self, words: str, arguments: list[str]) -> str:
        """Flags of the command line become arguments, and the roots are left out of paths."""

        def argument(flag: re.Match[str]) -> str:
            name = flag[1].replace("-", "_")
            return next((f"`{one}`" for one in (name, f"{name}s") if one in arguments), flag[0])

        for folder in self._roots.folders:
            words = words.replace(f"{folder}/", "")
        return re.sub(r"--([a-z][a-z-]*[a-z])", argument, words)

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        prompts = {prompt.name: [one.name for one in prompt.arguments or ()] for prompt in await self.list_prompts()}
        if name not in prompts:
            raise MCPError(INVALID_PARAMS, f"There is no prompt `{clean(name, 60)}`. The prompts are: {', '.join(prompts)}.")
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError:
            words = f"The prompt `{name}` cannot be made from these arguments. It takes: {', '.join(prompts[name])}."
        raise MCPError(INVALID_PARAMS, words)


def _those(names: list[str]) -> str:
    return f"The arguments are: {', '.join(names)}."


def _what_is_wrong(error: ValidationError) -> str:
    """The first three faults of the arguments, naming fields and never values."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    said = [_fault(".".join(clean(str(part), 40) for part in fault["loc"]), fault["type"], fault["msg"]) for fault in faults[:3]]
    more = f" And {len(faults) - 3} more faults." if len(faults) > 3 else ""
    return f"{' '.join(said)}{more}"


def _fault(name: str, kind: str, message: str) -> str:
    if kind == "missing":
        return f"`{name}` is required."
    if kind == "extra_forbidden":
        return f"There is no argument `{name}`."
    return f"`{name}`: {message[0].lower()}{message[1:]}."


def _where(error: BaseException) -> str:
    """Class and frames of an exception; never its text, which may quote a log."""
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    return f"{type(error).__name__} at " + " < ".join(f"{f.filename}:{f.lineno} {f.name}" for f in reversed(frames))


class _CleanFormatter(logging.Formatter):
    """Log lines obey the same rules as answers: printable, redacted, bounded."""

    def format(self, record: logging.LogRecord) -> str:
        return clean(super().format(record), 4000)


def log_to_stderr() -> None:
    """All logging of the process goes to stderr, warnings and worse; set before the SDK sets up its own."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_CleanFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
