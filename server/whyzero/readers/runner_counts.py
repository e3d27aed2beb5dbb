"""Closing counts of test runners other than pytest, as they print them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


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
    # mocha `3 passing (10ms)`
    re.compile(r"^\s*(?P<passed>\d+) passing \(\d+\w+\)\s*$"),
    # unittest `Ran 4 tests in 0.001s`
    re.compile(r"^Ran (?P<ran>\d+) tests? in [\d.]+s"),
)


def closing_counts(line: str) -> Counts | None:
    """Counts in one line of output, or None."""
    plain = _ANSI.sub("", line)
    if jest := _JEST.match(plain):
        by_word = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", jest.group("counts"))}
        good = by_word.get("passed", 0)
        return Counts(good + by_word.get("failed", 0), good)
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
