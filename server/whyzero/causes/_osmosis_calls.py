"""Did a workflow die of what the model wrote, or of its own tools and data? By the frames and source lines of its traceback."""

from __future__ import annotations

import re

from whyzero.causes._osmosis import short
from whyzero.model import ExceptionRecord, Frame

PARSERS = frozenset({"JSONDecodeError", "ValidationError", "ParserError"})
MODEL_FAULTS = frozenset(
    {
        "ModelBehaviorError",
        "UnexpectedModelBehavior",
        "OutputParserException",
        "InvalidToolCall",
        "AdapterParseError",
        "AgentParsingError",
    }
)
"""What agent frameworks raise when a model's call or answer is not usable."""
_GAVE_UP = "InstructorRetryException"
"""Raised over whatever failed last: the text's form, or the provider."""
_UNKNOWN_TOOL = re.compile(r"^(?:unknown|no such|unsupported|undefined|unrecogni[sz]ed|invalid) (?:tool|function)\b", re.I)
_ARGUMENT = re.compile(r"\b(?:unexpected keyword argument|missing \d+ required (?:positional|keyword-only) arguments?)\b")
_FROM_MODEL = re.compile(
    r"\barguments\b|\b\w*args\b|\btool_(?:calls?|input)\b|\bfunction_call\b|\[[\"']function[\"']\]|\.function\.(?:arguments|name)\b"
    r"|\b(?:\w*messages?|msg|choices?|completion|delta|assistant|output|answer|reply|response|result|generation|turn)"
    r"(?:\[[^\]]*\]|\.\w+)*(?:\[[\"']content[\"']\]|\.content\b)"
)
"""Text that the model wrote, by the names it goes by."""
_FROM_ELSEWHERE = re.compile(
    r"\bmetadata\b|\bconfig\b|\bsettings\b|\boptions\b|\benviron\b|\.read_text\(|\bopen\(|\.read\(|\.text\b|\.json\(|\.stdout\b"
)
_TOOLISH = re.compile(r"tool|\bfunc|function|\bcall|\baction\b|\bfn\b|\bcommand\b", re.I)
_TABLE = re.compile(r"(?P<table>[\w.]+)\[(?P<key>.+)\]")
_OF_TOOLS = re.compile(
    r"(?:^|[._])(?:tools?|functions?|handlers?|actions?|commands?|callables?|dispatch\w*)"
    r"(?:_?(?:map|table|registry|dict|index|by_name|functions?|handlers?|impls?))?$",
    re.I,
)
_BY_NAME = re.compile(r"\bgetattr\([^,]+,\s*(?P<key>[^\"'\s][^)]*)\)")
_SPREAD = re.compile(r"\*\*\s*(?P<operand>[^\s,)][^,)]*)")


def why_unusable(exception: ExceptionRecord) -> str | None:
    """What was wrong with the model's call or answer; None where the workflow's own code, tools or data are at fault."""
    kind, own = short(exception), _deepest_of_users(exception)
    if kind in MODEL_FAULTS or (kind == _GAVE_UP and re.match(r"\d+ validation errors? for ", exception.message)):
        return "The agent framework says that the model's call or answer is not usable."
    if kind in PARSERS:
        return "Text of the model's did not parse." if _parses_model_text(exception) else None
    if in_a_tool(exception):
        return None
    if _UNKNOWN_TOOL.match(exception.message):
        return "The model named a tool there is not."
    if own is None:
        return None
    at_its_line = exception.frames[-1] is own
    if kind == "TypeError" and at_its_line and _ARGUMENT.search(exception.message) and _spreads_arguments(own.source):
        return "The model's arguments do not fit the tool."
    if kind in ("KeyError", "LookupError") and _looked_up(exception.message, own):
        return "The model named a tool there is not."
    if at_its_line and _called_by_name(kind, exception.message, own.source):
        return "The model named a tool there is not."
    return None


def in_a_tool(exception: ExceptionRecord) -> bool:
    """A function was called whose name the calling line does not have: a tool at work, chosen at run time. A decorator's frame counts as none."""
    frames = [frame for frame in exception.frames if frame.user]
    at = 0
    while at < len(frames) - 1:
        named = next((n for n in range(at + 1, len(frames)) if _names(frames[at].source, frames[n].function)), None)
        if named is None and not _hidden(frames[at], frames[at + 1]):
            return True
        at = named or at + 1
    return False


def _names(source: str, function: str) -> bool:
    return re.search(rf"\b{re.escape(function.rsplit('.', 1)[-1])}\b", source) is not None


def _hidden(outer: Frame, inner: Frame) -> bool:
    """The call cannot be seen in the line: it goes over several, or the name is not one that is called by."""
    return not outer.source or outer.source.rstrip().endswith("(") or inner.function.rsplit(".", 1)[-1].startswith(("<", "__"))


def _deepest_of_users(exception: ExceptionRecord) -> Frame | None:
    return next((frame for frame in reversed(exception.frames) if frame.user), None)


def _parses_model_text(exception: ExceptionRecord) -> bool:
    """From the line that called the parser outwards, as long as each line hands on what it was given by name."""
    inner: Frame | None = None
    for frame in reversed([f for f in exception.frames if f.user]):
        handed = frame.source if inner is None else _handed_to(inner.function, frame.source)
        if handed is None:
            continue
        if _FROM_ELSEWHERE.search(handed):
            return False
        if _FROM_MODEL.search(handed):
            return True
        inner = frame
    return False


def _handed_to(function: str, source: str) -> str | None:
    """What a line hands to the function of this name; None where it does not name it."""
    found = re.search(rf"\b{re.escape(function.rsplit('.', 1)[-1])}\b(?P<rest>.*)", source)
    return found["rest"] if found else None


def _spreads_arguments(source: str) -> bool:
    spread = _SPREAD.search(source)
    return bool(spread) and bool(
        re.search(r"\b(?:arg|kwarg|param|input|call|parsed|payload)\w*|json\.loads", spread["operand"] if spread else "", re.I)
    )


def _looked_up(message: str, own: Frame) -> bool:
    """The missing key is no literal of the line, and the line looks tools up by the name the model gave."""
    key = message.strip().strip("'\"")
    found = _TABLE.search(own.source)
    if not key or found is None or f"'{key}'" in own.source or f'"{key}"' in own.source or _FROM_ELSEWHERE.search(found["key"]):
        return False
    if _OF_TOOLS.search(found["table"]) or _TOOLISH.search(found["key"]):
        return True
    return re.search(r"\bname\b", found["key"]) is not None and bool(_TOOLISH.search(own.function + found["table"]))


def _called_by_name(kind: str, message: str, source: str) -> bool:
    """`getattr(tools, name)` found nothing, or `tools.get(name)` did and the nothing was called."""
    if kind == "AttributeError" and "has no attribute" in message:
        found = _BY_NAME.search(source)
        return found is not None and bool(_TOOLISH.search(found["key"]) or found["key"].strip() == "name")
    if kind == "TypeError" and message == "'NoneType' object is not callable":
        return _spreads_arguments(source) or bool(_TOOLISH.search(source) and ".get(" in source)
    return False
