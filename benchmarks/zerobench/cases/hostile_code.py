"""Tools, parsers and graders of a rollout that fail by themselves, beside models whose calls cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import Case, in_osmosis, one_row
from benchmarks.zerobench.osmosis import BRIDGE, Eval, Row

FAILED = Row(error="agent_error", block="workflow")
LOADS = tb.frame("/usr/local/lib/python3.12/json/__init__.py", 346, "loads") + tb.frame(
    "/usr/local/lib/python3.12/json/decoder.py",
    355,
    "raw_decode",
    'raise JSONDecodeError("Expecting value", s, err.value) from None',
)
NO_JSON = "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
DISPATCH = tb.user(
    77, "run", 'result = await self.call(TOOLS[call["function"]["name"]], json.loads(call["function"]["arguments"]))'
)
CALLED = tb.user(90, "call", "return await tool(**arguments)")

TOOLS = (
    (DISPATCH + CALLED + tb.user(22, "forecast", "return json.loads(reply.text)") + LOADS, NO_JSON),
    (tb.user(60, "run", "table = json.loads(page.content)") + LOADS, NO_JSON),
    (tb.user(61, "run", 'task = Task.model_validate_json(ctx.metadata["content"])') + tb.library("pydantic/main.py", 746, "model_validate_json"), "pydantic_core._pydantic_core.ValidationError: 1 validation error for Task\nunit\n  Field required [type=missing, input_value={'value': 3}, input_type=dict]"),
    (DISPATCH + CALLED + tb.user(23, "convert", "row = make_row(**fields)"), "TypeError: make_row() missing 1 required positional argument: 'unit'"),
    (DISPATCH + CALLED + tb.user(24, "convert_tool", "return RATES[currency]"), "KeyError: 'XAU'"),
    (tb.user(62, "run", "limit = self.tool_limits[ctx.metadata['kind']]"), "KeyError: 'length'"),
    (DISPATCH + CALLED + tb.user(25, "cached", "return self.tool_cache[city]"), "KeyError: 'Ulm'"),
    (tb.user(63, "run", "handlers = {k: load(k) for k in ctx.metadata['handlers']}") + tb.user(12, "load", "return REGISTRY[k]"), "KeyError: 'v2'"),
    (DISPATCH + CALLED + tb.user(26, "divide", "return a / b"), "ZeroDivisionError: division by zero"),
    (tb.user(64, "run", "settings = yaml.safe_load(self.function.config)") + tb.library("yaml/parser.py", 438, "parse_block_mapping_key"), "yaml.parser.ParserError: while parsing a block mapping"),
    (tb.user(65, "run", "client = Policy(**self.options)"), "TypeError: Policy.__init__() got an unexpected keyword argument 'temprature'"),
)  # fmt: skip

MODELS = (
    (tb.user(77, "run", 'handler = getattr(self, call["function"]["name"])'), "AttributeError: 'Sums' object has no attribute 'browse'"),
    (tb.user(78, "run", 'result = await TOOLS.get(call.function.name)(**json.loads(call.function.arguments))'), "TypeError: 'NoneType' object is not callable"),
    (tb.user(79, "run", "result = calculate(**arguments)"), "TypeError: calculate() got an unexpected keyword argument 'x'"),
    (tb.user(80, "run", "args = Arguments.model_validate_json(call.function.arguments)") + tb.library("pydantic/main.py", 746, "model_validate_json"), "pydantic_core._pydantic_core.ValidationError: 2 validation errors for Arguments\na\n  Field required [type=missing, input_value={}, input_type=dict]\nb\n  Field required [type=missing, input_value={}, input_type=dict]"),
    (DISPATCH, "KeyError: 'python'"),
    (tb.user(81, "run", 'plan = json.loads(message["content"])') + LOADS, NO_JSON),
    (tb.user(82, "run", "output = await agent.run(question)") + tb.library("agents/run.py", 900, "run"), "agents.exceptions.ModelBehaviorError: Tool browse not found in agent Sums"),
    (tb.user(83, "run", "output = await agent.run(question)") + tb.library("pydantic_ai/_agent_graph.py", 90, "run"), "pydantic_ai.exceptions.UnexpectedModelBehavior: Exceeded maximum retries (1) for output validation"),
)  # fmt: skip


def cases() -> Iterator[Case]:
    for number, (frames, error) in enumerate(TOOLS):
        row = replace(FAILED, traceback=tb.in_workflow(frames, error=error), statuses=(200,))
        yield one_row(f"hostile-tool-{number}", "workflow_error", row, "decoy")
    for number, (frames, error) in enumerate(MODELS):
        row = replace(FAILED, traceback=tb.in_workflow(frames, error=error), statuses=(200, 200))
        yield one_row(f"hostile-call-{number}", "malformed_output", row)
    yield from _times()
    yield from _graders()
    yield from _rewards()


def _times() -> Iterator[Case]:
    """A deadline that came in order although the row took long; the server spoke of other rows meanwhile."""
    late = tb.deadline("run_workflow", tb.ASK, tb.AWAITED)
    slow = Row(0, error="timeout", block="workflow", seconds=20.4, traceback=late, statuses=(200, 200, 200))
    yield one_row("hostile-clock-busy", "clock", slow, limits=(20.0, 10.0))
    swallowed = Row(0, error="timeout", block="workflow", seconds=20.2, statuses=(200, 200))
    yield one_row("hostile-clock-swallowed-cancellation", "clock", swallowed, limits=(20.0, 10.0))
    throttled = Row(0, error="timeout", block="workflow", seconds=20.1, traceback=late, statuses=(429,) * 9)
    yield one_row("hostile-throttled-until-the-clock", "rate_limited", throttled, limits=(20.0, 10.0))
    own = (
        tb.user(97, "grade", "await asyncio.wait_for(self.compile(code), 2)")
        + tb.frame("/usr/local/lib/python3.12/asyncio/tasks.py", 520, "wait_for", "return await fut")
        + tb.frame("/usr/local/lib/python3.12/asyncio/timeouts.py", 115, "__aexit__", "raise TimeoutError from exc_val")
    )
    judged = Row(0, error="timeout", block="grader", seconds=3.0, traceback=tb.in_grader(own, error="TimeoutError"))
    yield one_row("hostile-graders-own-timeout", "grader_error", judged, "decoy", limits=(20.0, 10.0))


GRADERS = (
    ("agent_error", tb.user(91, "grade", "if target.group(1) == '84':"), "AttributeError: 'NoneType' object has no attribute 'group'"),
    ("agent_error", tb.user(92, "grade", "verdict = expected['verdict']"), "TypeError: 'NoneType' object is not subscriptable"),
)  # fmt: skip


def _graders() -> Iterator[Case]:
    word, frames, error = GRADERS[0]
    row = Row(error=word, block="grader", label=None, metadata={"n": 1}, traceback=tb.in_grader(frames, error=error))
    yield one_row("hostile-grader-found-no-match", "grader_error", row, "decoy")
    judge = tb.in_grader(
        tb.user(90, "grade", "verdict = await self.judge(answer)"),
        tb.library("httpx/_models.py", 829, "raise_for_status"),
        error=f"httpx.HTTPStatusError: Client error '429 Too Many Requests' for url '{BRIDGE.format(id=Row().id)}'",
    )
    yield one_row(
        "hostile-judge-through-the-bridge",
        "grader_error",
        Row(error="agent_error", block="grader", traceback=judge, statuses=(200, 429)),
        "decoy",
    )
    timed = tb.in_grader(
        tb.user(90, "grade", "verdict = await self.judge(answer)"), error="openai.APITimeoutError: Request timed out."
    )
    yield one_row("hostile-judge-timed-out", "grader_error", Row(error="agent_error", block="grader", traceback=timed), "decoy")
    asserted = tb.in_grader(
        tb.user(93, "grade", "assert answer == ctx.label, (answer, ctx.label)"), error="AssertionError: ('82', '84')"
    )
    yield one_row(
        "hostile-grader-asserts", "grader_error", Row(error="validation_error", block="grader", traceback=asserted), "decoy"
    )
    chained = (
        tb.HEAD
        + tb.user(88, "grade", "score = float(text)")
        + "ValueError: could not convert string to float: 'The answer is 84.'\n"
        "\nDuring handling of the above exception, another exception occurred:\n\n"
        + tb.in_grader(
            tb.user(90, "grade", "log.warning('%s', ctx.sample.id)"),
            error="AttributeError: 'RolloutSample' object has no attribute 'id'",
        )
    )
    yield one_row("hostile-grader-fails-twice", "grader_error", Row(error="agent_error", block="grader", traceback=chained))
    yield one_row("hostile-grader-logged-nothing", "grader_error", Row(error="agent_error", block="grader", quiet=True))


REWARDS = (
    ("reward_invalid", 'ctx.set_reward("high")', "Input should be a valid number, unable to parse string as a number [type=float_parsing, input_value='high', input_type=str]"),
    ("reward_invalid", 'ctx.set_reward({"score": 1.0})', "Input should be a valid number [type=float_type, input_value={'score': 1.0}, input_type=dict]"),
    ("reward_invalid", "ctx.set_reward(scores)", "Input should be a valid number [type=float_type, input_value=[1.0, 0.0], input_type=list]"),
)  # fmt: skip


def _rewards() -> Iterator[Case]:
    for number, (truth, source, told) in enumerate(REWARDS):
        frames = (
            tb.user(86, "grade", source)
            + tb.library("osmosis_ai/rollout/context.py", 172, "set_reward", "self.sample.reward = reward")
            + tb.library("pydantic/main.py", 1117, "__setattr__")
        )
        error = f"pydantic_core._pydantic_core.ValidationError: 1 validation error for RolloutSample\nreward\n  {told}\n    For further information visit https://errors.pydantic.dev/2.14/v/x"
        yield one_row(
            f"hostile-reward-{number}",
            truth,
            Row(error="validation_error", block="grader", traceback=tb.in_grader(frames, error=error)),
        )
    own = tb.in_grader(
        tb.user(84, "grade", "rubric = Rubric(**rule)") + tb.library("pydantic/main.py", 250, "__init__"),
        error="pydantic_core._pydantic_core.ValidationError: 1 validation error for Rubric\nreward\n  Input should be a valid number [type=float_type, input_value=None, input_type=NoneType]",
    )
    yield one_row(
        "hostile-own-model-has-a-reward", "grader_error", Row(error="validation_error", block="grader", traceback=own), "decoy"
    )
    silent = [Row(n, reward=0.0, answer="", statuses=(200,)) for n in range(2)]
    yield in_osmosis("hostile-empty-replies", "early_stop", Eval(silent), "1.0")
