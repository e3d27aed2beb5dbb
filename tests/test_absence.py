"""A path that a check calls missing: the work itself, or a member of what was handed in."""

from __future__ import annotations

import pytest

from whyzero.readers.absence import says_absent

BRIEF = ("/app/findings.json",)


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError: missing: {'/app/findings.json'}",
        "Missing output: findings.json",
        "missing file /app/other.txt",
        "Missing files: ['x.txt']",
        "could not find the compiled binary at /app/out",
    ],
)
def test_work_that_is_not_there(line: str) -> None:
    assert says_absent([line], BRIEF) == line


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError: missing: {('src/db/q.py', 88)}",
        "missing rows: ['a.csv']",
        "missing edge src/a.py",
        "missing imports: a/b.py -> c.py",
        "missing {'src/db/q.py'}",
    ],
)
def test_what_an_answer_lacks_is_no_absence_of_it(line: str) -> None:
    assert says_absent([line], BRIEF) is None


@pytest.mark.parametrize("line", ["missing: ['out.csv']", "missing: {'out.csv'}"])
def test_without_a_brief_a_listed_file_may_be_the_work(line: str) -> None:
    assert says_absent([line]) == line


@pytest.mark.parametrize("line", ["missing: {('src/db/q.py', 88)}", "missing rows: ['a.csv']", "missing edge src/a.py"])
def test_without_a_brief_a_path_beside_other_values_is_a_part_of_an_answer(line: str) -> None:
    assert says_absent([line]) is None
