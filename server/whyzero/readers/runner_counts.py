"""Closing counts of test runners other than pytest, as they print them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from whyzero.readers.escapes import uncoloured


@dataclass(frozen=True, slots=True)
class Counts:
    """Tests that ran and those that passed, by one runner's own closing line."""

    ran: int
    passed: int | None

    def __add__(self, other: Counts) -> Counts:
        known = self.passed is not None and other.passed is not None
        return Counts(self.ran + other.ran, (self.passed or 0) + (other.passed or 0) if known else None)


_JEST = re.compile(r"^\s*Tests:?\s+(?P<counts>\d+ (?:failed|passed|skipped|todo)\b(?:\s*[,|]\s*\d+ \w+)*)(?:\s*\(\d+\))?\s*$")
"""jest `Tests: 1 failed, 3 passed, 4 total`, vitest `Tests  1 failed | 3 passed (4)`."""
_NAMED = (
    # cargo `test result: FAILED. 3 passed; 1 failed; …`
    re.compile(r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed;"),
    # maven, gradle `Tests run: 4, Failures: 1, Errors: 0`
    re.compile(r"Tests run: (?P<ran>\d+), Failures: (?P<failed>\d+), Errors: (?P<errors>\d+)"),
    # rspec `4 examples, 1 failure`
    re.compile(r"^(?P<ran>\d+) examples?, (?P<failed>\d+) failures?\b"),
    # phpunit `Tests: 4, Assertions: 10, Failures: 1.`
    re.compile(r"^Tests: (?P<ran>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failed>\d+))?"),
    # dotnet `Failed!  - Failed: 1, Passed: 3, Skipped: 0, Total: 4`
    re.compile(r"^(?:Failed|Passed)!\s+- Failed:\s+(?P<failed>\d+), Passed:\s+(?P<passed>\d+)"),
    # mocha `3 passing (10ms)`, `1 failing`; bun ` 3 pass`, ` 1 fail`
    re.compile(r"^\s*(?P<passed>\d+) pass(?:ing \(\d+\w+\))?\s*$"),
    re.compile(r"^\s*(?P<failed>\d+) fail(?:ing)?\s*$"),
    # node `ℹ pass 2`, `ℹ fail 1`
    re.compile(r"^ℹ pass (?P<passed>\d+)$"),
    re.compile(r"^ℹ fail (?P<failed>\d+)$"),
    # googletest `[  PASSED  ] 2 tests.`, `[  FAILED  ] 1 test, listed below:`
    re.compile(r"^\[  PASSED  \] (?P<passed>\d+) tests?\.$"),
    re.compile(r"^\[  FAILED  \] (?P<failed>\d+) tests?, listed below:$"),
    # ctest `50% tests passed, 1 tests failed out of 2`
    re.compile(r"^\d+% tests passed, (?P<failed>\d+) tests? failed out of (?P<ran>\d+)$"),
    # ExUnit `3 tests, 1 failure`; minitest, test-unit `3 runs, 5 assertions, 1 failures, 0 errors, 0 skips`
    re.compile(r"^(?:\d+ doctests?, )?(?P<ran>\d+) tests?, (?P<failed>\d+) failures?\b"),
    re.compile(r"^(?P<ran>\d+) (?:runs|tests), \d+ assertions, (?P<failed>\d+) failures, (?P<errors>\d+) errors\b"),
    # deno `FAILED | 3 passed | 1 failed (12ms)`; scalatest; busted; Catch2
    re.compile(r"^(?:ok|FAILED) \| (?P<passed>\d+) passed(?: \([^)]*\))? \| (?P<failed>\d+) failed\b"),
    re.compile(r"^(?:\[info\] )?Tests: succeeded (?P<passed>\d+), failed (?P<failed>\d+)\b"),
    re.compile(r"^(?P<passed>\d+) success(?:es)? / (?P<failed>\d+) failures? / (?P<errors>\d+) errors?\b"),
    re.compile(r"^test cases: +(?P<ran>\d+) \| +(?P<passed>\d+) passed(?: \| +(?P<failed>\d+) failed)?"),
    # gradle `3 tests completed, 1 failed`; swift `Executed 3 tests, with 1 failure (…`
    re.compile(r"^(?P<ran>\d+) tests? completed, (?P<failed>\d+) failed\b"),
    re.compile(r"^Executed (?P<ran>\d+) tests?, with (?P<failed>\d+) failures?\b"),
    # unittest `Ran 4 tests in 0.001s`
    re.compile(r"^Ran (?P<ran>\d+) tests? in [\d.]+s"),
)


_ONE = (
    # go `--- FAIL: TestSums (0.00s)`, its subtests are indented; TAP `not ok 3 - sums are right`
    re.compile(r"^--- (?:(?P<passed>PASS)|FAIL): \S+ \("),
    re.compile(r"^(?:not (?=ok)|(?P<passed>))ok \d+\b(?!.*# ?(?:SKIP|TODO)\b)"),
)
"""One test a line, in formats without a closing count."""


def closing_counts(line: str) -> Counts | None:
    """Counts in one line of output, or None."""
    plain = uncoloured(line)
    if jest := _JEST.match(plain):
        by_word = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", jest.group("counts"))}
        good = by_word.get("passed", 0)
        return Counts(good + by_word.get("failed", 0), good)
    for pattern in _ONE:
        if one := pattern.match(plain):
            return Counts(1, int(one.group("passed") is not None))
    for pattern in _NAMED:
        found = pattern.search(plain)
        if found is None:
            continue
        groups = {name: int(value) for name, value in found.groupdict().items() if value is not None}
        if not groups:
            continue
        bad = groups.get("failed", 0) + groups.get("errors", 0)
        ran = groups.get("ran", groups.get("passed", 0) + bad)
        told = "failed" in groups or "errors" in groups
        return Counts(ran, groups["passed"] if "passed" in groups else (ran - bad if told else None))
    return None
