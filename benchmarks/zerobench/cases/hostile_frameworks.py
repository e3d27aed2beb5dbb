"""Agent frameworks and gateways: what they raise in a workflow over a provider's answer, a model's text, or the rollout's own doing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import Case, one_row
from benchmarks.zerobench.osmosis import Row

FAILED = Row(error="agent_error", block="workflow")
RUN = tb.user(41, "run", "result = await agent.invoke_async(question)")

RAISED = (
    ("rate_limited", "strands/event_loop/event_loop.py", "strands.types.exceptions.ModelThrottledException: Error code: 429 - {'error': {'message': 'Rate limit reached'}}"),
    ("context_length", "strands/agent/agent.py", "strands.types.exceptions.ContextWindowOverflowException: This model's maximum context length is 8192 tokens."),
    ("output_length", "strands/event_loop/event_loop.py", "strands.types.exceptions.MaxTokensReachedException: Agent has reached an unrecoverable state due to max_tokens limit."),
    ("malformed_output", "dspy/adapters/json_adapter.py", "dspy.utils.exceptions.AdapterParseError: Adapter JSONAdapter failed to parse the LM response."),
    ("malformed_output", "instructor/core/retry.py", "instructor.core.exceptions.InstructorRetryException: 1 validation error for Plan\nsteps\n  Field required [type=missing, input_value={}, input_type=dict]"),
    ("rate_limited", "instructor/core/retry.py", "instructor.core.exceptions.InstructorRetryException: Error code: 429 - {'error': {'message': 'Rate limit reached', 'code': 'rate_limit_exceeded'}}"),
    ("malformed_output", "smolagents/agents.py", "smolagents.utils.AgentParsingError: Error while parsing tool call from model output"),
    ("malformed_output", "langchain_core/output_parsers/json.py", "langchain_core.exceptions.OutputParserException: Invalid json output: I think"),
    ("refusal", "google/generativeai/generative_models.py", "google.generativeai.types.generation_types.StopCandidateException: finish_reason: SAFETY"),
    ("harness_incompatibility", "openai/_base_client.py", "openai.BadRequestError: Error code: 400 - {'object': 'error', 'message': '\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 'type': 'BadRequestError', 'code': 400}"),
    ("harness_incompatibility", "openai/_base_client.py", "openai.NotFoundError: Error code: 404 - {'detail': 'Not Found'}"),
    ("rate_limited", "openai/_base_client.py", "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 42000.', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}"),
    ("rate_limited", "groq/_base_client.py", "groq.APIStatusError: Error code: 413 - {'error': {'message': 'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 9000', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}"),
    ("provider_error", "openai/_base_client.py", "openai.InternalServerError: <!DOCTYPE html><html><head><title>llm.example | 522: Connection timed out</title></head></html>"),
    ("agent_auth", "anthropic/_base_client.py", "anthropic.PermissionDeniedError: Error code: 403 - {'type': 'error', 'error': {'type': 'forbidden', 'message': 'Request not allowed'}}"),
    ("provider_error", "litellm/main.py", "litellm.Timeout: APITimeoutError - Request timed out. Error_str: Request timed out."),
    ("provider_error", "litellm/main.py", "litellm.APIError: APIError: OpenAIException - Connection error."),
    ("provider_error", "litellm/main.py", "litellm.ServiceUnavailableError: ServiceUnavailableError: BedrockException - {\"message\":\"Bedrock is unable to process your request.\"}"),
    ("quota_exhausted", "litellm/main.py", "litellm.BudgetExceededError: Budget has been exceeded! Current cost: 12.0, Max budget: 10.0"),
    ("agent_auth", "litellm/main.py", "litellm.APIConnectionError: BedrockException - Unable to locate credentials"),
    ("model_not_found", "litellm/main.py", "litellm.BadRequestError: OpenrouterException - {\"error\":{\"message\":\"acme/m9 is not a valid model ID\",\"code\":400}}"),
)  # fmt: skip
OWN = (
    ("strands/tools/executor.py", "strands.types.exceptions.SessionException: could not write the session: rate limit of the disk"),
    ("langgraph/pregel/main.py", "langgraph.errors.InvalidUpdateError: At key 'units': Can receive only one value per step."),
    ("chromadb/api/client.py", "chromadb.errors.NotFoundError: Collection [units] does not exist"),
    ("qdrant_client/http/api_client.py", "qdrant_client.http.exceptions.UnexpectedResponse: Unexpected Response: 404 (Not Found)"),
    ("tavily/async_tavily.py", "tavily.errors.UsageLimitExceededError: This request exceeds your plan's set usage limit."),
    ("tavily/async_tavily.py", "tavily.errors.InvalidAPIKeyError: Unauthorized: missing or invalid API key."),
    ("github/Requester.py", "github.GithubException.RateLimitExceededException: 403 {\"message\": \"API rate limit exceeded\"}"),
    ("stripe/_api_requestor.py", "stripe._error.AuthenticationError: Invalid API Key provided: sk_test"),
    ("slack_sdk/web/async_client.py", "slack_sdk.errors.SlackApiError: The request to the Slack API failed. The server responded with: {'ok': False, 'error': 'ratelimited'}"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    for number, (truth, path, error) in enumerate(RAISED):
        trace = tb.in_workflow(RUN, tb.library(path, 300 + number, "invoke"), error=error)
        yield one_row(f"hostile-framework-{number}", truth, replace(FAILED, traceback=trace, statuses=()))
    search = tb.user(41, "run", "hits = await self.search(question)") + tb.user(
        71, "search", "return await client.find(question)"
    )
    for number, (path, error) in enumerate(OWN):
        trace = tb.in_workflow(search, tb.library(path, 300 + number, "find"), error=error)
        yield one_row(f"hostile-service-{number}", "workflow_error", replace(FAILED, traceback=trace, statuses=(200,)), "decoy")
