"""`logs.txt` in one pass: the stages of the last call, and what was said about each rollout in any call."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from whyzero.model import Span, Speaker, Spot, Utterance
from whyzero.readers.files import Folder, parse_json, parse_time
from whyzero.readers.osmosis.json_records import lines_of_record
from whyzero.readers.osmosis.tracebacks import CHAINED, GROUP_BAR, OPENING

LINE_LIMIT = 4096
HEAD, TAIL = 40, 200
"""Lines kept of the stages and of a child's output: from the start, and from the end."""
BLOCK_HEAD, BLOCK_TAIL = 60, 240
BAD_CALLS = 20
QUIET = timedelta(seconds=0.5)
"""Shorter pauses of the server are not measured."""

_LINE = re.compile(r"^(?P<at>\S+Z) (?P<level>INFO|WARNING|ERROR) \[(?P<step>[^\]]+)\] ?(?P<text>.*)$")
_HEADER = re.compile(r"^(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d\b|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b ?[:\s])")
_ID = r"(?P<id>[0-9a-f]{32})"
_FINISHED = re.compile(rf"\bRollout {_ID} finished with status (?P<status>\w+)")
_OWNED = re.compile(rf"\b(?:Rollout {_ID} failed: |Failed trial (?P<trial>[\w.-]+): ){re.escape(OPENING)}$")
_CRASHED = re.compile(rf"\bRollout task for {_ID} crashed$")
_CALL = re.compile(rf"HTTP Request: POST \S*/rollouts/{_ID}/\S* \"HTTP/[\d.]+ (?P<status>\d{{3}})(?: (?P<reason>[^\"]*))?\"")
_SAVED = re.compile(rf"\b(?P<what>Saved|Skipping|Failed to save) (?:the )?trajectory (?:document )?for rollout {_ID}\b")
_TIMINGS = re.compile(rf"\brollout {_ID} phase timings: ")
_UNUSABLE = re.compile(rf"\bUnusable verifier reward for rollout {_ID}: ")
_SANDBOX = re.compile(rf"\bHarbor trial {_ID} failed (?:during|before)\b.* \[[\w.]+\]: ")
_NEW_CALL = re.compile(r" of \d+ work items pending\b|all \d+ work items already have results$")
_IN_FLIGHT = re.compile(r"up to (\d+) in flight")
_RUNNERS = re.compile(r"osmosis_ai/rollout/.*, in run_(?:workflow|grader)$")

Lines = tuple[tuple[int, str], ...]


@dataclass(slots=True)
class RolloutLog:
    """What the log says about one rollout id."""

    row: int | None = None
    attempt: int | None = None
    dispatched: Utterance | None = None
    finished: Utterance | None = None
    """The server's word that it is done; `code` is its status."""
    calls: int = 0
    """Model calls the bridge answered."""
    good: int = 0
    """Those it answered with the model's words."""
    last_good: Utterance | None = None
    bad: list[Utterance] = field(default_factory=list)
    """Calls the bridge answered with an error: the first and the last ones."""
    block: Lines = ()
    """Traceback that belongs to it, numbered lines without the log's own prefix."""
    saved: bool = False
    """A sample left the workflow: its trajectory was saved, or the log says why it was not."""
    unsaved: Utterance | None = None
    """The log's word why a sample has no trajectory."""
    remarks: list[Utterance] = field(default_factory=list)
    """The supervisor's own lines about it that tell more than that it ran."""
    silence: Span | None = None


@dataclass(slots=True)
class Log:
    """The whole file, reduced. `stages` and `child` are those of the last call only."""

    calls: int = 0
    stages: list[Utterance] = field(default_factory=list)
    child: list[Utterance] = field(default_factory=list)
    """Output of the rollout server while it was starting, head and tail, then its last lines."""
    deps: list[Utterance] = field(default_factory=list)
    rollouts: dict[str, RolloutLog] = field(default_factory=dict)
    concurrency: int | None = None
    last: Utterance | None = None


class _Reading:
    """The state of the pass."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.log = Log()
        self.seen: dict[str, str] = {}
        self.block: list[tuple[int, str]] | None = None
        self.owner: str | None = None
        self.expected_owner: str | None = None
        self.open: set[str] = set()
        self.last_line: datetime | None = None

    def about(self, rollout: str) -> RolloutLog:
        return self.log.rollouts.setdefault(rollout, RolloutLog())

    def line(self, number: int, line: str) -> None:
        found = _LINE.match(line)
        if found is None:
            return
        step, text = found["step"], found["text"]
        said = Utterance(
            Speaker.HARNESS,
            f"{found['level']} [{step}] {text}"[:LINE_LIMIT],
            Spot(self.path, number),
            parse_time(found["at"]),
            kind=step,
        )
        self.log.last = said
        if step == "rollout-server":
            self.pause(said)
            self.last_line = said.at or self.last_line
            self.server_line(number, text, said)
            return
        if step in ("run", "resume"):
            self.open, self.last_line = set(), None
            if _NEW_CALL.search(text):
                self.log.calls += 1
                self.log.stages, self.log.child, self.log.deps = [], [], []
        self.pause(said)
        if step == "deps":
            _keep(self.log.deps, said)
        elif not self.item_line(text, said):
            _keep(self.log.stages, said)
        if step == "schedule" and (most := _IN_FLIGHT.search(text)):
            self.log.concurrency = int(most[1])

    def item_line(self, text: str, said: Utterance) -> bool:
        """A supervisor line about one work item goes to its rollout; True where it did."""
        start = text.find(' {"')
        data = parse_json(text[start + 1 :]) if start >= 0 else None
        rollout = data.get("rollout_id") if isinstance(data, dict) else None
        if not isinstance(rollout, str) or not isinstance(data, dict):
            return False
        about = self.about(rollout)
        if said.kind == "dispatch":
            about.row, about.attempt = data.get("row_index"), data.get("run_index")
            about.dispatched = said
            self.open.add(rollout)
        elif said.kind == "trajectory":
            about.saved, about.unsaved = True, about.unsaved or said
        elif "work item finished" not in text:
            about.remarks.append(said)
        if said.kind in ("result", "cancel"):
            self.open.discard(rollout)
        return True

    # ---- the rollout server's own output

    def server_line(self, number: int, text: str, said: Utterance) -> None:
        _keep(self.log.child, said)
        for line in lines_of_record(text):
            self.child_line(number, line[:LINE_LIMIT], said)

    def child_line(self, number: int, text: str, said: Utterance) -> None:
        if finished := _FINISHED.search(text):
            self.finish(finished["id"], finished["status"], said)
        elif owned := _OWNED.search(text):
            self.close()
            self.block, self.owner = [(number, text)], owned["id"] or owned["trial"]
        elif crashed := _CRASHED.search(text):
            self.close()
            self.expected_owner = crashed["id"]
        elif text.rstrip().endswith(OPENING):
            self.opening(number, text)
        elif self.block is not None and _HEADER.match(text):
            self.close()
            self.header(text, said)
        elif self.block is not None:
            if len(self.block) < BLOCK_HEAD + BLOCK_TAIL:
                self.block.append((number, self.seen.setdefault(text, text) if len(self.seen) < 50_000 else text))
            else:
                del self.block[BLOCK_HEAD]
                self.block.append((number, text))
        else:
            self.header(text, said)

    def opening(self, number: int, text: str) -> None:
        if self.block is not None and GROUP_BAR.match(text):
            self.block.append((number, text))
            return
        plain = text.strip() == OPENING
        last = next((t for _, t in reversed(self.block or []) if t.strip()), "")
        if plain and last.strip() in CHAINED and self.block is not None:
            self.block.append((number, text))
            return
        owner = self.expected_owner if plain else None
        self.close()
        self.block, self.owner, self.expected_owner = [(number, text)], owner, None

    def header(self, text: str, said: Utterance) -> None:
        if _HEADER.match(text):
            self.expected_owner = None
        if call := _CALL.search(text):
            about = self.about(call["id"])
            about.calls += 1
            status = int(call["status"])
            # Of a record in JSON the words as they stand in it.
            text = text if text in said.text else text[call.start() :]
            if status < 400:
                about.good += 1
                about.last_good = replace(said, speaker=Speaker.PROVIDER, text=text, kind="model_call", status=status)
            else:
                about.bad.append(replace(said, speaker=Speaker.PROVIDER, text=text, kind="model_call", status=status))
                if len(about.bad) > BAD_CALLS:
                    del about.bad[1]
        elif saved := _SAVED.search(text):
            about = self.about(saved["id"])
            about.saved = True
            if saved["what"] != "Saved":
                about.unsaved = said
        elif sandbox := _SANDBOX.search(text):
            self.about(sandbox["id"]).remarks.append(replace(said, kind="sandbox"))
            self.expected_owner = sandbox["id"]
        elif unusable := _UNUSABLE.search(text):
            self.about(unusable["id"]).remarks.append(replace(said, kind="unusable_reward"))
        elif timings := _TIMINGS.search(text):
            self.about(timings["id"]).remarks.append(said)

    def finish(self, rollout: str, status: str, said: Utterance) -> None:
        """A block directly before this line, without another header between, is this rollout's own."""
        about = self.about(rollout)
        if (
            self.block is not None
            and self.owner is None
            and status == "failure"
            and any(_RUNNERS.search(t) for _, t in self.block)
        ):
            about.block = tuple(self.block)
            self.block = None
        self.close()
        about.finished = replace(said, code=status)
        self.open.discard(rollout)

    def close(self) -> None:
        if self.block is not None and self.owner is not None:
            self.about(self.owner).block = tuple(self.block)
        self.block, self.owner = None, None

    def pause(self, said: Utterance) -> None:
        """Measure how long the server had been silent, for every rollout it held meanwhile."""
        at, before = said.at, self.last_line
        if at is None or before is None or at - before < QUIET:
            return
        for rollout in self.open:
            about = self.log.rollouts[rollout]
            begun = about.dispatched.at if about.dispatched else None
            since = max(before, begun) if begun else before
            longest = about.silence.seconds if about.silence else 0.0
            if (at - since).total_seconds() > (longest or 0.0):
                about.silence = Span("silence", since, at)


def read_log(folder: Folder, path: str) -> Log:
    """An empty log where there is no such file."""
    reading = _Reading(path)
    for number, line in folder.lines(path):
        reading.line(number, line)
    reading.close()
    return reading.log


def _keep(lines: list[Utterance], said: Utterance) -> None:
    lines.append(said)
    if len(lines) > HEAD + 2 * TAIL:
        del lines[HEAD : len(lines) - TAIL]
