"""Did the cause go away on the same input, and nothing else break? An analysis that can say no."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from whyzero.analyses.classify_zero import is_score
from whyzero.analyses.locate_failed_phase import cause_word
from whyzero.analyses.paired_test import LEVEL, mcnemar_exact, smallest_deciding_n
from whyzero.analyses.report import NextStep, Report, RunInfo, run_info, unread
from whyzero.causes.engine import judge
from whyzero.errors import UsageError
from whyzero.evidence import Output, Prose, Quote
from whyzero.findings import Outcome, Verdict
from whyzero.model import Inputs, Phase, Run, Trial
from whyzero.readers.inputs import inputs_in_parts

MODEL_IS_THE_FIX = frozenset(
    {"model_not_found", "agent_auth", "quota_exhausted", "rate_limited", "provider_error", "context_length"}
)
"""Causes that a change of the model may legitimately mend."""
GRADER_PHASES = frozenset({Phase.GRADING, Phase.DATA})


class FixVerdict(StrEnum):
    """What the comparison allows to say."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not_comparable"


class Sameness(StrEnum):
    """One input before and after."""

    SAME = "same"
    CHANGED = "changed"
    UNKNOWN = "unknown"


class Side(Output):
    """One attempt, before or after."""

    left_out_when_empty = frozenset({"trial"})

    trial: Quote | None = None
    """Trial id."""
    outcome: Outcome
    """What the verifier made of it; `pending` where there is no record."""
    reward: float | None
    """Null = absent."""
    cause: str | None
    """Null on a pass."""
    phase: Phase
    """Where it stopped."""


class PairOfTrials(Output):
    """The same row or task and attempt in both runs."""

    left_out_when_empty = frozenset({"row"})

    row: int | None = None
    """0-based index in the dataset file (Osmosis)."""
    task: Quote
    """Full task name."""
    attempt: int
    """0-based repeat number."""
    affected: bool
    """One of the inputs that the fix is for."""
    before: Side
    """As it was."""
    after: Side
    """As it is."""


class InputsCompared(Output):
    """What must be the same for the comparison to mean anything."""

    dataset: Sameness
    """Digest of the dataset file."""
    row: Sameness
    """Digests of the paired rows or tasks."""
    grader: Sameness
    """Digest of the grading code."""
    key: Sameness
    """Digest of the answer key."""
    model: Sameness
    """Model id."""
    n: Sameness
    """Attempts per row."""


class PairedTest(Output):
    """Exact two-sided McNemar test over all pairs."""

    fixed: int
    """Pairs from not passing to passing."""
    broken: int
    """Pairs from passing to not passing."""
    p_value: float
    """Chance of a split as uneven as this if the change did nothing."""
    smallest_n_that_could_decide: int
    """Fewest pairs, all fixed, that could reach 0.05."""


class FixVerification(Report):
    """Answer of verify_fix."""

    left_out_when_empty = frozenset({"after", "command", "cost_note", "measured", "expected", "why"})

    verdict: FixVerdict
    """What may be said."""
    why: Prose
    """The rule that decided, in one or two sentences."""
    before: RunInfo
    """The run with the fault."""
    after: RunInfo | None = None
    """The run after the fix."""
    pairs: tuple[PairOfTrials, ...] = ()
    """Pairs by row or task and attempt, affected ones first."""
    inputs: InputsCompared | None = None
    """Sameness of the inputs."""
    regressions: tuple[PairOfTrials, ...] = ()
    """Pairs from a pass to anything less."""
    test: PairedTest | None = None
    """Whether chance could have done it."""
    measured: float | None = None
    """The re-measured number, where one on record was to be reproduced."""
    expected: float | None = None
    """The number on record."""
    command: Prose = ""
    """The exact command that makes the after-run: to be run by a person where it was not authorised."""
    cost_note: Prose = ""
    """What it would cost."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """A number on record that a re-measured run is held against."""

    value: float
    tolerance: float = 0.0
    source: str = ""


@dataclass(frozen=True, slots=True)
class _Read:
    trial: Trial
    verdict: Verdict


Key = tuple[str, int | None, int, str]
"""Task, row, attempt, and who tried where one run holds several agents or models."""


def verify_fix(
    before: Run,
    after: Run | None = None,
    *,
    expect: Expectation | None = None,
    rows: Sequence[int] = (),
    command: str = "",
    cost_note: str = "",
) -> FixVerification:
    """Compare the run with the fault and the run after the fix, input by input.

    Args:
        rows: the affected rows; default: those without a grade before, or where all were graded those below a pass.
        command: what makes the after-run.
    """
    if expect is not None:
        return _calibrate(after or before, before, expect)
    records = _read(before)
    if after is None:
        return _answer(
            before,
            None,
            FixVerdict.INCONCLUSIVE,
            "Nothing was run after the fix, so nothing was tested."
            if command
            else "There is no run after the fix and no number on record.",
            pairs=(),
            command=command,
            cost_note=cost_note,
        )
    again = _read(after)
    by_who = _several(records) or _several(again)
    old, new = _by_key(records, by_who), _by_key(again, by_who)
    shared = [key for key in old if key in new or key[1] is not None]
    if not any(key in new for key in old):
        return _answer(before, after, FixVerdict.NOT_COMPARABLE, "The two runs share no row or task: there is no pair.")
    if _same_run(before, after, old, new):
        return _answer(
            before,
            after,
            FixVerdict.NOT_COMPARABLE,
            "Both paths hold the same run: nothing was run again, so nothing was tested.",
        )
    affected = _affected(old, rows)
    if rows and not affected:
        raise UsageError(
            f"{before.name} has no row {', '.join(map(str, rows))} without full marks. Leave --row out to compare all that failed."
        )
    pairs = tuple(
        _pair(key, old[key], new.get(key), key in affected)
        for key in sorted(shared, key=lambda k: (k not in affected, k[0], k[1] or 0, k[2], k[3]))
    )
    inputs = _compare(_given(before, old), _given(after, new), [key for key in shared if key in new])
    regressions = tuple(
        p
        for p in pairs
        if p.before.outcome is Outcome.GRADED_PASS and p.after.outcome not in (Outcome.GRADED_PASS, Outcome.PENDING)
    )
    fixed = sum(p.before.outcome is not Outcome.GRADED_PASS and p.after.outcome is Outcome.GRADED_PASS for p in pairs)
    test = PairedTest(
        fixed=fixed,
        broken=len(regressions),
        p_value=mcnemar_exact(fixed, len(regressions)),
        smallest_n_that_could_decide=smallest_deciding_n(),
    )
    verdict, why = _decide(pairs, inputs, regressions, test)
    return _answer(
        before,
        after,
        verdict,
        why,
        pairs=pairs,
        inputs=inputs,
        regressions=regressions,
        test=test,
        command=command,
        cost_note=cost_note,
    )


def _decide(
    pairs: Sequence[PairOfTrials], inputs: InputsCompared, regressions: Sequence[PairOfTrials], test: PairedTest
) -> tuple[FixVerdict, str]:
    affected = [p for p in pairs if p.affected]
    grader_fault = bool(affected) and all(p.before.phase in GRADER_PHASES for p in affected)
    if inputs.row is Sameness.CHANGED or (inputs.row is Sameness.UNKNOWN and inputs.dataset is Sameness.CHANGED):
        return (
            FixVerdict.NOT_COMPARABLE,
            "The question changed: the dataset row or task differs, so another question was answered.",
        )
    if inputs.key is Sameness.CHANGED:
        return FixVerdict.NOT_COMPARABLE, "The answer key changed: the two rewards measure different things."
    moved = [p for p in pairs if _graded(p.before) and not p.affected and _graded(p.after) and p.after.reward != p.before.reward]
    if inputs.grader is Sameness.CHANGED:
        if not grader_fault:
            return (
                FixVerdict.NOT_COMPARABLE,
                "The grader changed, and the fault was not the grader's: the rewards cannot be compared.",
            )
        if moved:
            return (
                FixVerdict.NOT_COMPARABLE,
                f"The grader was mended, but {len(moved)} rows graded before got another reward: it measures something else now.",
            )
    if not affected:
        return FixVerdict.INCONCLUSIVE, "Nothing failed before: there is nothing to fix."
    if regressions:
        return FixVerdict.REFUTED, f"{len(regressions)} pairs went from a pass to less."
    if any(p.after.outcome is Outcome.PENDING for p in affected):
        return FixVerdict.INCONCLUSIVE, "An affected input has no record after the fix yet."
    again = [p for p in affected if not _graded(p.before) and not _graded(p.after)]
    if any(p.before.cause == p.after.cause for p in again):
        return FixVerdict.REFUTED, "An affected input failed again, with the same cause."
    if again:
        return (
            FixVerdict.INCONCLUSIVE,
            "The old cause is gone, but an affected input is still not graded: another fault stands in the way.",
        )
    was_graded = [p for p in affected if _graded(p.before)]
    if was_graded:
        better = [p for p in was_graded if (p.after.reward or 0.0) > (p.before.reward or 0.0)]
        if not better:
            return FixVerdict.REFUTED, "No affected input got a better grade."
        if test.p_value > LEVEL:
            return (
                FixVerdict.INCONCLUSIVE,
                f"Graded answers vary by chance: {test.fixed} fixed and {test.broken} broken give p = {test.p_value:.3g};"
                f" no fewer than {test.smallest_n_that_could_decide} fixed pairs could decide.",
            )
        if len(better) < len(was_graded):
            return FixVerdict.INCONCLUSIVE, "Some affected inputs got no better grade."
    elif any(not p.after.reward for p in affected):
        return (
            FixVerdict.INCONCLUSIVE,
            "The fault is gone, the answer is not: an affected input moved only from not graded to graded zero.",
        )
    if inputs.grader is Sameness.UNKNOWN and moved:
        return (
            FixVerdict.INCONCLUSIVE,
            f"Whether the grader changed is unknown, and {len(moved)} rows graded before got another reward.",
        )
    if inputs.model is Sameness.CHANGED and not all(p.before.cause in MODEL_IS_THE_FIX for p in affected):
        return FixVerdict.INCONCLUSIVE, "The model changed with the fix: which of the two helped cannot be told."
    return (
        FixVerdict.VERIFIED,
        "On the same input every affected attempt is graded and better, its old cause is gone, and nothing else got worse.",
    )


def _graded(side: Side) -> bool:
    return side.outcome in (Outcome.GRADED_PASS, Outcome.GRADED_PARTIAL, Outcome.GRADED_ZERO)


def _read(run: Run) -> list[_Read]:
    return [_Read(trial, judge(trial, run)) for trial in run.read_trials()]


def _by_key(records: Sequence[_Read], by_who: bool) -> dict[Key, _Read]:
    """The last record of a key counts."""
    return {_key(one.trial, by_who): one for one in records}


def _key(trial: Trial, by_who: bool) -> Key:
    task = "" if trial.row is not None else trial.task
    return (task, trial.row, trial.attempt, _who(trial) if by_who else "")


def _several(records: Sequence[_Read]) -> bool:
    """Several agents or models tried the same input: then a pair is one of the same agent and model."""
    return len({_key(one.trial, True) for one in records}) > len({_key(one.trial, False) for one in records})


def _who(trial: Trial) -> str:
    return f"{trial.agent or ''} {trial.model or ''}"


def _given(run: Run, read: dict[Key, _Read]) -> Inputs:
    """The run's inputs in parts; the model as the trials name it, where the run itself does not."""
    inputs = inputs_in_parts(run)
    if inputs.model is not None:
        return inputs
    models = {one.trial.model for one in read.values()}
    return replace(inputs, model=models.pop() if len(models) == 1 else None)


def _affected(old: dict[Key, _Read], rows: Sequence[int]) -> set[Key]:
    failing = {k for k, r in old.items() if r.verdict.outcome not in (Outcome.GRADED_PASS, Outcome.SKIPPED)}
    if rows:
        return {k for k in failing if k[1] in rows}
    ungraded = {k for k in failing if not _graded(_side(old[k]))}
    return ungraded or failing


def _same_run(before: Run, after: Run, old: dict[Key, _Read], new: dict[Key, _Read]) -> bool:
    if before.inputs.run_id is not None and before.inputs.run_id == after.inputs.run_id:
        return True
    ids = {r.trial.id for r in old.values() if r.verdict.outcome is not Outcome.PENDING}
    return bool(ids & {r.trial.id for r in new.values() if r.verdict.outcome is not Outcome.PENDING})


def _pair(key: Key, old: _Read, new: _Read | None, affected: bool) -> PairOfTrials:
    nothing = Side(outcome=Outcome.PENDING, reward=None, cause=None, phase=Phase.NONE)
    return PairOfTrials(
        row=key[1],
        task=old.trial.task,
        attempt=key[2],
        affected=affected,
        before=_side(old),
        after=_side(new) if new else nothing,
    )


def _side(read: _Read) -> Side:
    passed = read.verdict.outcome is Outcome.GRADED_PASS
    waiting = read.verdict.outcome is Outcome.PENDING and read.verdict.finding is None
    outcome = read.verdict.outcome
    if outcome in (Outcome.GRADED_ZERO, Outcome.GRADED_PARTIAL) and not is_score(read.verdict):
        outcome = Outcome.NOT_GRADED
    return Side(
        trial=read.trial.id,
        outcome=outcome,
        reward=read.trial.reward.value,
        cause=None if passed or waiting else cause_word(read.verdict),
        phase=read.verdict.phase,
    )


def _compare(old: Inputs, new: Inputs, keys: Sequence[Key]) -> InputsCompared:
    tasks = {key[0] for key in keys if key[0]}
    row, grader, key = (
        _compare_tasks(old, new, tasks) if tasks else _compare_rows(old, new, {k[1] for k in keys if k[1] is not None})
    )
    dataset = _same(old.dataset, new.dataset)
    return InputsCompared(
        dataset=row if tasks and dataset is Sameness.UNKNOWN else dataset,
        row=row,
        grader=grader,
        key=key,
        model=_same(old.model, new.model),
        n=_same(old.attempts, new.attempts),
    )


def _compare_rows(old: Inputs, new: Inputs, rows: set[int]) -> tuple[Sameness, Sameness, Sameness]:
    """Row, grader and key of Osmosis: the label is a part of the row."""
    same_file = _same(old.dataset, new.dataset) is Sameness.SAME
    row = Sameness.SAME if same_file else _all([_same(old.rows.get(number), new.rows.get(number)) for number in rows])
    same_source = _same(old.source, new.source) is Sameness.SAME
    grader = Sameness.SAME if same_source else _same(old.grader, new.grader)
    key = _same(old.key, new.key)
    return row, grader, Sameness.SAME if key is Sameness.UNKNOWN and row is Sameness.SAME else key


def _compare_tasks(old: Inputs, new: Inputs, tasks: set[str]) -> tuple[Sameness, Sameness, Sameness]:
    """Question, grader and key of Harbor: one digest covers all, unless the folders of both are at hand."""

    def part(task: str, name: str, otherwise: Sameness) -> Sameness:
        whole = _same(old.tasks.get(task), new.tasks.get(task))
        if whole is not Sameness.CHANGED:
            return whole
        apart = _same(old.parts.get(task, {}).get(name), new.parts.get(task, {}).get(name))
        return otherwise if apart is Sameness.UNKNOWN else apart

    return (
        _all([part(task, "question", Sameness.CHANGED) for task in tasks]),
        _all([part(task, "grader", Sameness.UNKNOWN) for task in tasks]),
        _all([part(task, "key", Sameness.UNKNOWN) for task in tasks]),
    )


def _same(old: object, new: object) -> Sameness:
    if old is None or new is None:
        return Sameness.UNKNOWN
    return Sameness.SAME if old == new else Sameness.CHANGED


def _all(each: list[Sameness]) -> Sameness:
    if Sameness.CHANGED in each:
        return Sameness.CHANGED
    return Sameness.SAME if each and all(s is Sameness.SAME for s in each) else Sameness.UNKNOWN


def _calibrate(run: Run, before: Run, expect: Expectation) -> FixVerification:
    """Hold a re-measured number against the one on record."""
    values = [r.trial.reward.value for r in _read(run) if is_score(r.verdict) and r.trial.reward.value is not None]
    if not values:
        return _answer(
            before, None, FixVerdict.INCONCLUSIVE, "Nothing was graded: there is no number to hold against the record."
        )
    measured = math.fsum(values) / len(values)
    within = abs(measured - expect.value) <= expect.tolerance + 1e-12
    source = f" ({expect.source})" if expect.source else ""
    return _answer(
        before,
        None if run is before else run,
        FixVerdict.VERIFIED if within else FixVerdict.REFUTED,
        f"Measured {measured:.6g} over {len(values)} graded trials; on record {expect.value:.6g}{source},"
        f" {'within' if within else 'outside'} the tolerance of {expect.tolerance:.6g}.",
        measured=measured,
        expected=expect.value,
    )


def _answer(before: Run, after: Run | None, verdict: FixVerdict, why: str, **fields: object) -> FixVerification:
    problems, more = unread(
        [*before.problems, *before.trial_problems, *((*after.problems, *after.trial_problems) if after else ())]
    )
    steps: list[NextStep] = []
    if after is not None and verdict in (FixVerdict.REFUTED, FixVerdict.INCONCLUSIVE):
        steps.append(
            NextStep(
                tool="locate_failed_phase", arguments={"path": str(after.root)}, why="Shows what stands in the way after the fix."
            )
        )
    return FixVerification.model_validate(
        {
            "verdict": verdict,
            "why": why,
            "before": run_info(before),
            "after": run_info(after) if after else None,
            "summary": f"{verdict.value.replace('_', ' ').capitalize()}: {why}",
            "problems": problems,
            "omitted": {"problems": more} if more else {},
            "next_steps": tuple(steps),
            **fields,
        }
    )


__all__ = ["Expectation", "FixVerdict", "FixVerification", "InputsCompared", "PairOfTrials", "PairedTest", "verify_fix"]
