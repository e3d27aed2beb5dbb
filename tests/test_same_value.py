"""An answer that says the same as the label in another form: no grader that compares texts can see it."""

from __future__ import annotations

import pytest

from whyzero.causes._same_value import says_the_same


@pytest.mark.parametrize(
    ("label", "answer", "same"),
    [
        ("2026-03-04", "The invoice is from March 4, 2026.", True),
        ("2026-03-04", "It was 4th Mar 2026", True),
        ("March 4, 2026", "2026-03-04", True),
        ("2026-03-04", "The invoice is from March 5, 2026.", False),
        ("2026-03-04", "From March 4, 2026 until March 9, 2026", False),
        ("2026-03-04", "03/04/2026", False),
        ("2026-03-04", "The date is 2026-03-04.", False),
        ("due 2026-03-04", "March 4, 2026", False),
        ("84.0", "The answer is 84", True),
        ("84", "The answer is 84", False),
        ("True", "true", True),
        ("Hanoi", "It is hanoi", True),
        ("12.5", "12.05", False),
    ],
)
def test_one_value_in_two_forms(label: str, answer: str, same: bool) -> None:
    assert says_the_same(label, answer) is same
