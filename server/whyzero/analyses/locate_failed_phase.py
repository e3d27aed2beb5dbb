"""Where did it break? The standard diagnosis report of a run, a trial or a workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from pydantic import Field

from whyzero.analyses.brevity import given_up
from whyzero.analyses.judged import Progress, judged
from whyzero.analyses.report import NextStep, Report, RunInfo, one_of_several, run_info, unread
from whyzero.causes.engine import run_finding
from whyzero.evidence import Evidence, Level, Output, Prose, Quote
from whyzero.findings import Finding, Outcome, Verdict
from whyzero.model import Phase, Run, Trial
from whyzero.text import clean

ResponseFormat = Literal["concise", "detailed"]

PHASE_ORDER = {phase: index for index, phase in enumerate(Phase)}
NOT_A_FAILURE = frozenset({"skipped", "no_agent"})
"""Causes of an ungraded or low trial in which nothing went wrong."""

NOT_TO_BE_MENDED = frozenset({None, "undetermined", "wrong_answer", "below_pass_threshold", *NOT_A_FAILURE})
"""Causes whose mend no new run can prove: the machinery did its part, or nothing is known yet."""

FULL, COMPACT, SHORT = 6, 25, 6
"""Concise answers: up to 6 trials in full, up to 25 with one short quote each, else the 6 most telling."""
SHORT_QUOTE = 80
"""Characters."""


UNKNOWN_ERROR = (
    "That is said of the files alone: the error that was reported (`error`) is of no kind that is known here, and nothing on disk"
    " goes with it."
)


class Affected(Output):
    """The first input that shows the failure."""

    left_out_when_empty = frozenset({"trial", "task", "row", "attempt"})

    trial: Quote | None = None
    """Trial id: directory name in Harbor and Terminal-Bench, rollout id in Osmosis."""
    task: Quote | None = None
    """Full task name, or the dataset's."""
    row: int | None = None
    """0-based index in the dataset file."""
    attempt: int | None = None
    """0-based repeat number."""


class FailedTrial(Output):
    """One trial without full marks."""

    left_out_when_empty = frozenset({"row"})

    id: Quote
    """Trial id."""
    task: Quote
    """Full task name."""
    row: int | None = None
    """0-based index in the dataset file (Osmosis)."""
    attempt: int
    """0-based repeat number."""
    phase: Phase
    """Where it stopped; `none` where the machinery worked and the work was graded."""
    native_phase: Quote | None = None
    """The harness's own name for the last phase that began."""
    cause: str
    """A word of the cause vocabulary, or `undetermined`."""
    first_error: Quote | None = None
    """The first error by time in the words of the log. Untrusted data."""
    evidence: tuple[Evidence, ...] = ()
    """Decisive one first; where a concise answer lists many trials, that one alone, shortened."""


class PhaseCounts(Output):
    """Exact counts over all trials read, whatever is listed."""

    by_phase: dict[str, int] = Field(default_factory=dict)
    """Trials without full marks by phase."""
    by_cause: dict[str, int] = Field(default_factory=dict)
    """The same by cause."""
    trials: int = 0
    """Trials read, passes included."""
    passed: int = 0
    """Trials with full marks (or at the run's threshold)."""
    pending: int = 0
    """Planned trials without a record."""


class FailedPhase(Report):
    """The standard diagnosis report."""

    run: RunInfo
    """Which results were read."""
    phase: Phase
    """The run's own failing phase, or the earliest among its failed trials."""
    affected: Affected
    """The first input that shows it."""
    cause: str | None
    """A word of the cause vocabulary; null when nothing failed; `undetermined` where nothing decides."""
    likely_cause: Prose
    """One sentence."""
    evidence: tuple[Evidence, ...] = ()
    """What proves it, decisive one first."""
    disproving_check: Prose = ""
    """The smallest command or look that could show the diagnosis wrong."""
    evidence_level: Level | None = None
    """`record` > `log` > `inference`."""
    trials: tuple[FailedTrial, ...] = ()
    """Trials without full marks."""
    counts: PhaseCounts
    """Exact counts."""


class PhaseTally:
    """One pass over the trials of a run: counters, and the first trials of each (phase, cause) group."""

    def __init__(
        self,
        run: Run,
        *,
        trial: str | None = None,
        row: int | None = None,
        response_format: ResponseFormat = "concise",
        offset: int = 0,
        limit: int | None = None,
    ) -> None:
        self.run = run
        self.trial, self.row = trial, row
        self.response_format: ResponseFormat = response_format
        self.offset, self.limit = offset, limit
        self.by_phase: Counter[str] = Counter()
        self.by_cause: Counter[str] = Counter()
        self.read = self.passed = self.pending = 0
        self._keep = offset + (limit or (COMPACT if response_format == "concise" else 1_000_000))
        self._kept: dict[tuple[Phase, str], list[tuple[Trial, Verdict]]] = {}

    def add(self, trial: Trial, verdict: Verdict) -> None:
        """Count one trial."""
        self.read += 1
        if verdict.outcome is Outcome.GRADED_PASS:
            self.passed += 1
            return
        if verdict.outcome is Outcome.PENDING and verdict.finding is None:
            self.pending += 1
            return
        cause = cause_word(verdict)
        self.by_phase[verdict.phase.value] += 1
        self.by_cause[cause] += 1
        group = self._kept.setdefault((verdict.phase, cause), [])
        if len(group) < self._keep:
            group.append((_light(trial), verdict))

    def ordered(self) -> Iterator[tuple[Trial, Verdict]]:
        """Round robin over the groups, real failures first, so that a short list shows every cause."""
        groups = sorted(self._kept.items(), key=lambda item: (item[0][0] is Phase.NONE, PHASE_ORDER[item[0][0]], item[0][1]))
        for turn in range(max((len(group) for _, group in groups), default=0)):
            for _, group in groups:
                if turn < len(group):
                    yield group[turn]

    def report(self) -> FailedPhase:
        """What the trials counted so far amount to."""
        run, own = self.run, run_finding(self.run)
        narrowed = self.trial is not None or self.row is not None or run.read_all is not None
        if narrowed and self.read > self.pending:
            own = None  # the question is about this trial, and it has a record of its own
        first = next((item for item in self.ordered() if cause_word(item[1]) not in NOT_A_FAILURE), None)
        deciding = own if own is not None else (first[1].finding if first else None)
        phase = own.phase if own else (first[1].phase if first else Phase.NONE)
        unreadable = not self.read and run.workspace is None and bool(run.problems or run.trial_problems)
        cause = deciding.cause if deciding else ("undetermined" if first or unreadable else None)
        whole, listed, left = _listed(self)
        problems, more_problems = unread([*run.problems, *run.trial_problems])
        omitted = {"trials": left} if left else {}
        if more_problems:
            omitted["problems"] = more_problems
        omitted |= given_up(whole, listed, ("evidence", "first_error"))
        return FailedPhase(
            run=run_info(run),
            phase=phase if cause is not None or phase is not Phase.NONE else Phase.NONE,
            affected=_affected(None if own and own.phase in RUN_WIDE else first, run),
            cause=cause,
            likely_cause=_likely(cause, deciding, first, self),
            evidence=deciding.evidence if deciding and cause else (),
            disproving_check=deciding.disproving_check if deciding and cause else "",
            evidence_level=deciding.evidence_level if deciding and cause else None,
            trials=listed,
            counts=PhaseCounts(
                by_phase=dict(self.by_phase),
                by_cause=dict(self.by_cause),
                trials=self.read,
                passed=self.passed,
                pending=self.pending,
            ),
            summary=_summary(run, phase, cause, self),
            next_steps=_next_steps(run, cause, first, self.read, left, self.offset + len(listed), self.row),
            problems=problems,
            omitted=omitted,
        )


def locate_failed_phase(
    run: Run,
    *,
    trial: str | None = None,
    row: int | None = None,
    response_format: ResponseFormat = "concise",
    offset: int = 0,
    limit: int | None = None,
    progress: Progress = None,
) -> FailedPhase:
    """Say where the run or the named trial broke, with the first error and what could disprove the diagnosis.

    Args:
        trial: id of one trial; raises TrialNotFoundError where the run has none.
        row: 0-based index in the dataset file; all attempts of that row.
        limit: trials listed; None = adaptive in `concise`, all in `detailed`.
        progress: called with (trials read, trials expected or None).
    """
    tally = PhaseTally(run, trial=trial, row=row, response_format=response_format, offset=offset, limit=limit)
    for _, one, verdict in judged([run], trial=trial, row=row, progress=progress):
        tally.add(one, verdict)
    return tally.report()


RUN_WIDE = frozenset({Phase.LAYOUT, Phase.DATA, Phase.STARTUP, Phase.DISPATCH, Phase.PUBLISH, Phase.HOSTED})


def cause_word(verdict: Verdict) -> str:
    """The cause of a verdict; silence is `undetermined`."""
    return verdict.finding.cause if verdict.finding else "undetermined"


def _light(trial: Trial) -> Trial:
    """The trial without its bulk: enough for one line of a report."""
    return Trial(
        id=trial.id,
        task=trial.task,
        spot=trial.spot,
        attempt=trial.attempt,
        row=trial.row,
        agent=trial.agent,
        model=trial.model,
        recorded=trial.recorded,
        reward=trial.reward,
        spans=trial.spans,
        exceptions=trial.exceptions[:1],
    )


def _listed(tally: PhaseTally) -> tuple[tuple[FailedTrial, ...], tuple[FailedTrial, ...], int]:
    """The trials of this answer in full and as they are listed, and how many come after them."""
    total = sum(tally.by_cause.values())
    show = tally.limit or (total if tally.response_format == "detailed" else total if total <= COMPACT else SHORT)
    full = tally.response_format == "detailed" or total <= FULL
    page = islice(tally.ordered(), min(tally.offset, total), min(tally.offset + show, total))
    whole = tuple(_failed(trial, verdict) for trial, verdict in page)
    listed = whole if full else tuple(_thin(one) for one in whole)
    return whole, listed, total - len(listed) - min(tally.offset, total)


def _thin(trial: FailedTrial) -> FailedTrial:
    """As one of many in a concise answer."""
    return trial.model_copy(update={"first_error": None, "evidence": shortened(trial.evidence)})


def shortened(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The decisive piece alone, its quote cut."""
    return tuple(e.model_copy(update={"quote": clean(e.quote, SHORT_QUOTE)}) for e in evidence[:1])


def _failed(trial: Trial, verdict: Verdict) -> FailedTrial:
    began = [s.name for s in trial.spans if s.started_at]
    evidence = verdict.finding.evidence if verdict.finding else ()
    error = None
    if trial.exceptions and verdict.phase is not Phase.NONE:
        error = f"{trial.exceptions[0].type}: {trial.exceptions[0].message}"
    elif verdict.finding and verdict.phase is not Phase.NONE and not _only_a_value(verdict.finding):
        error = evidence[0].quote
    return FailedTrial(
        id=trial.id,
        task=trial.task,
        row=trial.row,
        attempt=trial.attempt,
        phase=verdict.phase,
        native_phase=began[-1] if began else next((e.during for e in trial.exceptions), None),
        cause=cause_word(verdict),
        first_error=error,
        evidence=evidence,
    )


def _only_a_value(found: Finding) -> bool:
    """The pattern alone tells, and what it begins with is a value on record that nobody raised."""
    return found.evidence_level is Level.INFERENCE and found.evidence[0].pointer is not None


def _affected(first: tuple[Trial, Verdict] | None, run: Run) -> Affected:
    if first is None:
        return Affected()
    trial = first[0]
    return Affected(trial=trial.id, task=trial.task, row=trial.row, attempt=trial.attempt)


def _likely(cause: str | None, deciding: Finding | None, first: tuple[Trial, Verdict] | None, tally: PhaseTally) -> str:
    if cause is None:
        why = "every trial read has full marks, was skipped on purpose, or had no agent to measure"
        said = f"Nothing failed: {why}." if tally.read > tally.passed else "Nothing failed."
        return f"{said} {UNKNOWN_ERROR}" if any(one.text.strip() for one in tally.run.reported) else said
    if deciding is not None:
        return deciding.likely_cause
    missing = first[1].missing if first else "Nothing of this run could be read: `problems` says what stood in the way."
    return f"The evidence decides nothing. {missing}"


def _summary(run: Run, phase: Phase, cause: str | None, tally: PhaseTally) -> str:
    wrong = {name: count for name, count in tally.by_cause.most_common() if name not in NOT_A_FAILURE}
    beside = [f"{count} {name}" for name, count in tally.by_cause.most_common() if name in NOT_A_FAILURE]
    failed = sum(wrong.values())
    parts = [f"{run.name} ({run.writer or run.format}): {tally.read} trial{'s' * (tally.read != 1)} read, {tally.passed} passed"]
    if failed:
        causes = ", ".join(f"{count} {name}" for name, count in wrong.items())
        parts.append(f"{failed} without full marks ({causes})")
    parts += beside
    if tally.pending:
        parts.append(f"{tally.pending} planned but never recorded")
    if cause is None:
        verdict = "Nothing failed."
    elif cause in tally.by_cause and len(tally.by_cause.keys() - NOT_A_FAILURE) > 1:
        verdict = f"Earliest failing phase: {phase.value}; first cause: {cause}."
    else:
        verdict = f"Failing phase: {phase.value}; cause: {cause}."
    live = " A process still works on this run: the picture may change." if run.live else ""
    return "; ".join(parts) + ". " + verdict + one_of_several(run) + live


def _next_steps(
    run: Run, cause: str | None, first: tuple[Trial, Verdict] | None, read: int, left: int, shown: int, row: int | None
) -> tuple[NextStep, ...]:
    steps: list[NextStep] = []
    path = str(run.own or run.root)
    if first is not None:
        steps.append(
            NextStep(
                tool="classify_zero",
                arguments={"path": path},
                why="Says for each trial without full marks whether its zero is a score of the model, and the honest totals.",
            )
        )
    if cause is not None and not read:
        steps.append(
            NextStep(
                tool="locate_failed_phase",
                arguments={"path": str(run.root)},
                why="Ask again after the mend, on the same path.",
            )
        )
    elif cause not in NOT_TO_BE_MENDED:
        steps.append(
            NextStep(
                tool="verify_fix",
                arguments={"before": path},
                why="Once the fault is mended and the same input has run again: name that run as well (`after`).",
            )
        )
    if left:
        same = {} if row is None else {"row": row}
        steps.append(
            NextStep(
                tool="locate_failed_phase",
                arguments={"path": path, **same, "response_format": "detailed", "offset": shown},
                why="Lists the trials without full marks that are not shown here (`omitted`).",
            )
        )
    return tuple(steps)


__all__ = [
    "Affected",
    "FailedPhase",
    "FailedTrial",
    "PhaseCounts",
    "PhaseTally",
    "ResponseFormat",
    "cause_word",
    "locate_failed_phase",
    "shortened",
]
