"""Did the cause go away on the same input, and nothing else break? An analysis that can say no."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from whyzero.analyses.classify_zero import is_score
from whyzero.analyses.fix_inputs import InputsCompared, Sameness, compare_inputs
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
        return _calibrate(after or before, before, expect, rows)
    records = _read(before)
    _check_rows(before, records, rows)
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
    after, bar = _same_bar(before, after)
    again = _read(after)
    by_who = _several(records) or _several(again)
    old, new = _by_key(records, by_who), _by_key(again, by_who)
    affected = _affected(old, rows)
    shared = [key for key in old if key in new or key in affected or key[1] is not None]
    if not any(key in new for key in old):
        return _answer(
            before,
            after,
            FixVerdict.NOT_COMPARABLE,
            "The two runs share no row or task: there is no pair.",
            command=command,
            cost_note=cost_note,
        )
    if _same_run(before, after, old, new):
        return _answer(
            before,
            after,
            FixVerdict.NOT_COMPARABLE,
            "Both paths hold the same run: nothing was run again, so nothing was tested. A workspace stands for its newest run:"
            " where it holds both, name the folder of each run.",
        )
    pairs = tuple(
        _pair(key, old[key], new.get(key), key in affected)
        for key in sorted(shared, key=lambda k: (k not in affected, k[0], k[1] or 0, k[2], k[3]))
    )
    paired = [key for key in shared if key in new]
    tasks, numbers = {key[0] for key in paired if key[0]}, {key[1] for key in paired if key[1] is not None}
    inputs = compare_inputs(_given(before, old), _given(after, new), tasks, numbers)
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
    verdict, why = _decide(pairs, inputs, regressions, test, _more(old, new, affected))
    if bar and verdict is not FixVerdict.NOT_COMPARABLE:
        why = f"{why} {bar}"
    unasked = sum(_passed(read) and (key not in new or new[key].verdict.outcome is Outcome.PENDING) for key, read in old.items())
    if verdict is FixVerdict.VERIFIED and unasked:
        inputs_were = "input that passed before was" if unasked == 1 else "inputs that passed before were"
        why = f"{why} {unasked} {inputs_were} not run again."
        if after.live:
            verdict, why = FixVerdict.INCONCLUSIVE, f"The run after the fix is still under way. So far: {why}"
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


def check_rows(before: Run, rows: Sequence[int]) -> None:
    """Whether a run of these rows could show anything.

    Raises:
        UsageError: the run with the fault does not know one of them, or none of them failed.
    """
    _check_rows(before, _read(before), rows)


def _check_rows(before: Run, records: Sequence[_Read], rows: Sequence[int]) -> None:
    if unknown := sorted(set(rows) - {one.trial.row for one in records if one.trial.row is not None}):
        raise UsageError(
            f"{before.name} has no row {', '.join(map(str, unknown))}. Name rows of its dataset file, counted from 0."
        )
    if rows and not any(one.trial.row in rows and _failed(one) for one in records):
        raise UsageError(
            f"{before.name} has no row {', '.join(map(str, rows))} without full marks. Leave --row out to compare all that failed."
        )


def _same_bar(before: Run, after: Run) -> tuple[Run, str]:
    """The run after the fix, held against the pass threshold of the run before, and a sentence where its own is another."""
    old, new = (run.inputs.settings.get("pass_threshold") for run in (before, after))
    if old is None or new is None or before.threshold is None or old == new:
        return after, ""
    return replace(
        after, threshold=before.threshold
    ), f"Both runs are held against the pass threshold {old}; the later one's is {new}."


def _more(old: dict[Key, _Read], new: dict[Key, _Read], affected: set[Key]) -> list[tuple[Side, Side]]:
    """Attempts at the affected inputs that only the later run made, each beside what was affected."""
    of_input = {(key[0], key[1], key[3]): old[key] for key in affected}
    pairs = [(of_input.get((key[0], key[1], key[3])), read) for key, read in new.items() if key not in old]
    return [(_side(was), _side(read)) for was, read in pairs if was is not None]


def _decide(
    pairs: Sequence[PairOfTrials],
    inputs: InputsCompared,
    regressions: Sequence[PairOfTrials],
    test: PairedTest,
    more: Sequence[tuple[Side, Side]],
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
        return FixVerdict.REFUTED, f"{len(regressions)} {'pair' if len(regressions) == 1 else 'pairs'} went from a pass to less."
    if any(p.after.outcome is Outcome.PENDING for p in affected):
        return FixVerdict.INCONCLUSIVE, "An affected input has no record after the fix yet."
    again = [p for p in affected if not _graded(p.before) and not _graded(p.after)]
    if any(p.before.cause == p.after.cause for p in again):
        return FixVerdict.REFUTED, "An affected input failed again, with the same cause."
    if any(not _graded(was) and not _graded(now) and now.cause is not None and was.cause == now.cause for was, now in more):
        return FixVerdict.REFUTED, "Another attempt at an affected input failed with the same cause."
    if again:
        return (
            FixVerdict.INCONCLUSIVE,
            "The old cause is gone, but an affected input is still not graded: another fault stands in the way.",
        )
    was_graded = [p for p in affected if _graded(p.before)]
    if was_graded:
        better = [p for p in was_graded if _graded(p.after) and (p.after.reward or 0.0) > (p.before.reward or 0.0)]
        if not better:
            return FixVerdict.REFUTED, "No affected input got a better grade."
        fixed = sum(
            p.after.outcome is Outcome.GRADED_PASS and p.before.outcome is not Outcome.GRADED_PASS and _graded(p.before)
            for p in pairs
        )
        p_value = mcnemar_exact(fixed, test.broken)
        if p_value > LEVEL:
            return (
                FixVerdict.INCONCLUSIVE,
                f"Graded answers vary by chance: {fixed} fixed and {test.broken} broken give p = {p_value:.3g};"
                f" no fewer than {test.smallest_n_that_could_decide} fixed pairs could decide.",
            )
        if len(better) < len(was_graded):
            return FixVerdict.INCONCLUSIVE, "Some affected inputs got no better grade."
    if any(not _graded(p.before) and (p.after.reward or 0.0) <= 0 for p in affected):
        return (
            FixVerdict.INCONCLUSIVE,
            "The fault is gone, the answer is not: an affected input moved only from not graded to graded zero.",
        )
    if inputs.row is Sameness.UNKNOWN:
        return (
            FixVerdict.INCONCLUSIVE,
            "Whether it was the same input cannot be told: the runs record no digest of dataset or task.",
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


def _passed(read: _Read) -> bool:
    return read.verdict.outcome is Outcome.GRADED_PASS


def _failed(read: _Read) -> bool:
    return read.verdict.outcome not in (Outcome.GRADED_PASS, Outcome.SKIPPED)


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
    failing = {k for k, r in old.items() if _failed(r)}
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


def _calibrate(run: Run, before: Run, expect: Expectation, rows: Sequence[int]) -> FixVerification:
    """Hold a re-measured number, of these rows or of all, against the one on record."""
    if not math.isfinite(expect.value) or not math.isfinite(expect.tolerance) or expect.tolerance < 0:
        raise UsageError("Give the number on record and its tolerance as plain numbers, the tolerance not below zero.")
    records = [one for one in _read(run) if not rows or one.trial.row in rows]
    values = [r.trial.reward.value for r in records if is_score(r.verdict) and r.trial.reward.value is not None]
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
