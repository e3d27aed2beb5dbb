"""The words of model providers, gateways and client libraries, one entry per kind of refusal, in the order of the tests.

An entry has typed codes (compared exactly) and texts (searched in the provider's own words only). Body beats status and a
precise kind beats a general one, so the order matters: a 400 may be about money, a 429 about a registry's token bucket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a provider (or the client library in front of it) refused, and on what ground."""

    DEPENDENCY = "dependency"
    """A Python package is missing; the request never left."""
    CALL = "unusable_call"
    """The provider itself could not read the call the model had written."""
    SHAPE = "shape"
    """The request's form: tool definitions, tool_use/tool_result pairing, an unknown parameter."""
    QUOTA = "quota"
    FILTER = "content_filter"
    RATE = "rate_limit"
    OUTPUT = "output_length"
    CONTEXT = "context_length"
    OVERLOAD = "overload"
    AUTH = "auth"
    MODEL = "model_not_found"
    SERVER = "server_error"
    UNREACHABLE = "unreachable"
    """A timeout, a dropped stream, no connection."""
    REJECTED = "rejected"
    """A 400 or 422 for a reason this table does not know."""


@dataclass(frozen=True, slots=True)
class Words:
    """How one kind of provider error is told: typed codes, else words in the body."""

    kind: Kind
    codes: frozenset[str]
    text: re.Pattern[str]


def _words(kind: Kind, codes: str, *patterns: str) -> Words:
    return Words(kind, frozenset(codes.split()), re.compile("|".join(patterns) or r"(?!)", re.I))


GRAMMAR: tuple[Words, ...] = (
    _words(Kind.DEPENDENCY, "ModuleNotFoundError ImportError", r"\bNo module named\b", r"\bcannot import name '"),
    _words(Kind.CALL, "tool_use_failed", r"\bfailed_generation\b", r"^Failed to call a function\. Please adjust"),
    _words(
        Kind.SHAPE,
        "UnsupportedParamsError UnsupportedModelParametersError unsupported_parameter unknown_parameter unsupported_value "
        "invalid_function_parameters role_ordering",
        r"Extra inputs are not permitted",
        r"\btool type \S+ not supported",
        r"'type' of tool must be",
        r"\btools\.(?:namespace|\d+\.)",
        r"\btools?\[\d+\]",
        r"tool use concurrency issues",
        r"`?tool_use`? ids? were found without",
        r"unexpected `?tool_use_id`?",
        r"unexpected `tool_result`|`tool_result` block",
        r"No tool (?:output|call) found for function call",
        r"each tool_use must have a single result",
        r"tool_calls'? must be followed by tool messages",
        r"messages with role '?tool'? must be a response",
        r"(?:does not|doesn't) support (?:tools?|function call|tool (?:use|calls?))\b",
        r"tool (?:use|calling|choice) (?:is )?not supported",
        r"No endpoints found that support tool use",
        r"Invalid schema for function",
        r"Unsupported (?:parameter|value)\b|Unknown parameter\b|Unrecognized request argument",
        r"Thinking blocks? .*cannot be modified|Expected `thinking`",
        r"represented losslessly on this protocol",
        r"missing \d+ required positional argument",
        r"roles must alternate",
        # no such route: the gateway does not speak the protocol at all
        r"\bInvalid URL \((?:GET|POST) /|\bCannot (?:GET|POST) /|^404 page not found|\bUnrecognized request URL|no Route matched with those values",
        r"""(?<!\w)\{["']detail["']: ?["']Not Found["']\}""",
        r"does not support assistant message prefill|support assistant message prefill",
    ),
    _words(
        Kind.QUOTA,
        "insufficient_quota usage_limit_reached usage_limit_exceeded billing_hard_limit_reached billing_error billing_not_active "
        "budget_exceeded BudgetExceededError payment_required insufficient_user_quota exceeded_current_quota_error "
        "insufficient_balance Arrearage FreeUsageLimitError CreditsError TerminalQuotaError AccountOverdueError",
        r"credit balance is too low",
        r"\b(?:billing|spend(?:ing)?) hard limit",
        r"reached your specified API usage limits",
        r"insufficient (?:credits?|balance|funds|quota)",
        r"requires more credits|can only afford \d",
        r"(?:budget|spend(?:ing)?|usage) (?:limit )?(?:has been )?exceeded",
        r"\bBudget limit exceeded",
        r"(?:hit|reached|exceeded) your (?:\w+ ){0,2}(?:usage|session|weekly|monthly|spend(?:ing)?|credit|5-hour|Opus|Sonnet) limit",
        r"You[’']ve hit your limit",
        r"\busage limit reached|\bmonthly (?:usage|spend\w*) (?:limit|cap)\b",
        r"\b(?:5-hour|daily|weekly|monthly|session|Opus|Sonnet|key) limit (?:reached|exceeded)",
        r"exhausted your (?:daily |monthly )?quota",
        r"(?:doesn't|does not|don't|do not) have any credits|used all (?:of )?(?:your |the )?available credits",
        r"\boverdue (?:balance|payment)",
        r"余额不足|欠费|(?:额度|配额)(?:已|不足|用)",
        r"out of (?:extra usage|credits)",
        r"exceeded your (?:current|monthly) (?:quota|included credits)",
        r"\bquota exceeded\b(?! for quota metric.*per minute)",
        r"account (?:is )?(?:suspended|not active|overdue).*(?:billing|balance)",
        r"purchase (?:more )?credits to continue|Add more credits to continue",
    ),
    _words(
        Kind.FILTER,
        "content_filter content_policy_violation ContentPolicyViolationError ContentFilterError ResponsibleAIPolicyViolation "
        "refusal ContentFilterFinishReasonError SAFETY RECITATION PROHIBITED_CONTENT BLOCKLIST data_inspection_failed safety AgentSafetyRefusalError "
        "guardrail_intervened content-filter BlockedPromptException",
        r"\bfinish_reason: \"?(?:SAFETY|RECITATION|PROHIBITED_CONTENT|BLOCKLIST)\b",
        r"appears to violate our Usage Policy",
        r"content (?:management|filtering) policy",
        r"violat\w+ .{0,40}(?:usage|content|safety) polic",
        r"blocked (?:by the provider's content filter|due to safety)",
        r"reason: content_filter",
        r"flagged (?:by|as) .{0,30}(?:moderation|violat)",
        r"output blocked by content filtering",
        r"input was flagged|requires moderation",
        r"rejected as a result of our safety system|rejected by the content filter",
    ),
    _words(
        Kind.RATE,
        "rate_limit_error rate_limit rate_limit_exceeded RateLimitError RATE_LIMITED RESOURCE_EXHAUSTED ThrottlingException "
        "TooManyRequestsException too_many_requests TooManyRequests ResourceExhausted requests_limit_exceeded rate_limited "
        "ApiRateLimitError throttled RateLimit RetryableQuotaError ModelThrottledException",
        r"\brate.?limit(?:s|ed|ing)?\b",
        r"\bToo many (?:requests|concurrent)",
        r"Too many tokens, please wait",
        r"\bthrottl(?:ed|ing)\b",
        r"Request rejected \(429\)",
        r"RESOURCE_EXHAUSTED",
        r"Quota exceeded for quota metric.*per minute",
        r"速率限制|请求(?:过于)?频繁|请求频率",
    ),
    _words(
        Kind.OUTPUT,
        "max_output_tokens OutputLengthExceededError OutputTokenExceededError LengthFinishReasonError MAX_TOKENS MaxTokensReachedException",
        r"exceeded the \d+ output token maximum",
        r"reason: max_output_tokens",
        r"hit max_tokens limit",
        r"Could not parse response content as the length limit was reached",
    ),
    _words(
        Kind.CONTEXT,
        "context_length_exceeded ContextWindowExceededError ContextLengthExceededError context_window_exceeded prompt_too_long "
        "request_too_large context_overflow exit_context model_context_window_exceeded exceed_context_size_error ContextOverflowError "
        "ContextWindowOverflowException",
        r"\bprompt is too long\b",
        r"\bmaximum context length\b",
        r"\bcontext (?:window|length|limit) (?:is |was |has been )?exceeded|exceeds? (?:the |this |its )?(?:model'?s? )?(?:maximum )?context",
        r"ran out of room in the model's context",
        r"\bInput is too long\b",
        r"input token count .*exceeds the maximum",
        r"Input tokens exceed the configured limit",
        r"longer than the model's context length|decoder prompt \(length|longer than the maximum model length|greater than the context length",
        r"exceeds the available context size|tokens`? \+ `?max_new_tokens`? must be <=",
        r"max_tokens must be at least 1, got -",
        r"exceed(?:s|ed)? (?:model )?(?:context limit|token limit)|exceeded model token limit",
        r"reduce the length of the (?:messages|prompt|input)",
        r"request (?:entity )?too large|Request exceeds the maximum size",
    ),
    _words(
        Kind.OVERLOAD,
        "overloaded_error overloaded server_is_overloaded engine_overloaded_error ApiOverloadedError OverloadedError slow_down",
        r"\boverloaded\b",
        r"\bat capacity\b",
        r"no capacity available|capacity exceeded",
    ),
    # told with a 403, and no matter of the key
    _words(Kind.MODEL, "model_not_found", r"does not have access to (?:the )?model\b"),
    _words(
        Kind.AUTH,
        "authentication_error permission_error invalid_api_key AuthenticationError PermissionDeniedError API_KEY_INVALID "
        "UNAUTHENTICATED PERMISSION_DENIED invalid_token unauthorized_client authentication_failed unauthorized forbidden "
        "AccessDeniedException UnrecognizedClientException ExpiredTokenException InvalidSignatureException NoCredentialsError "
        "DefaultCredentialsError AgentAuthenticationError MissingModelCredentialError invalid_authentication",
        r"\binvalid (?:x-api-key|api[- ]?key|bearer token|authentication|credentials)",
        r"\b(?:incorrect|wrong|expired|missing|no) (?:\w+ )?(?:api[- ]?key|authentication|auth credentials|cookie auth|credentials)",
        r"API key (?:not valid|not found|is missing|expired)",
        r"Not logged in\b|Please run /login",
        r"Failed to authenticate",
        r"Invalid proxy server token",
        r"OAuth token (?:has )?expired|token (?:has|is) expired|refresh token",
        r"api_key client option must be set",
        r"\b[A-Z][A-Z0-9_]*_(?:API_KEY|TOKEN)\b[^.]{0,60}\b(?:not set|must be set|not found|missing|required|is unset|is not defined)",
        r"\b(?:set|specify|provide|setting) (?:the |an? )?[A-Z][A-Z0-9_]*_API_KEY\b",
        r"security token included in the request is",
        r"\b(?:organization|account|workspace) has been (?:disabled|deactivated)|\bdisabled organization\b",
        r"Could not load (?:the default )?credentials|Unable to locate credentials|resolve authentication method|\bauth method\b|must specify the \S*API_KEY",
        r"\bunauthori[sz]ed(?:_client)?\b",
    ),
    _words(
        Kind.MODEL,
        "not_found_error NotFoundError ModelNotFoundError ProviderModelNotFoundError NOT_FOUND DeploymentNotFound "
        "model_not_supported invalid_model_name ApiProviderResourceNotFoundError ResourceNotFoundException unsupported_model",
        r"\bmodel\b.{0,120}\b(?:does not exist|not found|is not found|not supported|not available|is not served|unavailable)",
        r"issue with the selected model",
        r"not found for API version",
        r"No endpoints found for ",
        r"Unknown model|Invalid model name|is not a valid model ID|model identifier is invalid",
        r"no healthy deployments for this model",
    ),
    _words(
        Kind.SERVER,
        "api_error server_error internal_server_error InternalServerError INTERNAL UNAVAILABLE ServiceUnavailableError "
        "ServiceUnavailableException BadGatewayError ServerError InternalFailure modelStreamErrorException ApiInternalServerError empty_answer",
        r"\bInternal server error\b",
        r"\b(?:Bad Gateway|Service Unavailable|Gateway Time-?out)\b",
        r"<title>5\d\d\b",
        r"The server had an error",
        r"carried no choices|no choices in response",
        # a page where JSON should be; a client's class without a word
        r"Unexpected token '?<|^AI_APICallError$",
        r"\bno healthy upstream\b|\bupstream connect error\b",
    ),
    _words(
        Kind.UNREACHABLE,
        "APIConnectionError APITimeoutError Timeout ConnectError ConnectTimeout ReadTimeout RemoteProtocolError "
        "ApiConnectionClosedError ApiResponseStalledError ReadError DEADLINE_EXCEEDED http_connection_failed "
        "response_stream_disconnected response_stream_connection_failed",
        r"\bECONN(?:RESET|REFUSED|ABORTED)\b|\bETIMEDOUT\b|\bENOTFOUND\b|\bEAI_AGAIN\b",
        r"Unable to connect to API|Cannot connect to API|Connection error",
        r"stream disconnected before completion",
        r"\bRequest timed out\b|request timed out or interrupted",
        r"socket hang up|socket connection was closed|fetch failed|other side closed|premature close",
        r"Unable to connect\. Is the computer able to access|network socket disconnected|^(?:\w+: )?The operation timed out\b",
        r"\bdns error\b|failed to lookup address|Name or service not known|Name does not resolve|waiting for network \(|Temporary failure in name resolution|\bno such host\b|\bgetaddrinfo\b",
        r"CERTIFICATE_VERIFY_FAILED|certificate (?:verify failed|has expired)|self[- ]signed certificate",
        r"Server disconnected\b|\bi/o timeout\b|context deadline exceeded",
        r"peer closed connection|incomplete chunked read|error sending request\b",
        r"^(?:TypeError: )?terminated\b",
        r"connection (?:refused|reset|closed)",
    ),
    _words(Kind.REJECTED, "BadRequestError UnprocessableEntityError invalid_request_error INVALID_ARGUMENT ValidationException"),
)
"""In the order of the tests; the first that fits decides."""


def is_code(name: str) -> bool:
    """A typed code or class of the grammar."""
    return any(name in entry.codes for entry in GRAMMAR)


SPECIFIC = frozenset(Kind) - {Kind.SERVER, Kind.UNREACHABLE, Kind.REJECTED, Kind.OVERLOAD}
"""Kinds that say why; the others only say that it failed."""

STATUS = {
    400: Kind.REJECTED,
    401: Kind.AUTH,
    402: Kind.QUOTA,
    403: Kind.AUTH,
    404: Kind.MODEL,
    408: Kind.UNREACHABLE,
    413: Kind.CONTEXT,
    422: Kind.REJECTED,
    429: Kind.RATE,
    500: Kind.SERVER,
    502: Kind.SERVER,
    503: Kind.SERVER,
    504: Kind.UNREACHABLE,
    529: Kind.OVERLOAD,
}

CAUSE_OF = {
    Kind.CALL: "malformed_output",
    Kind.SHAPE: "harness_incompatibility",
    Kind.REJECTED: "harness_incompatibility",
    Kind.QUOTA: "quota_exhausted",
    Kind.FILTER: "refusal",
    Kind.RATE: "rate_limited",
    Kind.OUTPUT: "output_length",
    Kind.CONTEXT: "context_length",
    Kind.OVERLOAD: "provider_error",
    Kind.SERVER: "provider_error",
    Kind.UNREACHABLE: "provider_error",
    Kind.AUTH: "agent_auth",
    Kind.MODEL: "model_not_found",
}
"""The cause a kind proves where it ended the main agent's work. A missing package is none of the provider's."""
