"""Is this number still an answer to today's question? Four checks on every trial, and which of several sweeps is current."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from whyzero.analyses.brevity import given_up
from whyzero.analyses.locate_failed_phase import COMPACT, FULL, SHORT, ResponseFormat, shortened
from whyzero.analyses.report import run_info, unread
from whyzero.analyses.staleness import anchor
from whyzero.analyses.staleness.advice import Advice, advise
from whyzero.analyses.staleness.checked import Checked, Freshness
from whyzero.analyses.staleness.given import Given, of_question, recorded
from whyzero.analyses.staleness.inputs import check_inputs
from whyzero.analyses.staleness.key import check_key, graded_fields
from whyzero.analyses.staleness.oracle import check_label, check_oracle
from whyzero.analyses.staleness.report import CHECKS, Four, Judged, Reasons, Staleness, StaleTrial
from whyzero.analyses.staleness.sweeps import Seen, Sweep, sweeps
from whyzero.analyses.staleness.telling import next_steps, summary
from whyzero.analyses.staleness.versions import Version, Versions, fingerprint
from whyzero.analyses.staleness.window import check_window
from whyzero.model import Problem, Run, Trial
from whyzero.question import KeyFile, Question, Questions, Text

__all__ = ["CHECKS", "Reasons", "StaleTrial", "Staleness", "Sweep", "Version", "check_staleness"]

SWEEPS_SHOWN, VERSIONS_SHOWN = 30, 10
"""In a concise answer; of the trials as many as in the other tools."""


def check_staleness(
    runs: Run | Sequence[Run],
    task: Questions | None = None,
    oracle: Sequence[KeyFile] = (),
    deliverable: str | None = None,
    fields: Sequence[str] = (),
    against: Question | None = None,
    *,
    response_format: ResponseFormat = "concise",
    offset: int = 0,
    limit: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Staleness:
    """Say of every trial whether its number still answers today's question, and what to do with it.

    Args:
        runs: one run, or several sweeps to be ordered.
        task: the task as it stands now (`readers.today`).
        oracle: today's answer keys; default: those in the task folder.
        deliverable: name of the answer file; default: what was handed in, or what today's brief asks for.
        fields: graded fields; default: the keys of the oracle's rows.
        against: the task the run was given, for trials without a prompt on record.
        offset: trials left out at the start of the list.
        limit: trials listed; None = adaptive in `concise`, all in `detailed`.
        progress: called with (trials read, trials expected or None).
    """
    listed = [runs] if isinstance(runs, Run) else list(runs)
    reading = _Pass(listed, task, tuple(oracle), deliverable, tuple(fields), against)
    reading.read(progress)
    return _report(reading, response_format == "concise", offset, limit)


@dataclass(slots=True)
class _Pass:
    """One pass over all trials of all runs."""

    runs: list[Run]
    task: Questions | None
    oracle: tuple[KeyFile, ...]
    deliverable: str | None
    fields: tuple[str, ...]
    against: Question | None
    trials: list[Judged] = field(default_factory=list)
    seen: dict[tuple[int, str | None, str | None], Seen] = field(default_factory=dict)
    others: dict[int, Seen] = field(default_factory=dict)
    """Runs by what they hold of other tasks."""
    versions: Versions = field(default_factory=Versions)
    problems: dict[Problem, None] = field(default_factory=dict)
    named: bool = False
    """Some run knows the task by its name, so that names tell in all of them."""

    def __post_init__(self) -> None:
        names = self.task.names if self.task else ()
        self.named = bool(names) and any(_is_one_of(task, names) for run in self.runs for task in run.inputs.tasks)

    def read(self, progress: Callable[[int, int | None], None] | None) -> None:
        found = [run.found for run in self.runs]
        total = sum(n or 0 for n in found) if None not in found else None
        done = 0
        for number, run in enumerate(self.runs):
            for trial in run.read_trials():
                self._add(number, run, trial)
                done += 1
                if progress:
                    progress(done, total)

    def _add(self, number: int, run: Run, trial: Trial) -> None:
        question = self._question(run, trial)
        if question is None and self.task is not None:
            self.others.setdefault(number, Seen(run, None, None)).add(trial)
        else:
            self.seen.setdefault((number, trial.task, trial.model), Seen(run, trial.task, trial.model)).add(trial)
        four = self._four(run, trial, question)
        digest = trial.checksum or run.inputs.dataset
        self.versions.add(trial.id, trial.task, digest and digest[:12], four.brief, four.is_today)
        advice, why = advise(four.key, four.window, four.oracle, four.inputs, four.submissions, only_grading=four.only_grading)
        if question is None and self.task is not None:
            why = f"{why} The trial attempted another task than the one given."
        if trial.reward.value is None:
            why = f"{why} It has no reward, so that there is no number to keep."
        self.trials.append(Judged(trial, run.name if len(self.runs) > 1 else None, four, advice, why))

    def _question(self, run: Run, trial: Trial) -> Question | None:
        """Today's task of this trial. A task that the caller points at stands for the only task of a run, whatever its name."""
        question = self.task.find(run, trial) if self.task else None
        if question is None or self.task is None:
            return None
        for problem in question.problems:
            self.problems[problem] = None
        alone = self.task.single and not self.named and len(run.inputs.tasks) == 1
        if not alone and not _is_one_of(trial.task, question.names):
            return None
        if question.rows and trial.row in question.rows:
            return replace(question, briefs=(Text(question.path, question.rows[trial.row].prompt),))
        return question

    def _four(self, run: Run, trial: Trial, question: Question | None) -> Four:
        candidates = anchor.names(trial, question, self.deliverable)
        inputs, only_grading = check_inputs(run, trial, question, self.against)
        unmoved = _unmoved(trial, inputs, question)
        given = self._given(trial, candidates, known=unmoved is not None)
        keys = self.oracle or (question.keys if question else ())
        pointed_at = bool(self.oracle)
        same_key = unmoved if not self.oracle or all(key.inside for key in self.oracle) else None
        key = check_key(
            given, question, keys, self.fields, candidates, pointed_at=pointed_at, unmoved=same_key if not self.fields else None
        )
        window = check_window(given, question, candidates, unmoved=unmoved)
        if question is not None and question.kind == "workspace" and not self.oracle:
            oracle = check_label(trial, question, unmoved=unmoved)
        else:
            oracle = check_oracle(trial, keys, unmoved=unmoved)
        graded = self.fields or graded_fields(keys, "\n".join(b.text for b in question.briefs) if question else "", pointed_at)
        return Four(key, window, oracle, inputs, only_grading, anchor.submissions(trial), fingerprint(given, tuple(graded)))

    def _given(self, trial: Trial, candidates: tuple[str, ...], *, known: bool) -> Given | None:
        """The brief of the trial: on record, else the task at its recorded checksum, else what the caller says it was."""
        given = recorded(trial, candidates)
        if given is not None or known:
            return given
        at_digest = self.task.given(trial) if self.task else None
        if at_digest is not None:
            return of_question(at_digest, "the task at the recorded digest")
        return of_question(self.against, f"the brief of {self.against.path}") if self.against else None


def _is_one_of(task: str, names: tuple[str, ...]) -> bool:
    """With or without its organisation; no names = any task."""
    return not names or task in names or task.rsplit("/", 1)[-1] in names


def _unmoved(trial: Trial, inputs: Checked, question: Question | None) -> str | None:
    """A digest on record, over brief and key, says that both are what they were."""
    if inputs.verdict is not Freshness.FRESH or question is None:
        return None
    if question.kind == "task folder":
        if not trial.checksum:
            return None
        return "The digest of the task folder, brief and key included, is the one the trial recorded (see inputs)."
    return "The digests of dataset and rollout, prompts and labels included, are the ones the run recorded (see inputs)."


ORDER = {Advice.RERUN: 0, Advice.REGRADE: 1, Advice.REUSE: 2}


def _report(reading: _Pass, concise: bool, offset: int, limit: int | None) -> Staleness:
    for number, other in reading.others.items():
        if not any(n == number for n, _, _ in reading.seen):
            reading.seen[number, None, None] = Seen(other.run, None, None, starts=other.starts, ends=other.ends)
    every = sweeps(reading.seen.values())
    trials = sorted(reading.trials, key=lambda trial: ORDER[trial.advice])
    versions = reading.versions.listed()
    counts = {name: dict(Counter(getattr(trial.four, name).verdict.value for trial in trials)) for name in CHECKS}
    counts["advice"] = dict(Counter(trial.advice.value for trial in trials))
    show = limit or (SHORT if concise and len(trials) > COMPACT else len(trials))
    whole = shown = [trial.told() for trial in trials[offset : offset + show]]
    if concise and len(trials) > FULL:
        shown = [trial.model_copy(update={"evidence": shortened(trial.evidence)}) for trial in shown]
    found = [*reading.problems, *(p for run in reading.runs for p in (*run.problems, *run.trial_problems))]
    problems, more = unread(found)
    left = {
        "trials": max(0, len(trials) - offset - len(shown)),
        "sweeps": max(0, len(every) - SWEEPS_SHOWN) if concise else 0,
        "versions": max(0, len(versions) - VERSIONS_SHOWN) if concise else 0,
        "problems": more,
        **given_up(whole, shown, ("evidence",)),
    }
    return Staleness(
        summary=summary(trials, every, versions, counts, with_task=reading.task is not None),
        next_steps=next_steps(reading.runs, every, reading.oracle, counts, with_task=reading.task is not None),
        problems=problems,
        omitted={name: n for name, n in left.items() if n},
        runs=tuple(run_info(run) for run in reading.runs),
        trials=tuple(shown),
        sweeps=every[:SWEEPS_SHOWN] if concise else every,
        versions=versions[:VERSIONS_SHOWN] if concise else versions,
        counts=counts,
    )
