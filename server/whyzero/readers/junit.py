"""JUnit XML reports, as pytest (`--junitxml`), gotestsum, jest and maven write them.

Read as text, without an XML parser: no entity is expanded, and a report cut off in the middle still tells of the tests before the cut.
"""

from __future__ import annotations

import re

from whyzero.model import Spot, TestOutcome
from whyzero.readers.ctrf import TEST_LIMIT, Report
from whyzero.readers.files import Folder
from whyzero.readers.judgement import with_absence
from whyzero.readers.pytest_log import clipped

LIMIT = 4 * 2**20
_SUITE = re.compile(r"<testsuites?\b")
_CASE = re.compile(r"<testcase\b(?P<attributes>[^>]*?)(?P<empty>/)?>")
_NAME = re.compile(r"\bname=\"(?P<text>[^\"]*)\"")
_BAD = re.compile(r"<(?:failure|error)\b(?:[^>]*?\bmessage=\"(?P<text>[^\"]*)\")?")


def read_junit(folder: Folder, path: str, names: tuple[str, ...]) -> Report | None:
    """The report at `path`, or None where it is none or lists no test."""
    text = folder.text(path, LIMIT) or ""
    if not _SUITE.search(text[:4000]):
        return None
    begun = list(_CASE.finditer(text))[:TEST_LIMIT]
    if not begun:
        return None
    ends = [*(m.start() for m in begun[1:]), len(text)]
    tests: list[TestOutcome] = []
    for case, end in zip(begun, ends, strict=True):
        inside = "" if case["empty"] else text[case.end() : end].partition("</testcase>")[0]
        if "<skipped" in inside:
            continue
        name = _NAME.search(case["attributes"])
        bad = _BAD.search(inside)
        at = case.end() + bad.start() if bad else case.start()
        spot = Spot(path, text.count("\n", 0, at) + 1)
        test = TestOutcome((name["text"] if name else "")[:300], bad is None, spot=spot)
        tests.append(with_absence(test, [clipped((bad["text"] or "").strip())], names) if bad else test)
    if not tests:
        return None
    first = Spot(path, text.count("\n", 0, begun[0].start()) + 1)
    return Report(tuple(tests), len(tests), sum(t.passed for t in tests), first, None)
