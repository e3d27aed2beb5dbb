"""Whose fault an exception in a rollout's workflow is: the model's, its provider's, or that of the rollout's own tools and services."""

from __future__ import annotations

from pathlib import Path

import pytest

from osmosis_trees import SDK, Rollout, Tree, cause, frame, in_grader, in_workflow, user

LOADS = frame(
    "/usr/local/lib/python3.12/json/decoder.py", 355, "raw_decode", 'raise JSONDecodeError("Expecting value", s, err.value)'
)
NO_JSON = "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
CHOSEN = user(77, "run", 'result = await self.call(TOOLS[call["function"]["name"]], json.loads(call["function"]["arguments"]))')
IN_TOOL = CHOSEN + user(90, "call", "return await tool(**arguments)")
GET = frame(f"{SDK}httpx/_client.py", 1768, "get", "return await self.request(")
POST = frame(f"{SDK}httpx/_client.py", 1853, "post", "return await self.request(")
AZURE = frame(f"{SDK}azure/ai/inference/aio/_patch.py", 600, "complete")
STORAGE = frame(f"{SDK}azure/storage/blob/aio/_blob.py", 600, "upload")
BEDROCK = "botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling the {} operation: Rate exceeded"


def of(frames: str, error: str, root: Path) -> str | None:
    """The cause of a row whose workflow ended so, after one good answer of the model."""
    return cause(Tree([Rollout(0, error="agent_error", traceback=in_workflow(frames, error=error)), Rollout(1)]), root)


@pytest.mark.positive("malformed_output")
@pytest.mark.parametrize(
    ("frames", "error"),
    [
        (user(41, "run", 'args = parse(call["function"]["arguments"])') + user(9, "parse", "return json.loads(text)") + LOADS, NO_JSON),
        (user(41, "run", 'plan = json.loads(message["content"])') + LOADS, NO_JSON),
        (CHOSEN, "KeyError: 'python'"),
        (user(41, "run", "out = await execute(call)") + user(7, "wrapper", "return await fn(*args, **kwargs)") + user(60, "execute", "tool = TOOLS[call.name]"), "KeyError: 'python'"),
        (user(41, "run", "args = parse(call.function.arguments)") + user(7, "wrapper", "return fn(*given)") + user(9, "parse", "return json.loads(text)") + LOADS, NO_JSON),
        (user(41, "run", 'handler = getattr(self, call["function"]["name"])'), "AttributeError: 'Sums' object has no attribute 'browse'"),
        (user(41, "run", "return handler(**json.loads(call.function.arguments))"), "TypeError: 'NoneType' object is not callable"),
        (user(41, "run", "result = calculate(**arguments)"), "TypeError: calculate() got an unexpected keyword argument 'x'"),
        (user(41, "run", "value = self.execute(name, args)") + user(70, "execute", "raise ValueError(name)"), "ValueError: Unknown tool: browse"),
    ],
)  # fmt: skip
def test_a_workflow_that_dies_of_the_models_own_call_or_answer(frames: str, error: str, tmp_path: Path) -> None:
    assert of(frames, error, tmp_path) == "malformed_output"


@pytest.mark.positive("workflow_error")
@pytest.mark.lookalike("malformed_output")
@pytest.mark.parametrize(
    ("frames", "error"),
    [
        (IN_TOOL + user(22, "forecast", "return json.loads(reply.text)") + LOADS, NO_JSON),
        (IN_TOOL + user(22, "forecast", "return json.loads(text)") + LOADS, NO_JSON),
        (user(41, "run", "table = json.loads(page.content)") + LOADS, NO_JSON),
        (user(41, "run", 'task = json.loads(ctx.metadata["content"])') + LOADS, NO_JSON),
        (IN_TOOL + user(23, "convert", "row = make_row(**args)"), "TypeError: make_row() missing 1 required positional argument: 'unit'"),
        (IN_TOOL + user(24, "convert_tool", "return RATES[currency]"), "KeyError: 'XAU'"),
        (user(41, "run", "return self.tool_cache[city]"), "KeyError: 'Ulm'"),
        (user(41, "run", "limit = tools[ctx.metadata['kind']]"), "KeyError: 'length'"),
        (IN_TOOL + user(25, "evaluate", "raise ValueError(text)"), "ValueError: unknown function: sinh"),
        (user(41, "run", "return getattr(self, 'ledger')"), "AttributeError: 'Sums' object has no attribute 'ledger'"),
        (user(41, "run", "client = Policy(**self.options)"), "TypeError: Policy.__init__() got an unexpected keyword argument 'temprature'"),
    ],
)  # fmt: skip
def test_a_tool_or_table_of_the_rollouts_own_that_fails(frames: str, error: str, tmp_path: Path) -> None:
    assert of(frames, error, tmp_path) == "workflow_error"


@pytest.mark.positive("rate_limited")
@pytest.mark.parametrize(
    ("frames", "error"),
    [
        (user(41, "run", "reply = await client.complete(messages)") + AZURE, "azure.core.exceptions.HttpResponseError: (429) Too Many Requests: slow down"),
        (user(41, "run", "reply = bedrock.converse(**request)"), BEDROCK.format("Converse")),
        (user(41, "run", "reply = await agent.run(question)"), "pydantic_ai.exceptions.ModelHTTPError: status_code: 429, model_name: m, body: {}"),
        (user(41, "run", "raise RuntimeError(str(error)) from None"), "RuntimeError: Error code: 429 - {'error': {'message': 'slow down'}}"),
    ],
)  # fmt: skip
def test_a_limit_told_by_a_client_of_models(frames: str, error: str, tmp_path: Path) -> None:
    assert of(frames, error, tmp_path) == "rate_limited"


@pytest.mark.lookalike("rate_limited", "agent_auth", "provider_error", "model_not_found")
@pytest.mark.parametrize(
    ("frames", "error"),
    [
        (user(41, "run", "await blob.upload(data)") + STORAGE, "azure.core.exceptions.HttpResponseError: (429) Too Many Requests: slow down"),
        (user(41, "run", "table.put_item(Item=row)"), BEDROCK.format("PutItem")),
        (user(41, "place_order", 'raise RateLimitError("ten orders a minute")'), "RateLimitError: ten orders a minute"),
        (user(41, "lookup", "raise NotFoundError(name)"), "NotFoundError: no unit parsec"),
        (user(41, "run", "rows = es.search(index='units')"), "elasticsearch.AuthenticationException: AuthenticationException(401, 'missing authentication credentials')"),
        (user(41, "run", "raise RuntimeError(f'weather: {text}')"), "RuntimeError: weather: Error code: 429 - slow down"),
        (user(41, "run", "page = await client.get(url)") + GET, "httpx.ReadTimeout"),
        (IN_TOOL + user(25, "search", "hits = await client.post(SEARCH, json=query)") + POST, "httpx.ReadTimeout"),
    ],
)  # fmt: skip
def test_the_same_words_from_a_service_of_the_rollouts_own(frames: str, error: str, tmp_path: Path) -> None:
    assert of(frames, error, tmp_path) == "workflow_error"


@pytest.mark.positive("provider_error")
def test_a_model_that_does_not_answer_is_asked_by_post(tmp_path: Path) -> None:
    assert (
        of(user(41, "run", "reply = await client.post(url, json=payload)") + POST, "httpx.ReadTimeout", tmp_path)
        == "provider_error"
    )


@pytest.mark.positive("grader_error")
@pytest.mark.lookalike("label_missing")
def test_none_of_a_search_that_found_nothing_is_no_label(tmp_path: Path) -> None:
    for number, (wanted, said) in enumerate((("group", "grader_error"), ("strip", "label_missing"))):
        raised = in_grader(user(91, "grade", "expected"), error=f"AttributeError: 'NoneType' object has no attribute '{wanted}'")
        row = Rollout(0, error="agent_error", traceback=raised, label=None, metadata=True)
        assert cause(Tree([row, Rollout(1)]), tmp_path / str(number)) == said


@pytest.mark.positive("grader_error")
@pytest.mark.lookalike("rate_limited")
def test_a_refusal_that_the_grader_met_after_the_models_answer(tmp_path: Path) -> None:
    raised = in_grader(user(91, "grade", "verdict = reply.json()['verdict']"), error="KeyError: 'verdict'")
    for calls, said in (((200, 429), "grader_error"), ((429,), "rate_limited")):
        row = Rollout(0, error="agent_error", traceback=raised, calls=calls)
        assert cause(Tree([row, Rollout(1)]), tmp_path / str(len(calls))) == said


CANCELLED = 'WARNING [cancel] rollout cancelled {"rollout_id":"%s"}'


@pytest.mark.positive("workflow_error")
@pytest.mark.lookalike("interrupted")
def test_a_cancellation_that_nobody_asked_for_came_out_of_the_workflow(tmp_path: Path) -> None:
    gone = Rollout(1, finishes=False, trajectory=False)
    asked = "WARNING [cancel] supervisor cancellation requested"
    alone = Tree([Rollout(0), gone], after=(CANCELLED % gone.id,))
    stopped = Tree([Rollout(0), gone], after=(asked, CANCELLED % gone.id))
    assert (cause(alone, tmp_path / "a", 1), cause(stopped, tmp_path / "b", 1)) == ("workflow_error", "interrupted")


@pytest.mark.positive("wrong_answer")
@pytest.mark.lookalike("rate_limited")
def test_a_refusal_after_a_whole_answer_was_beside_it(tmp_path: Path) -> None:
    """One turn and one answer: the text is the model's. A turn more than answers: the last one is the workflow's own excuse."""
    call = {"tool_call_id": "c1", "function_name": "calculator", "arguments": {"a": 12, "op": "*", "b": 7}}
    whole = Rollout(0, reward=0.0, answer="It is 82.", calls=(200, 429))
    excuse = Rollout(0, reward=0.0, answer="Sorry, something went wrong.", calls=(200, 429), calls_made=(call,))
    assert cause(Tree([whole, Rollout(1)]), tmp_path / "a") == "wrong_answer"
    assert cause(Tree([excuse, Rollout(1)]), tmp_path / "b") == "rate_limited"


STRANDS = "strands.types.exceptions."


@pytest.mark.positive("rate_limited", "context_length", "output_length", "refusal", "malformed_output")
@pytest.mark.lookalike("rate_limited", "malformed_output")
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (f"{STRANDS}ModelThrottledException: slow down", "rate_limited"),
        (f"{STRANDS}ContextWindowOverflowException: too much", "context_length"),
        (f"{STRANDS}MaxTokensReachedException: unrecoverable state", "output_length"),
        (f"{STRANDS}SessionException: rate limit of the disk", "workflow_error"),
        ("google.generativeai.types.generation_types.StopCandidateException: finish_reason: SAFETY", "refusal"),
        ("dspy.utils.exceptions.AdapterParseError: JSONAdapter failed to parse the LM response.", "malformed_output"),
        ("instructor.core.exceptions.InstructorRetryException: 1 validation error for Plan", "malformed_output"),
        ("instructor.core.exceptions.InstructorRetryException: Error code: 429 - {'error': {'message': 'slow'}}", "rate_limited"),
    ],
)
def test_what_agent_frameworks_raise(error: str, said: str, tmp_path: Path) -> None:
    assert of(user(41, "run", "result = await agent.invoke_async(question)"), error, tmp_path) == said
