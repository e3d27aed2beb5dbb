"""Work items of an Osmosis run: the rollout's own faults, its grader's, its labels'."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.zerobench import osmosis_tracebacks as tb
from benchmarks.zerobench.cases.case import Case, in_osmosis, one_row
from benchmarks.zerobench.osmosis import Eval, Row


def cases() -> Iterator[Case]:
    yield from _workflow()
    yield from _no_sample()
    yield from _blocked()
    yield from _tool_calls()
    yield from _deadlines()
    yield from _grader()
    yield from _rewards()
    yield from _labels()
    yield from _scores()


FAILED = Row(error="agent_error", block="workflow")
RAISES = (
    ("agent_error", tb.user(61, "run", "rate = hits / total"), "ZeroDivisionError: division by zero"),
    ("agent_error", tb.user(33, "load", "return json.load(open(path))") , "FileNotFoundError: [Errno 2] No such file or directory: 'tables/units.json'"),
    ("agent_error", tb.user(70, "run", "return reply.choices[0].text"), "AttributeError: 'dict' object has no attribute 'choices'"),
    ("validation_error", tb.user(52, "run", "limit = int(ctx.metadata['limit'])"), "ValueError: invalid literal for int() with base 10: 'ten'"),
    ("agent_error", tb.user(88, "run", "await self.memory.store(note)") + tb.user(19, "store", "raise RuntimeError('the note store is read-only')", "/home/user/ws/rollouts/sums/notes.py"), "RuntimeError: the note store is read-only"),
)  # fmt: skip


def _workflow() -> Iterator[Case]:
    for number, (word, frames, error) in enumerate(RAISES):
        row = replace(FAILED, error=word, traceback=tb.in_workflow(frames, error=error), statuses=(200,) * (number % 3))
        yield one_row(f"workflow-{number}", "workflow_error", row)


NO_SAMPLE = (
    ("agent_error", tb.in_grader(tb.user(101, "grade", "text = ctx.sample.messages[-1]"), error="AttributeError: 'NoneType' object has no attribute 'messages'")),
    ("validation_error", tb.in_grader(tb.user(99, "grade", 'raise ValueError("No sample to grade")'), error="ValueError: No sample to grade")),
    ("validation_error", tb.in_workflow(tb.user(54, "run", "ctx.set_sample_source(second)"), tb.library("osmosis_ai/rollout/context.py", 96, "set_sample_source"), error="ValueError: This rollout already has a sample source; only one is allowed.")),
    ("validation_error", tb.in_workflow(tb.library("osmosis_ai/rollout/types.py", 61, "coerce_output"), error="TypeError: run() must return a RolloutSample, a list of messages or None; got dict")),
)  # fmt: skip


def _no_sample() -> Iterator[Case]:
    for number, (word, traceback) in enumerate(NO_SAMPLE):
        yield one_row(f"no-sample-{number}", "no_sample", replace(FAILED, error=word, traceback=traceback, trajectory=False))


def _blocked() -> Iterator[Case]:
    late = tb.deadline("run_workflow", tb.ASK, tb.AWAITED)
    yield one_row(
        "blocked-silent",
        "event_loop_blocked",
        replace(FAILED, error="timeout", seconds=61.0, statuses=(200,)),
        flight=1,
        limits=(5.0, 5.0),
    )
    yield one_row(
        "blocked-at-await",
        "event_loop_blocked",
        replace(FAILED, error="timeout", seconds=48.0, statuses=(), traceback=late),
        flight=1,
        limits=(10.0, 5.0),
    )
    grader = Row(error="timeout", block="grader", seconds=33.0, left=1.0)
    yield one_row("blocked-grader", "event_loop_blocked", grader, flight=1, limits=(20.0, 3.0))
    halt = ("ERROR", "dispatch", 'halting dispatch {"reason":"TimeoutError: ","row_index":1,"run_index":0}')
    stuck = Eval(
        [Row(0), Row(1, recorded=False, trajectory=False, statuses=(), seconds=95.0)],
        planned=3,
        limits=(10.0, 5.0),
        after=[halt],
        flight=1,
    )
    yield in_osmosis("blocked-past-the-item-deadline", "event_loop_blocked", stuck, "1.0")


LOADS = tb.frame(
    "/usr/local/lib/python3.12/json/decoder.py",
    355,
    "raw_decode",
    'raise JSONDecodeError("Expecting value", s, err.value) from None',
)
CALLS = (
    ("validation_error", tb.user(77, "run", 'arguments = json.loads(call["function"]["arguments"])') + LOADS, "json.decoder.JSONDecodeError: Expecting value: line 1 column 26 (char 25)"),
    ("agent_error", tb.user(80, "run", 'tool = TOOLS[call["function"]["name"]]'), "KeyError: 'multiply_numbers'"),
    ("validation_error", tb.user(91, "call_tool", "args = json.loads(tool_call.function.arguments)") + LOADS, "json.decoder.JSONDecodeError: Unterminated string starting at: line 1 column 10 (char 9)"),
)  # fmt: skip


def _tool_calls() -> Iterator[Case]:
    for number, (word, frames, error) in enumerate(CALLS):
        yield one_row(
            f"malformed-{number}", "malformed_output", replace(FAILED, error=word, traceback=tb.in_workflow(frames, error=error))
        )


def _deadlines() -> Iterator[Case]:
    for number, limit in enumerate((20.0, 120.0)):
        late = tb.deadline("run_workflow", tb.ASK, tb.AWAITED)
        yield one_row(
            f"clock-{number}",
            "clock",
            replace(FAILED, error="timeout", seconds=limit + 0.05, traceback=late, statuses=(200, 200)),
            limits=(limit, 10.0),
        )
    waited = tb.user(97, "grade", "verdict = await self.judge(ctx.sample)")
    for number, limit in enumerate((10.0, 45.0)):
        late = tb.deadline("run_grader", waited)
        yield one_row(
            f"grader-timeout-{number}",
            "grader_timeout",
            Row(error="timeout", block="grader", seconds=limit + 1.2, traceback=late),
            limits=(60.0, limit),
        )


GRADER = (
    ("agent_error", tb.in_grader(tb.user(86, "grade", 'tolerance = (ctx.metadata or {})["tolerance"]'), error="KeyError: 'tolerance'"), None),
    ("validation_error", tb.in_grader(tb.user(90, "grade", "got = float(text)"), error="ValueError: could not convert string to float: 'The answer is 84.'"), None),
    ("validation_error", f"{tb.HEAD}{tb.GRADER}TypeError: object NoneType can't be used in 'await' expression\n", 1.0),
    ("agent_error", tb.in_grader(tb.user(95, "grade", 'path.write_text("scored")'), error="FileNotFoundError: [Errno 2] No such file or directory: 'out/score.txt'"), 0.5),
)  # fmt: skip


def _grader() -> Iterator[Case]:
    for number, (word, traceback, left) in enumerate(GRADER):
        yield one_row(f"grader-error-{number}", "grader_error", Row(error=word, block="grader", traceback=traceback, left=left))


def _rewards() -> Iterator[Case]:
    unset = Row(error="validation_error", block="grader", traceback=tb.no_reward())
    yield one_row("reward-never-set", "reward_missing", unset)
    yield in_osmosis(
        "reward-set-on-match-only", "reward_missing", Eval([Row(0), replace(unset, row=1, answer="It is 12."), Row(2)]), "1.0"
    )
    ungraded = Row(error="rollout_failed", label="84", left=None)
    yield in_osmosis("no-grader", "reward_missing", Eval([replace(ungraded, row=n) for n in range(3)]), "1.0")
    for number, (value, told) in enumerate((("nan", "nan, input_type=float"), ("inf", "inf, input_type=float"))):
        frames = (
            tb.user(86, "grade", f'ctx.set_reward(score if total else float("{value}"))')
            + tb.library("osmosis_ai/rollout/context.py", 172, "set_reward", "self.sample.reward = reward")
            + tb.library("pydantic/main.py", 1117, "__setattr__")
        )
        error = f"pydantic_core._pydantic_core.ValidationError: 1 validation error for RolloutSample\nreward\n  Input should be a finite number [type=finite_number, input_value={told}]\n    For further information visit https://errors.pydantic.dev/2.14/v/finite_number"
        yield one_row(
            f"reward-{value}-{number}",
            "reward_invalid",
            Row(error="validation_error", block="grader", traceback=tb.in_grader(frames, error=error)),
        )


def _labels() -> Iterator[Case]:
    yield one_row("label-none", "label_missing", Row(error="rollout_failed", label=None))
    strip = tb.in_grader(
        tb.user(93, "grade", "want = ctx.label.strip()"), error="AttributeError: 'NoneType' object has no attribute 'strip'"
    )
    yield one_row(
        "label-null", "label_missing", Row(error="agent_error", block="grader", traceback=strip, label=None, metadata={"n": 1})
    )
    number = tb.in_grader(
        tb.user(94, "grade", "want = float(ctx.label)"),
        error="TypeError: float() argument must be a string or a real number, not 'NoneType'",
    )
    yield one_row(
        "label-null-number",
        "label_missing",
        Row(error="validation_error", block="grader", traceback=number, label=None, metadata={"n": 2}),
    )
    for kind, pairs in {
        "decimal": [("84", "84.0"), ("42", "42.0"), ("225", "225.0")],
        "thousands": [("1200", "1,200"), ("34000", "34,000"), ("5100", "5,100")],
        "case": [("Yes", "yes"), ("No", "no"), ("Yes", "yes")],
        "boxed": [("84", "\\boxed{84}"), ("42", "\\boxed{42}"), ("225", "\\boxed{225}")],
    }.items():
        rows = [Row(n, reward=0.0, answer=f"The answer is {said}.", label=label) for n, (said, label) in enumerate(pairs)]
        yield in_osmosis(f"label-{kind}", "label_format", Eval(rows), "1.0")


def _scores() -> Iterator[Case]:
    for number, (reward, mark) in enumerate(((0.9, 1.0), (0.4, 0.5), (0.05, 0.8), (0.75, 0.9))):
        yield one_row(
            f"below-{number}",
            "below_pass_threshold",
            Row(reward=reward, attempt=number % 2),
            threshold=mark,
            attempts=1 + number % 2,
        )
    for number in range(2):
        yield one_row(f"skipped-{number}", "skipped", Row(status="skipped", reward=None, attempt=number), attempts=1 + number)
