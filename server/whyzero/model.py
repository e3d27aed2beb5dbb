"""A run as it was read: light, frozen, no I/O, no verdicts.

Vocabulary: a run is one directory of results; a trial is one attempt at one task; the verifier (Osmosis: grader)
turns work into a reward. `None` always means "not recorded", never zero or false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from whyzero.evidence import Evidence


class Phase(StrEnum):
    """Where a run or trial stopped, in run order; `NONE` where nothing failed."""

    LAYOUT = "layout"
    DATA = "data"
    STARTUP = "startup"
    ENVIRONMENT = "environment"
    DISPATCH = "dispatch"
    TRAJECTORY = "trajectory"
    GRADING = "grading"
    PUBLISH = "publish"
    HOSTED = "hosted"
    NONE = "none"


class Speaker(StrEnum):
    """Who said a line. Only the first three may support a finding about the provider."""

    PROVIDER = "provider"
    """The model provider or gateway, relayed by the agent program (a typed error event, an SDK exception)."""
    AGENT_RESULT = "agent_result"
    """The agent program's own last word about the trial."""
    HARNESS = "harness"
    """The runner around the agent: Harbor, the Osmosis supervisor, an installer."""
    TOOL = "tool"
    MODEL = "model"
    INSTRUCTION = "instruction"
    VERIFIER = "verifier"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file of the run: path relative to the run, 1-based line, JSON pointer."""

    path: str
    line: int | None = None
    pointer: str | None = None

    def evidence(self, quote: str) -> Evidence:
        return Evidence(path=self.path, line=self.line, pointer=self.pointer, quote=quote)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One line or event of a log, with its speaker known."""

    speaker: Speaker
    text: str
    """Bounded by the reader (8 KiB), otherwise as written."""
    spot: Spot
    at: datetime | None = None
    kind: str = ""
    """The log's own event name (`result`, `api_retry`, `turn.failed`, the Osmosis step `server` …)."""
    status: int | None = None
    """HTTP status from a typed slot, never fished out of prose."""
    code: str | None = None
    """Typed error code or exception class (`rate_limit_error`, `insufficient_quota`, `litellm.RateLimitError`)."""
    actor: str = "main"
    """`main`, or the id of the sub-agent this belongs to."""
    retried: bool = False
    """The program said it would try again: no end by itself."""
    overcome: bool = False
    """A successful model turn of the same actor followed it."""
    cut: bool = False
    """The reader left out the end of the text."""

    def evidence(self) -> Evidence:
        return self.spot.evidence(self.text)


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be read, wholly or in part."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reward:
    """What the verifier wrote. `value is None` = absent; 0.0 is a number like any other."""

    value: float | None = None
    components: dict[str, float] = field(default_factory=dict)
    spot: Spot | None = None
    text: str = ""
    """The raw text at the spot, also where it is no number (`nan`, an empty file)."""
    invalid: str | None = None
    """Why the text is no reward (`not a finite number`, `empty file`), in our words."""
    claimed_valid: bool | None = None
    """Harbor >= 0.26 `reward_valid`: the harness's claim, no proof."""
    written_at: datetime | None = None
    """Modification time of the reward file, only where the trial's other files show that such times were kept."""


@dataclass(frozen=True, slots=True)
class Span:
    """One native phase of a trial (`environment_setup`, `agent_setup`, `agent`, `verifier`); a None end = never closed."""

    name: str
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def seconds(self) -> float | None:
        if self.started_at is None or self.finished_at is None:
            return None
        if (self.started_at.tzinfo is None) != (self.finished_at.tzinfo is None):
            return None
        return (self.finished_at - self.started_at).total_seconds()


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback, as printed."""

    file: str
    line: int
    function: str
    source: str = ""
    """The source line under it, stripped."""
    user: bool = False
    """In the user's own code (rollout, custom agent, tests), not in the harness or a library."""


@dataclass(frozen=True, slots=True)
class ExceptionRecord:
    """An exception the harness recorded, or a traceback attributed to a trial."""

    type: str
    """Class name as written, dotted where the log has it dotted."""
    message: str
    spot: Spot
    at: datetime | None = None
    during: str | None = None
    """Native phase: a `Span.name`, or `workflow` / `grader` from an Osmosis frame."""
    traceback: str = ""
    """Bounded (8 KiB tail)."""
    user_frame: Spot | None = None
    """Deepest frame in the user's own code (rollout, custom agent, tests)."""
    inner: tuple[str, ...] = ()
    """`Class: message` of the exceptions it was raised from, innermost first."""
    frames: tuple[Frame, ...] = ()
    """Frames of the innermost exception that passed through user code, else of this one; outermost first (bounded)."""
    by_deadline: bool = False
    """The harness's own deadline raised it; user code raising the same class does not count."""
    masked: bool = False
    """The harness kept another exception as the official one; this was found in a log."""


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """One test of the verifier, as its report tells it."""

    __test__ = False

    name: str
    passed: bool
    message: str = ""
    spot: Spot | None = None
    absent: bool = False
    """It failed because a file it looked for was not there, by its own words; else what was there was judged."""
    files: tuple[str, ...] = ()
    """Files through which the traceback of a failure leads, as the report names them."""


@dataclass(frozen=True, slots=True)
class Grading:
    """What the verifier did, as far as its files tell."""

    tests: tuple[TestOutcome, ...] = ()
    """Single tests (ctrf.json, pytest summary, Terminal-Bench parser_results)."""
    collected: int | None = None
    """Tests that ran by a count on record (ctrf summary, pytest's closing line); 0 is a fact, None is silence."""
    passed: int | None = None
    report: Spot | None = None
    """Where `collected` was read."""
    output: tuple[Utterance, ...] = ()
    """Bounded head and tail of the verifier's own output, speaker VERIFIER, one line each."""
    complete: bool = True
    """False where lines of the output were left out between head and tail."""
    files: tuple[str, ...] = ()
    """Names of the verifier's files, relative to the run."""
    expects_report: bool | None = None
    """The task's test script asks for a ctrf.json (seen in the task folder or in a sibling trial)."""
    ran_at: datetime | None = None
    """When the tests began, by their own report (ctrf.json)."""
    retries: int | None = None


@dataclass(frozen=True, slots=True)
class Deliverable:
    """The work to be graded. `present` is None where nothing on disk tells."""

    names: tuple[str, ...] = ()
    """File names or paths that the brief names as output."""
    submitted: tuple[str, ...] = ()
    """Submissions on disk that match (`verifier/submitted-*`, `artifacts/...`), relative to the run."""
    scratch: tuple[str, ...] = ()
    """Other files copied beside them, which the brief does not ask for."""
    missing: tuple[Evidence, ...] = ()
    """The verifier's or harness's own words that it was not there ("does not exist", "no model.patch submitted")."""
    seen: tuple[Evidence, ...] = ()
    """Proof that the verifier opened it or its content was judged (a content assertion, a passing content test)."""
    written: tuple[Evidence, ...] = ()
    """Actions in the agent's own log that write to it (bounded)."""


@dataclass(frozen=True, slots=True)
class Delegation:
    """One hand-off to a sub-agent or background job."""

    id: str
    kind: str
    """`agent` (a model of its own) or `shell` (a background command)."""
    spot: Spot
    text: str = ""
    """The hand-off as the log has it (tool and task), bounded."""
    background: bool = False
    started_at: datetime | None = None
    ended_at: datetime | None = None
    collected: bool | None = None
    """Its result came back to the main agent before the end of the turn; None where the log cannot tell."""
    status: str | None = None
    """The agent program's own word (`completed`, `stopped`, `failed`)."""
    tokens: int | None = None
    endpoint: str | None = None
    """Host of the endpoint its calls went to, where a log names it."""
    credential: str | None = None
    """Name of the credential (variable or header), never a value."""
    error: Utterance | None = None
    """Its first provider error."""
    last: Utterance | None = None

    def evidence(self) -> Evidence:
        return self.spot.evidence(self.text or self.id)


class End(StrEnum):
    """How the agent program's log ends."""

    COMPLETED = "completed"
    """A normal end of turn by its own word."""
    FAILED = "failed"
    """An error by its own word."""
    CUT = "cut"
    """No closing event although this program writes one."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AgentLog:
    """What one trial's agent left behind, reduced to what decides causes."""

    agent: str
    end: End = End.UNKNOWN
    end_event: Utterance | None = None
    stop_reason: str | None = None
    """Typed: `end_turn`, `refusal`, `max_tokens`, `length`, `content_filter`, `tool_use` …"""
    errors: tuple[Utterance, ...] = ()
    """Provider, agent-result and harness errors in order of time, retried ones included; every actor."""
    tool_calls: int | None = None
    """Calls the model made that reached the program's tool layer."""
    tool_results: int | None = None
    """Tool results that came back (executed calls)."""
    calls_as_text: tuple[Utterance, ...] = ()
    """Model messages that hold a tool call as plain text which nobody executed."""
    malformed: tuple[Utterance, ...] = ()
    """Calls or answers the program could not parse, or of unknown tools, by the program's own word (bounded: first and last)."""
    malformed_at_end: int = 0
    """How many such answers follow the last executed call."""
    last_message: Utterance | None = None
    """The model's last words."""
    last_event: Utterance | None = None
    """The last event of any speaker."""
    last_work: Utterance | None = None
    """The last successful model turn or tool result: an error before it was overcome."""
    steps: int | None = None
    """Model turns."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    open_calls: tuple[Utterance, ...] = ()
    """Calls still without a result where the log ends; the text is the command, where the call has one."""
    delegations: tuple[Delegation, ...] = ()
    endpoint: str | None = None
    """Host of the run's own gateway, where known."""
    brief: Utterance | None = None
    """First user message."""
    lines: tuple[Utterance, ...] = ()
    """Bounded tail of a log whose grammar is unknown, speaker UNKNOWN."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Deadlines in seconds, effective (multipliers applied); None = none recorded."""

    agent: float | None = None
    grader: float | None = None
    setup: float | None = None
    environment: float | None = None
    spot: Spot | None = None


class Recorded(StrEnum):
    """What the harness has on record for a trial, in neutral words."""

    FINISHED = "finished"
    FAILED = "failed"
    SKIPPED = "skipped"
    PENDING = "pending"
    """Planned and without a record."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt at one task, or one step of a multi-step trial (in `steps`)."""

    id: str
    task: str
    spot: Spot
    """The record that made us list it (result.json, a line of events.jsonl)."""
    attempt: int = 0
    row: int | None = None
    """Index in the dataset file (Osmosis `source_row_index`)."""
    row_index: int | None = None
    """Index in the run's selection, where it differs from `row`."""
    agent: str | None = None
    model: str | None = None
    dataset: str | None = None
    """The set the task belongs to (Harbor `source`, the Osmosis dataset name); None = ad hoc."""
    recorded: Recorded = Recorded.FINISHED
    error_type: str | None = None
    """The harness's own failure word (Osmosis `error_type`, Terminal-Bench `failure_mode`)."""
    reward: Reward = Reward()
    spans: tuple[Span, ...] = ()
    started_at: datetime | None = None
    finished_at: datetime | None = None
    duration: float | None = None
    """Seconds, where the harness recorded a duration of its own."""
    exceptions: tuple[ExceptionRecord, ...] = ()
    """Official one first, then masked ones, each in order of time."""
    limits: Limits = Limits()
    logs: tuple[AgentLog, ...] = ()
    """Main agent's log first; several where the same work was logged twice."""
    harness: tuple[Utterance, ...] = ()
    """Telling lines of the harness's own logs about this trial (trial.log, job.log, logs.txt)."""
    grading: Grading = Grading()
    deliverable: Deliverable = Deliverable()
    brief: Utterance | None = None
    """What the trial was asked, as recorded."""
    given: tuple[Utterance, ...] = ()
    """Every user message of the main agent in order, harness notes included, each up to 256 KiB."""
    steps: tuple[Trial, ...] = ()
    checksum: str | None = None
    is_oracle: bool = False
    is_nop: bool = False
    grading_disabled: bool = False
    record_unreadable: bool = False
    """Its record is there and cannot be read: nothing may be concluded from what it would have said."""
    workflow_finished: bool | None = None
    """Osmosis: a sample left the workflow (its trajectory was written, or the log says why it was not)."""
    sandbox_phase: str | None = None
    """Osmosis in a Harbor sandbox: the phase in which the rollout failed, by its diagnostics."""
    silence: Span | None = None
    """Osmosis: the longest stretch in which the rollout server printed nothing while it held this trial."""
    label: str | None = None
    """Osmosis: the ground truth the trial was graded against."""
    label_missing: bool | None = None
    has_metadata: bool | None = None
    """Osmosis: the row carried metadata, which a grader may use instead of a label."""
    left_reward: Reward | None = None
    """A reward that was set but not booked (Osmosis: in trajectory.json of a failed row). Never the grade."""
    files: tuple[str, ...] = ()
    """Files of the trial, relative to the run (bounded to 500)."""
    problems: tuple[Problem, ...] = ()

    @property
    def log(self) -> AgentLog | None:
        return self.logs[0] if self.logs else None

    def span(self, name: str) -> Span | None:
        return next((s for s in self.spans if s.name == name), None)


@dataclass(frozen=True, slots=True)
class Defect:
    """Something a static look at a workspace or run found out of order; `kind` names the fact, not the cause."""

    kind: str
    text: str
    spot: Spot
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Workspace:
    """An Osmosis workspace as it lies: nothing in it was executed."""

    root: Path
    defects: tuple[Defect, ...] = ()
    runs: tuple[str, ...] = ()
    """Run folders found, newest first, relative to the root."""


@dataclass(frozen=True, slots=True)
class Booked:
    """A mean the harness wrote down itself, and the rule by which it treated trials without a grade."""

    value: float
    rule: str
    """`missing_as_zero`, `invalid_dropped`, `failures_as_zero`, `graded_only`, or `unknown`."""
    spot: Spot
    agent: str | None = None
    model: str | None = None
    dataset: str | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a run was given, as digests; None = not recorded and not to be worked out."""

    run_id: str | None = None
    """The harness's own id of this run: two readings with one id are one run."""
    dataset: str | None = None
    """Digest of the dataset file."""
    rows: dict[int, str] = field(default_factory=dict)
    """Digest of each dataset row by its index, where the dataset is at hand with the recorded digest."""
    tasks: dict[str, str] = field(default_factory=dict)
    """Digest of each task by name (Harbor `task_checksum`)."""
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    """Digests of a task's `question`, `grader` and `key` by its name, where its folder is at hand with the recorded digest."""
    grader: str | None = None
    """Digest of the grading code alone."""
    key: str | None = None
    """Digest of the answer key alone."""
    source: str | None = None
    """Digest over workflow and grader together (Osmosis `source_digest`)."""
    model: str | None = None
    attempts: int | None = None
    config: str | None = None
    """Path of the config, relative to the workspace."""
    dataset_file: str | None = None
    """Path of the dataset file, relative to the workspace, found by its digest."""
    settings: dict[str, str] = field(default_factory=dict)
    """The harness's own record of its inputs, flat and as text (`timeouts.agent_timeout_sec` -> `20.0`); absent = not recorded."""


@dataclass(frozen=True, slots=True)
class Run:
    """One directory of results. Trials are read when asked for, one at a time, so that a run of any size fits."""

    root: Path
    name: str
    format: str
    """`osmosis`, `harbor`, `terminal-bench`."""
    writer: str | None = None
    """Program and version that wrote it (`harbor 0.26.0`), where the files tell."""
    command: str | None = None
    read_trials: Callable[[], Iterator[Trial]] = lambda: iter(())
    """A fresh pass over the trials in their recorded order; each call reads the files again."""
    planned: int | None = None
    """Trials planned, where recorded."""
    found: int | None = None
    """Trials on disk, cheap to count (directories, journal records)."""
    threshold: float | None = None
    """Reward from which the run's owner calls a trial passed (Osmosis default 1.0); None = full marks."""
    parts: int = 1
    """Runs of the harness that were read as one (a folder of Harbor jobs)."""
    recorded_status: str | None = None
    """The run's own status word."""
    hosted: bool = False
    """Read from the platform that ran it: only then can anything be said of what happens there."""
    live: bool | None = None
    """A process still works on it (lock held, server alive); None = cannot tell."""
    logs: tuple[Utterance, ...] = ()
    """Process-level log lines of the last call, speaker HARNESS (bounded)."""
    reported: tuple[Utterance, ...] = ()
    """What the user saw (`error`), one utterance per envelope or line, path `error`."""
    workspace: Workspace | None = None
    own: Path | None = None
    """The run's own folder, where `root` is a workspace that holds other runs beside it."""
    defects: tuple[Defect, ...] = ()
    """What a look at the run's own files found out of order (a damaged journal, a left-over process record)."""
    read_all: Callable[[], Iterator[Trial]] | None = None
    """A pass over every trial, where `read_trials` is narrowed to the one the opened path points into."""
    booked: dict[str, object] = field(default_factory=dict)
    """The harness's own totals, as written."""
    inputs: Inputs = Inputs()
    """What it was given."""
    booked_means: tuple[Booked, ...] = ()
    """The harness's own means, each with its rule."""
    concurrency: int | None = None
    """Trials the harness ran at a time."""
    problems: tuple[Problem, ...] = ()
    trial_problems: list[Problem] = field(default_factory=list)
    """Grows while trials are read."""
