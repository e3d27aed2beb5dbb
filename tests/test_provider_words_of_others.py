"""Refusals in the words of smaller vendors, local servers and client libraries, each beside a sentence that only looks like it."""

from __future__ import annotations

import pytest

from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import Kind
from whyzero.model import Speaker, Spot, Utterance


def said(text: str, status: int | None = None, code: str | None = None, speaker: Speaker = Speaker.PROVIDER) -> Kind | None:
    return kind_of(Utterance(speaker, text, Spot("agent/log.txt", 1), status=status, code=code))


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("Key limit exceeded (daily limit). Manage it on the settings page", 403, Kind.QUOTA),
        ("API key not allowed: key limits are set per organization", 403, Kind.AUTH),
        ("余额不足或无可用资源包,请充值。", 429, Kind.QUOTA),
        ("您的账户已达到速率限制，请您控制请求频率", 429, Kind.RATE),
        ("您的账户已达到速率限制", None, Kind.RATE),
        ("The request failed because your account has an overdue balance.", 403, Kind.QUOTA),
        ("Your newly created team doesn't have any credits yet.", 403, Kind.QUOTA),
        ("Your team has used all available credits.", 429, Kind.QUOTA),
        ("5-hour limit reached ∙ resets 3am", 429, Kind.QUOTA),
        ("Number of requests has exceeded your per-minute rate limit. Contact billing or see your quota.", 429, Kind.RATE),
        ("You have exhausted your daily quota on this model.", 429, Kind.QUOTA),
        ("the request exceeds the available context size, try increasing it", 400, Kind.CONTEXT),
        ("Prompt length of 558 is longer than the maximum model length of 512.", 400, Kind.CONTEXT),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", 422, Kind.CONTEXT),
        ("The number of tokens to keep is greater than the context length", 400, Kind.CONTEXT),
        ("Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.", 400, Kind.CALL),
        ("Failed to call a function: tools[0].function.name is required", 400, Kind.SHAPE),
        ("This organization has been disabled.", 400, Kind.AUTH),
        ("no healthy upstream", 503, Kind.SERVER),
        ("Could not load the default credentials.", None, Kind.AUTH),
        ("Could not load credentials from any providers", None, Kind.AUTH),
        ("Could not load the page", None, None),
        ("SyntaxError: Unexpected token '<', \"<html><bod\"... is not valid JSON", None, Kind.SERVER),
        ("SyntaxError: Unexpected token 'x' in a rule", None, None),
        ("AI_APICallError", None, Kind.SERVER),
        ("AI_APICallError: Too Many Requests", None, Kind.RATE),
    ],
)
def test_smaller_vendors_and_local_servers(text: str, status: int | None, kind: Kind | None) -> None:
    assert said(text, status) is kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('unexpected status 404 Not Found: {"detail":"Not Found"}, url: http://127.0.0.1:8000/v1/responses', Kind.SHAPE),
        ("404 page not found", Kind.SHAPE),
        ("Invalid URL (POST /v1/responses)", Kind.SHAPE),
        (
            "unexpected status 404 Not Found: The model `gpt-9` does not exist, url: http://127.0.0.1:8000/v1/responses",
            Kind.MODEL,
        ),
        ('{"error": {"message": "model qwen3 not found, try pulling it first"}}', Kind.MODEL),
    ],
)
def test_a_gateway_without_the_route_is_not_one_without_the_model(text: str, kind: Kind) -> None:
    assert said(text, 404) is kind


@pytest.mark.parametrize(
    "text",
    [
        "Unable to connect. Is the computer able to access the url?",
        "Client network socket disconnected before secure TLS connection was established",
        "The operation timed out.",
        "error sending request: dns error: failed to lookup address information",
        "[Errno -2] Name or service not known",
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate",
        "dial tcp: lookup llm.internal: no such host",
    ],
)
def test_nobody_answered(text: str) -> None:
    assert said(text) is Kind.UNREACHABLE
    assert said(text, speaker=Speaker.TOOL) is None
    assert said(text, speaker=Speaker.MODEL) is None
