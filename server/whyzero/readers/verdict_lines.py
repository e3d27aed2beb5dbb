"""Which lines of a verifier's output judge the work, and not the verifier's own preparations.

A line is read with what stands before it: the command that `set -x` echoed, the address that was called, the traceback it closes.
"""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any

LOCAL_HOSTS = ("localhost", "127.0.0.1", "0.0.0.0")
LOCAL = r"(?<![\w.])(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?![\w.])"
_SERVICE = re.compile(
    rf"(?i)^(?!.*(?:/v1\b|\bretry(?:ing)?\b))(?=.*{LOCAL})(?:curl: \(\d+\)|(?:requests|urllib3?|httpx|aiohttp)[\w.]*(?:Error|Exception|Timeout)\b"
    r"|.*\b(?:connection (?:refused|reset)|can't connect|could not connect|failed to connect|empty reply)\b)"
)
"""A service of the verifier's own machine was called and did not answer: that service is the work. A model's address is none."""
_CURL = re.compile(r"^curl: \(\d+\)(?!.*(?:\bhost\b|\bresolve\b|://))")
"""A word of curl that names no host: it is about the address named before it."""
SINCE_CALL = 3
"""Lines within which an error without an address belongs to the address before it."""
_JUDGED = re.compile(
    r"(?i)\b\d+ (?:of|out of|/) ?\d+\b[^.\n]{0,40}\b(?:correct|right|pass(?:ed)?|match(?:ed|es)?|rows?|cases|tests|points)\b"
    r"|\b\d+/\d+ (?:pass(?:ed)?|correct|tests|cases)\b|^(?:results?|scores?|total|passed|checks?)\W{1,3}\d+ ?/ ?\d+\b"
    r"|\bexpected\b.{1,200}\b(?:got|but|found|actual|received)\b|\bgot\b.{1,120}\bexpected\b"
    r"|\b(?:mismatch|incorrect|wrong (?:answer|output|result|value))\b"
    r"|\bmodel\.patch applied\b|\bpatch applied (?:cleanly|successfully)\b"
    r"|^--- \S*(?:expected|wanted|golden|reference)\b"
    r"|\b(?:erwartet|attendue?|esperad[oa]|atteso|ожидал\w*)\b.{0,200}\d|(?:期望|预期|預期|期待).{0,200}\d"
    r"|^assertion .+ failed\b|: Assertion [`'].+' failed\.|^AssertionError \[ERR_ASSERTION\]"
    r"|^npm (?:ERR!|error) (?:\S+@\S+ |Lifecycle script `)(?:build|start|compile|dev)\b"
)
_FAILED = re.compile(
    r"(?i)^\W{0,3}(?:FAIL(?:ED|URE)?|NOT OK|WRONG)\b\]? ?:|^\s*\[FAIL(?:ED)?\]|^\s*[✗✘❌] "
    r"|(?-i:^FAIL(?:ED)? (?!to\b|with\b)\w|^[^:]{1,60}: (?:FAIL(?:ED)?|WRONG|INCORRECT)\b)"
)
_MEASURED = re.compile(
    r"(?i)(?<![\d.])\d[\d.]{0,20}\s?%?x?\b[^.\n]{0,40}\b(?:required|needed|minimum|at least|threshold|target)\b\D{0,12}\d"
    r"|\b(?:score|accuracy|reward|f1|similarity)\b\W{1,3}\d[\d.]{0,20}\s?%?\s?(?:<|below|under)\s?\d"
    r"|\b(?:required|needed|minimum|at least|threshold|target)\b\D{0,12}\d[\d.]{0,20}\s?%?x?\b[^\n]{0,40}\b(?:got|was|is|reached)\b\D{0,6}\d"
)
_JUDGING = (
    *(
        "correct",
        "right",
        "pass",
        "match",
        "rows",
        "cases",
        "tests",
        "points",
        "score",
        "result",
        "total",
        "check",
        "expected",
        "got",
    ),
    *("wrong", "patch applied", "golden", "wanted", "reference", "npm ", "assertion", "erwartet", "attendu", "esperad", "atteso"),
    *("ожидал", "期望", "预期", "預期", "期待"),
)
_BOUNDS = ("required", "needed", "minimum", "at least", "threshold", "target", "<", "below", "under")
"""Plain words of the patterns above, which are dear: without one of them a line is not looked at."""
_VERSIONS = re.compile(r"(?i)\bpython\b|\bversions?\b|\bnode\b|\bglibc\b|\brequires\b|\bdisk\b|\bspace\b|\bmemory\b")
_OF_THE_SCRIPT = re.compile(
    r"(?i)\b(?:install|download|fetch|resolve|package|dependenc|pytest|uvx?|pip|npm|docker|mirror|registry)"
)
"""A line that says FAIL of the verifier's own preparations judges nothing."""
_CLIENT = re.compile(
    r"\b(?:openai|anthropic|litellm|google\.\w+|mistralai|cohere)\.[\w.]*(?:Error|Exception|Timeout)\b|(?:^|: )Error code: [45]\d\d - "
)
"""Words of a model's client are none of the verifier."""
_DOES_NOT_BUILD = re.compile(
    # rust, go, C and its like, TypeScript, Java, C#; of a file that is not the verifier's own
    r"^error\[E\d{4}\]: |^(?!/tests?/)\S+\.go:\d+:\d+: |^\S+\s+\[build failed\]$"
    r"|^(?!/tests?/|/usr/|/opt/|/tmp/)\S+\.(?:c|cc|cpp|cxx|h|hpp|ts|tsx|java|kt|scala|swift|cs|zig)(?::\d+(?::\d+)?|\(\d+,\d+\)): (?:fatal )?error\b"
)
_ECHOED = re.compile(r"^\++ (?P<command>\S.*)$")
_ERRORED = re.compile(
    r"(?i)^(?:\S+: )?(?:error|fatal)\b|: (?:line )?\d*:? ?\S+: (?:command )?not found$|^curl: \(\d+\)|\bPermission denied$|^make: \*\*\*"
)
_NOT_FOUND = re.compile(r"(?:^|[\s:])(?P<what>[^\s:]+): (?:command )?not found$")
_OWN_SCRIPT = re.compile(r"^/tests?/\S+: (?:line )?\d+: ")
_FRAME = re.compile(r'^\s+File "(?P<path>[^"]+)", line \d+')
_RAISED = re.compile(r"^(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception))\b(?P<said>.*)$")
_WORKPLACE = re.compile(r"(?<![\w./])/(?:app|workspace|workdir|repo|testbed|output)/(?!tests?/|\.venv/)[\w./-]*\w")
_LIBRARY = re.compile(r"/(?:site|dist)-packages/|/lib/python3|^<")
_MARKS = ("score", "reward", "passed", "pass", "success", "correct", "verdict", "result")
_LISTED = re.compile(r"(?i)^(?:\w*_)?(?:checks?|tests?|results?|criteria|cases?|rubric|assertions?)$")
_SETTINGS = re.compile(r"(?i)[A-Z]_(?:API_KEY|KEY|TOKEN|URL)\b|\bapi[ _-]?key|environment variable|credentials")


class VerdictLines:
    """Reads a verifier's output line by line."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = tuple(dict.fromkeys((*names, *(PurePosixPath(n).name for n in names))))
        self._before = self._command = ""
        self._of_the_work = False
        self._since_call = SINCE_CALL + 1
        self._in_trace = self._in_library = self._trace_of_the_work = False

    def judges(self, line: str) -> bool:
        """True where the line is a judgement of what the agent made."""
        self._since_call += 1
        echoed = None if self._before.startswith("--- ") else _ECHOED.match(line)
        self._before = line
        if echoed:
            self._command = echoed["command"]
            self._of_the_work = self._names_the_work(self._command)
        local = any(host in line for host in LOCAL_HOSTS) and re.search(LOCAL, line) is not None
        if local:
            self._since_call = 0
        if self._in_trace or line.startswith("Traceback (most recent call last)"):
            return self._traced(line)
        if echoed:
            return False
        if self._of_the_work and _ERRORED.search(line) and not self._is_the_command(line):
            return True
        if (local and _SERVICE.search(line)) or (_CURL.match(line) and self._since_call <= SINCE_CALL):
            return True
        return _says_verdict(line)

    def _traced(self, line: str) -> bool:
        """The closing line of a traceback whose last frame outside libraries reads the work, or that is a failed assertion."""
        if line.startswith("Traceback (most recent call last)"):
            self._in_trace, self._in_library, self._trace_of_the_work = True, False, False
            return False
        if line[:1].isspace():
            frame = _FRAME.match(line)
            if frame:
                self._in_library = bool(_LIBRARY.search(frame["path"]))
            if not self._in_library:
                named = self._names_the_work(line) or (not self._names and bool(_WORKPLACE.search(line)))
                self._trace_of_the_work = named or (not frame and self._trace_of_the_work)
            return False
        self._in_trace = False
        raised = _RAISED.match(line)
        if raised is None or _CLIENT.search(line):
            return _says_verdict(line)
        if raised["kind"] == "AssertionError":
            return not _SETTINGS.search(raised["said"])
        return self._trace_of_the_work or bool(_SERVICE.search(line)) or _says_verdict(line)

    def _names_the_work(self, text: str) -> bool:
        return any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) for name in self._names)

    def _is_the_command(self, line: str) -> bool:
        """The echoed command itself, or another of the verifier's script, was not found: it is the verifier's tool."""
        if _OWN_SCRIPT.match(line):
            return True
        missing = _NOT_FOUND.search(line)
        return missing is not None and missing["what"] == self._command.split()[0]


def _says_verdict(line: str) -> bool:
    said = line.lower()
    judged = _DOES_NOT_BUILD.match(line) or (any(word in said for word in _JUDGING) and _JUDGED.search(line)) or _checks(line)
    failed = not judged and _FAILED.search(line) and not _OF_THE_SCRIPT.search(line)
    measured = not judged and any(word in said for word in _BOUNDS) and _MEASURED.search(line) and not _VERSIONS.search(line)
    return bool((judged or failed or measured) and not _CLIENT.search(line))


def _checks(line: str) -> bool:
    """A JSON object that lists named checks and says of one that it failed; none that tells of an error."""
    if not line.startswith("{") or len(line) > 20_000:
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict) or any(value.get(key) for key in ("error", "errors", "exception", "traceback")):
        return False
    marked = any(key in value for key in _MARKS)
    return any(_fails_one(part) for key, part in value.items() if marked or _LISTED.match(key))


def _fails_one(part: Any) -> bool:
    if isinstance(part, dict):
        return bool(part) and all(isinstance(v, bool) for v in part.values()) and not all(part.values())
    if isinstance(part, list):
        return any(
            isinstance(c, dict) and any(c.get(k) is False for k in ("ok", "pass", "passed", "correct", "success")) for c in part
        )
    return False
