"""Is a model's message a tool call written out as plain text?

A message that only talks about such syntax is none: the call must stand on lines of its own and end the message.
"""

from __future__ import annotations

import json
import re

_TAGGED = re.compile(
    r"""(?sx) (?:^|\n)[ \t]*
    (?: <tool_call>\s*(?P<json>\{.*\})\s*(?:</tool_call>)?
      | <tool_call>\s*<function=[\w.-]+>.*
      | <function=[\w.-]+>.*(?:</function>)?
      | <(?:antml:)?function_calls>\s*<(?:antml:)?invoke\s+name=.*
      | <(?:antml:)?invoke\s+name=.*
      | <use_mcp_tool>.*</use_mcp_tool>
      | <\|python_start\|>.*
      | <\|tool_calls?_(?:section_)?begin\|>.*
      | <｜tool▁calls?▁begin｜>.*
      | <\|channel\|>commentary\ to=.*
      | \[TOOL_CALLS\]\s*.*
      | ```tool_(?:code|call)\n.*
      | functools\[.*\]
    )\s*$"""
)
_CLOSING = ("</tool_call>", "</function>", "</function_calls>", "</invoke>")
_FENCE = re.compile(r"(?s)^```(?:json)?\s*(\{.*\})\s*```$")
LIMIT = 64 * 2**10


def is_call_as_text(text: str) -> bool:
    text = text[:LIMIT].strip()
    if not text:
        return False
    fenced = _FENCE.match(text)
    if _is_call(fenced.group(1) if fenced else text):
        return True
    match = _TAGGED.search(text)
    if match is None or _quoted(text, match.start()):
        return False
    after = text[max(text.rfind(c) + len(c) for c in _CLOSING if c in text) :] if any(c in text for c in _CLOSING) else ""
    body = match.group("json")
    return not after.strip() and (body is None or _is_call(body) or '"name"' in body)


def _is_call(text: str) -> bool:
    """A JSON object that names a tool and its arguments, and nothing else of weight."""
    if not (text.startswith("{") and text.endswith("}")):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict):
        return False
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    named = isinstance(value.get("name") or value.get("tool") or value.get("tool_name"), str)
    arguments = value.get("arguments", value.get("parameters", value.get("args", value.get("input"))))
    return named and isinstance(arguments, dict | str) and len(value) <= 4


def _quoted(text: str, at: int) -> bool:
    """An odd number of code fences before it: an example, not a call."""
    return text[: at + 1].count("```") % 2 == 1
