"""Refusals as the client libraries of many vendors raise them in a workflow, and the same words where they are none of the model's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import PASS, Case, one_row
from benchmarks.zerobench.osmosis import BRIDGE, Row

FAILED = Row(error="agent_error", block="workflow")
ASK = tb.user(41, "run", "reply = await client.chat.completions.create(**request)")

VENDORS = (
    ("rate_limited", "google/genai/errors.py", "google.genai.errors.ClientError: 429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'Resource exhausted. Please try again later.', 'status': 'RESOURCE_EXHAUSTED'}}"),
    ("provider_error", "google/genai/errors.py", "google.genai.errors.ServerError: 503 UNAVAILABLE. {'error': {'code': 503, 'message': 'The model is overloaded. Please try again later.', 'status': 'UNAVAILABLE'}}"),
    ("rate_limited", "botocore/client.py", "botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling the Converse operation (reached max retries: 4): Too many requests, please wait before trying again."),
    ("agent_auth", "botocore/client.py", "botocore.exceptions.ClientError: An error occurred (UnrecognizedClientException) when calling the InvokeModel operation: The security token included in the request is invalid."),
    ("model_not_found", "botocore/client.py", "botocore.errorfactory.ResourceNotFoundException: An error occurred (ResourceNotFoundException) when calling the Converse operation: This model version has reached the end of its life. Model not found."),
    ("agent_auth", "mistralai/sdkerror.py", "mistralai.models.sdkerror.SDKError: API error occurred: Status 401. Body: {\"detail\":\"Unauthorized\"}"),
    ("rate_limited", "cohere/core/client.py", "cohere.errors.too_many_requests_error.TooManyRequestsError: status_code: 429, body: {'message': 'You are using a Trial key, which is limited to 20 API calls / minute.'}"),
    ("quota_exhausted", "litellm/main.py", "litellm.RateLimitError: RateLimitError: OpenAIException - You exceeded your current quota, please check your plan and billing details."),
    ("provider_error", "litellm/main.py", "litellm.InternalServerError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"),
    ("agent_auth", "litellm/main.py", "litellm.BadRequestError: VertexAIException BadRequestError - {\"error\": {\"code\": 400, \"message\": \"API key not valid. Please pass a valid API key.\", \"status\": \"INVALID_ARGUMENT\", \"details\": [{\"reason\": \"API_KEY_INVALID\"}]}}"),
    ("context_length", "litellm/main.py", "litellm.ContextWindowExceededError: litellm.BadRequestError: VLLMException - This model's maximum context length is 4096 tokens. Please reduce the length of the messages."),
    ("refusal", "litellm/main.py", "litellm.ContentPolicyViolationError: AzureException - The response was filtered due to the prompt triggering Azure OpenAI's content management policy."),
    ("harness_incompatibility", "litellm/main.py", "litellm.UnsupportedParamsError: together_ai does not support parameters: ['parallel_tool_calls'], for model=meta/llama. To drop these, set `litellm.drop_params=True`"),
    ("provider_error", "anthropic/_base_client.py", "anthropic.InternalServerError: Error code: 500 - {'type': 'error', 'error': {'type': 'api_error', 'message': 'Internal server error'}}"),
    ("quota_exhausted", "anthropic/_base_client.py", "anthropic.BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'Your credit balance is too low to access the Anthropic API.'}}"),
    ("provider_error", "openai/_base_client.py", "openai.APITimeoutError: Request timed out."),
    ("provider_error", "openai/_base_client.py", "openai.APIConnectionError: Connection error."),
    ("rate_limited", "pydantic_ai/models/openai.py", "pydantic_ai.exceptions.ModelHTTPError: status_code: 429, model_name: gpt-5-mini, body: {'message': 'Rate limit reached for gpt-5-mini', 'code': 'rate_limit_exceeded'}"),
    ("agent_auth", "huggingface_hub/inference/_client.py", "huggingface_hub.errors.HfHubHTTPError: 401 Client Error: Unauthorized for url: https://router.huggingface.co/v1/chat/completions (Request ID: Root=1-6)"),
    ("model_not_found", "ollama/_client.py", "ollama._types.ResponseError: model \"qwen3:14b\" not found, try pulling it first (status code: 404)"),
    ("rate_limited", "azure/ai/inference/aio/_patch.py", "azure.core.exceptions.HttpResponseError: (429) Too Many Requests: Your requests to gpt-5 have exceeded the token rate limit of your current pricing tier."),
    ("provider_error", "xai_sdk/aio/chat.py", "grpc.aio._call.AioRpcError: <AioRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAVAILABLE\n\tdetails = \"failed to connect to all addresses\"\n>"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    yield from _vendors()
    yield from _retried()
    yield from _own_services()
    yield from _swallowed()


def _vendors() -> Iterator[Case]:
    for number, (truth, path, error) in enumerate(VENDORS):
        trace = tb.in_workflow(ASK, tb.library(path, 300 + number, "create"), error=error)
        yield one_row(f"hostile-vendor-{number}", truth, replace(FAILED, traceback=trace, statuses=()))


def _retried() -> Iterator[Case]:
    """Retry libraries put their own class over the vendor's."""
    inner = (
        tb.HEAD
        + ASK
        + "openai.RateLimitError: Error code: 429 - {'error': {'message': 'slow down', 'code': 'rate_limit_exceeded'}}\n"
    )
    outer = tb.in_workflow(
        tb.user(38, "run", "reply = await self.ask(messages)"),
        tb.library("tenacity/asyncio/__init__.py", 189, "async_wrapped"),
        error="tenacity.RetryError: RetryError[<Future at 0x7f1c state=finished raised RateLimitError>]",
    )
    yield one_row("hostile-retry-library", "rate_limited", replace(FAILED, traceback=inner + tb.CAUSED + outer, statuses=()))
    inner = (
        tb.HEAD + ASK + "litellm.AuthenticationError: AuthenticationError: XaiException - Incorrect API key provided: x***y.\n"
    )
    outer = tb.in_workflow(
        tb.user(44, "run", 'raise RuntimeError("the planner gave up") from error'), error="RuntimeError: the planner gave up"
    )
    yield one_row(
        "hostile-own-class-over-vendors", "agent_auth", replace(FAILED, traceback=inner + tb.CAUSED + outer, statuses=())
    )


def _get(line: int, function: str, source: str) -> str:
    return tb.user(line, function, source) + tb.library("httpx/_client.py", 1768, "get", "return await self.request(")


OWN = (
    (tb.user(71, "place_order", 'raise RateLimitError("ten orders a minute")'), "RateLimitError: ten orders a minute"),
    (tb.user(30, "lookup", 'raise NotFoundError(f"no unit {name}")'), "NotFoundError: no unit parsec"),
    (tb.user(31, "login", 'raise AuthenticationError("the warehouse refused the password")'), "AuthenticationError: the warehouse refused the password"),
    (tb.user(33, "render", "raise Timeout(page)"), "Timeout: page 3"),
    (tb.user(52, "forecast", 'raise RuntimeError(f"weather service: {reply.text}")'), "RuntimeError: weather service: Error code: 429 - slow down"),
    (_get(66, "fetch_page", "page = await client.get(url)"), "httpx.ReadTimeout"),
    (_get(67, "fetch_page", "page = await client.get(url)"), "httpx.ConnectError: All connection attempts failed"),
    (_get(68, "fetch_page", "page = await client.get(url)"), "httpx.ConnectError: [Errno -2] Name or service not known"),
    (tb.user(81, "read_sheet", "sheet = service.values().get(spreadsheetId=KEY).execute()") + tb.library("googleapiclient/http.py", 938, "execute"), "googleapiclient.errors.HttpError: <HttpError 429 when requesting https://sheets.googleapis.com/v4/spreadsheets/x returned \"Quota exceeded for quota metric 'Read requests'\">"),
    (tb.user(84, "search", "rows = await self.es.search(index='units')") + tb.library("elasticsearch/_async/client/utils.py", 44, "wrapped"), "elasticsearch.AuthenticationException: AuthenticationException(401, 'security_exception', 'missing authentication credentials')"),
    (tb.user(85, "upload", "s3.put_object(Bucket=BUCKET, Key=key, Body=body)") + tb.library("botocore/client.py", 1023, "_make_api_call"), "botocore.exceptions.ClientError: An error occurred (AccessDenied) when calling the PutObject operation: Access Denied"),
    (tb.user(86, "download", "s3.get_object(Bucket=BUCKET, Key=key)") + tb.library("botocore/client.py", 1023, "_make_api_call"), "botocore.errorfactory.NoSuchKey: An error occurred (NoSuchKey) when calling the GetObject operation: The specified key does not exist."),
    (tb.user(86, "store", "table.put_item(Item=row)") + tb.library("botocore/client.py", 1023, "_make_api_call"), "botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling the PutItem operation (reached max retries: 4): Rate exceeded"),
    (tb.user(86, "sum_up", "rows = list(bigquery.query(sql))") + tb.library("google/cloud/bigquery/client.py", 3000, "query"), "google.api_core.exceptions.ResourceExhausted: 429 Quota exceeded: too many concurrent queries"),
    (tb.user(87, "query", "await self.redis.get(key)") + tb.library("redis/asyncio/connection.py", 290, "connect"), "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."),
    (tb.user(88, "read", "text = await asyncio.to_thread(Path(name).read_text)"), "PermissionError: [Errno 13] Permission denied: '/srv/tables/units.json'"),
    (tb.user(89, "run", 'assert reply.finish_reason != "content_filter", reply'), "AssertionError: Choice(finish_reason='stop', text='429')"),
)  # fmt: skip


def _own_services() -> Iterator[Case]:
    """Classes and words of refusals, by services and classes of the workflow's own: no model was asked there."""
    for number, (frames, error) in enumerate(OWN):
        trace = tb.in_workflow(tb.user(58, "run", "value = await self.work(question)"), frames, error=error)
        yield one_row(
            f"hostile-own-service-{number}", "workflow_error", replace(FAILED, traceback=trace, statuses=(200,)), "decoy"
        )


def _swallowed() -> Iterator[Case]:
    """The workflow catches the refusal and returns what it has: nothing of it is the model's."""
    sorry = Row(reward=0.0, answer="Sorry, something went wrong.")
    yield one_row("hostile-swallowed-429", "rate_limited", replace(sorry, statuses=(429, 429, 429)))
    yield one_row("hostile-swallowed-502", "provider_error", replace(sorry, statuses=(502,)))
    yield one_row("hostile-swallowed-401", "agent_auth", replace(sorry, statuses=(401,)))
    wrong = Row(reward=0.0, answer="HTTP 429 means too many requests, so the answer is 429.")
    yield one_row("hostile-retried-then-wrong", "wrong_answer", replace(wrong, statuses=(429, 503, 200)), "decoy")
    yield one_row("hostile-critic-refused", "wrong_answer", replace(wrong, statuses=(200, 429)), "decoy")
    call = {"tool_call_id": "c1", "function_name": "multiply", "arguments": {"a": 12, "b": 7}}
    yield one_row("hostile-swallowed-after-a-call", "rate_limited", replace(sorry, statuses=(200, 429), calls=(call,)))
    printed = (
        "2026-09-03 07:15:20,500 ERROR sums: policy failed, trying again",
        "Traceback (most recent call last):",
        f'  File "{tb.MAIN}", line 51, in ask',
        "    response.raise_for_status()",
        f"httpx.HTTPStatusError: Client error '429 Too Many Requests' for url '{BRIDGE.format(id=wrong.id)}'",
    )
    yield one_row("hostile-logged-then-wrong", "wrong_answer", replace(wrong, statuses=(429, 200), printed=printed), "decoy")
    right = replace(wrong, reward=1.0, answer="The answer is 84.")
    yield one_row("hostile-logged-then-right", PASS, replace(right, statuses=(429, 200), printed=printed), "decoy")
    dies = tb.in_workflow(tb.user(61, "run", "rate = hits / total"), error="ZeroDivisionError: division by zero")
    late = replace(FAILED, traceback=dies, statuses=(429, 200), printed=printed)
    yield one_row("hostile-logged-then-own-fault", "workflow_error", late, "decoy")
