"""Labels that only look like their answers, rows that need none, and tracebacks a server went on from."""

from __future__ import annotations

from pathlib import Path

import pytest

from osmosis_trees import Rollout, Tree, cause
from whyzero.causes._provider import kind_of
from whyzero.causes._provider_words import Kind
from whyzero.causes._same_value import says_the_same
from whyzero.causes._startup import _went_on
from whyzero.model import Speaker, Spot, Utterance


@pytest.mark.positive("label_format")
@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("84.0", "The answer is 84."),
        ("84km", "It is 84 km."),
        ("$84$", "The answer is 84."),
        ("\\boxed{84}", "The answer is 84."),
        ("$1,200", "It costs 1200 $."),
        ("#### 84", "The answer is 84."),
        ("Paris", "The capital is PARIS"),
    ],
)
def test_the_same_value_in_another_form(label: str, answer: str) -> None:
    assert says_the_same(label, answer)


@pytest.mark.lookalike("label_format")
@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("84 km", "It is 84 miles."),
        ("5 apples", "There are 5 oranges."),
        ("5 pm", "At 5 am."),
        ("x = 5", "y = 5"),
        ("$84", "It costs 84 €."),
        ("Paris", "It is certainly not PARIS"),
        ("Oslo", "Anything but OSLO"),
        ("84.0", "It is never 84"),
    ],
)
def test_the_same_number_or_word_of_something_else(label: str, answer: str) -> None:
    assert not says_the_same(label, answer)


@pytest.mark.lookalike("label_missing")
def test_a_row_without_a_label_beside_one_that_passed_without(tmp_path: Path) -> None:
    bare = Rollout(0, reward=0.0, answer="It is 82.", label=None, metadata=True)
    passed = Rollout(1, label=None, metadata=True)
    assert cause(Tree([bare, passed, Rollout(2)]), tmp_path / "a") == "wrong_answer"
    assert cause(Tree([bare, Rollout(1), Rollout(2)]), tmp_path / "b") == "label_missing"


@pytest.mark.parametrize(
    ("raised", "after", "went_on"),
    [
        ("ModuleNotFoundError: No module named 'uvloop'", "SUMS_TABLE is not set", True),
        ("ModuleNotFoundError: No module named 'uvloop'", "", False),
        ("ModuleNotFoundError: No module named 'uvloop'", "During handling of the above exception, another exception occurred:", False),
        ("ModuleNotFoundError: No module named 'uvloop'", "sys:1: RuntimeWarning: coroutine 'main' was never awaited", False),
        ("ImportError: the C extensions could not be loaded.", "Please read the advice below.", False),
        ("ImportError: the C extensions could not be loaded.", "2026-03-01 10:00:00,100 INFO main: going on", True),
        ("KeyError: 'TABLE'", "ERROR:    Application startup failed. Exiting.", False),
    ],
)  # fmt: skip
def test_an_import_after_which_the_program_speaks_was_caught(raised: str, after: str, went_on: bool) -> None:
    assert _went_on(raised, after) is went_on


@pytest.mark.positive("model_not_found")
@pytest.mark.lookalike("agent_auth")
def test_a_model_that_a_key_may_not_use_is_told_from_a_bad_key() -> None:
    def told(words: str) -> Kind | None:
        return kind_of(
            Utterance(
                Speaker.PROVIDER,
                f"openai.PermissionDeniedError: Error code: 403 - {words}",
                Spot("x"),
                code="openai.PermissionDeniedError",
            )
        )

    assert told("{'error': {'message': 'Project p does not have access to model `m`', 'code': 'model_not_found'}}") is Kind.MODEL
    assert told("{'error': {'message': 'You have insufficient permissions for this operation.'}}") is Kind.AUTH
