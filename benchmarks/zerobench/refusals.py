"""What providers and gateways say when they refuse: by kind, in the vendors' own wordings (facts, not the detectors' patterns)."""

from __future__ import annotations

from benchmarks.zerobench.story import Refusal

RETRIED_KINDS = frozenset({"rate_limited", "provider_error"})
"""Programs try these again by themselves."""


def _all(kind: str, *rows: tuple[str, int | None, str, str]) -> tuple[Refusal, ...]:
    return tuple(Refusal(kind, status, code, message, vendor) for vendor, status, code, message in rows)


REFUSALS: dict[str, tuple[Refusal, ...]] = {
    "rate_limited": _all(
        "rate_limited",
        ("anthropic", 429, "rate_limit_error", "This request would exceed your organization's rate limit of 40,000 input tokens per minute."),
        ("anthropic", 429, "rate_limit_error", "Number of concurrent connections has exceeded your rate limit. Please try again later."),
        ("openai", 429, "rate_limit_exceeded", "Rate limit reached for gpt-5 in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s."),
        ("openai", 429, "rate_limit_exceeded", "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29120, Requested 4100."),
        ("gateway", 429, "throttling_error", "Too many tokens, please wait before trying again."),
        ("google", 429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    ),
    "quota_exhausted": _all(
        "quota_exhausted",
        ("anthropic", 400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."),
        ("anthropic", 400, "invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-06-01 at 00:00 UTC."),
        ("openai", 429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
        ("openai", 429, "billing_hard_limit_reached", "Billing hard limit has been reached"),
        ("gateway", 402, "402", "Insufficient credits. Add more using https://openrouter.ai/settings/credits"),
        ("gateway", 400, "budget_exceeded", "Budget has been exceeded! Current cost: 25.01, Max budget: 25.0"),
        ("google", 429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generate_requests_per_day"),
    ),
    "provider_error": _all(
        "provider_error",
        ("anthropic", 529, "overloaded_error", "Overloaded"),
        ("anthropic", 500, "api_error", "Internal server error"),
        ("openai", 503, "server_is_overloaded", "The server is currently overloaded with other requests. Sorry about that! Please retry later."),
        ("openai", 500, "server_error", "The server had an error while processing your request. Sorry about that!"),
        ("gateway", 502, "bad_gateway", "<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>"),
        ("gateway", None, "connection_error", "Connection error."),
        ("google", 503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    ),
    "agent_auth": _all(
        "agent_auth",
        ("anthropic", 401, "authentication_error", "invalid x-api-key"),
        ("anthropic", 403, "permission_error", "Your API key does not have permission to use the specified resource."),
        ("openai", 401, "invalid_api_key", "Incorrect API key provided: sk-x-*0000. You can find your API key at https://platform.openai.com/account/api-keys."),
        ("openai", 401, "missing_key", "Missing Authentication header"),
        ("gateway", 401, "auth_error", "Authentication Error, Invalid proxy server token passed. Received API Key = sk-...0000"),
        ("google", 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    ),
    "model_not_found": _all(
        "model_not_found",
        ("anthropic", 404, "not_found_error", "model: claude-sonnet-9"),
        ("openai", 404, "model_not_found", "The model `gpt-9` does not exist or you do not have access to it."),
        ("gateway", 404, "model_not_found", "No endpoints found for vendor/unknown-model."),
        ("google", 404, "NOT_FOUND", "models/gemini-9-pro is not found for API version v1beta, or is not supported for generateContent."),
    ),
    "context_length": _all(
        "context_length",
        ("anthropic", 400, "invalid_request_error", "prompt is too long: 204113 tokens > 200000 maximum"),
        ("openai", 400, "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens."),
        ("gateway", 400, "BadRequestError", "The input (40210 tokens) is longer than the model's context length (32768 tokens)."),
        ("gateway", 400, "ValidationException", "Input is too long for requested model."),
        ("google", 400, "INVALID_ARGUMENT", "The input token count (1204113) exceeds the maximum number of tokens allowed (1048576)."),
    ),
    "harness_incompatibility": _all(
        "harness_incompatibility",
        ("anthropic", 400, "invalid_request_error", "tools.0.custom.input_examples: Extra inputs are not permitted"),
        ("anthropic", 400, "invalid_request_error", "messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01."),
        ("openai", 400, "invalid_request_error", "tool type namespace not supported"),
        ("openai", 400, "invalid_request_error", "'type' of tool must be 'function'"),
        ("gateway", 400, "invalid_request_error", "context_management: Extra inputs are not permitted"),
        ("google", 400, "INVALID_ARGUMENT", "* GenerateContentRequest.tools[0].function_declarations[3].parameters.properties: should be non-empty for OBJECT type"),
    ),
}  # fmt: skip
