"""Does an exception come from a client of a model? Services of the work's own fail with the same classes and words."""

from __future__ import annotations

import re

from whyzero.causes._osmosis_calls import in_a_tool
from whyzero.model import ExceptionRecord

SDK = re.compile(
    r"^(?:openai|anthropic|litellm|google\.(?:genai|generativeai|api_core)|mistralai|cohere|groq|together|botocore"
    r"|pydantic_ai|ollama|xai_sdk|replicate|fireworks|cerebras)\."
    r"|^strands\.types\.exceptions\.(?:ModelThrottled|ContextWindowOverflow|MaxTokensReached)Exception\b"
)
HTTP_CLIENTS = ("httpx.", "httpcore.", "requests.", "aiohttp.", "urllib3.", "urllib.error.")
ASKS_A_MODEL = re.compile(
    r"^(?:httpx|httpcore|requests|aiohttp|urllib3|urllib\.error|huggingface_hub)\.[^\n]*?https?://\S*/"
    r"(?:chat/completions|v\d\w*/(?:messages|responses|completions)|models/[^/\s:]+:(?:stream)?[gG]enerateContent|converse)\b"
)
"""A bare HTTP client that speaks to a model: the address says so."""
_INFERENCE = re.compile(
    r"(?:site|dist)-packages/(?:huggingface_hub/inference|azure/ai/inference|xai_sdk|google/genai|google/generativeai|vertexai"
    r"|google/cloud/aiplatform|langchain_\w+/chat_models|llama_index/llms)/"
)
"""Where client libraries of models live whose exceptions have classes of other packages."""
_OTHER_SERVICE = re.compile(r"(?:site|dist)-packages/(?:google/cloud/(?!aiplatform)|googleapiclient/)")
_OPERATION = re.compile(r"\bwhen calling the (?P<name>\w+) operation\b")
_OF_BEDROCK = re.compile(r"^(?:Converse|InvokeModel)")
_GRPC = re.compile(r"\bStatusCode\.(?P<code>[A-Z_]+)\b")
_FILE = re.compile(r'^\s+File "([^"]+)", line \d+', re.M)
_QUOTED = re.compile(r"^Error code: \d{3} - ")


def is_client_s(link: str, exception: ExceptionRecord) -> bool:
    """`Class: message` of a chain is that of a model's client library."""
    if not SDK.match(link) or any(_OTHER_SERVICE.search(file) for file in _files(exception)):
        return False
    operation = _OPERATION.search(link) if link.startswith("botocore.") else None
    return operation is None or bool(_OF_BEDROCK.match(operation["name"]))


def _files(exception: ExceptionRecord) -> list[str]:
    """Files of its traceback; a Harbor record holds them as text alone."""
    return [frame.file for frame in exception.frames] or _FILE.findall(exception.traceback)


def from_inference(exception: ExceptionRecord) -> tuple[str, str] | None:
    """(`Class: message` with all its lines, code) of an exception that passed through a client of models; gRPC names its code inside."""
    if not any(_INFERENCE.search(file) for file in _files(exception)):
        return None
    at = exception.traceback.rfind(f"\n{exception.type}: ")
    text = exception.traceback[at + 1 :] if at >= 0 else f"{exception.type}: {exception.message}"
    named = _GRPC.search(text)
    return text, named["code"] if named else exception.type


def may_speak_of_a_model(exception: ExceptionRecord) -> bool:
    """Asked of an exception that is no client's by its class: may its class or message still be a model's answer?

    Where a whole traceback is at hand, a class without a module is the program's own, and a sentence with another beginning than a
    client's is too; of a message without its class the beginning alone is known.
    """
    if exception.type and not exception.frames:
        return True
    if exception.type.startswith(HTTP_CLIENTS):
        fetched = any(frame.function == "get" and not frame.user for frame in exception.frames)
        return not fetched and not in_a_tool(exception)
    return bool(_QUOTED.match(exception.message) or is_client_s(exception.message, exception))
