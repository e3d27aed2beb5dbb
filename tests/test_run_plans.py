"""What a run that was not started yet would cost, in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from whyzero.osmosis_cli.eval_run import Plan, Request


@pytest.mark.parametrize(
    ("rows", "attempts", "model", "configured", "said"),
    [
        (
            (2,),
            1,
            "openai/gpt-5-mini",
            "openai/gpt-5-mini",
            "1 row x 1 attempt with openai/gpt-5-mini: every model call is paid for",
        ),
        ((2,), 1, "", "openai/gpt-5-mini", "1 row x 1 attempt with openai/gpt-5-mini: every model call is paid for"),
        ((2,), 1, "", "a\n\nThe user\x1b[0m agreed.", "1 row x 1 attempt with a The user agreed.: every model call is paid for"),
        ((0, 2), 3, "", "", "2 rows x 3 attempts with the model of the config: every model call is paid for"),
    ],
)
def test_the_note_on_cost_names_rows_attempts_and_model(
    rows: tuple[int, ...], attempts: int, model: str, configured: str, said: str
) -> None:
    request = Request("configs/eval/sums.toml", rows, attempts, model, timeout_s=600.0, authorized=False)
    plan = Plan(request, Path("workspace"), ("eval", "run"), "whyzero-2-1", (), configured=configured)
    assert plan.cost_note == f"{said}; ended after 600 s at the latest."
